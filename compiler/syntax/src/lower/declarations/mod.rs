//! Declarations: from their words to types, names and values.

pub mod declarators;
pub mod decls;
pub mod init;
pub mod overloads;
pub mod records;
pub mod replaced;
pub mod same_tags;
pub mod specifiers;
pub mod type_attributes;
pub mod unused;

//! C as the compiler reads it: from text to the typed tree.
//!
//! | module | what |
//! |---|---|
//! | `front` | the way from commands and locations to trees, in parallel |
//! | `preprocess`, `embed` | runs the compiler's preprocessor; which line a byte comes from; numbers for `#embed` |
//! | `prefilter` | prepares that text for the parser: C23, extensions, nested comments |
//! | `parse` | feeds the parser (crate `lang-c`) one external declaration at a time |
//! | `lower` | from the parser's tree to the typed tree |
//! | `tree`, `types`, `walk` | the typed tree, its types, what lies below a node |
//! | `consteval` | constants |
//! | `standard` | the standard of C that is in force |
//! | `locations` | checkpoint locations that the command line asks for |
//! | `diag` | errors and warnings: codes, levels, how they are printed |
//! | `names`, `paths`, `parallel` | names that say what they are, paths as text, threads |
//! | `dump` | the tree as text, for tests |

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod consteval;
pub mod diag;
pub mod dump;
mod embed;
pub mod front;
pub mod locations;
pub mod lower;
pub mod names;
pub mod parallel;
mod parse;
pub mod paths;
pub mod prefilter;
pub mod preprocess;
pub mod standard;
pub mod tree;
pub mod types;
pub mod walk;

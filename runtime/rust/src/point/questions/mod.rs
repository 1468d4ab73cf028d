//! What the compiler is asked of a value by its type: whether it is saved, made again, moved, or neither.

pub(crate) mod closures;
pub(crate) mod heads;
pub(crate) mod input;
pub(crate) mod lasting;
pub(crate) mod loud;
pub(crate) mod own;
pub(crate) mod places;
pub(crate) mod receivers;
pub(crate) mod repeats;
pub(crate) mod statics;
pub(crate) mod ways;

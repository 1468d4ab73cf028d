//! A function: the forms that it gets, how its parameters come, and what in it none of them takes along.

pub(crate) mod conditions;
pub(crate) mod item;
pub(crate) mod nested;
pub(crate) mod parameters;
pub(crate) mod plain;
pub(crate) mod positions;
pub(crate) mod receivers;
pub(crate) mod statics;
pub(crate) mod unmarked;

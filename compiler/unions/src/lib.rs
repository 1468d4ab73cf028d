//! Which member of a union is in use.
//!
//! | module | what |
//! |---|---|
//! | `alike` | members that a conversion need not tell apart |
//! | `tracking` | unions that are noted where the program writes them |
//! | `tags` | unions that an integer beside them tells about |

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub(crate) mod alike;
pub mod tags;
pub mod tracking;

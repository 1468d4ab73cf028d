//! Which member of a union is in use.
//!
//! | module | what |
//! |---|---|
//! | `alike` | members that a conversion need not tell apart |
//! | `expressions` | what an expression is |
//! | `member_paths` | the way from a type to a member |
//! | `tracking` | unions that are noted where the program writes them |
//! | `tags` | unions that an integer beside them tells about |

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub(crate) mod alike;
pub(crate) mod expressions;
pub mod member_paths;
pub mod tags;
pub mod tracking;

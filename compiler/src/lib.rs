//! pc3cc: instruments C programs so that they can be checkpointed and moved: [`driver`].

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod driver;

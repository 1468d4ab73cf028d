//! What starting and ending costs.

#[pc3::main]
fn main() {}

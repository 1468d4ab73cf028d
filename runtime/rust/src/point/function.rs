//! What the attribute says of a function and of its points.

/// A checkpointable function.
#[derive(Debug)]
pub struct Function {
    /// With its modules.
    pub name: &'static str,
}

/// A location, or a call that may reach one.
#[derive(Debug)]
pub struct Point {
    pub function: &'static Function,
    /// From 1, in the order of the source.
    pub label: u32,
    pub file: &'static str,
    pub line: u32,
    /// The function that is called, or "checkpoint".
    pub what: &'static str,
    /// Where it is among the function's statements.
    pub position: &'static str,
    /// Names of the locals that are kept.
    pub live: &'static [&'static str],
}

/// The stack is being taken down for a checkpoint.
#[derive(Debug)]
#[must_use]
pub struct Unwind {
    pub(super) _private: (),
}

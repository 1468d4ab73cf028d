//! Outcomes that another run could have otherwise.

use pc3_protocol::Name;

#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    /// Something was complete, or there.
    Flag(bool),
    /// These requests were reported, of those that were asked about.
    Which(Vec<u32>),
    /// A probe saw this message; one that has no name was sent when nobody logged.
    Message(Option<(u32, Name)>),
    Clock(f64),
    /// What the system has said, in a form that is the same everywhere.
    Said(Vec<u8>),
}

/// What the system was asked: the first byte of what it said.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Question {
    Time,
    TimeOfDay,
    Clock,
    Processor,
    Times,
    Usage,
    Random,
    Device,
    Number,
}

/// Bytes of which a program makes numbers are others where their order is another; the log says which.
pub const ORDER: u8 = cfg!(target_endian = "big") as u8;

/// Does a log that is read have bytes of which a program may have made other numbers than it would make here?
pub fn is_foreign(said: &[u8]) -> bool {
    let bytes = [Question::Random, Question::Device].map(|q| q as u8);
    matches!(said, [question, order, ..] if bytes.contains(question) && *order != ORDER)
}

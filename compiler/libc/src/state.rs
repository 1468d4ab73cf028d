//! What the C library remembers from call to call: the table `library/state.table`, of which the head says how it is read.

use std::collections::HashMap;
use std::sync::OnceLock;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum How {
    Unit,
    Calls,
    Asked,
    Memory,
    None,
    Seen,
    Descriptor,
    Stream,
    Mapped,
    Held,
    Listed,
    Child,
    Begun,
    Done,
    Lost,
    Ranks,
    Shared,
    Never,
}

impl How {
    fn of(word: &str) -> Option<How> {
        use How::*;
        Some(match word {
            "unit" => Unit,
            "calls" => Calls,
            "asked" => Asked,
            "memory" => Memory,
            "none" => None,
            "seen" => Seen,
            "descriptor" => Descriptor,
            "stream" => Stream,
            "mapped" => Mapped,
            "held" => Held,
            "listed" => Listed,
            "child" => Child,
            "begun" => Begun,
            "done" => Done,
            "lost" => Lost,
            "ranks" => Ranks,
            "shared" => Shared,
            "never" => Never,
            _ => return Option::None,
        })
    }

    /// What notes the result of a call, in the runtime.
    fn note(self) -> Option<&'static str> {
        Some(match self {
            How::Descriptor => "pc3_descriptor",
            How::Stream => "pc3_other_stream",
            How::Mapped => "pc3_mapped",
            How::Held => "pc3_held",
            How::Child => "pc3_child",
            How::Done => "pc3_done",
            _ => return None,
        })
    }
}

/// A line of the table.
#[derive(Debug)]
pub struct Entry {
    pub how: How,
    pub names: Vec<&'static str>,
    /// What it is, and what to do.
    pub what: Option<(&'static str, &'static str)>,
    /// Tests that show it, or the reason why none does.
    pub why: &'static str,
}

/// The table; lines that are none are left out.
pub fn table() -> &'static [Entry] {
    static TABLE: OnceLock<Vec<Entry>> = OnceLock::new();
    TABLE.get_or_init(|| {
        include_str!("../library/state.table")
            .lines()
            .filter_map(entry)
            .collect()
    })
}

fn entry(line: &'static str) -> Option<Entry> {
    let columns: Vec<&str> = line.split('|').map(str::trim).collect();
    let [how, names, what, why] = columns[..] else {
        return None;
    };
    Some(Entry {
        how: How::of(how)?,
        names: names.split_whitespace().collect(),
        what: what.split_once("; "),
        why,
    })
}

/// The lines that a name is in.
fn all_of(name: &str) -> impl Iterator<Item = &'static Entry> {
    static BY_NAME: OnceLock<HashMap<&str, Vec<&Entry>>> = OnceLock::new();
    let by_name = BY_NAME.get_or_init(|| {
        let mut map: HashMap<&str, Vec<&Entry>> = HashMap::new();
        for e in table() {
            e.names
                .iter()
                .for_each(|n| map.entry(n).or_default().push(e));
        }
        map
    });
    by_name.get(name).into_iter().flatten().copied()
}

/// What is said of a function where it is used.
pub fn remark(name: &str) -> Option<(How, &'static str, &'static str)> {
    all_of(name).find_map(|e| e.what.map(|(what, help)| (e.how, what, help)))
}

/// What notes the result of its calls.
pub fn noted(name: &str) -> Option<&'static str> {
    all_of(name).find_map(|e| e.how.note())
}

pub fn is(name: &str, how: How) -> bool {
    all_of(name).any(|e| e.how == how)
}

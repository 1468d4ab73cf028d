//! Why a checkpoint cannot be continued here.

use thiserror::Error;

use pc3_control::store::StoreError;
use pc3_format::read::ReadError;
use pc3_typemetric::codes;
use pc3_typemetric::plan::Mismatch;

#[derive(Debug, Error)]
pub enum RestoreError {
    #[error("it was written by another program, or another version of it:{}", lines(.0))]
    OtherProgram(Vec<String>),
    #[error("it has {saved} ranks, and PC3_RANKS (pc3run -n) asks for {here}: say {saved} or leave it out")]
    Ranks { saved: u64, here: usize },
    #[error("{0}")]
    Read(#[from] ReadError),
    #[error("{0}")]
    Store(#[from] StoreError),
    #[error("{name}: {}{at}{}", mismatches(.list), allocated(.untyped))]
    Types {
        name: String,
        list: Vec<Mismatch>,
        /// As of a value.
        at: String,
        untyped: Vec<String>,
    },
    #[error("rank {rank}: {name}{error}{at}")]
    Value {
        rank: usize,
        name: String,
        error: String,
        /// Where the program stands, of what is on its stack; where a global is declared.
        at: String,
        code: &'static str,
    },
    #[error("rank {rank}: no memory for {what}{}", small_address_space())]
    Memory { rank: usize, what: String },
    #[error(
        "{moved}, and the program keeps addresses in integers, or what it has computed from them, made at{}\nThese \
         would lead nowhere (keep them in pointers, or set PC3_ADDRESSES=ignore if nothing depends on them)",
        lines(.places)
    )]
    Moved { moved: String, places: Vec<String> },
    #[error(
        "the program keeps {what}, which differs between {from} and {to}, at{}\nThat would mean \
         something else (compute it anew, or set PC3_BYTE_ORDER=ignore if nothing depends on it)",
        lines(.places)
    )]
    Order {
        what: &'static str,
        from: String,
        to: String,
        places: Vec<String>,
    },
    #[error("rank {rank}: {message}")]
    Engine { rank: usize, message: String },
    #[error("rank {rank}: {message}")]
    Other { rank: usize, message: String },
}

impl RestoreError {
    /// Its code in `docs/diagnostics.md`.
    pub fn code(&self) -> &'static str {
        match self {
            RestoreError::OtherProgram(_) => codes::OTHER_PROGRAM,
            RestoreError::Ranks { .. } => codes::OTHER_RANKS,
            RestoreError::Read(e) if e.no_memory() => codes::NO_MEMORY,
            RestoreError::Read(_) => codes::UNREADABLE,
            RestoreError::Store(_) => codes::DIRECTORY,
            RestoreError::Types { .. } => codes::OTHER_TYPE,
            RestoreError::Value { code, .. } => code,
            RestoreError::Memory { .. } => codes::NO_MEMORY,
            RestoreError::Moved { .. } => codes::NUMBERS,
            RestoreError::Order { .. } => codes::ORDER,
            RestoreError::Engine { .. } => codes::MESSAGES,
            RestoreError::Other { .. } => codes::SURROUNDINGS,
        }
    }
}

/// What helps where memory is not what is short.
pub fn small_address_space() -> &'static str {
    match cfg!(target_pointer_width = "64") {
        true => "",
        false => {
            "; all ranks of a process share its 4 GiB of addresses here: smaller stacks leave more to the heaps (PC3_STACK=256K \
             PC3_SHADOW=256K), a 64-bit build has room for all"
        }
    }
}

pub(super) fn lines(list: &[String]) -> String {
    let mut text: String = list.iter().take(10).map(|l| format!("\n  {l}")).collect();
    if list.len() > 10 {
        text.push_str(&format!("\n  and {} more", list.len() - 10));
    }
    text
}

pub(super) fn allocated(list: &[String]) -> String {
    match list {
        [] => String::new(),
        _ => format!("\nSuch memory is allocated at{}", lines(list)),
    }
}

fn mismatches(list: &[Mismatch]) -> String {
    let mut all: Vec<String> = list.iter().take(3).map(ToString::to_string).collect();
    if list.len() > 3 {
        all.push(format!("and {} more", list.len() - 3));
    }
    all.join("; ")
}

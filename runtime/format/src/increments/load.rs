//! Puts a rank's data together from the packs where its chunks lie.

use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::codec::{Codec, Restorer};
use super::pack::{incomplete, Pack, ALIGN};
use super::table::{hash_of, pages, Chunk, Place, Table};

/// Something of a rank's data is not what was written, or not there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lost {
    /// Bytes of the data.
    pub from: u64,
    pub to: u64,
    pub why: String,
}

/// The packs in a directory, each opened when it is first needed.
#[derive(Debug)]
pub(crate) struct Packs {
    dir: PathBuf,
    open: Mutex<BTreeMap<Pack, Result<Arc<File>, String>>>,
}

impl Packs {
    pub fn of(dir: &Path) -> Packs {
        Packs {
            dir: dir.to_owned(),
            open: Mutex::default(),
        }
    }

    /// Of a pack, if it is there.
    pub fn length(&self, pack: &Pack) -> u64 {
        let path = self.dir.join(pack.file_name());
        path.metadata().map_or(0, |m| m.len())
    }

    fn file(&self, pack: &Pack) -> Result<Arc<File>, String> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let opened = open.entry(*pack);
        let file = opened.or_insert_with(|| Ok(Arc::new(pack.open(&self.dir)?.0)));
        file.clone()
    }

    fn read(&self, at: &Place, into: &mut [u8]) -> Result<(), String> {
        let file = self.file(&at.pack)?;
        let name = at.pack.file_name();
        let read = file.read_exact_at(into, at.offset);
        read.map_err(|e| incomplete(&name, &e))?;
        // What follows up to the next one is zero.
        let end = at.offset + into.len() as u64;
        let mut rest = [0; ALIGN as usize];
        let rest = &mut rest[..(end.next_multiple_of(ALIGN) - end) as usize];
        let read = file.read_exact_at(rest, end);
        read.map_err(|e| incomplete(&name, &e))?;
        match rest.iter().all(|b| *b == 0) {
            true => Ok(()),
            false => Err(format!("{name} is damaged")),
        }
    }

    /// A chunk's bytes, as many as it has.
    fn bytes(&self, chunk: &Chunk, into: &mut [u8], by: &mut Restorer) -> Result<(), String> {
        if chunk.codec == Codec::Raw {
            self.read(&chunk.at, into)?;
        } else {
            by.stored.resize(chunk.stored as usize, 0);
            self.read(&chunk.at, &mut by.stored)?;
            if !by.restore(chunk.codec, into) {
                return Err(format!("{} is damaged", chunk.at.pack.file_name()));
            }
        }
        for (page, at) in &chunk.patches {
            self.read(at, &mut into[chunk.page(*page)])?;
        }
        Ok(())
    }

    /// The same, checked.
    fn chunk(&self, chunk: &Chunk, into: &mut [u8], by: &mut Restorer) -> Result<(), String> {
        self.bytes(chunk, into, by)?;
        match hash_of(&pages(into)) == chunk.hash {
            true => Ok(()),
            false => {
                let mut names: Vec<String> = chunk.places().map(|p| p.pack.file_name()).collect();
                names.dedup();
                Err(format!("{} is damaged", names.join(" or ")))
            }
        }
    }

    /// All that a table lists, into `data`, which is as long; what of it is lost.  `known`: it has been checked.
    pub fn load(&self, table: &Table, data: &mut [u8], known: bool) -> Vec<Lost> {
        let mut lost = Vec::new();
        let (mut rest, mut by) = (data, Restorer::default());
        self.each(table, &mut lost, |chunk| {
            let (now, later) = std::mem::take(&mut rest).split_at_mut(chunk.length as usize);
            rest = later;
            match known {
                true => self.bytes(chunk, now, &mut by),
                false => self.chunk(chunk, now, &mut by),
            }
        });
        lost
    }

    /// What is lost of it.
    pub fn verify(&self, table: &Table) -> Vec<Lost> {
        let mut lost = Vec::new();
        let mut buffer = vec![0; super::table::CHUNK];
        let mut by = Restorer::default();
        self.each(table, &mut lost, |chunk| {
            self.chunk(chunk, &mut buffer[..chunk.length as usize], &mut by)
        });
        lost
    }

    fn each(
        &self,
        table: &Table,
        lost: &mut Vec<Lost>,
        mut one: impl FnMut(&Chunk) -> Result<(), String>,
    ) {
        let mut from = 0;
        for chunk in table.chunks() {
            let to = from + u64::from(chunk.length);
            if let Err(why) = one(chunk) {
                match lost.last_mut() {
                    Some(last) if last.to == from && last.why == why => last.to = to,
                    _ => lost.push(Lost { from, to, why }),
                }
            }
            from = to;
        }
    }
}

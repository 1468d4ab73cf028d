//! Sections on their way from ranks that stand still to the thread that writes them.
//!
//! They are copied into blocks, and the ranks go on when the last one is filled; the thread takes the blocks in their order,
//! and gives them back when they are in the file.  Blocks are kept for the next checkpoint: memory that has been used costs a
//! fifth of fresh memory.  There are only so many of them: who finds none waits until one is given back.

use std::collections::VecDeque;
use std::io;
use std::mem::take;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::file::{Section, Writer};
use crate::memory_reserve;

const BLOCK: usize = 1 << 20;
/// There may be so many bytes of them in any case.
const LEAST: usize = 32 << 20;

/// Where in a block a section begins or ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mark {
    Begin(Section, u64),
    /// Of a strand of chunks.
    Cut(u64),
    End,
}

/// What is sent at once.
struct Piece {
    bytes: Vec<u8>,
    marks: Vec<(usize, Mark)>,
}

#[derive(Default)]
struct State {
    free: Vec<Vec<u8>>,
    /// Blocks that there are, and may be.
    made: usize,
    most: usize,
    sent: VecDeque<Piece>,
    /// All has been sent, or what went wrong.
    end: Option<io::Result<()>>,
    /// Nobody takes it any more.
    broken: bool,
}

#[derive(Default)]
pub struct Pipe {
    state: Mutex<State>,
    news: Condvar,
}

impl Pipe {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        let woken = self.news.wait(state);
        woken.unwrap_or_else(PoisonError::into_inner)
    }

    /// For the next checkpoint, of so many bytes: a quarter of that is kept beside the program, or as much as `limit` says.
    /// An error if there is no memory for a single block.
    pub fn open(&self, bytes: u64, limit: Option<usize>) -> io::Result<()> {
        let quarter = usize::try_from(bytes / 4).unwrap_or(usize::MAX);
        let most = limit.unwrap_or(quarter.max(LEAST)).div_ceil(BLOCK).max(2);
        let mut state = self.lock();
        while state.made > most {
            if state.free.pop().is_none() {
                break;
            }
            state.made -= 1;
        }
        *state = State {
            free: take(&mut state.free),
            made: state.made,
            most,
            ..State::default()
        };
        if state.made == 0 {
            state.free.push(memory_reserve::vec(BLOCK)?);
            state.made = 1;
        }
        Ok(())
    }

    /// Nothing is taken any more, and nobody waits for that.
    pub fn break_off(&self) {
        let mut state = self.lock();
        state.broken = true;
        let sent = take(&mut state.sent);
        state.free.extend(sent.into_iter().filter_map(kept));
        self.news.notify_all();
    }

    /// A block to fill.
    fn block(&self) -> io::Result<Vec<u8>> {
        let mut state = self.lock();
        loop {
            if state.broken {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            if let Some(block) = state.free.pop() {
                return Ok(block);
            }
            if state.made < state.most {
                match memory_reserve::vec(BLOCK) {
                    Ok(block) => {
                        state.made += 1;
                        return Ok(block);
                    }
                    // Those that there are have to do.
                    Err(_) => state.most = state.made,
                }
                continue;
            }
            state = self.wait(state);
        }
    }

    fn send(&self, piece: Piece) {
        let mut state = self.lock();
        match state.broken {
            true => state.free.extend(kept(piece)),
            false => state.sent.push_back(piece),
        }
        self.news.notify_all();
    }

    fn close(&self, how: io::Result<()>) {
        self.lock().end.get_or_insert(how);
        self.news.notify_all();
    }

    fn next(&self) -> io::Result<Option<Piece>> {
        let mut state = self.lock();
        loop {
            if let Some(piece) = state.sent.pop_front() {
                return Ok(Some(piece));
            }
            if let Some(end) = state.end.take() {
                return end.map(|()| None);
            }
            state = self.wait(state);
        }
    }

    fn give_back(&self, piece: Piece) {
        if let Some(block) = kept(piece) {
            self.lock().free.push(block);
            self.news.notify_all();
        }
    }

    /// Writes what is sent, up to its end.
    pub fn receive(&self, out: &mut Writer) -> io::Result<()> {
        let received = self.write(out);
        if received.is_err() {
            self.break_off();
        }
        received
    }

    fn write(&self, out: &mut Writer) -> io::Result<()> {
        while let Some(piece) = self.next()? {
            let written = piece.write(out);
            self.give_back(piece);
            written?;
        }
        Ok(())
    }
}

impl Piece {
    fn write(&self, out: &mut Writer) -> io::Result<()> {
        let mut from = 0;
        for (at, mark) in &self.marks {
            out.put(&self.bytes[from..*at])?;
            from = *at;
            match mark {
                Mark::Begin(section, rank) => out.begin(*section, *rank),
                Mark::Cut(key) => out.cut(*key)?,
                Mark::End => out.end()?,
            }
        }
        out.put(&self.bytes[from..])
    }
}

/// Its block, to be filled again.
fn kept(piece: Piece) -> Option<Vec<u8>> {
    let mut block = piece.bytes;
    block.clear();
    Some(block).filter(|b| b.capacity() > 0)
}

/// The end of a pipe where sections are put in.
pub(crate) struct Sender<'a> {
    pipe: &'a Pipe,
    block: Vec<u8>,
    marks: Vec<(usize, Mark)>,
}

impl<'a> Sender<'a> {
    pub fn new(pipe: &'a Pipe) -> Sender<'a> {
        Sender {
            pipe,
            block: Vec::new(),
            marks: Vec::new(),
        }
    }

    pub fn put(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            if self.block.capacity() == 0 {
                self.block = self.pipe.block()?;
            }
            let free = self.block.capacity() - self.block.len();
            let (now, rest) = bytes.split_at(free.min(bytes.len()));
            self.block.extend_from_slice(now);
            bytes = rest;
            if self.block.len() == self.block.capacity() {
                self.send();
            }
        }
        Ok(())
    }

    pub fn mark(&mut self, mark: Mark) {
        self.marks.push((self.block.len(), mark));
    }

    fn send(&mut self) {
        self.pipe.send(Piece {
            bytes: take(&mut self.block),
            marks: take(&mut self.marks),
        });
    }

    /// All has been put in, or what went wrong.
    pub fn close(mut self, how: io::Result<()>) {
        self.send();
        self.pipe.close(how);
    }
}

impl Drop for Sender<'_> {
    fn drop(&mut self) {
        // Unless it has been closed.
        self.pipe
            .close(Err(io::Error::other("internal error: unfinished")));
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    fn put(out: &mut Writer, large: &[u8]) -> io::Result<()> {
        out.section(Section::Job, 0, b"a job")?;
        out.section(Section::Types, 0, b"")?;
        for rank in 0..3 {
            out.begin(Section::Data, rank);
            large.chunks(777_777).try_for_each(|c| out.put(c))?;
            out.end()?;
            out.section(Section::Rank, rank, &large[..5])?;
        }
        Ok(())
    }

    fn large() -> Vec<u8> {
        (0..2_000_011u32).map(|i| (i % 251) as u8).collect()
    }

    fn sent(pipe: &Pipe, large: &[u8]) -> io::Result<u64> {
        let mut out = Writer::piping(pipe, 64);
        let put = put(&mut out, large);
        let at = out.offset();
        let copy = match &put {
            Ok(()) => Ok(()),
            Err(e) => Err(e.kind().into()),
        };
        out.close_pipe(copy);
        put.map(|()| at)
    }

    #[test]
    fn the_file_is_what_it_would_be_without() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let large = large();
        let mut file = File::create(at("direct")).unwrap();
        let mut out = Writer::new(&mut file, 7).unwrap();
        put(&mut out, &large).unwrap();
        let length = out.offset();
        out.finish().unwrap();
        let pipe = Pipe::default();
        for turn in 0..3 {
            // Three blocks for 6 MB: most have to be given back first.
            pipe.open(0, Some(3 << 20)).unwrap();
            std::thread::scope(|s| {
                let receive = || {
                    let mut file = File::create(at("piped")).unwrap();
                    let mut out = Writer::new(&mut file, 7).unwrap();
                    pipe.receive(&mut out).unwrap();
                    out.finish().unwrap();
                };
                let receiver = s.spawn(receive);
                assert_eq!(sent(&pipe, &large).unwrap(), length);
                receiver.join().unwrap();
            });
            let read = |name| std::fs::read(at(name)).unwrap();
            assert!(read("direct") == read("piped"), "turn {turn}");
            let state = pipe.lock();
            assert_eq!((state.made, state.free.len()), (3, 3));
        }
    }

    #[test]
    fn who_sends_does_not_wait_for_a_receiver_that_has_failed() {
        let pipe = Pipe::default();
        pipe.open(0, Some(2 << 20)).unwrap();
        let large = large();
        std::thread::scope(|s| {
            let receiver = s.spawn(|| {
                let mut full = std::fs::OpenOptions::new()
                    .write(true)
                    .open("/dev/full")
                    .unwrap();
                let mut out = Writer::part(&mut full, 64);
                pipe.receive(&mut out).unwrap_err()
            });
            assert_eq!(
                sent(&pipe, &large).unwrap_err().kind(),
                io::ErrorKind::BrokenPipe
            );
            assert_eq!(
                receiver.join().unwrap().raw_os_error(),
                Some(pc3_os::errors::ENOSPC)
            );
        });
        // The next one has all blocks.
        pipe.open(0, Some(2 << 20)).unwrap();
        let state = pipe.lock();
        assert!((1..=2).contains(&state.made));
        assert_eq!(state.made, state.free.len());
    }

    #[test]
    fn what_went_wrong_at_the_one_end_is_told_at_the_other() {
        let pipe = Pipe::default();
        pipe.open(0, None).unwrap();
        let mut out = Writer::piping(&pipe, 64);
        out.section(Section::Job, 0, b"a job").unwrap();
        out.close_pipe(Err(io::Error::other("no state")));
        let mut counting = Writer::counting();
        let told = pipe.receive(&mut counting).unwrap_err();
        assert_eq!(told.to_string(), "no state");
    }
}

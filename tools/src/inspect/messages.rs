//! What a checkpoint keeps of a rank's messages: those that wait, requests, and what crosses the rank's own line.  Counted only;
//! `save.rs` in `runtime/vmpi/snapshot` and `state/record.rs` in `runtime/vmpi/nonblocking` have the layout.

use pc3_runtime::format::read::RankImage;

/// Of messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Count {
    pub number: u64,
    pub bytes: u64,
}

/// What the rank's MPI state has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct MpiState {
    /// That it has not received.
    pub waiting: Count,
    pub requests: u64,
    /// Of these.
    pub pending: u64,
}

/// What crosses its line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Line {
    /// Messages sent before the line that came behind it.
    pub late: Count,
    /// Those that it had received before they were sent, as far as the checkpoint goes.
    pub early: u64,
    /// Receives, answers, results of collectives, spawns and output that are done again as they were, or left out.
    pub log: Count,
}

pub(super) fn kept(image: &RankImage) -> Option<MpiState> {
    let mut r = Bytes(&image.engine);
    let version = r.u8()?;
    r.skip(1 + 4 + 8 + 8 + 1)?;
    match version {
        1 => {}
        2 => r.grown()?,
        _ => return None,
    }
    let mut kept = MpiState::default();
    for _ in 0..r.u64()? {
        kept.requests += 1;
        r.skip(8)?;
        let flags = r.u8()?;
        // Not null, active, not done.
        kept.pending += u64::from(flags & (1 | 4 | 8) == 4);
        r.skip(1 + 4 + 12 + 4 + 8 + 8 + 8 + 25)?;
    }
    for with_handle in [false, true] {
        for _ in 0..r.u64()? {
            r.skip(if with_handle { 8 } else { 0 })?;
            r.message(&mut kept.waiting)?;
        }
    }
    Some(kept)
}

pub(super) fn line(image: &RankImage) -> Option<Line> {
    let mut r = Bytes(image.line.as_deref()?);
    let mut line = Line::default();
    let version = r.u8()?;
    match version {
        1 => {}
        2..=4 => r.skip(4)?,
        _ => return None,
    }
    line.early = r.list(8)?;
    r.list(16)?;
    r.list(12)?;
    let before = r.0.len();
    line.log.number += r.list(13)?;
    for _ in 0..r.u64()? {
        line.log.number += 1;
        match r.u8()? {
            0 => r.skip(1)?,
            1 => drop(r.list(4)?),
            2 => match r.u8()? {
                0 => {}
                _ => r.skip(9)?,
            },
            3 => r.skip(8)?,
            4 => drop(r.list(1)?),
            _ => return None,
        }
    }
    for _ in 0..r.u64()? {
        line.log.number += 1;
        r.skip(16)?;
        r.list(1)?;
    }
    if version >= 3 {
        line.log.number += r.list(4)?;
    }
    if version >= 4 {
        line.log.number += r.list(9)?;
    }
    line.log.bytes = (before - r.0.len()) as u64;
    for _ in 0..r.u64()? {
        r.message(&mut line.late)?;
    }
    Some(line)
}

struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn skip(&mut self, n: usize) -> Option<()> {
        self.0 = self.0.get(n..)?;
        Some(())
    }

    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let head = self.0.first_chunk::<N>().copied()?;
        self.skip(N)?;
        Some(head)
    }

    fn u8(&mut self) -> Option<u8> {
        self.take::<1>().map(|b| b[0])
    }

    fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }

    /// Of items of one length; how many there are.
    fn list(&mut self, each: usize) -> Option<u64> {
        let n = self.u64()?;
        self.skip(usize::try_from(n).ok()?.checked_mul(each)?)?;
        Some(n)
    }

    /// What a rank has besides in a job that has spawned some.
    fn grown(&mut self) -> Option<()> {
        self.list(12)?;
        self.skip(4 + 4 + 4 + 8 + 4)?;
        for texts in [1, 2] {
            for _ in 0..self.u64()? * texts {
                self.list(1)?;
            }
        }
        Some(())
    }

    fn signature(&mut self, depth: u32) -> Option<()> {
        for _ in 0..self.u64()? {
            let basic = self.u32()?;
            self.skip(8)?;
            if basic == 0 {
                (depth < 64).then(|| self.signature(depth + 1))??;
            }
        }
        Some(())
    }

    fn message(&mut self, count: &mut Count) -> Option<()> {
        self.skip(12 + 4)?;
        self.signature(0)?;
        self.skip(8)?;
        count.number += 1;
        // One that a synchronous sender holds is with its sender.
        match self.u8()? {
            0 => {
                self.skip(1)?;
                count.bytes += self.list(1)?;
            }
            _ => self.skip(12)?,
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_too_early_is_not_counted() {
        let mut count = Count::default();
        let mut whole = vec![0; 16];
        whole.extend([1, 0, 0, 0, 0, 0, 0, 0]);
        whole.extend([7, 0, 0, 0]);
        whole.extend([0; 8 + 8]);
        whole.extend([0, 1, 3, 0, 0, 0, 0, 0, 0, 0, 9, 9, 9]);
        for n in 0..whole.len() {
            assert!(
                Bytes(&whole[..n]).message(&mut Count::default()).is_none(),
                "{n}"
            );
        }
        assert!(Bytes(&whole).message(&mut count).is_some());
        assert_eq!(
            count,
            Count {
                number: 1,
                bytes: 3
            }
        );
    }
}

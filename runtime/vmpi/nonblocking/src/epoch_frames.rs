//! What processes tell each other of checkpoints that ranks take one by one, as bytes.

use pc3_protocol::{Clocks, Down, Least, Up};
use pc3_runtime::skipped_checkpoint::Skipped;
use pc3_transport::Head;
use pc3_vmpi_core::world::World;
use pc3_vmpi_link::kind::Kind;
use pc3_vmpi_link::link;

use pc3_vmpi_objects::wire::{bad, Read, Reader, Writer};

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Word {
    /// Down the tree of processes, and up.
    Down(Down),
    Up(Up),
    /// Behind this, whatever the sender sends is counted, from the epoch of this number on.
    Counts(u32),
    /// To the root: a checkpoint is wanted, by a rank that is at a location.
    Wanted,
    /// The sender was asked for a checkpoint, behind the epoch of this number: whose ranks come to a location first begin it.
    Asked(u32),
    /// To the root: the one of this epoch cannot be taken; `disturbed`: perhaps the next one can.
    GiveUp {
        epoch: u32,
        disturbed: bool,
        why: Skipped,
    },
    /// From the root: all is there, and to be written.
    Write,
    /// This rank, which has yet to begin, has been spawned again.
    Born(u32),
}

pub(crate) fn write(word: &Word) -> Vec<u8> {
    let mut w = Writer::default();
    match word {
        Word::Down(down) => write_down(&mut w, down),
        Word::Up(up) => write_up(&mut w, up),
        Word::Counts(epoch) => {
            w.u8(20);
            w.u32(*epoch);
        }
        Word::Wanted => w.u8(21),
        Word::GiveUp {
            epoch,
            disturbed,
            why,
        } => {
            w.u8(22);
            w.u32(*epoch);
            w.u8((*disturbed).into());
            w.u8(matches!(why, Skipped::NoMemory(_)).into());
            w.str(why.why());
        }
        Word::Write => w.u8(23),
        Word::Born(rank) => {
            w.u8(24);
            w.u32(*rank);
        }
        Word::Asked(epoch) => {
            w.u8(25);
            w.u32(*epoch);
        }
    }
    w.0
}

pub(crate) fn read(bytes: &[u8]) -> Read<Word> {
    let mut r = Reader(bytes);
    Ok(match r.u8()? {
        20 => Word::Counts(r.u32()?),
        21 => Word::Wanted,
        22 => Word::GiveUp {
            epoch: r.u32()?,
            disturbed: r.u8()? != 0,
            why: match r.u8()? {
                0 => Skipped::InTheWay(r.str()?),
                _ => Skipped::NoMemory(r.str()?),
            },
        },
        23 => Word::Write,
        24 => Word::Born(r.u32()?),
        25 => Word::Asked(r.u32()?),
        kind @ 10..=19 => Word::Up(read_up(kind, &mut r)?),
        kind => Word::Down(read_down(kind, &mut r)?),
    })
}

fn clocks(w: &mut Writer, clocks: &Clocks) {
    w.list(clocks.iter(), |w, (g, n)| {
        w.u64(*g);
        w.u64(*n);
    });
}

fn read_clocks(r: &mut Reader) -> Read<Clocks> {
    Ok(r.list(|r| Ok((r.u64()?, r.u64()?)))?.into_iter().collect())
}

fn write_down(w: &mut Writer, down: &Down) {
    let (kind, more) = match down {
        Down::Start => (0, None),
        Down::Aim(c) => (1, Some(c)),
        Down::Raise(c) => (2, Some(c)),
        Down::Close => (3, None),
        Down::Settle(c) => (4, Some(c)),
        Down::GiveUp => (5, None),
        Down::Finish => (6, None),
        Down::Replayed => (7, None),
    };
    w.u8(kind);
    if let Some(c) = more {
        clocks(w, c);
    }
}

fn read_down(kind: u8, r: &mut Reader) -> Read<Down> {
    Ok(match kind {
        0 => Down::Start,
        1 => Down::Aim(read_clocks(r)?),
        2 => Down::Raise(read_clocks(r)?),
        3 => Down::Close,
        4 => Down::Settle(read_clocks(r)?),
        5 => Down::GiveUp,
        6 => Down::Finish,
        7 => Down::Replayed,
        _ => return bad("an unknown message of a process"),
    })
}

fn write_up(w: &mut Writer, up: &Up) {
    match up {
        Up::Clocks(c) => {
            w.u8(10);
            clocks(w, c);
        }
        Up::Raise(c) => {
            w.u8(11);
            clocks(w, c);
        }
        Up::Taken {
            sent,
            arrived,
            given_up,
        } => {
            w.u8(12);
            w.u64(*sent);
            w.u64(*arrived);
            w.u8((*given_up).into());
        }
        Up::Arrived { count, given_up } => {
            w.u8(13);
            w.u64(*count);
            w.u8((*given_up).into());
        }
        Up::Closed(all) => {
            w.u8(14);
            w.list(all.iter(), |w, (g, least)| {
                w.u64(*g);
                w.u64(least.clock);
                w.u32(least.told);
                w.u32(least.size);
            });
        }
        Up::Saved => w.u8(15),
        Up::Replayed => w.u8(16),
    }
}

fn read_up(kind: u8, r: &mut Reader) -> Read<Up> {
    Ok(match kind {
        10 => Up::Clocks(read_clocks(r)?),
        11 => Up::Raise(read_clocks(r)?),
        12 => Up::Taken {
            sent: r.u64()?,
            arrived: r.u64()?,
            given_up: r.u8()? != 0,
        },
        13 => Up::Arrived {
            count: r.u64()?,
            given_up: r.u8()? != 0,
        },
        14 => {
            let one = |r: &mut Reader| {
                let group = r.u64()?;
                let least = Least {
                    clock: r.u64()?,
                    told: r.u32()?,
                    size: r.u32()?,
                };
                Ok((group, least))
            };
            Up::Closed(r.list(one)?.into_iter().collect())
        }
        15 => Up::Saved,
        16 => Up::Replayed,
        _ => return bad("an unknown message of a process"),
    })
}

/// To another process.
pub(crate) fn tell(world: &World, process: u32, word: &Word) {
    let head = Head::default();
    let link = link(world);
    link.send_bytes(process, Kind::Nonblocking, head, &write(word));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_they_were_written() {
        let some = || Clocks::from([(7, 9), (u64::MAX, 1)]);
        let least = Least {
            clock: 3,
            told: 2,
            size: 5,
        };
        let taken = Up::Taken {
            sent: 5,
            arrived: 4,
            given_up: true,
        };
        let arrived = Up::Arrived {
            count: 1,
            given_up: false,
        };
        let ups = [
            Up::Clocks(some()),
            Up::Raise(Clocks::new()),
            taken,
            arrived,
            Up::Closed([(4, least)].into()),
            Up::Saved,
            Up::Replayed,
        ];
        let downs = [
            Down::Start,
            Down::Aim(some()),
            Down::Raise(some()),
            Down::Close,
            Down::Settle(some()),
            Down::GiveUp,
            Down::Finish,
            Down::Replayed,
        ];
        let give_up = |why| Word::GiveUp {
            epoch: 7,
            disturbed: true,
            why,
        };
        let others = [
            Word::Counts(3),
            Word::Wanted,
            give_up(Skipped::InTheWay("a file".into())),
            give_up(Skipped::NoMemory("memory".into())),
            Word::Write,
            Word::Born(6),
            Word::Asked(2),
        ];
        let all = ups.map(Word::Up).into_iter().chain(downs.map(Word::Down));
        for word in all.chain(others) {
            assert_eq!(read(&write(&word)).ok().as_ref(), Some(&word));
        }
        assert!(read(&[99]).is_err() && read(&[]).is_err());
    }
}

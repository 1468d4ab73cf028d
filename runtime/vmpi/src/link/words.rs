//! What processes and process 0 tell each other about checkpoints and quiescence, as bytes.

use pc3_protocol::processes::{Down, Level, Report, Stands, Up};

use pc3_vmpi_objects::wire::{bad, Read, Reader, Writer};

pub(super) fn write_up(up: &Up) -> Vec<u8> {
    let mut w = Writer::default();
    let report = |w: &mut Writer, r: &Report| {
        w.u8(r.level as u8);
        w.u8(r.parked.into());
        w.u64(r.sent);
        w.u64(r.handled);
    };
    match up {
        Up::Want { round } => {
            w.u8(0);
            w.u64(*round);
        }
        Up::Furthest { round, passage } => {
            w.u8(1);
            w.u64(*round);
            w.u64(*passage);
        }
        Up::Ready {
            round,
            attempt,
            parked,
        } => {
            w.u8(2);
            w.u64(*round);
            w.u32(*attempt);
            w.u8((*parked).into());
        }
        Up::Ended { code } => {
            w.u8(3);
            w.i32(*code);
        }
        Up::Idle { round, report: r } => {
            w.u8(4);
            w.u64(*round);
            report(&mut w, r);
        }
        Up::Answer { number, report: r } => {
            w.u8(5);
            w.u64(*number);
            report(&mut w, r);
        }
        Up::Relieved { any } => {
            w.u8(6);
            w.u8((*any).into());
        }
        Up::Described { text } => {
            w.u8(7);
            w.str(text);
        }
        Up::Counted { round, stands } => {
            w.u8(8);
            w.u64(*round);
            w.u64(stands.standing);
            w.u64(stands.late);
            w.u8(stands.first.len() as u8);
            for (rank, passed) in &stands.first {
                w.u64(*rank);
                w.u64(*passed);
            }
        }
    }
    w.0
}

pub(super) fn read_up(r: &mut Reader) -> Read<Up> {
    let report = |r: &mut Reader| {
        Ok(Report {
            level: Level::of(r.u8()?),
            parked: r.u8()? != 0,
            sent: r.u64()?,
            handled: r.u64()?,
        })
    };
    Ok(match r.u8()? {
        0 => Up::Want { round: r.u64()? },
        1 => Up::Furthest {
            round: r.u64()?,
            passage: r.u64()?,
        },
        2 => Up::Ready {
            round: r.u64()?,
            attempt: r.u32()?,
            parked: r.u8()? != 0,
        },
        3 => Up::Ended { code: r.i32()? },
        4 => Up::Idle {
            round: r.u64()?,
            report: report(r)?,
        },
        5 => Up::Answer {
            number: r.u64()?,
            report: report(r)?,
        },
        6 => Up::Relieved { any: r.u8()? != 0 },
        7 => Up::Described { text: r.str()? },
        8 => {
            let round = r.u64()?;
            let (standing, late) = (r.u64()?, r.u64()?);
            let first = (0..r.u8()?).map(|_| Ok((r.u64()?, r.u64()?)));
            let first = first.collect::<Read<_>>()?;
            let stands = Stands {
                standing,
                late,
                first,
            };
            Up::Counted { round, stands }
        }
        _ => return bad("an unknown message of a process"),
    })
}

pub(super) fn write_down(down: &Down) -> Vec<u8> {
    let mut w = Writer::default();
    let mut numbers = |kind: u8, list: &[u64]| {
        w.u8(kind);
        list.iter().for_each(|n| w.u64(*n));
    };
    match down {
        Down::Ask { round } => numbers(0, &[*round]),
        Down::Plan { round, target } => numbers(1, &[*round, *target]),
        Down::Unwind { round } => numbers(2, &[*round]),
        Down::Query { number } => numbers(3, &[*number]),
        Down::Relieve { polls } => numbers(4, &[(*polls).into()]),
        Down::Stuck { round } => numbers(5, &[*round]),
        Down::Describe => numbers(6, &[]),
        // The lead says it.
        Down::Deadlock { .. } => numbers(7, &[]),
        Down::End { code } => numbers(8, &[*code as u32 as u64]),
        Down::DescribePolls => numbers(9, &[]),
        Down::Polls { .. } => numbers(10, &[]),
        Down::Count { round } => numbers(11, &[*round]),
        Down::Stands { .. } => numbers(12, &[]),
    }
    w.0
}

pub(super) fn read_down(r: &mut Reader) -> Read<Down> {
    Ok(match r.u8()? {
        0 => Down::Ask { round: r.u64()? },
        1 => Down::Plan {
            round: r.u64()?,
            target: r.u64()?,
        },
        2 => Down::Unwind { round: r.u64()? },
        3 => Down::Query { number: r.u64()? },
        4 => Down::Relieve {
            polls: r.u64()? != 0,
        },
        5 => Down::Stuck { round: r.u64()? },
        6 => Down::Describe,
        7 => Down::Deadlock {
            text: String::new(),
        },
        8 => Down::End {
            code: r.u64()? as u32 as i32,
        },
        9 => Down::DescribePolls,
        10 => Down::Polls {
            text: String::new(),
        },
        11 => Down::Count { round: r.u64()? },
        12 => Down::Stands {
            stands: Stands::default(),
        },
        _ => return bad("an unknown message of process 0"),
    })
}

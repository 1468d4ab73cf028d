//! What processes and process 0 tell each other about checkpoints and quiescence, as bytes.

use pc3_protocol::processes::{FromLead, Level, Report, Stands, ToLead};

use pc3_vmpi_objects::wire::{bad, Read, Reader, Writer};

pub fn write_up(up: &ToLead) -> Vec<u8> {
    let mut w = Writer::default();
    let report = |w: &mut Writer, r: &Report| {
        w.u8(r.level as u8);
        w.u8(r.parked.into());
        w.u64(r.sent);
        w.u64(r.handled);
    };
    match up {
        ToLead::Want { round } => {
            w.u8(0);
            w.u64(*round);
        }
        ToLead::Furthest { round, passage } => {
            w.u8(1);
            w.u64(*round);
            w.u64(*passage);
        }
        ToLead::Ready {
            round,
            attempt,
            parked,
        } => {
            w.u8(2);
            w.u64(*round);
            w.u32(*attempt);
            w.u8((*parked).into());
        }
        ToLead::Ended { code } => {
            w.u8(3);
            w.i32(*code);
        }
        ToLead::Idle { round, report: r } => {
            w.u8(4);
            w.u64(*round);
            report(&mut w, r);
        }
        ToLead::Answer { number, report: r } => {
            w.u8(5);
            w.u64(*number);
            report(&mut w, r);
        }
        ToLead::Relieved { any } => {
            w.u8(6);
            w.u8((*any).into());
        }
        ToLead::Described { text } => {
            w.u8(7);
            w.str(text);
        }
        ToLead::Counted { round, stands } => {
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

pub fn read_up(r: &mut Reader) -> Read<ToLead> {
    let report = |r: &mut Reader| {
        Ok(Report {
            level: Level::of(r.u8()?),
            parked: r.u8()? != 0,
            sent: r.u64()?,
            handled: r.u64()?,
        })
    };
    Ok(match r.u8()? {
        0 => ToLead::Want { round: r.u64()? },
        1 => ToLead::Furthest {
            round: r.u64()?,
            passage: r.u64()?,
        },
        2 => ToLead::Ready {
            round: r.u64()?,
            attempt: r.u32()?,
            parked: r.u8()? != 0,
        },
        3 => ToLead::Ended { code: r.i32()? },
        4 => ToLead::Idle {
            round: r.u64()?,
            report: report(r)?,
        },
        5 => ToLead::Answer {
            number: r.u64()?,
            report: report(r)?,
        },
        6 => ToLead::Relieved { any: r.u8()? != 0 },
        7 => ToLead::Described { text: r.str()? },
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
            ToLead::Counted { round, stands }
        }
        _ => return bad("an unknown message of a process"),
    })
}

pub fn write_down(down: &FromLead) -> Vec<u8> {
    let mut w = Writer::default();
    let mut numbers = |kind: u8, list: &[u64]| {
        w.u8(kind);
        list.iter().for_each(|n| w.u64(*n));
    };
    match down {
        FromLead::Ask { round } => numbers(0, &[*round]),
        FromLead::Plan { round, target } => numbers(1, &[*round, *target]),
        FromLead::Unwind { round } => numbers(2, &[*round]),
        FromLead::Query { number } => numbers(3, &[*number]),
        FromLead::Relieve { polls } => numbers(4, &[(*polls).into()]),
        FromLead::Stuck { round } => numbers(5, &[*round]),
        FromLead::Describe => numbers(6, &[]),
        // The lead says it.
        FromLead::Deadlock { .. } => numbers(7, &[]),
        FromLead::End { code } => numbers(8, &[*code as u32 as u64]),
        FromLead::DescribePolls => numbers(9, &[]),
        FromLead::Polls { .. } => numbers(10, &[]),
        FromLead::Count { round } => numbers(11, &[*round]),
        FromLead::Stands { .. } => numbers(12, &[]),
    }
    w.0
}

pub fn read_down(r: &mut Reader) -> Read<FromLead> {
    Ok(match r.u8()? {
        0 => FromLead::Ask { round: r.u64()? },
        1 => FromLead::Plan {
            round: r.u64()?,
            target: r.u64()?,
        },
        2 => FromLead::Unwind { round: r.u64()? },
        3 => FromLead::Query { number: r.u64()? },
        4 => FromLead::Relieve {
            polls: r.u64()? != 0,
        },
        5 => FromLead::Stuck { round: r.u64()? },
        6 => FromLead::Describe,
        7 => FromLead::Deadlock {
            text: String::new(),
        },
        8 => FromLead::End {
            code: r.u64()? as u32 as i32,
        },
        9 => FromLead::DescribePolls,
        10 => FromLead::Polls {
            text: String::new(),
        },
        11 => FromLead::Count { round: r.u64()? },
        12 => FromLead::Stands {
            stands: Stands::default(),
        },
        _ => return bad("an unknown message of process 0"),
    })
}

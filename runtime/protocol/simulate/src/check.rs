//! The judge: what must hold of every checkpoint and at the end, whatever happened.

use std::collections::BTreeSet;

use pc3_protocol::{Group, Phase, Rank};

use crate::program::Op;
use crate::state::{mix, Committed, World};

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Violation {
    #[error("checkpoint: message {truth} from {from} to {to} is lost")]
    LineLoses { from: Rank, to: Rank, truth: u32 },
    #[error("checkpoint: message {truth} from {from} to {to} is there twice, or was never sent")]
    LineHasMore { from: Rank, to: Rank, truth: u32 },
    #[error(
        "checkpoint: {to} has {have} messages of {from} from behind the line, and knows of {know}"
    )]
    LineForgets {
        from: Rank,
        to: Rank,
        have: usize,
        know: usize,
    },
    #[error("message {truth} from {from} was seen by a probe, and is there no more")]
    Unseen { from: Rank, truth: u32 },
    #[error("a rank does something else than it logged")]
    Replay,
    #[error("rank {0} is brought into being while it exists")]
    BornTwice(Rank),
    #[error("nothing can happen any more, and ranks {0:?} have not ended")]
    Hang(Vec<Rank>),
    #[error("messages from {from} to {to}: received is not what was sent")]
    Differs { from: Rank, to: Rank },
    #[error("collective {1} of group {0}: results differ, or are not those of the contributions")]
    Collective(Group, u64),
    #[error("rank {0} has not replayed its log")]
    Unreplayed(Rank),
    #[error("a message that was not counted is taken for one of another epoch")]
    Uncounted,
    #[error(
        "rank {0} prints twice what is there, in front of what it follows from, or not at all"
    )]
    Printed(Rank),
    #[error("an epoch has not ended")]
    Epoch,
    #[error(
        "rank {rank} has a log of {log} entries; it has done {done} things that could need one"
    )]
    Log { rank: Rank, log: usize, done: usize },
}

/// A checkpoint is a consistent line with everything that crosses it.
pub fn line(c: &Committed) -> Result<(), Violation> {
    let all: BTreeSet<Rank> = c.images.keys().chain(c.records.keys()).copied().collect();
    for (from, sender) in &c.images {
        for to in &all {
            let sent = sender.own.history.sent.get(to).map_or(0, Vec::len) as u32;
            let image = c.images.get(to);
            let got = image.and_then(|i| i.own.history.received.get(from));
            let mut seen: BTreeSet<u32> = got.into_iter().flat_map(|g| g.keys().copied()).collect();
            let mut behind = seen.split_off(&sent);
            let waiting = image.into_iter().flat_map(|i| &i.mailbox);
            let late = c.records.get(to).into_iter().flatten();
            // Some that wait were sent behind the line, and seen by a probe.
            let more = waiting
                .clone()
                .filter(|m| m.from == *from && m.truth >= sent);
            behind.extend(more.map(|m| m.truth));
            let before = waiting.filter(|m| m.truth < sent);
            for m in before.chain(late).filter(|m| m.from == *from) {
                if m.truth >= sent || !seen.insert(m.truth) {
                    return Err(Violation::LineHasMore {
                        from: *from,
                        to: *to,
                        truth: m.truth,
                    });
                }
            }
            if let Some(truth) = (0..sent).find(|t| !seen.contains(t)) {
                return Err(Violation::LineLoses {
                    from: *from,
                    to: *to,
                    truth,
                });
            }
            // What a probe has seen is seen until it is received.
            let mut probes = image.into_iter().flat_map(|i| i.own.seen.values());
            let unseen = |t: &u32| !seen.contains(t) && !behind.contains(t);
            if let Some((_, truth)) = probes.find(|(f, t)| f == from && unseen(t)) {
                let (from, truth) = (*from, *truth);
                return Err(Violation::Unseen { from, truth });
            }
            let early = image.into_iter().flat_map(|i| &i.line.early);
            let know = early.filter(|(f, _)| f == from).count();
            if know != behind.len() {
                return Err(Violation::LineForgets {
                    from: *from,
                    to: *to,
                    have: behind.len(),
                    know,
                });
            }
        }
    }
    Ok(())
}

/// A log has no more than an entry for each thing that its rank did, or had begun, since its line; without a line to go back to
/// it has none.
pub fn logs(w: &World) -> Result<(), Violation> {
    for (rank, s) in &w.ranks {
        let log = s.member.log().len();
        if log == 0 {
            continue;
        }
        let behind = matches!(s.member.phase(), Phase::Logging | Phase::Closed);
        let kept = behind && !s.member.has_given_up();
        let done = match w.images.get(rank).filter(|_| kept) {
            Some(line) => {
                let script = &w.program.scripts[*rank as usize];
                let since = script.iter().take(s.own.pc + 1).skip(line.own.pc);
                since.map(Op::entries).sum::<usize>() + line.posted.len() + line.pending.len()
            }
            None => 0,
        };
        if log > done {
            let rank = *rank;
            return Err(Violation::Log { rank, log, done });
        }
    }
    Ok(())
}

/// Nothing can happen any more: has everything happened, and rightly?
pub fn end(w: &World) -> Result<(), Violation> {
    if !w.has_ended() {
        let all = 0..w.program.scripts.len() as Rank;
        let ended = |r: &Rank| w.ranks.get(r).is_some_and(|s| s.own.ended);
        return Err(Violation::Hang(all.filter(|r| !ended(r)).collect()));
    }
    for (from, s) in &w.ranks {
        if s.member.phase() != Phase::Plain {
            return Err(if s.member.phase() == Phase::Replaying {
                Violation::Unreplayed(*from)
            } else {
                Violation::Epoch
            });
        }
        for (to, t) in &w.ranks {
            let none = Vec::new();
            let sent = s.own.history.sent.get(to).unwrap_or(&none);
            let got = t.own.history.received.get(from);
            let got: Vec<u64> = got.into_iter().flat_map(|g| g.values().copied()).collect();
            if *sent != got {
                return Err(Violation::Differs {
                    from: *from,
                    to: *to,
                });
            }
        }
        for ((group, n), (_, result)) in &s.own.history.collectives {
            let members = &w.program.groups[group];
            let part = |m: &Rank| {
                let h = &w.ranks.get(m)?.own.history;
                Some(h.collectives.get(&(*group, *n))?.0)
            };
            let all: Option<Vec<u64>> = members.iter().map(part).collect();
            let right = all.map(|a| a.iter().fold(*group, |a, v| mix(a, *v)));
            if *result != right {
                return Err(Violation::Collective(*group, *n));
            }
        }
    }
    if w.nodes.iter().any(|n| !n.is_idle()) {
        return Err(Violation::Epoch);
    }
    w.all_printed()
}

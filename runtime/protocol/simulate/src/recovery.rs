//! A checkpoint is committed, and a job goes on from one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use pc3_protocol::{Rank, Stamp};

use crate::check::{self, Violation};
use crate::state::{mix, Committed, Member, Message, Pending, RankState, World};

impl World {
    pub(crate) fn commit(&mut self) -> Result<(), Violation> {
        let mut records = self.records.clone();
        for (rank, waiting) in &self.waiting {
            let all = records.entry(*rank).or_default();
            all.splice(0..0, waiting.iter().cloned());
        }
        let new = Committed {
            images: self.images.clone(),
            records,
            logs: self.logs.clone(),
            place: self.place,
        };
        check::line(&new)?;
        self.counts.commits += 1;
        self.committed = Some(Arc::new(new));
        Ok(())
    }

    /// Everything but the newest checkpoint is lost.
    pub(crate) fn recover(&mut self) {
        self.ranks.clear();
        self.app.clear();
        self.control.clear();
        self.meetings.clear();
        self.images.clear();
        self.records.clear();
        self.logs.clear();
        self.waiting.clear();
        self.chance = mix(self.chance, u64::from(self.counts.recoveries));
        let Some(from) = self.committed.clone() else {
            self.output.clear();
            self.begin();
            return;
        };
        self.output.truncate(from.place);
        let mut suppress: BTreeMap<Rank, BTreeSet<(Rank, u32)>> = BTreeMap::new();
        for (to, image) in &from.images {
            for (sender, number) in &image.line.early {
                suppress.entry(*sender).or_default().insert((*to, *number));
            }
        }
        let waiting = |r: Rank, kept: &[Message]| -> Vec<Message> {
            let late = from.records.get(&r).into_iter().flatten();
            let old = |m: &Message| Message {
                stamp: Stamp::default(),
                ..m.clone()
            };
            kept.iter().chain(late).map(old).collect()
        };
        for (r, image) in &from.images {
            let log = from.logs.get(r).cloned().unwrap_or_default();
            let mine = suppress.remove(r).unwrap_or_default();
            let member = Member::recovered(self.rules, &image.line, log, mine);
            let mut s = RankState::new(member, image.own.clone());
            s.mailbox = waiting(*r, &image.mailbox);
            s.posted = image.posted.clone();
            for p in &mut s.posted {
                p.number = s.member.post();
            }
            if s.own.ended {
                s.member.end();
            }
            s.match_posted();
            self.ranks.insert(*r, s);
        }
        let unknown = from
            .records
            .keys()
            .filter(|r| !from.images.contains_key(*r));
        self.waiting = unknown.map(|r| (*r, waiting(*r, &[]))).collect();
        for (r, image) in &from.images {
            for p in &image.pending {
                self.pend_again(*r, p);
            }
        }
        self.make_nodes(true);
    }

    fn pend_again(&mut self, rank: Rank, p: &Pending) {
        let Some(s) = self.ranks.get_mut(&rank) else {
            return;
        };
        let mut p = p.clone();
        if let Some(result) = s.member.replayed_result(p.group, p.n) {
            s.complete(&p, result);
            return;
        }
        let stamp = s.member.reenter(p.group, p.n);
        p.epoch = stamp.epoch;
        let (group, n, contribution) = (p.group, p.n, p.contribution);
        s.pending.push(p);
        self.contribute(rank, group, n, stamp, contribution);
    }
}

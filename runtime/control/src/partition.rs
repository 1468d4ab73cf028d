//! Finds a placement of ranks that makes what they send each other stay in their process, and then with their worker.
//!
//! Ranks are divided in two, and each half again; each division starts from blocks and from a greedily grown half, and
//! exchanges ranks as long as that lowers what passes between. Groups keep their sizes, so no process gets more to do.

use std::collections::{BTreeMap, BinaryHeap};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use crate::placement::Placement;

/// Messages and bytes between ranks, by sender and receiver.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Traffic(pub BTreeMap<(u32, u32), (u64, u64)>);

impl Traffic {
    /// Where an observed run of a job with this checkpoint directory leaves its own.
    pub fn path(dir: &Path) -> PathBuf {
        dir.join("traffic")
    }

    /// A line for each pair: sender, receiver, messages, bytes.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for ((from, to), (messages, bytes)) in &self.0 {
            let _ = writeln!(text, "{from} {to} {messages} {bytes}");
        }
        text
    }

    pub fn from_text(text: &str) -> Option<Traffic> {
        let one = |line: &str| {
            let mut words = line.split(' ').map(|w| w.parse::<u64>().ok());
            let mut next = || words.next().flatten();
            let pair = (next()?.try_into().ok()?, next()?.try_into().ok()?);
            Some((pair, (next()?, next()?)))
        };
        text.lines().map(one).collect::<Option<_>>().map(Traffic)
    }

    pub fn add(&mut self, other: Traffic) {
        for (pair, (messages, bytes)) in other.0 {
            let sum = self.0.entry(pair).or_default();
            *sum = (sum.0 + messages, sum.1 + bytes);
        }
    }

    /// Messages and bytes of the pairs that `chosen` says yes to.
    pub fn sum(&self, chosen: impl Fn(u32, u32) -> bool) -> (u64, u64) {
        let all = self.0.iter().filter(|((a, b), _)| chosen(*a, *b));
        all.fold((0, 0), |s, (_, n)| (s.0 + n.0, s.1 + n.1))
    }

    /// What each rank has to do with others.
    fn graph(&self, ranks: usize) -> Graph {
        let mut edges = vec![BTreeMap::new(); ranks];
        // A message costs what some bytes do.
        const MESSAGE: u64 = 256;
        for (&(a, b), (messages, bytes)) in &self.0 {
            let weight = messages.saturating_mul(MESSAGE).saturating_add(*bytes);
            if a != b && (a.max(b) as usize) < ranks {
                *edges[a as usize].entry(b).or_insert(0) += weight;
                *edges[b as usize].entry(a).or_insert(0) += weight;
            }
        }
        edges.into_iter().map(|e| e.into_iter().collect()).collect()
    }
}

/// What each node has to do with others, in both directions.
pub type Graph = Vec<Vec<(u32, u64)>>;

/// Nodes for seats in groups: of each node the seat that it is to have, so that little passes between groups.  `groups`: of each seat.
/// Node 0 keeps its seat's group; within a group nodes and seats keep their order. Where that is no better, all stay.
pub fn arrange(graph: &Graph, groups: &[u32]) -> Vec<u32> {
    // Of more, exchanges would take too long.
    const MOST: usize = 2048;
    let n = groups.len();
    let nodes: Vec<u32> = (0..n as u32).collect();
    let stay = || nodes.clone();
    let mut numbers: Vec<u32> = groups.to_vec();
    numbers.sort_unstable();
    numbers.dedup();
    if numbers.len() < 2 {
        return stay();
    }
    let number = |g: &u32| numbers.partition_point(|x| x < g) as u32;
    let start: Vec<u32> = groups.iter().map(number).collect();
    let count = numbers.len() as u32;
    let mut of = match n <= MOST {
        true => divide(graph, &nodes, &start, count),
        false => grow(graph, &nodes, &start, count),
    };
    // Groups of one size may change their names.
    let (first, wanted) = (of[0], start[0]);
    let size = |g: u32| start.iter().filter(|s| **s == g).count();
    if first != wanted && size(first) == size(wanted) {
        for g in &mut of {
            *g = match *g {
                g if g == first => wanted,
                g if g == wanted => first,
                g => g,
            };
        }
    } else if first != wanted {
        let mut best: Option<(u64, usize)> = None;
        for b in (0..n).filter(|b| of[*b] == wanted).take(64) {
            let mut changed = of.clone();
            changed.swap(0, b);
            let now = cut(graph, &nodes, &changed);
            if best.is_none_or(|x| now < x.0) {
                best = Some((now, b));
            }
        }
        if let Some((_, b)) = best {
            of.swap(0, b);
        }
    }
    if cut(graph, &nodes, &of) >= cut(graph, &nodes, &start) {
        return stay();
    }
    let mut seats: Vec<std::collections::VecDeque<u32>> = vec![Default::default(); numbers.len()];
    for (seat, g) in start.iter().enumerate() {
        seats[*g as usize].push_back(seat as u32);
    }
    let seat = |g: &u32| seats[*g as usize].pop_front();
    of.iter()
        .map(seat)
        .collect::<Option<_>>()
        .unwrap_or_else(stay)
}

/// Workers for all ranks, counted through the processes, if any placement is better than `now`.
pub fn improve(now: &Placement, traffic: &Traffic) -> Option<Vec<u32>> {
    let ranks = now.ranks() as usize;
    let graph = traffic.graph(ranks);
    let (processes, workers) = (now.processes(), now.workers());
    let process: Vec<u32> = (0..now.ranks()).map(|r| now.process_of(r)).collect();
    let everyone: Vec<u32> = (0..now.ranks()).collect();
    let mut process = divide(&graph, &everyone, &process, processes);
    // Rank 0 stays in the first process.
    let first = process[0];
    for p in &mut process {
        *p = match *p {
            p if p == first => 0,
            0 => first,
            p => p,
        };
    }
    let mut seats = vec![0; ranks];
    for p in 0..processes {
        let here: Vec<u32> = (everyone.iter().copied())
            .filter(|r| process[*r as usize] == p)
            .collect();
        let mut start = vec![u32::MAX; ranks];
        let n = here.len().max(1);
        let used = (workers as usize).min(n);
        for (i, r) in here.iter().enumerate() {
            start[*r as usize] = (i * used / n) as u32;
        }
        let worker = divide(&graph, &here, &start, used as u32);
        for r in &here {
            seats[*r as usize] = p * workers + worker[*r as usize];
        }
    }
    let costs = |seat: &[u32]| cost(&graph, seat, workers);
    (costs(&seats) < costs(&now.seats())).then_some(seats)
}

/// What passes between processes, and then between workers.
fn cost(graph: &Graph, seats: &[u32], workers: u32) -> (u64, u64) {
    let (mut far, mut near) = (0, 0);
    for (a, edges) in graph.iter().enumerate() {
        for (b, w) in edges {
            let (x, y) = (seats[a], seats[*b as usize]);
            if x / workers != y / workers {
                far += w;
            } else if x != y {
                near += w;
            }
        }
    }
    (far, near)
}

/// Divides `members` into as many groups, of the sizes that `start` gives them: in two, and each half again.
fn divide(graph: &Graph, members: &[u32], start: &[u32], groups: u32) -> Vec<u32> {
    let mut of = start.to_vec();
    halve(graph, members, &mut of, 0, groups);
    refine(graph, members, &mut of, groups);
    let mut blocks = start.to_vec();
    refine(graph, members, &mut blocks, groups);
    if cut(graph, members, &of) < cut(graph, members, &blocks) {
        of
    } else {
        blocks
    }
}

fn halve(graph: &Graph, members: &[u32], of: &mut [u32], from: u32, to: u32) {
    if to - from < 2 {
        return;
    }
    let middle = from + (to - from) / 2;
    let mut sides = vec![u32::MAX; of.len()];
    for m in members {
        sides[*m as usize] = u32::from(of[*m as usize] >= middle);
    }
    let mut grown = grow(graph, members, &sides, 2);
    for side in [&mut sides, &mut grown] {
        while exchange(graph, members, side) {}
    }
    if cut(graph, members, &grown) < cut(graph, members, &sides) {
        sides = grown;
    }
    for (side, first, end) in [(0, from, middle), (1, middle, to)] {
        let part: Vec<u32> = (members.iter().copied())
            .filter(|m| sides[*m as usize] == side)
            .collect();
        // The sizes are those that the groups of this half had.
        let sizes = (first..end).map(|g| members.iter().filter(|m| of[**m as usize] == g).count());
        let mut numbers = (first..end).zip(sizes).flat_map(|(g, n)| vec![g; n]);
        let mut inner = of.to_vec();
        for m in &part {
            inner[*m as usize] = numbers.next().unwrap_or(first);
        }
        halve(graph, &part, &mut inner, first, end);
        for m in &part {
            // Looked up above for the other half, so not written before both are known.
            sides[*m as usize] = inner[*m as usize] + 2;
        }
    }
    for m in members {
        of[*m as usize] = sides[*m as usize] - 2;
    }
}

/// What passes between groups of the members, in both directions.
fn cut(graph: &Graph, members: &[u32], of: &[u32]) -> u64 {
    let outside = |a: &u32| {
        let own = of[*a as usize];
        let other = |b: u32| of[b as usize] != own && of[b as usize] != u32::MAX;
        let edges = graph[*a as usize].iter();
        edges.filter(|(b, _)| other(*b)).map(|e| e.1).sum::<u64>()
    };
    members.iter().map(outside).sum()
}

/// One pass of Kernighan and Lin's: exchanges the best pair of the two sides, even at a loss, until all have changed, and
/// keeps the exchanges up to where the gain was greatest. True if there was any.
fn exchange(graph: &Graph, members: &[u32], side: &mut [u32]) -> bool {
    // A pass looks at all for each.
    const MOST: usize = 4096;
    /// So many of each side are tried with each other.
    const BEST: usize = 6;
    if members.len() > MOST {
        return false;
    }
    let mut gain = vec![0_i64; side.len()];
    for &a in members {
        for (b, w) in &graph[a as usize] {
            match side[*b as usize] {
                u32::MAX => {}
                s if s == side[a as usize] => gain[a as usize] -= *w as i64,
                _ => gain[a as usize] += *w as i64,
            }
        }
    }
    let mut free: [Vec<u32>; 2] = [0, 1].map(|s| {
        let on = |m: &&u32| side[**m as usize] == s;
        members.iter().filter(on).copied().collect()
    });
    let (mut done, mut sum, mut best) = (Vec::new(), 0, (0, 0));
    while free.iter().all(|f| !f.is_empty()) {
        let top = [0, 1].map(|s: usize| {
            let mut top: Vec<u32> = Vec::new();
            for m in &free[s] {
                let at = top.partition_point(|t| gain[*t as usize] >= gain[*m as usize]);
                if at < BEST {
                    top.insert(at, *m);
                    top.truncate(BEST);
                }
            }
            top
        });
        let between = |a: u32, b: u32| {
            let edge = graph[a as usize].iter().find(|e| e.0 == b);
            edge.map_or(0, |e| e.1 as i64)
        };
        let pairs = top[0]
            .iter()
            .flat_map(|a| top[1].iter().map(move |b| (*a, *b)));
        let value = |&(a, b): &(u32, u32)| gain[a as usize] + gain[b as usize] - 2 * between(a, b);
        let Some((a, b)) = pairs.max_by_key(|p| (value(p), std::cmp::Reverse(*p))) else {
            break;
        };
        sum += value(&(a, b));
        done.push((a, b));
        if sum > best.0 {
            best = (sum, done.len());
        }
        free[0].retain(|m| *m != a);
        free[1].retain(|m| *m != b);
        for (gone, from) in [(a, 0), (b, 1)] {
            for (n, w) in &graph[gone as usize] {
                // It is now on the other side.
                match side[*n as usize] {
                    u32::MAX => {}
                    s if s == from => gain[*n as usize] += 2 * *w as i64,
                    _ => gain[*n as usize] -= 2 * *w as i64,
                }
            }
        }
    }
    for (a, b) in &done[..best.1] {
        side.swap(*a as usize, *b as usize);
    }
    best.1 > 0
}

/// Fills one group after the other with whoever has most to do with it.
fn grow(graph: &Graph, members: &[u32], start: &[u32], groups: u32) -> Vec<u32> {
    let mut of = vec![u32::MAX; start.len()];
    let mut free = vec![false; start.len()];
    members.iter().for_each(|m| free[*m as usize] = true);
    let mut seeds = members.iter();
    for g in 0..groups {
        let size = members.iter().filter(|m| start[**m as usize] == g).count();
        let mut pull: BTreeMap<u32, u64> = BTreeMap::new();
        // Entries that are out of date are passed over. Of equals the lowest rank comes first.
        let mut best: BinaryHeap<(u64, std::cmp::Reverse<u32>)> = BinaryHeap::new();
        for _ in 0..size {
            let next = loop {
                match best.pop() {
                    Some((w, r)) if free[r.0 as usize] && pull.get(&r.0) == Some(&w) => break r.0,
                    Some(_) => {}
                    None => match seeds.find(|s| free[**s as usize]) {
                        Some(s) => break *s,
                        None => return of,
                    },
                }
            };
            free[next as usize] = false;
            of[next as usize] = g;
            for (b, w) in &graph[next as usize] {
                if free[*b as usize] {
                    let p = pull.entry(*b).or_insert(0);
                    *p += w;
                    best.push((*p, std::cmp::Reverse(*b)));
                }
            }
        }
    }
    of
}

/// Lets ranks of two groups change places as long as that helps.
fn refine(graph: &Graph, members: &[u32], of: &mut [u32], groups: u32) {
    const PASSES: usize = 20;
    let towards = |of: &[u32], a: u32| {
        let mut sums = vec![0_i64; groups as usize];
        for (b, w) in &graph[a as usize] {
            if let Some(s) = sums.get_mut(of[*b as usize] as usize) {
                *s += *w as i64;
            }
        }
        sums
    };
    for _ in 0..PASSES {
        let mut moved = false;
        for &a in members {
            let sums = towards(of, a);
            let own = of[a as usize] as usize;
            let wanted = (0..groups as usize).max_by_key(|g| (sums[*g], std::cmp::Reverse(*g)));
            let Some(wanted) = wanted.filter(|w| sums[*w] > sums[own]) else {
                continue;
            };
            let gain = sums[wanted] - sums[own];
            let exchange = |&b: &u32| {
                let s = towards(of, b);
                let both = graph[a as usize].iter().find(|e| e.0 == b);
                let both = both.map_or(0, |e| e.1 as i64);
                (gain + s[own] - s[wanted] - 2 * both, b)
            };
            let there = members
                .iter()
                .filter(|b| of[**b as usize] as usize == wanted);
            // The first few that help are as good as the best: this is repeated.
            let partner = there.map(exchange).filter(|x| x.0 > 0).take(64).max();
            if let Some((_, b)) = partner {
                of.swap(a as usize, b as usize);
                moved = true;
            }
        }
        if !moved {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(list: &[(u32, u32)]) -> Traffic {
        Traffic(list.iter().map(|p| (*p, (10, 1000))).collect())
    }

    #[test]
    fn partners_far_apart_come_together() {
        // Rank r talks to r + 4 only: blocks of four cut everything.
        let t = pairs(&[(0, 4), (5, 1), (2, 6), (7, 3)]);
        let now = Placement::blocks(8, 2, 1);
        let seats = improve(&now, &t).unwrap();
        assert_eq!(cost(&t.graph(8), &seats, 1), (0, 0));
        assert_eq!(seats[0], 0);
        assert_eq!(seats.iter().filter(|s| **s == 0).count(), 4);
        // Four workers in two processes: pairs share a worker.
        let seats = improve(&Placement::blocks(8, 2, 2), &t).unwrap();
        assert_eq!(cost(&t.graph(8), &seats, 2), (0, 0));
    }

    #[test]
    fn a_good_placement_stays() {
        let ring: Vec<_> = (0..16).map(|r| (r, (r + 1) % 16)).collect();
        assert_eq!(improve(&Placement::blocks(16, 4, 1), &pairs(&ring)), None);
        assert_eq!(improve(&Placement::blocks(16, 1, 1), &pairs(&ring)), None);
    }

    #[test]
    fn a_grid_is_cut_into_boxes() {
        let mut list = Vec::new();
        for r in 0..16 {
            list.extend((r % 4 < 3).then_some((r, r + 1)));
            list.extend((r < 12).then_some((r, r + 4)));
        }
        let t = pairs(&list);
        let seats = improve(&Placement::blocks(16, 1, 4), &t).unwrap();
        // Each of eight edges both ways.
        let all = 8 * 2 * (10 * 256 + 1000);
        assert_eq!(cost(&t.graph(16), &seats, 4), (0, all), "{seats:?}");
    }

    #[test]
    fn a_shuffled_grid_is_found_again() {
        // An 8 x 8 grid whose ranks are numbered by columns of a permuted order.
        let at = |x: u32, y: u32| (x * 8 + y) * 27 % 64;
        let mut list = Vec::new();
        for x in 0..8 {
            for y in 0..8 {
                if x < 7 {
                    list.push((at(x, y), at(x + 1, y)));
                }
                if y < 7 {
                    list.push((at(x, y), at(x, y + 1)));
                }
            }
        }
        let t = pairs(&list);
        let now = Placement::blocks(64, 2, 1);
        let seats = improve(&now, &t).unwrap();
        let (before, after) = (
            cost(&t.graph(64), &now.seats(), 1).0,
            cost(&t.graph(64), &seats, 1).0,
        );
        assert!(after * 3 < before, "{after} of {before}");
    }

    fn grid(n: u32, at: impl Fn(u32, u32) -> u32) -> Graph {
        let mut list = Vec::new();
        for x in 0..n {
            for y in 0..n {
                list.extend((x + 1 < n).then(|| (at(x, y), at(x + 1, y))));
                list.extend((y + 1 < n).then(|| (at(x, y), at(x, y + 1))));
            }
        }
        pairs(&list).graph((n * n) as usize)
    }

    /// What passes between groups once each node has its seat, in hundreds of what one edge carries.
    fn passes(graph: &Graph, groups: &[u32], seats: &[u32]) -> u64 {
        let of: Vec<u32> = seats.iter().map(|s| groups[*s as usize]).collect();
        let nodes: Vec<u32> = (0..groups.len() as u32).collect();
        cut(graph, &nodes, &of) / 2 / (10 * 256 + 1000)
    }

    #[test]
    fn nodes_get_seats_beside_their_neighbours() {
        for (n, sizes, most) in [
            (8, &[32, 32][..], 8),
            (8, &[16, 16, 16, 16], 16),
            (8, &[20, 44], 12),
            (5, &[8, 8, 9], 10),
            (45, &[1000, 1025], 100),
            (60, &[1800, 1800], 130),
        ] {
            let graph = grid(n, |x, y| (x * n + y) * 27 % (n * n));
            let groups: Vec<u32> = sizes
                .iter()
                .enumerate()
                .flat_map(|(g, k)| vec![g as u32 * 3 + 1; *k])
                .collect();
            let seats = arrange(&graph, &groups);
            let mut all = seats.clone();
            all.sort_unstable();
            assert!(all.iter().enumerate().all(|(i, s)| i == *s as usize));
            assert_eq!(groups[seats[0] as usize], groups[0]);
            let now = passes(&graph, &groups, &seats);
            assert!(now <= most, "{n}, {sizes:?}: {now}");
            assert_eq!(arrange(&graph, &vec![5; groups.len()]), {
                let all: Vec<u32> = (0..n * n).collect();
                all
            });
        }
    }

    #[test]
    fn text_is_read_back() {
        let t = pairs(&[(0, 4), (5, 1)]);
        assert_eq!(Traffic::from_text(&t.to_text()), Some(t));
        assert_eq!(Traffic::from_text("1 2 x 4"), None);
    }
}

//! The two matching queues of a rank: entries keyed by (context, source, tag) in order of arrival.
//!
//! The first one of an empty queue has a place of its own: mostly there is no other.  More are one list, in which the first one
//! mostly is the right one, however many there are.  When one was far behind, and where there are very many, they are also linked
//! into bins by their key, and into others by its source alone.  A receive finds its message in one bin, unless it accepts any
//! source; a message finds its receive in four, by what these leave open, and sequence numbers decide.

use std::mem::MaybeUninit;

use super::{ANY_SOURCE, ANY_TAG};

/// What is matched.  In a posted receive source and tag may be wildcards.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Key {
    pub ctx: u32,
    pub src: i32,
    pub tag: i32,
}

impl Key {
    /// Does a receive with this key accept a message with key `m`?
    #[inline]
    pub fn accepts(&self, m: &Key) -> bool {
        self.ctx == m.ctx
            && (self.src == m.src || self.src == ANY_SOURCE)
            // Negative tags are the library's own and no wildcard's business.
            && (self.tag == m.tag || (self.tag == ANY_TAG && m.tag >= 0))
    }
}

const NIL: u32 = u32::MAX;
/// So many entries of the list are looked at before there are bins.
const NEAR: u32 = 16;
/// With more entries than this there are bins in any case: who only looks (a probe) makes none.
const MANY: usize = 256;

#[derive(Clone, Copy)]
struct Ends {
    head: u32,
    tail: u32,
}
const EMPTY: Ends = Ends {
    head: NIL,
    tail: NIL,
};

#[derive(Clone, Copy)]
struct Links {
    prev: u32,
    next: u32,
}
const LOOSE: Links = Links {
    prev: NIL,
    next: NIL,
};

/// Which list: of all entries, of those of a bin by source, of those of a bin by key.
#[derive(Clone, Copy)]
enum Chain {
    All,
    Source,
    Key,
}
const BINNED: [Chain; 2] = [Chain::Source, Chain::Key];

struct Node<T> {
    key: Key,
    seq: u64,
    /// By chain; in bins while the queue has any.
    links: [Links; 3],
    /// There while the node is in the list.
    value: MaybeUninit<T>,
}

impl<T> Node<T> {
    /// # Safety
    /// In the list.
    #[inline]
    unsafe fn value(&self) -> &T {
        // SAFETY: by the caller.
        unsafe { self.value.assume_init_ref() }
    }
}

/// Where an entry is, until the queue changes.
#[derive(Clone, Copy)]
pub struct Spot(u32);
/// That of the first one.
const FIRST: u32 = NIL;

pub struct Queue<T> {
    /// Older than all others.
    first: Option<(Key, T)>,
    nodes: Vec<Node<T>>,
    free: Vec<u32>,
    all: Ends,
    /// By source and by key: a power of two of each, or none while the queue is short.
    bins: Vec<[Ends; 2]>,
    /// Of all but the first.
    len: usize,
    seq: u64,
}

impl<T> Default for Queue<T> {
    fn default() -> Self {
        Queue {
            first: None,
            nodes: Vec::new(),
            free: Vec::new(),
            all: EMPTY,
            bins: Vec::new(),
            len: 0,
            seq: 0,
        }
    }
}

impl<T> Queue<T> {
    #[inline]
    pub fn len(&self) -> usize {
        self.len + usize::from(self.first.is_some())
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[inline]
    pub fn push(&mut self, key: Key, value: T) {
        self.add(key, value);
    }

    /// The same, and the entry where it is from now on: what is large is filled in there.
    #[inline(always)]
    pub fn add(&mut self, key: Key, value: T) -> &mut T {
        if self.is_empty() {
            return &mut self.first.insert((key, value)).1;
        }
        let at = self.node(key);
        self.nodes[at].value.write(value)
    }

    /// One more in the list, whose value is yet to be written. Mostly there is none, and who calls this is short then.
    #[inline(never)]
    fn node(&mut self, key: Key) -> usize {
        self.seq += 1;
        let node = Node {
            key,
            seq: self.seq,
            links: [LOOSE; 3],
            value: MaybeUninit::uninit(),
        };
        let at = match self.free.pop() {
            Some(at) => {
                self.nodes[at as usize] = node;
                at
            }
            None => {
                self.nodes.push(node);
                (self.nodes.len() - 1) as u32
            }
        };
        self.append(Chain::All, at);
        self.len += 1;
        if !self.bins.is_empty() {
            BINNED.iter().for_each(|c| self.append(*c, at));
            if self.len > 4 * self.bins.len() {
                self.rebin();
            }
        } else if self.len > MANY {
            self.rebin();
        }
        at as usize
    }

    /// The oldest entry (a message) that a receive with `key` accepts, to be taken.
    #[inline]
    pub(crate) fn spot_message(&mut self, key: &Key) -> Option<Spot> {
        if self.is_first(|k| key.accepts(k)) {
            return Some(Spot(FIRST));
        }
        if self.len == 0 {
            return None;
        }
        let at = if self.bins.is_empty() {
            self.search_list(|k| key.accepts(k))
        } else {
            self.message(key)
        };
        at.map(Spot)
    }

    /// What is there.
    #[inline]
    pub fn at(&self, spot: Spot) -> Option<(&Key, &T)> {
        if spot.0 == FIRST {
            return self.first.as_ref().map(|(k, v)| (k, v));
        }
        let n = self.nodes.get(spot.0 as usize)?;
        // SAFETY: spots are of nodes in the list.
        Some((&n.key, unsafe { n.value() }))
    }

    /// Takes it.
    #[inline]
    pub fn take(&mut self, spot: Spot) -> Option<(Key, T)> {
        if spot.0 == FIRST {
            return self.first.take();
        }
        // SAFETY: not used any more, as the node is no longer in the list.
        let value = unsafe { self.nodes[spot.0 as usize].value.assume_init_read() };
        Some((self.unlink(spot.0), value))
    }

    /// The same, for who needs it no more.
    #[inline]
    pub(crate) fn discard(&mut self, spot: Spot) {
        if spot.0 == FIRST {
            self.first = None;
            return;
        }
        self.unlink(spot.0);
        // SAFETY: as in `take`.
        unsafe { self.nodes[spot.0 as usize].value.assume_init_drop() };
    }

    /// The oldest entry (a message) that a receive with `key` accepts.
    #[inline]
    pub(crate) fn find_message(&self, key: &Key) -> Option<(&Key, &T)> {
        if let Some((k, v)) = self.first.as_ref().filter(|(k, _)| key.accepts(k)) {
            return Some((k, v));
        }
        if self.len == 0 {
            return None;
        }
        let at = self.message(key)?;
        self.at(Spot(at))
    }

    #[inline]
    pub(crate) fn take_message(&mut self, key: &Key) -> Option<(Key, T)> {
        let spot = self.spot_message(key)?;
        self.take(spot)
    }

    /// The oldest entry (a receive) that accepts a message with `key`.
    #[inline]
    pub fn take_receive(&mut self, key: &Key) -> Option<(Key, T)> {
        if self.is_first(|k| k.accepts(key)) {
            return self.first.take();
        }
        if self.len == 0 {
            return None;
        }
        self.take_receive_behind(key)
    }

    #[inline]
    fn is_first(&self, accept: impl Fn(&Key) -> bool) -> bool {
        self.first.as_ref().is_some_and(|(k, _)| accept(k))
    }

    #[inline(never)]
    fn take_receive_behind(&mut self, key: &Key) -> Option<(Key, T)> {
        let at = if self.bins.is_empty() {
            self.search_list(|k| k.accepts(key))
        } else {
            // What accepts it is in one of these, and the oldest one of a bin is found first.
            let open = [
                *key,
                Key {
                    tag: ANY_TAG,
                    ..*key
                },
                Key {
                    src: ANY_SOURCE,
                    ..*key
                },
                Key {
                    src: ANY_SOURCE,
                    tag: ANY_TAG,
                    ..*key
                },
            ];
            let found = open.iter().filter_map(|form| {
                let head = self.bin(Chain::Key, form).head;
                self.search(Chain::Key, head, |k| k.accepts(key))
            });
            found.min_by_key(|&at| self.nodes[at as usize].seq)
        }?;
        self.take(Spot(at))
    }

    /// Removes the entry for which `is` holds.
    #[inline]
    pub fn take_if(&mut self, mut is: impl FnMut(&T) -> bool) -> Option<(Key, T)> {
        self.take_where(|_, v| is(v))
    }

    /// Removes the oldest entry for which `is` holds.
    pub fn take_where(&mut self, mut is: impl FnMut(&Key, &T) -> bool) -> Option<(Key, T)> {
        if self.first.as_ref().is_some_and(|(k, v)| is(k, v)) {
            return self.first.take();
        }
        let at = self.order().find(|&at| {
            let n = &self.nodes[at as usize];
            // SAFETY: in the list.
            is(&n.key, unsafe { n.value() })
        })?;
        self.take(Spot(at))
    }

    /// Entries from the oldest to the newest.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (&Key, &T)> {
        let behind = self.order().filter_map(|at| self.at(Spot(at)));
        self.first.iter().map(|(k, v)| (k, v)).chain(behind)
    }

    pub fn for_each_mut(&mut self, mut f: impl FnMut(&Key, &mut T)) {
        if let Some((k, v)) = &mut self.first {
            f(k, v);
        }
        let mut at = self.all.head;
        while at != NIL {
            let n = &mut self.nodes[at as usize];
            at = n.links[Chain::All as usize].next;
            // SAFETY: in the list.
            f(&n.key, unsafe { n.value.assume_init_mut() });
        }
    }

    fn order(&self) -> impl Iterator<Item = u32> + '_ {
        let mut at = self.all.head;
        std::iter::from_fn(move || {
            let now = at;
            (now != NIL).then(|| {
                at = self.nodes[now as usize].links[Chain::All as usize].next;
                now
            })
        })
    }

    fn message(&self, key: &Key) -> Option<u32> {
        let chain = match key {
            _ if self.bins.is_empty() => Chain::All,
            Key {
                src: ANY_SOURCE, ..
            } => Chain::All,
            Key { tag: ANY_TAG, .. } => Chain::Source,
            _ => Chain::Key,
        };
        let head = match chain {
            Chain::All => self.all.head,
            _ => self.bin(chain, key).head,
        };
        self.search(chain, head, |k| key.accepts(k))
    }

    #[inline]
    fn search(&self, chain: Chain, from: u32, accept: impl Fn(&Key) -> bool) -> Option<u32> {
        let mut at = from;
        while at != NIL {
            let n = &self.nodes[at as usize];
            if accept(&n.key) {
                return Some(at);
            }
            at = n.links[chain as usize].next;
        }
        None
    }

    /// Of the whole list, when there are no bins; if it goes far, there are some afterwards.
    #[inline]
    fn search_list(&mut self, accept: impl Fn(&Key) -> bool) -> Option<u32> {
        let (mut at, mut looked) = (self.all.head, 0);
        while at != NIL {
            let n = &self.nodes[at as usize];
            if accept(&n.key) {
                break;
            }
            at = n.links[Chain::All as usize].next;
            looked += 1;
        }
        if looked > NEAR {
            self.rebin();
        }
        (at != NIL).then_some(at)
    }

    /// The bin by source or by key that entries with this key are in.
    fn bin(&self, chain: Chain, key: &Key) -> Ends {
        self.bins[self.bin_of(chain, key)][chain as usize - 1]
    }

    fn bin_of(&self, chain: Chain, key: &Key) -> usize {
        let mut hash = (key.src as u32).wrapping_add(key.ctx.wrapping_mul(0x85eb_ca6b));
        if let Chain::Key = chain {
            hash = hash.wrapping_mul(0xc2b2_ae35).wrapping_add(key.tag as u32);
        }
        // The upper half of the product depends on all of it.
        let mixed = u64::from(hash) * 0x9e37_79b9;
        (mixed >> 16) as usize & (self.bins.len() - 1)
    }

    /// Makes the bins, or more of them.
    fn rebin(&mut self) {
        let n = self.len.next_power_of_two() * 2;
        self.bins = vec![[EMPTY; 2]; n];
        let order: Vec<u32> = self.order().collect();
        for at in order {
            BINNED.iter().for_each(|c| self.append(*c, at));
        }
    }

    /// Where a list that this node is in, or is to be in, begins and ends.
    #[inline]
    fn ends(&mut self, chain: Chain, at: u32) -> &mut Ends {
        match chain {
            Chain::All => &mut self.all,
            _ => {
                let bin = self.bin_of(chain, &self.nodes[at as usize].key);
                &mut self.bins[bin][chain as usize - 1]
            }
        }
    }

    #[inline]
    fn append(&mut self, chain: Chain, at: u32) {
        let ends = self.ends(chain, at);
        let tail = std::mem::replace(&mut ends.tail, at);
        if tail == NIL {
            ends.head = at;
        } else {
            self.nodes[tail as usize].links[chain as usize].next = at;
        }
        self.nodes[at as usize].links[chain as usize] = Links {
            prev: tail,
            next: NIL,
        };
    }

    #[inline]
    fn remove(&mut self, chain: Chain, at: u32) {
        let Links { prev, next } = self.nodes[at as usize].links[chain as usize];
        match prev {
            NIL => self.ends(chain, at).head = next,
            p => self.nodes[p as usize].links[chain as usize].next = next,
        }
        match next {
            NIL => self.ends(chain, at).tail = prev,
            x => self.nodes[x as usize].links[chain as usize].prev = prev,
        }
    }

    /// The key of what is no longer in the list; its value stays where it is for now.
    #[inline(never)]
    fn unlink(&mut self, at: u32) -> Key {
        let key = self.nodes[at as usize].key;
        self.remove(Chain::All, at);
        if !self.bins.is_empty() {
            BINNED.iter().for_each(|c| self.remove(*c, at));
        }
        self.free.push(at);
        self.len -= 1;
        key
    }
}

impl<T> Drop for Queue<T> {
    fn drop(&mut self) {
        while self.all.head != NIL {
            self.discard(Spot(self.all.head));
        }
    }
}

#[cfg(test)]
mod tests;

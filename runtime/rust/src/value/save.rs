//! Saving values: each object is written when its turn comes, so that long chains need no deep stack, and arrays of
//! plain numbers go to the file from where they lie.

use std::collections::{HashMap, VecDeque};
use std::io;

use pc3_runtime::format::meta::Span;
use pc3_runtime::guest::Image;

use super::types::{TypeId, Types};
use crate::value::{Checkpointable, Kept};

/// Objects lie at these addresses: their offset in the data section, moved out of the way of null.
pub(crate) const BASE: u64 = 1 << 32;
const ALIGN: u64 = 16;

/// An object that waits for its turn.
trait Waiting<'a> {
    fn write(&self, out: &mut Saver<'a>);
    /// Bytes to be written as they are.
    fn plain(&self) -> Option<&'a [u8]>;
}

impl<'a, T: Checkpointable> Waiting<'a> for &'a [T] {
    fn write(&self, out: &mut Saver<'a>) {
        for (i, item) in self.iter().enumerate() {
            item.save(out, i * T::SIZE as usize);
        }
    }
    fn plain(&self) -> Option<&'a [u8]> {
        T::PLAIN.then(|| T::bytes(self))
    }
}

/// Items that do not lie one after the other in memory.
struct Scattered<'a, T>(Vec<&'a T>);

impl<'a, T: Checkpointable> Waiting<'a> for Scattered<'a, T> {
    fn write(&self, out: &mut Saver<'a>) {
        for (i, item) in self.0.iter().enumerate() {
            item.save(out, i * T::SIZE as usize);
        }
    }
    fn plain(&self) -> Option<&'a [u8]> {
        None
    }
}

/// Bytes that were made to be saved.
struct Owned(Vec<u8>);

impl<'a> Waiting<'a> for Owned {
    fn write(&self, out: &mut Saver<'a>) {
        out.put(0, &self.0);
    }
    fn plain(&self) -> Option<&'a [u8]> {
        None
    }
}

/// The values of a frame.
pub(crate) struct Live<'a>(pub Vec<(&'a dyn Kept, usize)>);

impl<'a> Waiting<'a> for Live<'a> {
    fn write(&self, out: &mut Saver<'a>) {
        for (value, at) in &self.0 {
            value.save(out, *at);
        }
    }
    fn plain(&self) -> Option<&'a [u8]> {
        None
    }
}

struct Item<'a> {
    span: Span,
    waiting: Box<dyn Waiting<'a> + 'a>,
}

/// Puts values into the checkpoint that is being written.
pub struct Saver<'a> {
    pub types: Types,
    /// The bytes of the object in hand.
    object: Vec<u8>,
    next: u64,
    queue: VecDeque<Item<'a>>,
    objects: Vec<(u64, TypeId, Span)>,
    shared: HashMap<usize, u64>,
    failed: Option<String>,
}

impl<'a> Saver<'a> {
    pub(crate) fn new(at: u64) -> Saver<'a> {
        Saver {
            types: Types::default(),
            object: Vec::new(),
            next: at,
            queue: VecDeque::new(),
            objects: Vec::new(),
            shared: HashMap::new(),
            failed: None,
        }
    }

    /// Writes bytes of the object in hand.
    pub fn put(&mut self, at: usize, bytes: &[u8]) {
        self.object[at..at + bytes.len()].copy_from_slice(bytes);
    }

    /// The checkpoint cannot be taken.
    pub fn fail(&mut self, why: impl Into<String>) {
        self.failed.get_or_insert(why.into());
    }

    /// Writes a number that was computed.
    pub fn put_value<T: Checkpointable + Copy>(&mut self, value: T, at: usize) {
        debug_assert!(T::bytes(&[value]).len() as u64 == T::SIZE || !T::PLAIN);
        let mut other = Saver::new(0);
        other.object = vec![0; T::SIZE as usize];
        value.save(&mut other, 0);
        let bytes = std::mem::take(&mut other.object);
        self.put(at, &bytes);
    }

    fn place(&mut self, bytes: u64) -> Span {
        let offset = self.next.next_multiple_of(ALIGN);
        // A byte that belongs to nobody behind each object.
        self.next = offset + bytes + 1;
        Span { offset, bytes }
    }

    pub(crate) fn live(&mut self, live: Live<'a>, bytes: u64) -> Span {
        let span = self.place(bytes);
        self.queue.push_back(Item {
            span,
            waiting: Box::new(live),
        });
        span
    }

    fn object(&mut self, ty: TypeId, bytes: u64, waiting: Box<dyn Waiting<'a> + 'a>) -> u64 {
        let span = self.place(bytes);
        self.objects.push((BASE + span.offset, ty, span));
        self.queue.push_back(Item { span, waiting });
        BASE + span.offset
    }

    /// The address under which a slice is saved; 0 if it takes no room.
    pub fn slice<T: Checkpointable>(&mut self, items: &'a [T]) -> u64 {
        let bytes = T::SIZE * items.len() as u64;
        if bytes == 0 {
            return 0;
        }
        let ty = T::describe(&mut self.types);
        self.object(ty, bytes, Box::new(items))
    }

    /// The address under which bytes are saved that were made for that.
    pub fn owned(&mut self, bytes: Vec<u8>) -> u64 {
        if bytes.is_empty() {
            return 0;
        }
        let ty = <u8 as Checkpointable>::describe(&mut self.types);
        self.object(ty, bytes.len() as u64, Box::new(Owned(bytes)))
    }

    /// Likewise of items that lie anywhere.
    pub fn items<T: Checkpointable>(&mut self, items: Vec<&'a T>) -> u64 {
        let bytes = T::SIZE * items.len() as u64;
        if bytes == 0 {
            return 0;
        }
        let ty = T::describe(&mut self.types);
        self.object(ty, bytes, Box::new(Scattered(items)))
    }

    /// The address of a value that several owners share: saved once.
    pub fn shared<T: Checkpointable>(&mut self, value: &'a T) -> u64 {
        let key = std::ptr::from_ref(value) as usize;
        if let Some(address) = self.shared.get(&key) {
            return *address;
        }
        let ty = T::describe(&mut self.types);
        // Also of values without size: they have an identity.
        let address = self.object(ty, T::SIZE, Box::new(std::slice::from_ref(value)));
        self.shared.insert(key, address);
        address
    }

    /// The address of a slice that several owners share; 0 if it takes no room.
    pub(crate) fn shared_slice<T: Checkpointable>(&mut self, items: &'a [T]) -> u64 {
        let key = items.as_ptr() as usize;
        if let Some(address) = self.shared.get(&key).filter(|_| !items.is_empty()) {
            return *address;
        }
        let address = self.slice(items);
        if address != 0 {
            self.shared.insert(key, address);
        }
        address
    }

    /// Writes all objects.
    pub(crate) fn finish(mut self, image: &mut Image) -> io::Result<Finished> {
        while let Some(item) = self.queue.pop_front() {
            let gap = (item.span.offset - image.at()) as usize;
            image.put(&[0; 64][..gap.min(64)])?;
            if let Some(bytes) = item.waiting.plain() {
                image.put(bytes)?;
                continue;
            }
            self.object.clear();
            self.object.resize(item.span.bytes as usize, 0);
            item.waiting.write(&mut self);
            if let Some(why) = self.failed {
                return Err(io::Error::other(why));
            }
            image.put(&self.object)?;
        }
        Ok(Finished {
            types: self.types,
            objects: self.objects,
        })
    }
}

pub(crate) struct Finished {
    pub types: Types,
    pub objects: Vec<(u64, TypeId, Span)>,
}

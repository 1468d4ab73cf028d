//! Where messages come from and where they go: single values, slices, vectors, and parts of slices at regular distances.

use std::marker::PhantomData;
use std::ptr::{null, null_mut};

use super::equivalence::{check, message, wire, wire_size, Equivalence};
use super::fail;

/// Blocks of values at regular distances.
#[doc(hidden)]
pub struct Blocks<S> {
    pub items: S,
    pub count: usize,
    pub length: usize,
    pub stride: usize,
}

impl<S> Blocks<S> {
    fn whole(items: S, length: usize) -> Blocks<S> {
        Blocks {
            items,
            count: 1,
            length,
            stride: length,
        }
    }

    fn len(&self) -> usize {
        self.count * self.length
    }
}

/// Values to be sent.
pub trait Buffer {
    type Item: Equivalence;
    #[doc(hidden)]
    fn blocks(&self) -> Blocks<&[Self::Item]>;
}

/// Room for values to be received.
pub trait BufferMut: Buffer {
    #[doc(hidden)]
    fn blocks_mut(&mut self) -> Blocks<&mut [Self::Item]>;
}

impl<T: Equivalence> Buffer for T {
    type Item = T;
    fn blocks(&self) -> Blocks<&[T]> {
        Blocks::whole(std::slice::from_ref(self), 1)
    }
}
impl<T: Equivalence> BufferMut for T {
    fn blocks_mut(&mut self) -> Blocks<&mut [T]> {
        Blocks::whole(std::slice::from_mut(self), 1)
    }
}

impl<T: Equivalence> Buffer for [T] {
    type Item = T;
    fn blocks(&self) -> Blocks<&[T]> {
        Blocks::whole(self, self.len())
    }
}
impl<T: Equivalence> BufferMut for [T] {
    fn blocks_mut(&mut self) -> Blocks<&mut [T]> {
        let n = self.len();
        Blocks::whole(self, n)
    }
}

impl<T: Equivalence> Buffer for Vec<T> {
    type Item = T;
    fn blocks(&self) -> Blocks<&[T]> {
        self[..].blocks()
    }
}
impl<T: Equivalence> BufferMut for Vec<T> {
    fn blocks_mut(&mut self) -> Blocks<&mut [T]> {
        self[..].blocks_mut()
    }
}

/// Blocks of a slice at regular distances, such as a column of a matrix that is kept by rows.
pub struct BufferView<'a, T>(Blocks<&'a [T]>);

pub use BufferView as View;

/// The same to be received into.
pub struct ViewMut<'a, T>(Blocks<&'a mut [T]>);

#[track_caller]
fn inside(n: usize, count: usize, length: usize, stride: usize) {
    let last = count.checked_sub(1).map_or(Some(0), |last| {
        last.checked_mul(stride)?.checked_add(length)
    });
    assert!(
        last.is_some_and(|end| end <= n) && (length <= stride || count <= 1),
        "{count} blocks of {length} at distances of {stride} are not in {n} values, or overlap"
    );
}

impl<'a, T: Equivalence> BufferView<'a, T> {
    /// `count` blocks of `length` values, of which the next begins `stride` values after the last.
    ///
    /// # Panics
    /// They overlap or are not within the slice.
    #[track_caller]
    pub fn new(items: &'a [T], count: usize, length: usize, stride: usize) -> BufferView<'a, T> {
        inside(items.len(), count, length, stride);
        BufferView(Blocks {
            items,
            count,
            length,
            stride,
        })
    }
}

impl<'a, T: Equivalence> ViewMut<'a, T> {
    /// As [`BufferView::new`].
    ///
    /// # Panics
    /// As there.
    #[track_caller]
    pub fn new(items: &'a mut [T], count: usize, length: usize, stride: usize) -> ViewMut<'a, T> {
        inside(items.len(), count, length, stride);
        ViewMut(Blocks {
            items,
            count,
            length,
            stride,
        })
    }
}

impl<T: Equivalence> Buffer for BufferView<'_, T> {
    type Item = T;
    fn blocks(&self) -> Blocks<&[T]> {
        Blocks { ..self.0 }
    }
}

impl<T: Equivalence> Buffer for ViewMut<'_, T> {
    type Item = T;
    fn blocks(&self) -> Blocks<&[T]> {
        let Blocks {
            ref items,
            count,
            length,
            stride,
        } = self.0;
        Blocks {
            items,
            count,
            length,
            stride,
        }
    }
}
impl<T: Equivalence> BufferMut for ViewMut<'_, T> {
    fn blocks_mut(&mut self) -> Blocks<&mut [T]> {
        let Blocks {
            ref mut items,
            count,
            length,
            stride,
        } = self.0;
        Blocks {
            items,
            count,
            length,
            stride,
        }
    }
}

/// Values on their way out.
pub(crate) struct Out {
    pub ptr: *const u8,
    /// Values, elements of the message's type, and that type.
    pub items: usize,
    pub units: i64,
    pub basic: usize,
    pub bytes: usize,
    copy: Vec<u8>,
}

impl Out {
    /// What it refers to is not needed any more.
    pub fn done(self) {}

    /// Refers to the buffer unless its values have to be copied.
    pub fn of<B: Buffer + ?Sized>(buffer: &B) -> Out {
        let blocks = buffer.blocks();
        let wire = wire::<B::Item>();
        let items = blocks.len();
        let mut copy = Vec::new();
        let (ptr, bytes) = if blocks.count == 1 {
            let part = message(&blocks.items[..blocks.length], &mut copy);
            (part.as_ptr(), part.len())
        } else {
            copy.reserve(items * wire_size::<B::Item>());
            for i in 0..blocks.count {
                let start = i * blocks.stride;
                let mut own = Vec::new();
                let part = message(&blocks.items[start..start + blocks.length], &mut own);
                copy.extend_from_slice(part);
            }
            (copy.as_ptr(), copy.len())
        };
        Out {
            // Empty slices may begin where MPI has marks, such as 1.
            ptr: if bytes == 0 { null() } else { ptr },
            items,
            units: (items * wire.units) as i64,
            basic: wire.basic,
            bytes,
            copy,
        }
    }

    pub fn copy(self) -> Box<[u8]> {
        if self.copy.is_empty() {
            if self.bytes == 0 {
                return Box::default();
            }
            // SAFETY: the buffer's own memory, which `of` referred to.
            return unsafe { std::slice::from_raw_parts(self.ptr, self.bytes) }.into();
        }
        self.copy.into_boxed_slice()
    }
}

/// Values on their way in; nothing else uses the buffer until [`In::done`].
pub(crate) struct In<'a, B: BufferMut + ?Sized> {
    pub ptr: *mut u8,
    pub items: usize,
    pub units: i64,
    pub basic: usize,
    copy: Vec<u8>,
    /// Where the copy goes.
    buffer: Option<&'a mut B>,
    _direct: PhantomData<&'a mut B>,
}

impl<'a, B: BufferMut + ?Sized> In<'a, B> {
    pub fn of(buffer: &'a mut B) -> In<'a, B> {
        In::make(buffer, false)
    }

    /// With what is in the buffer now.
    pub fn with_values(buffer: &'a mut B) -> In<'a, B> {
        In::make(buffer, true)
    }

    fn make(buffer: &'a mut B, filled: bool) -> In<'a, B> {
        let wire = wire::<B::Item>();
        let blocks = buffer.blocks_mut();
        let items = blocks.len();
        let mut made = In {
            ptr: null_mut(),
            items,
            units: (items * wire.units) as i64,
            basic: wire.basic,
            copy: Vec::new(),
            buffer: None,
            _direct: PhantomData,
        };
        if blocks.count == 1 && B::Item::PLAIN.is_some() {
            let memory = B::Item::plain_mut(&mut blocks.items[..blocks.length]);
            check::<B::Item>(memory.len(), items);
            if !memory.is_empty() {
                made.ptr = memory.as_mut_ptr();
            }
            return made;
        }
        made.copy = match filled {
            true => Out::of(buffer).copy().into_vec(),
            false => vec![0; items * wire_size::<B::Item>()],
        };
        if !made.copy.is_empty() {
            made.ptr = made.copy.as_mut_ptr();
        }
        made.buffer = Some(buffer);
        made
    }

    /// All of it has arrived.
    pub fn done(self) {
        let items = self.items;
        self.received(items);
    }

    /// The first `items` values have arrived.
    pub fn received(self, items: usize) {
        let Some(buffer) = self.buffer else { return };
        let values = values::<B::Item>(&self.copy[..items * wire_size::<B::Item>()]);
        let mut values = values.into_iter();
        let blocks = buffer.blocks_mut();
        for i in 0..blocks.count {
            let start = i * blocks.stride;
            let room = &mut blocks.items[start..start + blocks.length];
            for (to, value) in room.iter_mut().zip(&mut values) {
                *to = value;
            }
        }
    }
}

/// The values of a message, or the end of the job.
pub(crate) fn values<T: Equivalence>(message: &[u8]) -> Vec<T> {
    T::take(message).unwrap_or_else(|e| fail(&e.to_string()))
}

//! Where a datatype's bytes lie, flattened for moving them.
//!
//! A layout is a tree of blocks, regular repetitions and sequences in typemap order.  Building it
//! merges neighbours, so that most types become one block or one strided loop.

use std::ptr;
use std::sync::Arc;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// So many adjacent bytes; 0 for an empty type.
    Block(usize),
    /// `count` times `body` (of `each` bytes), `stride` apart.
    Rep {
        count: usize,
        stride: isize,
        each: usize,
        body: Arc<Node>,
    },
    /// Parts at byte offsets; `size` bytes together.
    Seq {
        size: usize,
        parts: Arc<[(isize, Node)]>,
    },
}
use Node::*;

/// A node at an offset from the buffer address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    pub at: isize,
    pub node: Node,
}

impl Node {
    #[inline]
    pub fn size(&self) -> usize {
        match self {
            Block(n) => *n,
            Rep { count, each, .. } => count * each,
            Seq { size, .. } => *size,
        }
    }
}

/// Does it consist of whole units of so many bytes, the first of which begins at `from`?
pub(crate) fn in_units(layout: &Layout, unit: usize, from: isize) -> bool {
    fn whole(node: &Node, at: isize, unit: isize) -> bool {
        match node {
            Block(n) => at % unit == 0 && *n as isize % unit == 0,
            Rep { stride, body, .. } => stride % unit == 0 && whole(body, at, unit),
            Seq { parts, .. } => parts.iter().all(|(to, n)| whole(n, at + to, unit)),
        }
    }
    whole(&layout.node, layout.at - from, unit as isize)
}

impl Layout {
    #[inline]
    pub fn block(n: usize) -> Self {
        Layout {
            at: 0,
            node: Block(n),
        }
    }

    #[inline]
    pub fn shift(mut self, by: isize) -> Self {
        self.at += by;
        self
    }

    /// `count` copies, `stride` bytes apart.
    pub fn repeat(&self, count: usize, stride: isize) -> Self {
        let each = self.node.size();
        if count == 0 || each == 0 {
            return Layout::block(0);
        }
        let node = match &self.node {
            n if count == 1 => n.clone(),
            Block(n) if *n as isize == stride => Block(n * count),
            Rep {
                count: c,
                stride: s,
                each,
                body,
            } if *s * *c as isize == stride => Rep {
                count: c * count,
                stride: *s,
                each: *each,
                body: body.clone(),
            },
            n => Rep {
                count,
                stride,
                each,
                body: Arc::new(n.clone()),
            },
        };
        Layout { at: self.at, node }
    }

    pub fn sequence(parts: impl IntoIterator<Item = Layout>) -> Self {
        let mut out: Vec<Layout> = Vec::new();
        for p in parts {
            if p.node.size() == 0 {
                continue;
            }
            match (out.last_mut(), &p.node) {
                (Some(Layout { at, node: Block(n) }), Block(m)) if *at + *n as isize == p.at => {
                    *n += m
                }
                (
                    Some(Layout {
                        at,
                        node:
                            Rep {
                                count,
                                stride,
                                body,
                                ..
                            },
                    }),
                    b,
                ) if **body == *b && *at + *stride * *count as isize == p.at => *count += 1,
                // Two equal nodes may begin a regular progression.
                (Some(last), b) if last.node == *b && !matches!(b, Seq { .. }) => {
                    let stride = p.at - last.at;
                    let pair = Layout {
                        at: 0,
                        node: b.clone(),
                    }
                    .repeat(2, stride);
                    *last = Layout {
                        at: last.at,
                        node: pair.node,
                    };
                }
                _ => out.push(p),
            }
        }
        match out.len() {
            0 => Layout::block(0),
            1 => out.swap_remove(0),
            _ => {
                let size = out.iter().map(|p| p.node.size()).sum();
                Layout {
                    at: 0,
                    node: Seq {
                        size,
                        parts: out.into_iter().map(|p| (p.at, p.node)).collect(),
                    },
                }
            }
        }
    }
}

/// Moves up to `limit` bytes between a stream and memory laid out as `node` at `mem`: to the
/// stream if `PACK`, else from it.  Returns the bytes moved.
///
/// # Safety
/// Every byte of the layout's first `limit` must be readable (writable when unpacking), and the
/// stream must hold `limit` bytes.
pub unsafe fn transfer<const PACK: bool>(
    node: &Node,
    mem: *mut u8,
    stream: *mut u8,
    limit: usize,
) -> usize {
    let size = node.size();
    if limit >= size {
        whole::<PACK>(node, mem, stream);
        return size;
    }
    match node {
        Block(_) => shift::<PACK>(mem, stream, limit),
        Rep {
            stride, each, body, ..
        } => {
            let mut done = 0;
            let mut at = mem;
            while done < limit {
                done += transfer::<PACK>(body, at, stream.add(done), (limit - done).min(*each));
                at = at.wrapping_offset(*stride);
            }
        }
        Seq { parts, .. } => {
            let mut done = 0;
            for (off, part) in parts.iter() {
                if done == limit {
                    break;
                }
                done += transfer::<PACK>(
                    part,
                    mem.wrapping_offset(*off),
                    stream.add(done),
                    limit - done,
                );
            }
        }
    }
    limit
}

unsafe fn whole<const PACK: bool>(node: &Node, mem: *mut u8, mut stream: *mut u8) {
    match node {
        Block(n) => shift::<PACK>(mem, stream, *n),
        Rep {
            count,
            stride,
            each,
            body,
        } => match **body {
            Block(4) => strided::<PACK, u32>(*count, *stride, mem, stream),
            Block(8) => strided::<PACK, u64>(*count, *stride, mem, stream),
            Block(16) => strided::<PACK, [u64; 2]>(*count, *stride, mem, stream),
            _ => {
                let mut at = mem;
                for _ in 0..*count {
                    whole::<PACK>(body, at, stream);
                    at = at.wrapping_offset(*stride);
                    stream = stream.add(*each);
                }
            }
        },
        Seq { parts, .. } => {
            for (off, part) in parts.iter() {
                whole::<PACK>(part, mem.wrapping_offset(*off), stream);
                stream = stream.add(part.size());
            }
        }
    }
}

unsafe fn strided<const PACK: bool, T: Copy>(
    count: usize,
    stride: isize,
    mem: *mut u8,
    stream: *mut u8,
) {
    let (mut at, stream) = (mem, stream.cast::<T>());
    for i in 0..count {
        if PACK {
            stream
                .add(i)
                .write_unaligned(at.cast::<T>().read_unaligned());
        } else {
            at.cast::<T>()
                .write_unaligned(stream.add(i).read_unaligned());
        }
        at = at.wrapping_offset(stride);
    }
}

unsafe fn shift<const PACK: bool>(mem: *mut u8, stream: *mut u8, n: usize) {
    // A program may receive into the bytes it sends; the blocks then coincide.
    if PACK {
        ptr::copy(mem, stream, n);
    } else {
        ptr::copy(stream, mem, n);
    }
}

//! Datatypes against the definition: a type is its typemap, a list of basic elements at offsets.

#![allow(clippy::unwrap_used)]

use pc3_vmpi::datatype::basic::Basic;
use pc3_vmpi::datatype::build::{build, make, ArrayOrder, Constructor, Subdim};
use pc3_vmpi::datatype::moving::{copy, Buf};
use pc3_vmpi::datatype::{by_handle, of_basic, TypeRef};
use pc3_vmpi::pack::{from_portable, pack_portable, to_portable, unpack_portable};
use proptest::prelude::*;

/// A type by its definition.
#[derive(Clone, Debug)]
struct Map {
    items: Vec<(isize, Basic)>,
    lb: isize,
    ub: isize,
    explicit: bool,
}

impl Map {
    fn of(items: Vec<(isize, Basic)>, bounds: &[(isize, isize, bool)]) -> Map {
        let explicit = bounds.iter().any(|b| b.2);
        let used = bounds.iter().filter(|b| b.2 || !explicit);
        let lb = used.clone().map(|b| b.0).min().unwrap_or(0);
        let ub = used.map(|b| b.1).max().unwrap_or(0);
        Map {
            items,
            lb,
            ub,
            explicit,
        }
    }

    /// Copies of `parts` at offsets, in order.
    fn place<'a>(parts: impl IntoIterator<Item = (isize, &'a Map)>) -> Map {
        let (mut items, mut bounds) = (vec![], vec![]);
        for (at, m) in parts {
            items.extend(m.items.iter().map(|(o, b)| (o + at, *b)));
            if !m.items.is_empty() || m.explicit {
                bounds.push((m.lb + at, m.ub + at, m.explicit));
            }
        }
        Map::of(items, &bounds)
    }

    fn extent(&self) -> isize {
        self.ub - self.lb
    }

    fn block(&self, n: usize, at: isize) -> Vec<(isize, &Map)> {
        (0..n as isize)
            .map(|i| (at + i * self.extent(), self))
            .collect()
    }

    fn padded(mut self) -> Map {
        if !self.explicit {
            let a = self.items.iter().map(|(_, b)| b.align()).max().unwrap_or(1) as isize;
            self.ub = self.lb + (self.extent() + a - 1) / a * a;
        }
        self
    }

    /// Packed bytes of `n` elements at `base` in `memory`.
    fn pack(&self, memory: &[u8], base: isize, n: usize) -> Vec<u8> {
        let mut out = vec![];
        for (at, m) in self.block(n, base) {
            for (o, b) in &m.items {
                let from = (at + o) as usize;
                out.extend_from_slice(&memory[from..from + b.size()]);
            }
        }
        out
    }
}

fn oracle(t: &TypeRef) -> Map {
    match &t.constructor {
        Constructor::Darray { .. } => unreachable!("has tests of its own"),
        Constructor::Named(b) => Map {
            items: vec![(0, *b)],
            lb: 0,
            ub: b.size() as isize,
            explicit: false,
        },
        Constructor::Pair(v, i) => {
            let at = v.size().next_multiple_of(i.align()) as isize;
            let items = vec![(0, *v), (at, *i)];
            Map {
                items,
                lb: 0,
                ub: at + i.size() as isize,
                explicit: false,
            }
            .padded()
        }
        Constructor::Dup(old) | Constructor::Parametrised { old, .. } => oracle(old),
        Constructor::Contiguous { count, old } => Map::place(oracle(old).block(*count, 0)),
        Constructor::Vector {
            count,
            blocklen,
            stride,
            old,
        } => {
            let m = oracle(old);
            Map::place(
                (0..*count as isize).flat_map(|i| m.block(*blocklen, i * stride * m.extent())),
            )
        }
        Constructor::Hvector {
            count,
            blocklen,
            stride,
            old,
        } => {
            let m = oracle(old);
            Map::place((0..*count as isize).flat_map(|i| m.block(*blocklen, i * stride)))
        }
        Constructor::Indexed { blocks, old } => {
            let m = oracle(old);
            Map::place(blocks.iter().flat_map(|(n, d)| m.block(*n, d * m.extent())))
        }
        Constructor::Hindexed { blocks, old } => {
            let m = oracle(old);
            Map::place(blocks.iter().flat_map(|(n, d)| m.block(*n, *d)))
        }
        Constructor::IndexedBlock {
            blocklen,
            displs,
            old,
        } => {
            let m = oracle(old);
            Map::place(
                displs
                    .iter()
                    .flat_map(|d| m.block(*blocklen, d * m.extent())),
            )
        }
        Constructor::HindexedBlock {
            blocklen,
            displs,
            old,
        } => {
            let m = oracle(old);
            Map::place(displs.iter().flat_map(|d| m.block(*blocklen, *d)))
        }
        Constructor::Struct { blocks } => {
            let maps: Vec<_> = blocks.iter().map(|b| oracle(&b.2)).collect();
            Map::place(
                blocks
                    .iter()
                    .zip(&maps)
                    .flat_map(|((n, d, _), m)| m.block(*n, *d)),
            )
            .padded()
        }
        Constructor::Resized { lb, extent, old } => Map {
            lb: *lb,
            ub: lb + extent,
            explicit: true,
            ..oracle(old)
        },
        Constructor::Subarray { dims, order, old } => subarray(dims, *order, &oracle(old)),
    }
}

fn subarray(dims: &[Subdim], order: ArrayOrder, m: &Map) -> Map {
    let mut dims = dims.to_vec();
    if order == ArrayOrder::C {
        dims.reverse();
    }
    let total: usize = dims.iter().map(|d| d.size).product();
    let inside = |mut i: usize| {
        dims.iter().all(|d| {
            let c = i % d.size;
            i /= d.size;
            (d.start..d.start + d.subsize).contains(&c)
        })
    };
    let parts = (0..total)
        .filter(|i| inside(*i))
        .map(|i| (i as isize * m.extent(), m));
    let ub = m.lb + total as isize * m.extent();
    Map {
        lb: m.lb,
        ub,
        explicit: true,
        ..Map::place(parts)
    }
}

fn leaf() -> impl Strategy<Value = TypeRef> {
    use Basic::*;
    let basic = prop::sample::select(vec![
        Byte,
        Short,
        Int,
        Long,
        Double,
        DoubleComplex,
        LongDouble,
        Char,
    ])
    .prop_map(of_basic);
    let pair = prop::sample::select(vec![0x228usize, 0x229, 0x22a, 0x22c, 0x22d])
        .prop_map(|h| by_handle(h).unwrap());
    prop_oneof![4 => basic, 1 => pair]
}

fn derived() -> impl Strategy<Value = TypeRef> {
    let ok = |c| make(c, None).ok();
    leaf().prop_recursive(3, 40, 4, move |inner| {
        let b = inner.boxed();
        let lens = prop::collection::vec((0usize..3, -3isize..6), 0..4);
        let displs = prop::collection::vec(-3isize..6, 0..4);
        let parts = prop::collection::vec((0usize..3, -40isize..80, b.clone()), 0..4);
        let dims = prop::collection::vec((1usize..4, 1usize..4, 0usize..4), 1..4);
        prop_oneof![
            (0usize..4, b.clone()).prop_map(|(count, old)| Constructor::Contiguous { count, old }),
            b.clone().prop_map(Constructor::Dup),
            (0usize..4, 0usize..3, -4isize..6, b.clone()).prop_map(
                |(count, blocklen, stride, old)| Constructor::Vector {
                    count,
                    blocklen,
                    stride,
                    old
                }
            ),
            (0usize..4, 0usize..3, -40isize..80, b.clone()).prop_map(
                |(count, blocklen, stride, old)| Constructor::Hvector {
                    count,
                    blocklen,
                    stride,
                    old
                }
            ),
            (lens.clone(), b.clone())
                .prop_map(|(blocks, old)| Constructor::Indexed { blocks, old }),
            (lens, b.clone()).prop_map(|(blocks, old)| Constructor::Hindexed { blocks, old }),
            (0usize..3, displs.clone(), b.clone()).prop_map(|(blocklen, displs, old)| {
                Constructor::IndexedBlock {
                    blocklen,
                    displs,
                    old,
                }
            }),
            (0usize..3, displs, b.clone()).prop_map(|(blocklen, displs, old)| {
                Constructor::HindexedBlock {
                    blocklen,
                    displs,
                    old,
                }
            }),
            parts.prop_map(|blocks| Constructor::Struct { blocks }),
            (-20isize..20, 0isize..100, b.clone())
                .prop_map(|(lb, extent, old)| Constructor::Resized { lb, extent, old }),
            (dims, any::<bool>(), b).prop_map(|(dims, c, old)| {
                let dims = dims.into_iter().map(|(a, s, at)| Subdim {
                    size: a + s + at,
                    subsize: s,
                    start: at,
                });
                Constructor::Subarray {
                    dims: dims.collect(),
                    order: if c {
                        ArrayOrder::C
                    } else {
                        ArrayOrder::Fortran
                    },
                    old,
                }
            }),
        ]
        .prop_filter_map("overflow", ok)
    })
}

/// Memory in which `n` elements fit, the position of the first, its contents.
fn arena(m: &Map, n: usize) -> (Vec<u8>, isize) {
    let offsets: Vec<isize> = m
        .block(n, 0)
        .iter()
        .flat_map(|(at, m)| m.items.iter().map(move |i| i.0 + at))
        .collect();
    let lo = offsets.iter().min().copied().unwrap_or(0).min(0);
    let hi = offsets.iter().max().copied().unwrap_or(0).max(0) + 64;
    (
        (0..hi - lo).map(|i| (i * 7 + 3) as u8 & 0x3f).collect(),
        -lo,
    )
}

/// No two basic elements share a byte, so that unpacking has one meaning.
fn disjoint(m: &Map, n: usize) -> bool {
    let mut spans: Vec<(isize, isize)> = m
        .block(n, 0)
        .iter()
        .flat_map(|(at, m)| {
            m.items
                .iter()
                .map(move |(o, b)| (at + o, at + o + b.size() as isize))
        })
        .collect();
    spans.sort_unstable();
    spans.windows(2).all(|w| w[0].1 <= w[1].0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn types_equal_their_typemaps(t in derived(), n in 0usize..4, cut in 0usize..200) {
        let m = oracle(&t);
        prop_assume!(m.items.len() * n < 20_000);
        let size: usize = m.items.iter().map(|(_, b)| b.size()).sum();
        prop_assert_eq!(t.size, size);
        prop_assert_eq!((t.lb, t.extent), (m.lb, m.extent()), "{:?}", t.constructor);
        let tlb = m.items.iter().map(|i| i.0).min().unwrap_or(0);
        let tub = m.items.iter().map(|(o, b)| o + b.size() as isize).max().unwrap_or(0);
        prop_assert_eq!((t.true_lb, t.true_extent), (tlb, tub - tlb));
        prop_assert_eq!(t.signature.elements() as usize, m.items.len());

        let (memory, base) = arena(&m, n);
        let want = m.pack(&memory, base, n);
        let at = memory.as_ptr().wrapping_offset(base);
        prop_assert_eq!(&unsafe { t.pack_vec(at, n) }, &want);

        // Unpacking any prefix restores exactly those bytes.
        if disjoint(&m, n) {
            let cut = cut.min(want.len());
            let mut fresh = vec![0xff; memory.len()];
            unsafe { t.unpack(want.as_ptr(), cut, fresh.as_mut_ptr().wrapping_offset(base), n) };
            let got = m.pack(&fresh, base, n);
            prop_assert_eq!(&got[..cut], &want[..cut]);
            prop_assert!(got[cut..].iter().all(|b| *b == 0xff));
            prop_assert_eq!(fresh.iter().filter(|b| **b != 0xff).count(), cut);

            // Copying between buffers of this type, and through MPI_PACKED.
            let mut other = vec![0xff; memory.len()];
            let src = Buf { ptr: at.cast_mut(), count: n, ty: &t };
            let dst = Buf { ptr: other.as_mut_ptr().wrapping_offset(base), count: n, ty: &t };
            prop_assert_eq!(unsafe { copy(src, dst) }.unwrap(), want.len());
            prop_assert_eq!(&m.pack(&other, base, n), &want);
        }

        let (elements, rest) = t.signature.elements_in(want.len() as u64);
        prop_assert_eq!((elements as usize, rest), (m.items.len() * n, 0));
    }

    #[test]
    fn the_portable_format_goes_both_ways(t in derived(), n in 0usize..4) {
        let m = oracle(&t);
        prop_assume!(m.items.len() * n < 5_000);
        let (memory, base) = arena(&m, n);
        let mut native = m.pack(&memory, base, n);
        // Arbitrary bytes are no valid long doubles; make them zeros.
        let mut at = 0;
        for _ in 0..n {
            for (_, b) in &m.items {
                if *b == Basic::LongDouble {
                    native[at..at + b.size()].fill(0);
                }
                at += b.size();
            }
        }
        let (mut packed, mut back) = (vec![], vec![]);
        to_portable(&t.signature, &native, &mut packed).unwrap();
        let width: usize = m.items.iter().map(|(_, b)| b.portable_size()).sum();
        prop_assert_eq!(packed.len(), width * n);
        from_portable(&t.signature, &packed, &mut back).unwrap();
        prop_assert_eq!(&native, &back);
        if disjoint(&m, n) {
            let mut image = vec![0u8; memory.len()];
            let buf = Buf { ptr: image.as_mut_ptr().wrapping_offset(base), count: n, ty: &t };
            prop_assert_eq!(unsafe { unpack_portable(&packed, buf) }.unwrap(), packed.len());
            prop_assert_eq!(&m.pack(&image, base, n), &native);
            let mut again = vec![];
            unsafe { pack_portable(buf, &mut again) }.unwrap();
            prop_assert_eq!(again, packed);
        }
    }
}

#[test]
fn layouts_are_merged() {
    use pc3_vmpi::datatype::layout::Node;
    let int = of_basic(Basic::Int);
    let t = |c| make(c, None).unwrap();
    let row = t(Constructor::Contiguous {
        count: 8,
        old: int.clone(),
    });
    assert!(row.contiguous);
    let all = t(Constructor::Vector {
        count: 3,
        blocklen: 8,
        stride: 8,
        old: int.clone(),
    });
    assert!(all.contiguous && all.size == 96);
    let column = t(Constructor::Vector {
        count: 5,
        blocklen: 1,
        stride: 8,
        old: int.clone(),
    });
    assert!(matches!(
        column.layout.node,
        Node::Rep {
            count: 5,
            stride: 32,
            each: 4,
            ..
        }
    ));
    let regular = t(Constructor::Indexed {
        blocks: vec![(1, 0), (1, 3), (1, 6), (1, 9)],
        old: int.clone(),
    });
    assert!(matches!(
        regular.layout.node,
        Node::Rep {
            count: 4,
            stride: 12,
            each: 4,
            ..
        }
    ));
    let pieces = t(Constructor::Hindexed {
        blocks: vec![(1, 0), (2, 4), (1, 12)],
        old: int,
    });
    assert_eq!(pieces.layout.node, Node::Block(16));
}

#[test]
fn impossible_types_are_refused() {
    let byte = of_basic(Basic::Byte);
    let half = isize::MAX as usize / 2 + 1;
    let big = |old| Constructor::Contiguous { count: half, old };
    let t = make(big(byte.clone()), None).unwrap();
    assert!(build(big(t.clone()), None).is_err());
    assert!(build(
        Constructor::Hvector {
            count: 3,
            blocklen: 1,
            stride: isize::MAX,
            old: byte.clone()
        },
        None
    )
    .is_err());
    let dims = vec![Subdim {
        size: 4,
        subsize: 3,
        start: 2,
    }];
    assert!(build(
        Constructor::Subarray {
            dims,
            order: ArrayOrder::C,
            old: byte
        },
        None
    )
    .is_err());
}

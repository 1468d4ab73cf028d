//! MPI objects across a restart: rebuilt the same here, and datatypes translated to another ABI.

#![allow(clippy::unwrap_used)]

use pc3_runtime::transfer::{LoadCtx, LoadError, Target};
use pc3_typemetric::abi::Abi;
use pc3_typemetric::layout::Arith;
use pc3_typemetric::types::{Kind, TypeTable};
use pc3_vmpi::comm::Remote;
use pc3_vmpi::datatype::basic::Basic;
use pc3_vmpi::datatype::build::{make, ArrayOrder, Constructor, Subdim};
use pc3_vmpi::datatype::counted::{self, Counted, Counts};
use pc3_vmpi::datatype::portable::{displacements, Block, Question, Saved};
use pc3_vmpi::datatype::{of_basic, TypeObject, TypeRef};
use pc3_vmpi::group::{Group, GroupRef};
use pc3_vmpi::handle::abi;
use pc3_vmpi::handles::Objects;
use pc3_vmpi::info::Info;
use pc3_vmpi::meeting::Meeting;
use pc3_vmpi::op::UserOp;
use pc3_vmpi::saved::{load, load_more, save, save_more};
use pc3_vmpi::topo::{cart::Cart, dist::Dist, Topology};
use pc3_vmpi::wire::{Reader, Writer};
use std::sync::atomic::Ordering::Relaxed;

/// Addresses move by a constant; the types of two ABIs.
struct Moved {
    by: u64,
    from: TypeTable,
    to: TypeTable,
}

impl Moved {
    fn between(from: Abi, to: Abi) -> Moved {
        let table = |abi: Abi| {
            let mut t = TypeTable::new(abi);
            let (int, double, ch) = (
                t.arith(Arith::Int).unwrap(),
                t.arith(Arith::Double).unwrap(),
                t.arith(Arith::Char).unwrap(),
            );
            let long = t.arith(Arith::Long).unwrap();
            let three = t.array_of(double, 3).unwrap();
            let fields = [("id", int, None), ("x", three, None), ("tag", ch, None)];
            t.record(Kind::Struct, "struct particle", &fields).unwrap();
            t.record(
                Kind::Struct,
                "struct one",
                &[("a", ch, None), ("n", long, None)],
            )
            .unwrap();
            t.record(
                Kind::Struct,
                "struct two",
                &[("a", ch, None), ("b", int, None), ("n", long, None)],
            )
            .unwrap();
            t
        };
        Moved {
            by: 0x1000,
            from: table(from),
            to: table(to),
        }
    }
}

impl LoadCtx for Moved {
    fn pointer(&self, source: u64) -> Target {
        match source {
            0 => Target::Null,
            // The saved program's objects lay here.
            0x10_0000..0x20_0000 => Target::At(source.wrapping_add(self.by) as usize as *mut u8),
            _ => Target::Dangling,
        }
    }
    fn types(&self) -> Option<(&TypeTable, &TypeTable)> {
        Some((&self.from, &self.to))
    }
}

/// Blocks (count, displacement, type, its extent in the saved ABI) and what becomes of them.
fn check(
    blocks: &[(usize, i64, Basic, i64)],
    stride: Option<i64>,
    array: bool,
    addresses: &[u64],
    want: Result<&[i64], &str>,
) {
    check_said(blocks, stride, array, Counted::Unknown, addresses, want);
}

/// The same where the program's text says what the displacements are.
fn check_said(
    blocks: &[(usize, i64, Basic, i64)],
    stride: Option<i64>,
    array: bool,
    counted: Counted,
    addresses: &[u64],
    want: Result<&[i64], &str>,
) {
    // The saved ABI is the 32-bit one, ours a 64-bit one.
    let ctx = Moved::between(Abi::I686, Abi::X86_64);
    let types: Vec<TypeRef> = blocks.iter().map(|b| of_basic(b.2)).collect();
    let q = Question {
        blocks: blocks
            .iter()
            .zip(&types)
            .map(|(b, ty)| Block {
                at: b.1,
                count: b.0,
                saved: Saved {
                    extent: b.3,
                    first: Some(b.2),
                    first_at: 0,
                },
                ty,
            })
            .collect(),
        stride,
        array,
        counted,
        addresses,
        created_at: Some("types.c:12"),
    };
    match (displacements(&q, &ctx), want) {
        (Ok(got), Ok(want)) => assert_eq!(got, want),
        (Err(e), Err(part)) => {
            let e = e.to_string();
            assert!(e.contains(part) && e.contains("types.c:12"), "{e}");
        }
        (got, want) => panic!("{got:?} instead of {want:?}"),
    }
}

#[test]
#[cfg(target_arch = "x86_64")]
fn byte_displacements_follow_the_structs() {
    use Basic::{Char, Double, Int, Long};
    let particle = [(1, 0, Int, 4), (3, 4, Double, 8), (1, 28, Char, 1)];
    check(&particle, None, false, &[], Ok(&[0, 8, 32]));
    // An extent: 32 bytes of struct particle, or 4 doubles, or 8 ints.
    check(
        &[(1, 0, Int, 4)],
        Some(32),
        true,
        &[],
        Err("several structs"),
    );
    check(
        &[(1, 0, Char, 1)],
        Some(8),
        true,
        &[],
        Err("several structs"),
    );
    // A matrix column, which may also be one member of 25 particles.
    check(&[(1, 0, Double, 8)], Some(808), true, &[], Ok(&[0, 808]));
    check(
        &[(1, 0, Double, 8)],
        Some(800),
        true,
        &[],
        Err("several structs"),
    );
    // The long of the third struct one, or the fifth long.
    check(&[(1, 20, Long, 4)], None, true, &[], Err("several structs"));
    check(&[(1, 0, Long, 4)], Some(400), true, &[], Ok(&[0, 800]));
    // Both struct one and struct two have a char at 0; the long lies elsewhere in each.
    check(
        &[(1, 0, Char, 1), (1, 4, Long, 4)],
        None,
        false,
        &[],
        Ok(&[0, 8]),
    );
    check(
        &[(1, 0, Char, 1), (1, 6, Long, 4)],
        None,
        false,
        &[],
        Err("no struct"),
    );
    // No struct has two ints there: it is the second element of an array.
    check(&[(2, 4, Int, 4)], None, false, &[], Ok(&[4]));
    // Differences of addresses, and addresses themselves.
    let near = [0x10_0000, 0x10_0006];
    check(
        &[(1, 0, Char, 1), (1, 6, Long, 4)],
        None,
        false,
        &near,
        Ok(&[0, 6]),
    );
    check(
        &[(1, 0x10_0006, Long, 4)],
        None,
        false,
        &near,
        Ok(&[0x10_1006]),
    );
    check(
        &[(1, 0, Char, 1), (1, 6, Long, 4)],
        None,
        false,
        &[0x90_0000, 0x90_0006],
        Err("no struct"),
    );
}

#[test]
#[cfg(target_arch = "x86_64")]
fn the_text_says_what_is_counted() {
    use Basic::{Byte, Char, Double, Long};
    let ctx = Moved::between(Abi::I686, Abi::X86_64);
    let of = |name| ctx.from.find(Kind::Struct, name).unwrap();
    let (particle, one) = (of("struct particle"), of("struct one"));
    let column = [(1, 0, Double, 8)];
    for (counted, want) in [
        (Counted::Fixed, 800),
        (Counted::Multiple(particle), 1000),
        (Counted::Place(particle), 1000),
    ] {
        check_said(&column, Some(800), true, counted, &[], Ok(&[0, want]));
    }
    let place = |at, want| {
        let counted = Counted::Place(one);
        check_said(&[(1, at, Long, 4)], None, true, counted, &[], want);
    };
    place(20, Ok(&[40]));
    place(-4, Ok(&[-8]));
    place(21, Err("lead to no value"));
    let counted = Counted::Multiple(particle);
    let halves = Err("lead to no value");
    check_said(&column, Some(816), true, counted, &[], halves);
    // Extents are those of the old type, if it is as large as a struct; this one is none.
    check_said(
        &column,
        Some(800),
        true,
        Counted::Extents,
        &[],
        Err("several structs"),
    );
    check_said(
        &column,
        Some(808),
        true,
        Counted::Varies,
        &[],
        Err("sizes that are others here"),
    );
    // The text does not say what numbers without sizes are but of characters.
    let plain = |basic, extent, want| {
        let counted = Counted::Plain;
        check_said(
            &[(1, 0, basic, extent)],
            Some(800),
            true,
            counted,
            &[],
            want,
        );
    };
    plain(Double, 8, Err("several structs"));
    check_said(
        &[(1, 0, Char, 1)],
        Some(800),
        true,
        Counted::Plain,
        &[],
        Ok(&[0, 800]),
    );
    check(&[(1, 0, Char, 1)], Some(801), true, &[], Err("count"));
    let bytes = [(1, 0, Byte, 1)];
    check(&bytes, Some(801), true, &[], Err("count"));
    check_said(&bytes, Some(801), true, Counted::Plain, &[], Ok(&[0, 801]));
}

#[test]
#[cfg(target_arch = "x86_64")]
fn blocks_of_bytes_follow_the_structs() {
    let ctx = Moved::between(Abi::I686, Abi::X86_64);
    let of = |name| ctx.from.find(Kind::Struct, name).unwrap();
    let (one, two) = (of("struct one"), of("struct two"));
    let length = |at, n, lengths, places| {
        counted::block_length(at, n, Counts { lengths, places }, &ctx).unwrap()
    };
    use Counted::{Fixed, Multiple, Place, Plain, Unknown};
    // Whole ones, by either.
    assert_eq!(length(0, 24, Multiple(two), Unknown), Some(32));
    assert_eq!(length(12, 24, Plain, Multiple(two)), Some(32));
    assert_eq!(length(12, 24, Unknown, Multiple(two)), None);
    // `b` and `n` of the second, `b` alone, and what cuts `n`.
    assert_eq!(length(16, 8, Plain, Place(two)), Some(12));
    assert_eq!(length(16, 4, Plain, Place(two)), Some(4));
    assert_eq!(length(16, 6, Unknown, Place(two)), None);
    // The size of another type says it.
    assert_eq!(length(16, 8, Multiple(one), Place(two)), Some(16));
    assert_eq!(length(16, 8, Fixed, Place(two)), Some(8));
    // One member in each, by its size as a number.
    assert_eq!(length(12, 4, Plain, Multiple(two)), Some(4));
    assert_eq!(length(12, 4, Unknown, Multiple(two)), None);
    assert_eq!(length(0, 7, Multiple(two), Unknown), None);
    assert_eq!(length(0, 0, Unknown, Unknown), Some(0));
}

/// Types of MPI_BYTE whose lengths and places are multiples of so many bytes.
#[cfg(target_arch = "x86_64")]
fn of_bytes(n: usize) -> [Constructor; 8] {
    let old = || of_basic(Basic::Byte);
    let displs = vec![2 * n as isize, 5 * n as isize];
    let blocks = vec![(n, 3 * n as isize), (2 * n, 0)];
    let (count, blocklen, stride) = (3, n, 2 * n as isize);
    let dim = |size, subsize, start| Subdim {
        size,
        subsize,
        start,
    };
    [
        Constructor::Subarray {
            dims: vec![dim(5, 3, 1), dim(8 * n, 3 * n, 2 * n)],
            order: ArrayOrder::C,
            old: old(),
        },
        Constructor::Indexed {
            blocks: blocks.clone(),
            old: old(),
        },
        Constructor::Hindexed { blocks, old: old() },
        Constructor::IndexedBlock {
            blocklen,
            displs,
            old: old(),
        },
        Constructor::Hvector {
            count,
            blocklen,
            stride,
            old: old(),
        },
        Constructor::Vector {
            count,
            blocklen,
            stride,
            old: old(),
        },
        Constructor::Contiguous {
            count: 3 * n,
            old: old(),
        },
        Constructor::Resized {
            lb: 0,
            extent: 4 * n as isize,
            old: old(),
        },
    ]
}

/// Types of MPI_BYTE of the saved program, and what they are here.
#[test]
#[cfg(target_arch = "x86_64")]
fn bytes_are_counted_anew() {
    let ctx = Moved::between(Abi::I686, Abi::X86_64);
    let one = ctx.from.find(Kind::Struct, "struct one").unwrap();
    let whole = Counts {
        lengths: Counted::Multiple(one),
        places: Counted::Multiple(one),
    };
    let members = Counts {
        lengths: Counted::Unknown,
        places: Counted::Place(one),
    };
    let made = |c: Constructor, counts| {
        let ty = make(c, Some("types.c:12".into())).unwrap();
        let ty = pc3_vmpi::datatype::Datatype {
            counts,
            ..(*ty).clone()
        };
        let mut o = Objects::new(Group::world(1), 0, Meeting::new(1, 0), Meeting::new(1, 1));
        o.types.insert(TypeObject {
            ty: ty.into(),
            committed: true,
            name: None,
            attrs: vec![],
        });
        let mut n = Objects::new(Group::world(1), 0, Meeting::new(1, 0), Meeting::new(1, 1));
        restore(&mut n, &store(&o, &[]), &ctx)?;
        let ty = n.types.iter().next().unwrap().1.ty.clone();
        assert_eq!(ty.counts, counts);
        Ok::<_, LoadError>((ty.layout.clone(), ty.lb, ty.extent))
    };
    let here = |c: Constructor| {
        let ty = make(c, None).unwrap();
        (ty.layout.clone(), ty.lb, ty.extent)
    };
    // struct one has 8 bytes there and 16 here.
    for (then, now) in of_bytes(8).into_iter().zip(of_bytes(16)) {
        assert_eq!(made(then.clone(), whole).unwrap(), here(now));
        let fixed = Counts {
            lengths: Counted::Fixed,
            places: Counted::Fixed,
        };
        assert_eq!(made(then.clone(), fixed).unwrap(), here(then.clone()));
        let untold = made(then, Counts::default()).unwrap_err().to_string();
        assert!(untold.contains("types.c:12"), "{untold}");
    }
    let byte = of_basic(Basic::Byte);
    let structure = |n: usize| Constructor::Struct {
        blocks: vec![(1, 0, byte.clone()), (n, n as isize, byte.clone())],
    };
    let two_members = made(structure(4), members).unwrap();
    assert_eq!(two_members, here(structure(8)));
}

fn store(o: &Objects, pending: &[TypeRef]) -> Vec<u8> {
    let mut w = Writer(save(o, pending.iter()));
    save_more(o, &mut w);
    w.0
}

fn restore(o: &mut Objects, bytes: &[u8], ctx: &dyn LoadCtx) -> Result<Vec<TypeRef>, LoadError> {
    let mut r = Reader(bytes);
    let pending = load(o, &mut r, ctx)?;
    load_more(o, &mut r)?;
    assert!(r.0.is_empty());
    Ok(pending.into_iter().map(|again| again.ty).collect())
}

/// One type of each constructor.
fn one_of_each(int: &TypeRef) -> [TypeRef; 10] {
    let t = |c| make(c, Some("a.c:3".into())).unwrap();
    let pair = t(Constructor::Struct {
        blocks: vec![(1, 0, int.clone()), (2, 8, of_basic(Basic::Double))],
    });
    let dims = vec![
        Subdim {
            size: 5,
            subsize: 2,
            start: 1
        };
        2
    ];
    [
        t(Constructor::Dup(pair.clone())),
        t(Constructor::Contiguous {
            count: 3,
            old: pair.clone(),
        }),
        t(Constructor::Vector {
            count: 3,
            blocklen: 2,
            stride: -4,
            old: int.clone(),
        }),
        t(Constructor::Hvector {
            count: 3,
            blocklen: 2,
            stride: 36,
            old: pair.clone(),
        }),
        t(Constructor::Indexed {
            blocks: vec![(1, 4), (2, -1)],
            old: int.clone(),
        }),
        t(Constructor::Hindexed {
            blocks: vec![(1, 40), (2, 4)],
            old: int.clone(),
        }),
        t(Constructor::IndexedBlock {
            blocklen: 2,
            displs: vec![3, 9],
            old: pair.clone(),
        }),
        t(Constructor::HindexedBlock {
            blocklen: 2,
            displs: vec![3, 90],
            old: int.clone(),
        }),
        t(Constructor::Resized {
            lb: -4,
            extent: 100,
            old: pair,
        }),
        t(Constructor::Subarray {
            dims,
            order: ArrayOrder::Fortran,
            old: int.clone(),
        }),
    ]
}

/// What [`filled`] has put in.
struct Had {
    even: GroupRef,
    odd: GroupRef,
    cart: Cart,
    graph: Dist,
    /// Handles.
    comm: usize,
    inter: usize,
    op: usize,
    handler: usize,
    info: usize,
}

/// Puts in objects of all kinds.
fn filled(o: &mut Objects, all: &[TypeRef]) -> Had {
    for ty in all {
        let object = TypeObject {
            ty: ty.clone(),
            committed: true,
            name: Some("t".into()),
            attrs: vec![(1000, 0x10_0040), (1001, 7)],
        };
        o.types.insert(object);
    }
    // A gap in the handles, and a type without one.
    let second = o.types.iter().nth(1).unwrap().0;
    o.types.remove(second);
    o.next_id = 9;
    let even = Group::new(vec![0, 2, 4]);
    o.groups.insert(even.clone());
    o.groups.insert(Group::new(vec![5, 1, 2, 3, 0]));
    let made = pc3_vmpi::comm::create::NewComm {
        id: 4,
        group: even.clone(),
        rank: 1,
        meeting: Meeting::new(3, 4),
        remote: None,
    };
    let cart = Cart::new(&[3], &[1], 3).unwrap();
    let c = o
        .comms
        .insert(made.into_comm(abi::ERRORS_RETURN, Some(Topology::Cart(cart.clone()))));
    let odd = Group::new(vec![1, 3]);
    let between = pc3_vmpi::comm::create::NewComm {
        id: 5,
        group: even.clone(),
        rank: 1,
        meeting: Meeting::new(5, 9),
        remote: Some(Remote::new(&even, odd.clone())),
    };
    let graph = Dist {
        sources: vec![1, 1],
        dests: vec![],
        weights: Some((vec![3, 4], vec![])),
    };
    let topo = Topology::Dist(graph.clone());
    let inter = o
        .comms
        .insert(between.into_comm(abi::ERRORS_RETURN, Some(topo)));
    o.comm(inter).unwrap().rounds.store(7, Relaxed);
    o.world.name = Some("all".into());
    let op = o.ops.insert(UserOp {
        func: 0x10_0400,
        commute: true,
        wide: true,
    });
    let e = o.errhandlers.create(0x10_0500).unwrap();
    o.keyvals
        .create(pc3_vmpi::attr::On::Comm, 1, 0x10_0600, 0x10_0700);
    let info = o.infos.insert(Info {
        pairs: vec![("k".into(), "v".into())],
    });
    o.codes.add_class();
    o.addresses.record(0x10_0008);
    Had {
        even,
        odd,
        cart,
        graph,
        comm: c,
        inter,
        op,
        handler: e,
        info,
    }
}

#[test]
fn objects_survive() {
    let fresh = || Objects::new(Group::world(6), 2, Meeting::new(6, 0), Meeting::new(1, 1));
    let mut o = fresh();
    let int = of_basic(Basic::Int);
    let all = one_of_each(&int);
    let had = filled(&mut o, &all);

    let bytes = store(&o, &[int.clone(), all[1].clone()]);
    let ctx = Moved::between(Abi::host(), Abi::host());
    let mut n = fresh();
    let pending = restore(&mut n, &bytes, &ctx).unwrap();
    assert_eq!(pending[0].predefined, int.predefined);
    assert_eq!(pending[1].layout, all[1].layout);
    let (old, new): (Vec<_>, Vec<_>) = (o.types.iter().collect(), n.types.iter().collect());
    assert_eq!(old.len(), new.len());
    for ((h, a), (k, b)) in old.into_iter().zip(new) {
        assert_eq!((h, &a.name, a.committed), (k, &b.name, b.committed));
        assert_eq!(
            (a.ty.lb, a.ty.extent, &a.ty.layout, &a.ty.signature),
            (b.ty.lb, b.ty.extent, &b.ty.layout, &b.ty.signature)
        );
        assert_eq!(b.attrs, [(1000, 0x10_1040), (1001, 7)]);
    }
    let d = n.comm(had.comm).unwrap();
    assert_eq!(
        (d.id, d.rank, d.errhandler, &d.topo),
        (4, 1, abi::ERRORS_RETURN, &Some(Topology::Cart(had.cart)))
    );
    let e2 = n.comm(had.inter).unwrap();
    let remote = e2.remote.as_ref().unwrap();
    assert_eq!(
        (&remote.group, remote.low, remote.first),
        (&had.odd, 3, true)
    );
    assert_eq!((e2.seat(), e2.meeting.size()), (1, 5));
    assert_eq!(e2.topo, Some(Topology::Dist(had.graph)));
    assert_eq!(e2.rounds.load(Relaxed), 7);
    assert_eq!(
        (&d.group, &n.world.name, n.next_id),
        (&had.even, &Some("all".into()), 9)
    );
    assert!(n
        .groups
        .iter()
        .map(|g| g.1)
        .eq(o.groups.iter().map(|g| g.1)));
    assert_eq!(
        n.ops.get(had.op),
        Some(&UserOp {
            func: 0x10_1400,
            commute: true,
            wide: true,
        })
    );
    assert_eq!(n.errhandlers.0.get(had.handler).unwrap().func, 0x10_1500);
    let k = &n.keyvals.live[&1000];
    assert_eq!((k.copy, k.delete, k.extra_state), (1, 0x10_1600, 0x10_1700));
    assert_eq!(n.infos.get(had.info), o.infos.get(had.info));
    assert_eq!(
        (n.codes.last(), &n.addresses.recent[..]),
        (o.codes.last(), &[0x10_1008][..])
    );

    // The second cycle, and damage.
    let back = Moved {
        by: 0u64.wrapping_sub(0x1000),
        ..Moved::between(Abi::host(), Abi::host())
    };
    let mut third = fresh();
    let pending = restore(&mut third, &store(&n, &pending), &back).unwrap();
    assert!(store(&third, &pending) == bytes);
    for cut in 0..bytes.len() {
        assert!(restore(&mut fresh(), &bytes[..cut], &ctx).is_err());
    }
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0xff;
        let _ = restore(&mut fresh(), &damaged, &ctx);
    }
}

//! Directories go through their binary form unchanged, and no damage to it is accepted or panics.

use pc3_typemetric::abi::Abi;

use super::super::library::*;
use super::*;

fn rank() -> RankMeta {
    let span = Span {
        offset: 16,
        bytes: 5,
    };
    RankMeta {
        finished: Some(-3),
        errno: 4,
        floats: FloatsMeta {
            rounding: 2,
            flags: 17,
            traps: 4,
            special: Some((1, 0x300_0000_8040)),
        },
        passages: 9,
        delta: u64::MAX - 4095,
        globals: vec![span; 2],
        frames: vec![FrameMeta {
            func: 1,
            point: 2,
            live: span,
        }],
        shadow: vec![ShadowMeta {
            addr: 8,
            ty: TypeId(3),
            frame: Some(0),
            data: span,
        }],
        slabs: vec![SlabMeta {
            base: 4096,
            slot: 32,
            occupied: vec![5, 1],
            sizes: vec![24],
            types: vec![TypeId(7)],
            data: span,
        }],
        large: vec![LargeMeta {
            base: 1,
            ty: TypeId(0),
            data: span,
        }],
        callbacks: vec![CallbackMeta {
            events: 1,
            function: 2,
            context: 3,
        }],
        files: vec![FileMeta {
            addr: 1,
            descriptor: 3,
            kind: FileKind::Opened,
            path: "out".into(),
            mode: "w".into(),
            position: Some(12),
            length: 20,
            state: 1,
            tail: None,
            held: None,
            pushed: b"xy".to_vec(),
            pending: b"z".to_vec(),
            buffer: Some(BufferMeta {
                mode: 1,
                addr: 7,
                size: 100,
            }),
            memory: Some(MemoryMeta {
                grows: true,
                own: false,
                addr: 10,
                size: 11,
                position: 12,
                length: 13,
                pointer: 14,
                count: 15,
            }),
        }],
        library: library(),
        beside: Vec::new(),
        numbers: Vec::new(),
        orders: Vec::new(),
        first_numbers: Default::default(),
        wanted: None,
        jumps: 0,
        variables: Vec::new(),
    }
}

fn library() -> LibraryMeta {
    let open = |origin, n| OpenMeta {
        origin,
        path: b"/a\xff/b".to_vec(),
        below: Some(b"b".to_vec()),
        access: ACCESS_READ | ACCESS_WRITE,
        position: Some(4),
        length: 9,
        written: Some((7, 8)),
        contents: Some(Span {
            offset: 3,
            bytes: 4,
        }),
        numbers: vec![(n, false), (n + 4, true)],
    };
    let span = Span {
        offset: 5,
        bytes: 9,
    };
    LibraryMeta {
        open: vec![
            open(Origin::Path, 3),
            open(Origin::Inherited(1), 4),
            open(Origin::Removed(span), 5),
            open(Origin::Again(2), 6),
        ],
        closed: vec![0],
        appended: vec![AppendedMeta {
            path: b"/log".to_vec(),
            below: None,
            length: 3,
        }],
        exits: vec![ExitMeta {
            with_status: true,
            function: 1,
            argument: 2,
        }],
        process: Some(ProcessMeta {
            directory: Some((b"/x".to_vec(), None)),
            umask: Some(0o77),
            environment: vec![VariableMeta {
                addr: 8,
                text: b"A=b".to_vec(),
                changed: true,
                own: false,
            }],
            removed: vec![b"HOME".to_vec()],
            locale: vec![(1, "C.UTF-8".into())],
            zone: true,
            signals: vec![SignalMeta {
                signal: 10,
                handler: 1,
                mask: 6,
                flags: SIGNAL_RESTART,
            }],
            blocked: Some(2),
            timers: vec![(0, 5, 6)],
            limits: LimitsMeta {
                limits: vec![(4, 0, u64::MAX)],
                nice: Some(3),
                stack: Some((4096, 8192)),
            },
        }),
    }
}

#[test]
fn round_trips() {
    let bytes = rank().encode();
    assert_eq!(RankMeta::decode(&bytes).unwrap(), rank());
    let program = ProgramMeta {
        funcs: vec![FuncMeta {
            name: "f".into(),
            shadow: None,
            points: vec![PointMeta {
                label: 1,
                line: 2,
                file: "a.c".into(),
                what: "g".into(),
                live: Some(TypeId(0)),
            }],
        }],
        globals: vec![GlobalMeta {
            name: "x".into(),
            addr: 1,
            ty: TypeId(2),
            size: 3,
            constant: true,
        }],
        literals: vec![LiteralMeta {
            home: "a.c".into(),
            addr: 1,
            ty: TypeId(2),
            bytes: vec![1, 0],
        }],
        fnrefs: vec![("f".into(), 77)],
        orders: vec![("a.c:3".into(), 1)],
    };
    assert_eq!(ProgramMeta::decode(&program.encode()).unwrap(), program);
    let none = ProgramMeta {
        orders: Vec::new(),
        ..program
    };
    assert_eq!(ProgramMeta::decode(&none.encode()).unwrap(), none);
}

#[test]
fn what_lies_outside_goes_by_itself() {
    let mut meta = rank();
    assert_eq!(meta.outside(), None);
    meta.files[0].kind = FileKind::Stdout;
    meta.files[0].mode.clear();
    meta.files[0].tail = Some(77);
    meta.files[0].held = Some(HeldMeta {
        offset: Some(3),
        size: 8,
        at: 1,
        bytes: b"abc".to_vec(),
    });
    meta.wanted = Some(TypeId(2));
    meta.jumps = 3;
    meta.variables = vec![(2, 11)];
    meta.numbers = vec!["main.c:3".into()];
    meta.orders = vec![("main.c:4".into(), 1)];
    meta.first_numbers = FirstNumbersMeta {
        list: vec![(16, 32)],
        elsewhere: vec![(64, 128), (68, 136)],
        other_width: true,
    };
    meta.beside = vec![BesideMeta {
        addr: 1,
        object: 9,
        elem: 8,
        place: "a.c:7".into(),
    }];
    let bytes = meta.outside().unwrap();
    let mut again = RankMeta::decode(&meta.encode()).unwrap();
    again.add_outside(&bytes).unwrap();
    assert_eq!(again, meta);
    // What earlier checkpoints end with: nothing of first numbers elsewhere, before that nothing of jumps, variables, orders
    // and first numbers at all, and before those nothing of streams' buffers.
    let (jumps, variables, orders, numbers) = (1, 1 + 2, 1 + 1 + 1 + 1, 1 + 2 + 1);
    let latest = bytes.len() - (1 + 2 * 2) * 8;
    let later = latest - (jumps + variables + orders + numbers) * 8;
    let earlier = [later - (1 + 6) * 8 - 3, later, latest];
    for n in 0..bytes.len() {
        let good = again.add_outside(&bytes[..n]).is_ok();
        assert_eq!(good, earlier.contains(&n), "{n}");
    }
}

#[test]
fn no_truncation_is_accepted_and_none_panics() {
    let bytes = rank().encode();
    // What earlier checkpoints end with: neither limits nor floating point follow.
    let (floats, limits) = (6 * 8, (1 + 3 + 2 + 3) * 8);
    let ends = [bytes.len() - floats, bytes.len() - floats - limits];
    for n in 0..bytes.len() {
        let read = RankMeta::decode(&bytes[..n]);
        assert_eq!(read.is_ok(), ends.contains(&n), "{n}");
    }
    for n in 0..bytes.len() {
        let mut bad = bytes.clone();
        bad[n] = 0xff;
        let _ = RankMeta::decode(&bad);
    }
}

#[test]
fn slots_of_a_slab() {
    let slab = rank().slabs.remove(0);
    assert_eq!(slab.slots().collect::<Vec<_>>(), [0, 2, 64]);
    assert_eq!((slab.count(), slab.object(2)), (3, Some((24, TypeId(7)))));
}

#[test]
fn jobs_of_older_files_have_spawned_nobody() {
    let job = JobMeta {
        program: "farm".into(),
        writer: "pc3".into(),
        time: 1,
        ranks: 7,
        workers: 2,
        passage: 3,
        calls_mpi: true,
        arguments: vec![b"x".to_vec()],
        abi: Abi::host(),
        world: 4,
        started_as: "/home/farm".into(),
    };
    let bytes = job.encode();
    assert_eq!(JobMeta::decode(&bytes).unwrap(), job);
    let before = &bytes[..bytes.len() - 8 - 8 - job.started_as.len()];
    let old = JobMeta::decode(before).unwrap();
    assert_eq!((old.world, old.started_as), (7, String::new()));
}

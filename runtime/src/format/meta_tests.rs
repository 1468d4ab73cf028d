//! Directories go through their binary form unchanged, and no damage to it is accepted or panics.

use super::*;

fn rank() -> RankMeta {
    let span = Span {
        offset: 16,
        bytes: 5,
    };
    RankMeta {
        finished: Some(-3),
        errno: 4,
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
        }],
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
            addr: 1,
            ty: TypeId(2),
            bytes: vec![1, 0],
        }],
        fnrefs: vec![("f".into(), 77)],
    };
    assert_eq!(ProgramMeta::decode(&program.encode()).unwrap(), program);
}

#[test]
fn no_truncation_is_accepted_and_none_panics() {
    let bytes = rank().encode();
    for n in 0..bytes.len() {
        assert!(RankMeta::decode(&bytes[..n]).is_err(), "{n}");
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

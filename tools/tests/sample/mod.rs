//! A checkpoint made by hand, under any ABI: two ranks; a stack of two frames, globals, a list on the heap with a
//! block of doubles, text, a union, bit-fields, and pointers of every sort.
#![allow(clippy::unwrap_used)]

use std::fs::File;
use std::path::{Path, PathBuf};

use pc3_runtime::format::file::{Section, Writer};
use pc3_runtime::format::meta::*;
use pc3_runtime::store::file_name;
use pc3_typemetric::abi::{Abi, Endian};
use pc3_typemetric::layout::{lay_out, Arith, Field};
use pc3_typemetric::types::{Kind, Type, TypeId, TypeTable};
use pc3_typemetric::Batch;

pub struct Sample {
    types: TypeTable,
    node: TypeId,
    data: Vec<u8>,
}

fn field<'a>(types: &TypeTable, name: &'a str, ty: TypeId) -> Field<'a> {
    let t = types.get(ty);
    Field {
        name,
        ty,
        size: t.size,
        align: t.align,
        bits: None,
    }
}

impl Sample {
    fn new(abi: &Abi) -> Sample {
        let mut types = TypeTable::new(abi.clone());
        let int = types.add(Arith::Int.ty(abi)).unwrap();
        let unsigned = types.add(Arith::UInt.ty(abi)).unwrap();
        let double = types.add(Arith::Double.ty(abi)).unwrap();
        let pair = types
            .add(Type::array(double, 8, types.get(double).align, 2))
            .unwrap();
        let union = {
            let fields = [field(&types, "i", int), field(&types, "u", unsigned)];
            types.add(lay_out(Kind::Union, "", &fields)).unwrap()
        };
        let mut batch = Batch::new();
        let (node, link) = (batch.declare(), batch.declare());
        batch.define(link, Type::pointer(abi, node));
        let fields = [
            field(&types, "key", int),
            Field {
                name: "next",
                ty: link,
                size: abi.pointer.size.into(),
                align: abi.pointer.align.into(),
                bits: None,
            },
            field(&types, "w", pair),
            Field {
                bits: Some(3),
                ..field(&types, "red", int)
            },
            Field {
                bits: Some(11),
                ..field(&types, "blue", unsigned)
            },
            field(&types, "", union),
        ];
        batch.define(node, lay_out(Kind::Struct, "struct node", &fields));
        let node = types.commit(batch).unwrap()[0];
        Sample {
            types,
            node,
            data: Vec::new(),
        }
    }

    fn endian(&self) -> Endian {
        self.types.abi().endian
    }

    fn bytes(&self, value: u64, size: u64) -> Vec<u8> {
        match self.endian() {
            Endian::Little => value.to_le_bytes()[..size as usize].to_vec(),
            Endian::Big => value.to_be_bytes()[8 - size as usize..].to_vec(),
        }
    }

    fn pointer(&self, value: u64) -> Vec<u8> {
        self.bytes(value, self.types.abi().pointer.size.into())
    }

    fn save(&mut self, bytes: &[u8]) -> Span {
        self.data.resize(self.data.len().next_multiple_of(16), 0);
        let offset = self.data.len() as u64;
        self.data.extend_from_slice(bytes);
        Span {
            offset,
            bytes: bytes.len() as u64,
        }
    }

    fn set_bits(&self, into: &mut [u8], member: &str, value: u64) {
        let node = self.types.get(self.node);
        let bits = node
            .members
            .iter()
            .find(|m| m.name == member)
            .unwrap()
            .bits
            .unwrap();
        for i in 0..u64::from(bits.width) {
            // Bits are counted in memory order.
            let (at, one) = match self.endian() {
                Endian::Little => (bits.offset + i, value >> i & 1),
                Endian::Big => (
                    bits.offset + i,
                    value >> (u64::from(bits.width) - 1 - i) & 1,
                ),
            };
            let shift = match self.endian() {
                Endian::Little => at % 8,
                Endian::Big => 7 - at % 8,
            };
            into[(at / 8) as usize] |= (one << shift) as u8;
        }
    }

    fn node(&self, key: i64, next: u64, w: [f64; 2]) -> Vec<u8> {
        let t = self.types.get(self.node);
        let mut out = vec![0; t.size as usize];
        let at = |name: &str| t.members.iter().find(|m| m.name == name).unwrap().offset as usize;
        let mut put = |at: usize, bytes: Vec<u8>| out[at..at + bytes.len()].copy_from_slice(&bytes);
        put(at("key"), self.bytes(key as u64, 4));
        put(at("next"), self.pointer(next));
        put(at("w"), self.bytes(w[0].to_bits(), 8));
        put(at("w") + 8, self.bytes(w[1].to_bits(), 8));
        put(at(""), self.bytes(u64::from(u32::MAX), 4));
        self.set_bits(&mut out, "red", 0b110);
        self.set_bits(&mut out, "blue", 1027);
        out
    }
}

const GLOBALS: u64 = 0x10_0000;
const SLAB: u64 = 0x20_0000;
const LARGE: u64 = 0x30_0000;
const STACK: u64 = 0x40_0000;
const FUNCTION: u64 = 0x50_0000;
const DELTA: u64 = 0x8_0000;

/// Writes it as `DIR/ckpt-ID.pc3c`.
pub fn write(dir: &Path, id: u64, abi: &Abi) -> PathBuf {
    let mut s = Sample::new(abi);
    let program = program(&mut s, abi);
    let slot = s.types.size(s.node).next_multiple_of(16) + 16;
    let mut file = File::create(dir.join(file_name(id))).unwrap();
    let mut out = Writer::new(&mut file, id).unwrap();
    let job = JobMeta {
        program: "list".into(),
        writer: "pc3 test".into(),
        time: 1_800_000_000_000_000_000,
        ranks: 2,
        workers: 2,
        passage: 7,
        calls_mpi: true,
        arguments: vec![b"-v".to_vec()],
        abi: abi.clone(),
        world: 2,
        started_as: "/tmp/list".into(),
    };
    out.section(Section::Job, 0, &job.encode()).unwrap();
    let mut types = Vec::new();
    s.types.encode(&mut types);
    out.section(Section::Types, 0, &types).unwrap();
    out.section(Section::Program, 0, &program.encode()).unwrap();
    let meta = rank0(&mut s, &program, slot);
    out.section(Section::Data, 0, &s.data).unwrap();
    out.section(Section::Rank, 0, &meta.encode()).unwrap();
    s.data.clear();
    let meta = rank1(&mut s, &program);
    out.section(Section::Data, 1, &s.data).unwrap();
    out.section(Section::Rank, 1, &meta.encode()).unwrap();
    out.finish().unwrap();
    dir.join(file_name(id))
}

/// Two functions, and globals of every sort.
fn program(s: &mut Sample, abi: &Abi) -> ProgramMeta {
    let pointer = u64::from(abi.pointer.size);
    let int = s.types.add(Arith::Int.ty(abi)).unwrap();
    let char = s.types.add(Arith::Char.ty(abi)).unwrap();
    let double = s.types.add(Arith::Double.ty(abi)).unwrap();
    let to_node = s.types.pointer_to(s.node).unwrap();
    let to_char = s.types.pointer_to(char).unwrap();
    let to_void = s.types.pointer_to(TypeId::UNKNOWN).unwrap();
    let to_double = s.types.pointer_to(double).unwrap();
    let text = s.types.add(Type::array(char, 1, 1, 24)).unwrap();
    let two = s
        .types
        .add(Type::array(to_void, pointer, abi.pointer.align.into(), 2))
        .unwrap();
    let live = {
        let fields = [
            field(&s.types, "n", int),
            field(&s.types, "list", to_node),
            field(&s.types, "x", double),
        ];
        let t = lay_out(Kind::Struct, "", &fields);
        s.types.add(t).unwrap()
    };
    let escaping = {
        let fields = [field(&s.types, "sum", double)];
        s.types.add(lay_out(Kind::Struct, "", &fields)).unwrap()
    };
    let point = |label, line, what: &str, live| PointMeta {
        label,
        line,
        file: "list.c".into(),
        what: what.into(),
        live,
    };
    let global = |name: &str, at, ty: TypeId, types: &TypeTable, constant| GlobalMeta {
        name: name.into(),
        addr: GLOBALS + at,
        ty,
        size: types.size(ty),
        constant,
    };
    ProgramMeta {
        funcs: vec![
            FuncMeta {
                name: "main".into(),
                shadow: Some(escaping),
                points: vec![point(1, 40, "step", Some(live))],
            },
            FuncMeta {
                name: "list.c:step".into(),
                shadow: None,
                points: vec![point(1, 11, "checkpoint", None)],
            },
        ],
        globals: vec![
            global("head", 0, to_node, &s.types, false),
            global("limits", 64, int, &s.types, true),
            global("list.c:name", 128, text, &s.types, false),
            global("message", 256, to_char, &s.types, false),
            global("list.c:step.seen", 320, two, &s.types, false),
            global("end", 384, to_double, &s.types, false),
        ],
        literals: vec![LiteralMeta {
            home: String::new(),
            addr: GLOBALS + 0x1000,
            ty: text,
            bytes: b"hello\n\0".to_vec(),
        }],
        fnrefs: vec![("list.c:step".into(), FUNCTION)],
        orders: Vec::new(),
    }
}

/// What a frame of `main` holds.
fn locals(s: &Sample, ty: TypeId, slot: u64) -> Vec<u8> {
    let mut live = vec![0; s.types.size(ty) as usize];
    let offsets: Vec<usize> = s
        .types
        .get(ty)
        .members
        .iter()
        .map(|m| m.offset as usize)
        .collect();
    let mut put = |at: usize, bytes: Vec<u8>| live[at..at + bytes.len()].copy_from_slice(&bytes);
    put(offsets[0], s.bytes(-5i64 as u64, 4));
    put(offsets[1], s.pointer(SLAB + 2 * slot));
    put(offsets[2], s.bytes(0.1f64.to_bits(), 8));
    live
}

/// Slots 0 and 2 are occupied.
fn nodes(s: &Sample, slot: u64) -> Vec<u8> {
    let mut nodes = Vec::new();
    for node in [
        s.node(1, SLAB + 2 * slot, [0.5, -2.0]),
        s.node(2, 0, [1e300, f64::INFINITY]),
    ] {
        let start = nodes.len();
        nodes.extend(node);
        nodes.resize(start + slot as usize, 0);
    }
    nodes
}

fn rank0(s: &mut Sample, program: &ProgramMeta, slot: u64) -> RankMeta {
    let live = locals(s, program.funcs[0].points[0].live.unwrap(), slot);
    let nodes = nodes(s, slot);
    let pointer = |s: &Sample, v| s.pointer(v);
    let doubles: Vec<u8> = (0..20)
        .flat_map(|i| s.bytes(f64::from(i).to_bits(), 8))
        .collect();
    let mut name = b"a \"list\"".to_vec();
    name.resize(24, 0);
    let seen = [pointer(s, FUNCTION), pointer(s, 0x999)].concat();
    let (head, message, end) = (
        pointer(s, SLAB),
        pointer(s, GLOBALS + 0x1000),
        pointer(s, LARGE + 160),
    );
    let double = s.types.find(Kind::Float, "double").unwrap();
    RankMeta {
        finished: None,
        errno: 0,
        floats: FloatsMeta::default(),
        passages: 7,
        delta: DELTA,
        globals: [&head[..], &name, &message, &seen, &end]
            .into_iter()
            .map(|b| s.save(b))
            .collect(),
        frames: vec![
            FrameMeta {
                func: 1,
                point: 0,
                live: Span {
                    offset: 0,
                    bytes: 0,
                },
            },
            FrameMeta {
                func: 0,
                point: 0,
                live: s.save(&live),
            },
        ],
        shadow: vec![ShadowMeta {
            addr: STACK,
            ty: program.funcs[0].shadow.unwrap(),
            frame: Some(1),
            data: s.save(&s.bytes(2.5f64.to_bits(), 8)),
        }],
        slabs: vec![SlabMeta {
            base: SLAB,
            slot,
            occupied: vec![0b101],
            sizes: vec![s.types.size(s.node)],
            types: vec![s.node],
            data: s.save(&nodes),
        }],
        large: vec![LargeMeta {
            base: LARGE,
            ty: double,
            data: s.save(&doubles),
        }],
        callbacks: vec![],
        files: vec![FileMeta {
            addr: 0,
            descriptor: 1,
            kind: FileKind::Stdout,
            path: String::new(),
            mode: String::new(),
            position: Some(12),
            length: 12,
            state: 0,
            tail: None,
            held: None,
            pushed: Vec::new(),
            pending: Vec::new(),
            buffer: None,
            memory: None,
        }],
        library: LibraryMeta::default(),
        beside: Vec::new(),
        numbers: Vec::new(),
        orders: Vec::new(),
        first_numbers: Default::default(),
        jumps: 0,
        variables: Vec::new(),
        wanted: None,
    }
}

/// A rank that has ended.
fn rank1(s: &mut Sample, program: &ProgramMeta) -> RankMeta {
    let writable: Vec<u64> = program
        .globals
        .iter()
        .filter(|g| !g.constant)
        .map(|g| g.size)
        .collect();
    let globals = writable
        .into_iter()
        .map(|n| s.save(&vec![0; n as usize]))
        .collect();
    RankMeta {
        finished: Some(3),
        errno: 0,
        floats: FloatsMeta::default(),
        passages: 7,
        delta: 2 * DELTA,
        globals,
        frames: vec![],
        shadow: vec![],
        slabs: vec![],
        large: vec![],
        callbacks: vec![],
        files: vec![],
        library: LibraryMeta::default(),
        beside: Vec::new(),
        numbers: Vec::new(),
        orders: Vec::new(),
        first_numbers: Default::default(),
        jumps: 0,
        variables: Vec::new(),
        wanted: None,
    }
}

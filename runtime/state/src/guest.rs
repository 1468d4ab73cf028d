//! Programs in other languages than C: their frames and objects are known to themselves only.
//!
//! A guest is one rank's side of it.  Files, attributes of the process, requests, coordination and commit are the
//! runtime's as for C.  Checkpoints have the same form: frames with a struct of their live values, objects with a type,
//! all under [`abi`]; only there are no globals, and the objects lie at addresses that the guest makes up.

use std::any::Any;
use std::borrow::Cow;
use std::io;

use pc3_typemetric::abi::{Abi, LongDouble, Metric};
use pc3_typemetric::types::{TypeId, TypeTable};
use pc3_typemetric::Batch;

use crate::save_data::Data;
use pc3_format::bytes::{Decoder, Encoder};
use pc3_format::file::{Section, Writer};
use pc3_format::meta::{FrameMeta, FuncMeta, LargeMeta, PointMeta, ProgramMeta, RankMeta, Span};
use pc3_format::read::{Checkpoint, RankImage};

/// The outermost frame of a rank with statics that are saved has their values instead of a function's.
pub const STATICS: &str = "saved statics";

/// How a guest's [`Guest::run`] came back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The program ended with this exit status.
    Ended(i32),
    /// Its frames are records, its stack is empty.
    Unwound,
}

/// One rank of a program that is not C.  Called by one thread at a time; user code reaches it again through
/// [`Rank::current`](crate::rank::Rank::current) while `run` executes, hence shared references.
pub trait Guest {
    /// Executes the program from its start, or from its frames if there are any.
    fn run(&self) -> Outcome;

    /// Before files and standard output are looked at: writes out what the language's library holds back.
    fn flush(&self);

    /// What stands in the way of a checkpoint.
    fn obstacle(&self) -> Option<String> {
        None
    }

    /// Puts frames and objects into the checkpoint that is being written.
    fn save(&self, image: &mut Image) -> io::Result<()>;

    /// Takes the state of a checkpoint, for the next `run`.
    fn load(&self, source: Source) -> Result<(), String>;

    /// For the language's own side.
    fn as_any(&self) -> &dyn Any;
}

/// Makes a rank's guest.
pub type MakeGuest = fn() -> Box<dyn Guest>;

/// The ABI of guests' objects: sizes are the same everywhere (pointers and `usize` have 64 bits), bytes are in the
/// host's order.
pub fn abi() -> Abi {
    let natural = |size| Metric { size, align: size };
    Abi {
        name: Cow::Borrowed(std::env::consts::ARCH),
        pointer: natural(8),
        short: natural(2),
        int: natural(4),
        long: natural(8),
        long_long: natural(8),
        float: natural(4),
        double: natural(8),
        long_double: natural(8),
        long_double_format: LongDouble::Binary64,
        ..Abi::host()
    }
}

/// What all ranks of a checkpoint share: types and functions, as far as they occur in it.
#[derive(Clone)]
pub struct Tables {
    pub types: TypeTable,
    pub program: ProgramMeta,
}

impl Default for Tables {
    fn default() -> Tables {
        Tables::new()
    }
}

impl Tables {
    pub fn new() -> Tables {
        Tables {
            types: TypeTable::new(abi()),
            program: ProgramMeta {
                funcs: Vec::new(),
                globals: Vec::new(),
                literals: Vec::new(),
                fnrefs: Vec::new(),
                orders: Vec::new(),
            },
        }
    }

    pub fn write(&self, out: &mut Writer) -> io::Result<()> {
        write_tables(out, &self.types, &self.program)
    }

    /// For another process.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.types.encode(&mut bytes);
        let mut e = Encoder::default();
        e.bytes(&bytes);
        e.bytes(&self.program.encode());
        e.0
    }

    pub fn decode(bytes: &[u8]) -> Result<Tables, String> {
        let mut d = Decoder::new(bytes, "tables");
        let mut next = || d.bytes().map(<[u8]>::to_vec).map_err(|e| e.to_string());
        let (types, program) = (next()?, next()?);
        let types = TypeTable::decode(&types).map_err(|e| e.to_string())?.0;
        let program = ProgramMeta::decode(&program).map_err(|e| e.to_string())?;
        Ok(Tables { types, program })
    }

    /// Enters what another process has; the result says where.
    pub fn merge(&mut self, other: &Tables) -> Result<Numbers, String> {
        let mut batch = Batch::new();
        let ids: Vec<TypeId> = other.types.iter().map(|_| batch.declare()).collect();
        let id = |id: &mut TypeId| {
            if let Some(new) = ids.get(id.index()).filter(|_| *id != TypeId::UNKNOWN) {
                *id = *new;
            }
        };
        for (old, ty) in other.types.iter() {
            let mut ty = ty.clone();
            id(&mut ty.elem);
            ty.members.iter_mut().for_each(|m| id(&mut m.ty));
            batch.define(ids[old.index()], ty);
        }
        let types = self.types.commit(batch).map_err(|e| e.to_string())?;
        let mut points = Vec::new();
        for func in &other.program.funcs {
            let mut of_func = Vec::new();
            for mut point in func.points.iter().cloned() {
                point.live = point.live.map(|ty| types[ty.index()]);
                of_func.push(self.point(&func.name, point));
            }
            points.push(of_func);
        }
        Ok(Numbers { types, points })
    }

    /// Index of a function and of its point; equal ones are one.
    fn point(&mut self, function: &str, point: PointMeta) -> (u64, u64) {
        let funcs = &mut self.program.funcs;
        let func = funcs.iter().position(|f| f.name == function);
        let func = func.unwrap_or_else(|| {
            funcs.push(FuncMeta {
                name: function.to_owned(),
                shadow: None,
                points: Vec::new(),
            });
            funcs.len() - 1
        });
        let points = &mut funcs[func].points;
        let index = points.iter().position(|p| *p == point);
        let index = index.unwrap_or_else(|| {
            points.push(point);
            points.len() - 1
        });
        (func as u64, index as u64)
    }
}

pub fn write_tables(out: &mut Writer, types: &TypeTable, program: &ProgramMeta) -> io::Result<()> {
    let mut bytes = Vec::new();
    types.encode(&mut bytes);
    out.section(Section::Types, 0, &bytes)?;
    out.section(Section::Program, 0, &program.encode())
}

/// What the numbers of some tables are in the tables that these were merged into.
pub struct Numbers {
    types: Vec<TypeId>,
    /// By function and point.
    points: Vec<Vec<(u64, u64)>>,
}

impl Numbers {
    pub fn translate(&self, meta: &mut RankMeta) {
        for frame in &mut meta.frames {
            (frame.func, frame.point) = self.points[frame.func as usize][frame.point as usize];
        }
        for object in &mut meta.large {
            object.ty = self.types[object.ty.index()];
        }
    }
}

/// A rank's part of the checkpoint that is being written.
pub struct Image<'a, 'd, 'f> {
    pub tables: &'a mut Tables,
    data: &'a mut Data<'d, 'f>,
    pub frames: Vec<FrameMeta>,
    pub large: Vec<LargeMeta>,
}

impl<'a, 'd, 'f> Image<'a, 'd, 'f> {
    pub fn new(tables: &'a mut Tables, data: &'a mut Data<'d, 'f>) -> Image<'a, 'd, 'f> {
        Image {
            tables,
            data,
            frames: Vec::new(),
            large: Vec::new(),
        }
    }

    /// The next byte's offset in the rank's data section.
    pub fn at(&self) -> u64 {
        self.data.at
    }

    /// Appends bytes of objects.
    pub fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.data.out.put(bytes)?;
        self.data.at += bytes.len() as u64;
        Ok(())
    }

    /// The next frame, innermost first; its live values have been put at `live`.
    pub fn frame(&mut self, function: &str, point: PointMeta, live: Span) {
        let (func, point) = self.tables.point(function, point);
        self.frames.push(FrameMeta { func, point, live });
    }

    /// An object at a made-up address.
    pub fn object(&mut self, base: u64, ty: TypeId, data: Span) {
        self.large.push(LargeMeta { base, ty, data });
    }
}

/// A checkpoint of which one rank is to be continued.
pub struct Source {
    pub types: TypeTable,
    pub program: ProgramMeta,
    pub image: RankImage,
    pub id: u64,
}

impl Source {
    pub fn new(checkpoint: &Checkpoint, image: RankImage) -> Source {
        Source {
            types: checkpoint.types.clone(),
            program: checkpoint.program.clone(),
            image,
            id: checkpoint.id(),
        }
    }
}

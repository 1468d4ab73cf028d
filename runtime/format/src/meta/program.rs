//! Sections `Job` and `Program`: what ran, and what identifies the program.

use pc3_typemetric::abi::Abi;
use pc3_typemetric::types::TypeId;

use super::{get_type, put_type, Result};
use crate::bytes::{DecodeError, Decoder, Encoder};

/// Section `Job`.
#[derive(Clone, PartialEq, Debug)]
pub struct JobMeta {
    /// File name of the program.
    pub program: String,
    /// Version of pc3 that wrote it.
    pub writer: String,
    /// Nanoseconds since 1970.
    pub time: u64,
    /// All that there have been.
    pub ranks: u64,
    pub workers: u64,
    /// Locations passed by the job.
    pub passage: u64,
    pub calls_mpi: bool,
    /// Those of the program, without its name.
    pub arguments: Vec<Vec<u8>>,
    pub abi: Abi,
    /// Ranks that were not spawned.
    pub world: u64,
    /// Path by which the program was first started; older checkpoints have none.
    pub started_as: String,
}

impl JobMeta {
    pub fn encode(&self) -> Vec<u8> {
        let mut e = Encoder::default();
        e.str(&self.program);
        e.str(&self.writer);
        for v in [
            self.time,
            self.ranks,
            self.workers,
            self.passage,
            u64::from(self.calls_mpi),
        ] {
            e.u64(v);
        }
        e.len(self.arguments.len());
        self.arguments.iter().for_each(|a| e.bytes(a));
        let mut abi = Vec::new();
        self.abi.encode(&mut abi);
        e.bytes(&abi);
        e.u64(self.world);
        e.str(&self.started_as);
        e.0
    }

    pub fn decode(bytes: &[u8]) -> Result<JobMeta> {
        let mut d = Decoder::new(bytes, "job section");
        let mut meta = JobMeta {
            program: d.str()?,
            writer: d.str()?,
            time: d.u64()?,
            ranks: d.u64()?,
            workers: d.u64()?,
            passage: d.u64()?,
            calls_mpi: d.u64()? != 0,
            arguments: d.list(8, |d| Ok(d.bytes()?.to_vec()))?,
            abi: Abi::decode(d.bytes()?)
                .map_err(|_| DecodeError::Invalid("ABI"))?
                .0,
            world: 0,
            started_as: String::new(),
        };
        // Older ones end here.
        meta.world = match d.is_empty() {
            true => meta.ranks,
            false => d.u64()?,
        };
        if !d.is_empty() {
            meta.started_as = d.str()?;
        }
        d.end()?;
        Ok(meta)
    }
}

#[derive(Clone, PartialEq, Debug)]
pub struct FuncMeta {
    pub name: String,
    pub shadow: Option<TypeId>,
    pub points: Vec<PointMeta>,
}

#[derive(Clone, Default, PartialEq, Debug)]
pub struct PointMeta {
    pub label: u32,
    pub line: u32,
    pub file: String,
    pub what: String,
    pub live: Option<TypeId>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct GlobalMeta {
    pub name: String,
    /// Of the template.
    pub addr: u64,
    pub ty: TypeId,
    pub size: u64,
    pub constant: bool,
}

#[derive(Clone, PartialEq, Debug)]
pub struct LiteralMeta {
    /// The unit, of a function's name and the function; older checkpoints do not say.
    pub home: String,
    pub addr: u64,
    pub ty: TypeId,
    pub bytes: Vec<u8>,
}

/// Section `Program`: what identifies a program, and where its constants lay.
#[derive(Clone, PartialEq, Debug)]
pub struct ProgramMeta {
    pub funcs: Vec<FuncMeta>,
    pub globals: Vec<GlobalMeta>,
    pub literals: Vec<LiteralMeta>,
    /// Functions whose address is taken.
    pub fnrefs: Vec<(String, u64)>,
    /// Sizes that are kept (`pc3_order`); in earlier checkpoints also what ranks say now.
    pub orders: Vec<(String, u32)>,
}

impl ProgramMeta {
    pub fn encode(&self) -> Vec<u8> {
        let mut e = Encoder::default();
        e.len(self.funcs.len());
        for f in &self.funcs {
            e.str(&f.name);
            put_type(&mut e, f.shadow);
            e.len(f.points.len());
            for p in &f.points {
                e.u64(p.label.into());
                e.u64(p.line.into());
                e.str(&p.file);
                e.str(&p.what);
                put_type(&mut e, p.live);
            }
        }
        e.len(self.globals.len());
        for g in &self.globals {
            e.str(&g.name);
            for v in [g.addr, g.ty.0.into(), g.size, g.constant.into()] {
                e.u64(v);
            }
        }
        e.len(self.literals.len());
        for l in &self.literals {
            e.u64(l.addr);
            e.u64(l.ty.0.into());
            e.bytes(&l.bytes);
        }
        e.len(self.fnrefs.len());
        for (name, addr) in &self.fnrefs {
            e.str(name);
            e.u64(*addr);
        }
        let homes = self.literals.iter().any(|l| !l.home.is_empty());
        if homes || !self.orders.is_empty() {
            e.len(self.orders.len());
            for (place, by) in &self.orders {
                e.str(place);
                e.u64((*by).into());
            }
        }
        if homes {
            self.literals.iter().for_each(|l| e.str(&l.home));
        }
        e.0
    }

    pub fn decode(bytes: &[u8]) -> Result<ProgramMeta> {
        let mut d = Decoder::new(bytes, "program section");
        let mut meta = ProgramMeta {
            funcs: d.list(24, func)?,
            globals: d.list(40, |d| {
                Ok(GlobalMeta {
                    name: d.str()?,
                    addr: d.u64()?,
                    ty: TypeId(d.u32()?),
                    size: d.u64()?,
                    constant: d.u64()? != 0,
                })
            })?,
            literals: d.list(24, |d| {
                Ok(LiteralMeta {
                    home: String::new(),
                    addr: d.u64()?,
                    ty: TypeId(d.u32()?),
                    bytes: d.bytes()?.to_vec(),
                })
            })?,
            fnrefs: d.list(16, |d| Ok((d.str()?, d.u64()?)))?,
            orders: match d.is_empty() {
                true => Vec::new(),
                false => d.list(16, |d| Ok((d.str()?, d.u32()?)))?,
            },
        };
        if !d.is_empty() {
            for l in &mut meta.literals {
                l.home = d.str()?;
            }
        }
        d.end()?;
        Ok(meta)
    }
}

fn func(d: &mut Decoder) -> Result<FuncMeta> {
    Ok(FuncMeta {
        name: d.str()?,
        shadow: get_type(d)?,
        points: d.list(40, |d| {
            Ok(PointMeta {
                label: d.u32()?,
                line: d.u32()?,
                file: d.str()?,
                what: d.str()?,
                live: get_type(d)?,
            })
        })?,
    })
}

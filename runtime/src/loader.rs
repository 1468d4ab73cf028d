//! What an engine sees of a restored rank: addresses, basic types, and values of the program's types.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use pc3_typemetric::abi::{Abi, Metric};
use pc3_typemetric::plan::{NoReferences, Plan, Resolver, Unresolved};
use pc3_typemetric::types::{Kind, Type, TypeId, TypeTable, LONG_DOUBLE};

use crate::job::Job;
use crate::objects::Directory;
use crate::partner::Plans;
use crate::transfer::{Basic, LoadCtx, LoadError, Target};

pub(crate) struct Loader<'a> {
    source: &'a TypeTable,
    target: &'a TypeTable,
    directory: &'a Directory,
    plans: RefCell<HashMap<Basic, Plan>>,
    /// Of the program's types.
    own: RefCell<Plans<'a>>,
}

impl Job {
    /// It goes on from a checkpoint with these types.
    pub(crate) fn had_types(&self, types: &TypeTable) {
        self.origin.get_or_init(|| types.clone());
    }

    /// What is still as the program that it goes on from had it, and no rank's own.
    pub fn of_origin<R>(&self, f: impl FnOnce(&dyn LoadCtx) -> R) -> R {
        let types = self.origin.get().unwrap_or(&self.program.types);
        f(&Loader::new(
            types,
            &self.program.types,
            &Directory::default(),
        ))
    }
}

impl<'a> Loader<'a> {
    pub fn new(
        source: &'a TypeTable,
        target: &'a TypeTable,
        directory: &'a Directory,
    ) -> Loader<'a> {
        Loader {
            source,
            target,
            directory,
            plans: RefCell::default(),
            own: RefCell::new(Plans::new(source, target)),
        }
    }

    /// The type here of one of the saved program's, and how its values are converted.
    fn own(&self, of: TypeId) -> Result<(TypeId, Arc<Plan>), LoadError> {
        if !self.source.contains(of) {
            return Err(LoadError("bytes of a type that does not exist".into()));
        }
        let found = self.own.borrow_mut().find(of);
        found.map_err(|list| {
            let why = list.first().map_or(String::new(), ToString::to_string);
            LoadError(format!("bytes of {}: {why}", self.source.describe(of)))
        })
    }

    /// Nobody knows what bytes are: do numbers, but `long double`, lie in memory here as they did?
    fn keeps_numbers(&self) -> bool {
        let (a, b) = (self.source.abi(), self.target.abi());
        a.endian == b.endian && self.keeps_sizes()
    }

    fn keeps_sizes(&self) -> bool {
        let (a, b) = (self.source.abi(), self.target.abi());
        let metrics = |a: &Abi| [a.pointer, a.long, a.long_long, a.double];
        metrics(a) == metrics(b)
    }

    fn plan(&self, of: Basic) -> Result<Plan, LoadError> {
        if let Some(plan) = self.plans.borrow().get(&of) {
            return Ok(plan.clone());
        }
        let side = |abi: &Abi| -> Result<(TypeTable, TypeId), LoadError> {
            let mut table = TypeTable::new(abi.clone());
            let id = table
                .add(basic(of, abi))
                .map_err(|e| LoadError(e.to_string()))?;
            Ok((table, id))
        };
        let (from, to) = (side(self.source.abi())?, side(self.target.abi())?);
        let plan = Plan::compile(&from.0, from.1, &to.0, to.1).map_err(|list| {
            LoadError(
                list.first()
                    .map_or(String::new(), |m| format!("{of:?}: {m}")),
            )
        })?;
        self.plans.borrow_mut().insert(of, plan.clone());
        Ok(plan)
    }
}

/// A basic type under an ABI.
fn basic(of: Basic, abi: &Abi) -> Type {
    let scalar =
        |kind, m: Metric, flags| Type::scalar(kind, "", m.size.into(), m.align.into(), flags);
    let exact = |n: u8| Metric { size: n, align: n };
    let pair = |m: Metric| Metric {
        size: 2 * m.size,
        align: m.align,
    };
    match of {
        Basic::Char => scalar(Kind::Char, exact(1), 0),
        Basic::SignedChar => scalar(Kind::SInt, exact(1), 0),
        Basic::UnsignedChar | Basic::Byte => scalar(Kind::UInt, exact(1), 0),
        Basic::Bool => scalar(Kind::Bool, exact(1), 0),
        Basic::Short => scalar(Kind::SInt, abi.short, 0),
        Basic::UnsignedShort => scalar(Kind::UInt, abi.short, 0),
        // wchar_t is a 32-bit integer on every supported ABI; unsigned on Arm, which text does not meet.
        Basic::Int | Basic::WChar => scalar(Kind::SInt, abi.int, 0),
        Basic::UnsignedInt => scalar(Kind::UInt, abi.int, 0),
        Basic::Long => scalar(Kind::SInt, abi.long, 0),
        Basic::UnsignedLong => scalar(Kind::UInt, abi.long, 0),
        Basic::LongLong => scalar(Kind::SInt, abi.long_long, 0),
        Basic::UnsignedLongLong => scalar(Kind::UInt, abi.long_long, 0),
        Basic::Float => scalar(Kind::Float, abi.float, 0),
        Basic::Double => scalar(Kind::Float, abi.double, 0),
        Basic::LongDouble => scalar(Kind::Float, abi.long_double, LONG_DOUBLE),
        Basic::FloatComplex => scalar(Kind::Complex, pair(abi.float), 0),
        Basic::DoubleComplex => scalar(Kind::Complex, pair(abi.double), 0),
        Basic::LongDoubleComplex => scalar(Kind::Complex, pair(abi.long_double), LONG_DOUBLE),
        Basic::Signed(n) => scalar(Kind::SInt, exact(n), 0),
        Basic::Unsigned(n) => scalar(Kind::UInt, exact(n), 0),
        Basic::IntPtr => scalar(Kind::SInt, abi.pointer, 0),
    }
}

impl LoadCtx for Loader<'_> {
    fn types(&self) -> Option<(&TypeTable, &TypeTable)> {
        Some((self.source, self.target))
    }

    fn partner(&self, of: TypeId) -> Result<TypeId, LoadError> {
        match of {
            TypeId::UNKNOWN => Ok(of),
            of => Ok(self.own(of)?.0),
        }
    }

    fn room(&self, of: TypeId, bytes: u64, limit: bool) -> Result<u64, LoadError> {
        if of == TypeId::UNKNOWN {
            return match limit || self.keeps_sizes() {
                true => Ok(bytes),
                false => Err(LoadError(UNKNOWN_BYTES.into())),
            };
        }
        let plan = self.own(of)?.1;
        let name = || self.source.describe(of);
        let room = plan.dst_size(bytes);
        let room = room.map_err(|e| LoadError(format!("bytes of {}{e}", name())))?;
        let whole = plan.src_size() == 0 || bytes % plan.src_size() == 0 || plan.ends_open();
        if !(whole || limit || room == bytes) {
            let text = format!(
                "{bytes} bytes of {} are no number of whole ones, whose size is another here",
                name()
            );
            return Err(LoadError(text));
        }
        Ok(room)
    }

    fn values(&self, of: TypeId, source: &[u8]) -> Result<Vec<u8>, LoadError> {
        if of == TypeId::UNKNOWN {
            return match self.keeps_numbers() {
                true => Ok(source.to_vec()),
                false => Err(LoadError(UNKNOWN_BYTES.into())),
            };
        }
        let plan = self.own(of)?.1;
        let mut out = vec![0; self.room(of, source.len() as u64, false)? as usize];
        let mut references = Received(self);
        let run = plan.run_object(source, &mut out, &mut references);
        run.map_err(|e| LoadError(format!("bytes of {}{e}", self.source.describe(of))))?;
        Ok(out)
    }

    fn pointer(&self, source: u64) -> Target {
        if source == 0 {
            return Target::Null;
        }
        match self
            .directory
            .translate(self.source, source, TypeId::UNKNOWN)
        {
            Ok(here) => Target::At(here as *mut u8),
            Err(_) => Target::Dangling,
        }
    }

    fn source_size(&self, of: Basic) -> usize {
        basic(of, self.source.abi()).size as usize
    }

    fn convert(&self, of: Basic, source: &[u8]) -> Result<Vec<u8>, LoadError> {
        let plan = self.plan(of)?;
        let count = source.len() as u64 / plan.src_size().max(1);
        let mut out = vec![0; (count * plan.dst_elem_size()) as usize];
        plan.run(source, &mut out, count, &mut NoReferences)
            .map_err(|e| LoadError(format!("message{e}")))?;
        Ok(out)
    }
}

const UNKNOWN_BYTES: &str = "bytes of unknown type (MPI_BYTE and a `void *`), which may hold numbers that this architecture writes in \
     another way: give the call a typed pointer, sizeof in the count, or a datatype; or restart from a checkpoint where no such message is under way";

/// References within messages.  Those to the receiver's own objects, which have come back to it, follow them; others were
/// another rank's addresses and stay numbers.
struct Received<'a, 'l>(&'a Loader<'l>);

impl Received<'_, '_> {
    fn here(&self, raw: u64) -> u64 {
        let stays = || {
            let bits = 8 * u32::from(self.0.target.abi().pointer.size);
            if bits >= 64 || raw >> bits == 0 {
                raw
            } else {
                0
            }
        };
        match self.0.pointer(raw) {
            Target::At(here) => here as usize as u64,
            Target::Null => 0,
            Target::Dangling => stays(),
        }
    }
}

impl Resolver for Received<'_, '_> {
    fn pointer(&mut self, raw: u64, _: TypeId) -> Result<u64, Unresolved> {
        Ok(self.here(raw))
    }
    fn function(&mut self, raw: u64) -> Result<u64, Unresolved> {
        Ok(self.here(raw))
    }
    fn handle(&mut self, raw: u64, _: TypeId) -> Result<u64, Unresolved> {
        Ok(raw)
    }
    fn file(&mut self, _: u64) -> Result<u64, Unresolved> {
        Ok(0)
    }
}

//! What an engine sees of a restored rank: addresses, and values of the program's types.

use std::cell::RefCell;
use std::sync::Arc;

use pc3_typemetric::abi::Abi;
use pc3_typemetric::plan::{ConvertError, Plan, Resolver, Unresolved};
use pc3_typemetric::types::{TypeId, TypeTable};

use crate::address_map::type_matching::Plans;
use crate::address_map::Directory;
use pc3_state::job::Job;
use pc3_state::transfer::{LoadCtx, LoadError, Target};

pub struct Loader<'a> {
    source: &'a TypeTable,
    target: &'a TypeTable,
    directory: &'a Directory,
    plans: RefCell<Plans<'a>>,
}

/// What is still as the program that the job goes on from had it, and no rank's own.
pub fn of_origin<R>(job: &Job, f: impl FnOnce(&dyn LoadCtx) -> R) -> R {
    let types = job.origin.get().unwrap_or(&job.program.types);
    f(&Loader::new(
        types,
        &job.program.types,
        &Directory::default(),
    ))
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
            plans: RefCell::new(Plans::new(source, target)),
        }
    }

    /// The type here of one of the saved program's, and how its values are converted.
    fn plan(&self, of: TypeId) -> Result<(TypeId, Arc<Plan>), LoadError> {
        if !self.source.contains(of) {
            return Err(LoadError("bytes of a type that does not exist".into()));
        }
        let found = self.plans.borrow_mut().find(of);
        found.map_err(|list| {
            let why = list.first().map_or(String::new(), ToString::to_string);
            LoadError(format!("bytes of {}: {why}", self.source.describe(of)))
        })
    }

    /// Why values of a type cannot be converted: the type, where in them, and what is the matter.
    fn refuse(&self, of: TypeId, why: &ConvertError) -> LoadError {
        let between = if why.path.is_empty() { ": " } else { "" };
        LoadError(format!(
            "bytes of {}{between}{why}",
            self.source.describe(of)
        ))
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
}

impl LoadCtx for Loader<'_> {
    fn types(&self) -> Option<(&TypeTable, &TypeTable)> {
        Some((self.source, self.target))
    }

    fn partner(&self, of: TypeId) -> Result<TypeId, LoadError> {
        match of {
            TypeId::UNKNOWN => Ok(of),
            of => Ok(self.plan(of)?.0),
        }
    }

    fn room(&self, of: TypeId, bytes: u64, limit: bool) -> Result<u64, LoadError> {
        if of == TypeId::UNKNOWN {
            return match limit || self.keeps_sizes() {
                true => Ok(bytes),
                false => Err(LoadError(UNKNOWN_BYTES.into())),
            };
        }
        let plan = self.plan(of)?.1;
        let room = plan.dst_size(bytes).map_err(|e| self.refuse(of, &e))?;
        let whole = plan.src_size() == 0 || bytes % plan.src_size() == 0 || plan.ends_open();
        if !(whole || limit || room == bytes) {
            let name = self.source.describe(of);
            let text = format!("{bytes} bytes of {name} are no number of whole ones");
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
        let plan = self.plan(of)?.1;
        let mut out = vec![0; self.room(of, source.len() as u64, false)? as usize];
        let mut references = Received(self);
        let run = plan.run_object(source, &mut out, &mut references);
        run.map_err(|e| self.refuse(of, &e))?;
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
}

const UNKNOWN_BYTES: &str = "MPI_BYTE of which neither the buffer nor sizeof in the count says what it is: it may hold numbers that this architecture writes in \
     another way (use a datatype, or restart from a checkpoint where no such message is under way)";

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

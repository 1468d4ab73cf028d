//! What rewriting needs to know about the unit it works on, and what it collects for the tables.

use crate::rewrite::clones::ctypes::Names;
use crate::rewrite::clones::packing::Packing;
use crate::rewrite::clones::witnesses::Marks;
use crate::rewrite::collected::{Notes, Savers};
use crate::rewrite::frames::plan::Plan;
use crate::rewrite::text::{quote, Edit};
use pc3_portability::addresses::Stays;
use pc3_portability::datatypes;
use pc3_portability::heap::Heap;
use pc3_program::annotations::InUnit;
use pc3_program::out_of_bounds_pointers::How;
use pc3_program::program::{base_name, Callee, FnId, Program};
use pc3_program::scalar_promotion::Held;
use pc3_syntax::tree::*;
use pc3_unions::tags::Check;
use pc3_unions::tracking::{NoteForm, Without};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

pub struct UnitCx<'a> {
    pub p: &'a Program<'a>,
    pub unit: usize,
    pub u: &'a Unit,
    pub names: Names<'a>,
    pub plans: &'a [Plan],
    /// Functions of the program below which locations are passed by.
    pub passing: &'a HashSet<FnId>,
    pub heap: &'a Heap,
    /// Its unions of which notes are made.
    pub noted: &'a HashSet<RecordId>,
    /// Unions of which nothing needs to be noted.
    pub unwritten: &'a HashSet<RecordId>,
    pub forms: &'a HashMap<RecordId, NoteForm>,
    /// Why there are none.
    pub without: Option<Without>,
    /// Locations that stand where declarations follow and no statement precedes.
    pub early: HashSet<StmtId>,
    pub notes: RefCell<Notes>,
    pub savers: RefCell<Savers>,
    /// Per function, the number of its first point in the unit.
    pub points: Vec<u32>,
    /// Per function and parameter: kept beyond the call?
    pub kept: &'a [Vec<bool>],
    /// The program calls MPI: globals are per rank.
    pub mpi: bool,
    /// It looks at the floating-point environment, or changes it.
    pub floats: bool,
    /// It may point into the environment.
    pub environment: bool,
    /// A library of OpenMP is linked.
    pub teams: bool,
    pub clang: bool,
    /// Some function of the program can reach a location.
    pub has_points: bool,
    /// File-scope and static objects that each rank has its own copy of.
    pub private: HashSet<SymId>,
    /// The constant ones among them.
    pub private_constants: HashSet<SymId>,
    /// Loops that hold some of them in locals.
    pub held: Held,
    /// New names of function-scope statics (moved to file scope).
    pub statics: HashMap<SymId, String>,
    /// Other names that change everywhere (hoisted enumerators and typedefs).
    pub hoisted: HashMap<SymId, String>,
    /// Of types, by where they are defined.
    pub(crate) packing: Packing,
    /// Functions whose types the tables name, whatever else they have.
    pub outside: BTreeSet<FuncId>,
    /// Edits that hold wherever their text is printed: names of types declared inside functions.
    pub ambient: Vec<Edit>,
    pub labels: crate::rewrite::collected::Labels,
    /// String literals that are stored: expression → number.
    pub literals: HashMap<ExprId, usize>,
    /// Compound literals of static storage: their names.
    pub objects: HashMap<ExprId, String>,
    /// `__func__` objects, made on demand; by its spelling, as each is another object.
    pub func_names: RefCell<BTreeSet<(FuncId, String)>>,
    /// Functions whose `__func__` is stored.
    pub named: HashSet<FuncId>,
    /// What moves a pointer to where it could leave its object.
    pub beside: HashMap<ExprId, How>,
    /// Casts that make a number of an address which is kept: their places' numbers.
    pub numbers: HashMap<ExprId, (usize, Stays)>,
    /// Those that have been printed where they are computed.
    pub told: RefCell<BTreeSet<usize>>,
    /// What else shows that code has run, and the marks that say so.
    pub witnesses: Marks,
    /// Comparisons, and marks that are set where they are false.
    pub ends: Marks,
    /// Stores behind which a tag is looked at: the mark's number.
    pub checks: HashMap<ExprId, (usize, &'a Check)>,
    /// Marks that are printed.
    pub marked: RefCell<BTreeSet<ExprId>>,
    /// Stores through pointers to anything: the link's number.
    pub links: HashMap<ExprId, usize>,
    /// Datatypes of MPI calls that are MPI_BYTE, or may be: their numbers among the unit's.
    pub bytes: HashMap<ExprId, usize>,
    /// Calls that make datatypes; generated code knows them by their numbers.
    pub datatypes: &'a [datatypes::Call],
    /// Site number of each allocation call.
    pub sites: HashMap<ExprId, usize>,
    /// What the program's author says of this unit.
    pub said: &'a InUnit,
    /// Local structs that are copied as a whole.
    pub copied: HashSet<SymId>,
    /// Library functions and variables that the program has for itself: what they are called.
    pub library: HashMap<SymId, String>,
    /// Library functions to declare: replacement name → symbol whose type it has.
    pub replaced: RefCell<BTreeMap<String, SymId>>,
    /// Element types of variable-length arrays.
    pub elems: RefCell<BTreeMap<SymId, QualType>>,
    /// `malloc` and the like used as values.
    pub plain: RefCell<BTreeSet<String>>,
    /// Does the function being printed read `pc3_delta`?
    pub uses_delta: Cell<bool>,
    /// Functions of which resume clones call a copy.
    pub twins: HashSet<SymId>,
    /// Copies spoken of and not yet declared.
    pub twin_uses: RefCell<BTreeSet<SymId>>,
}

impl<'a> UnitCx<'a> {
    pub fn id(&self, f: FuncId) -> FnId {
        self.p.id(self.unit, f)
    }
    pub fn plan(&self, f: FuncId) -> &'a Plan {
        &self.plans[self.id(f).index()]
    }
    pub fn file(&self) -> &'a str {
        &self.u.name
    }
    /// Name of a library function, None if the program defines it.
    pub fn external(&self, s: SymId) -> Option<String> {
        if self.u.sym(s).kind != SymKind::Func {
            return None;
        }
        match self.p.resolve(self.unit, s) {
            Callee::External(n) => Some(n),
            Callee::Defined(_) => None,
        }
    }
    /// The name of the program's own copy of a library function or variable.
    pub fn library_name(&self, s: SymId) -> Option<String> {
        let name = self.library.get(&s)?;
        self.replaced.borrow_mut().insert(name.clone(), s);
        Some(name.clone())
    }
    /// Quoted `file.c:12` of a place.
    pub fn place(&self, at: u32) -> String {
        let p = self.u.lines.position(at);
        quote(&format!("{}:{}", base_name(&p.file), p.line))
    }
    /// The number in the unit of one of a function's points.
    pub fn point(&self, f: FuncId, label: u32) -> u32 {
        self.points[f.index()] + label - 1
    }
    /// Suffix that makes generated names of a function unique in the unit.
    pub(crate) fn fname(&self, f: FuncId) -> &'a str {
        &self.u.sym(self.u.func(f).sym).name
    }
    /// The running rank's copy of a global, given its name.
    pub(crate) fn global_text(&self, name: &str) -> String {
        self.uses_delta.set(true);
        if self.clang {
            format!("(*(__typeof__({name}) *)((pc3_size)&{name} + (pc3_size)pc3_d))")
        } else {
            format!("(*(__typeof__({name}) *)((char *)&{name} + pc3_d))")
        }
    }
}

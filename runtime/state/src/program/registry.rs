//! The program as its units describe it: types, functions with their points, globals, literals,
//! addresses of functions, all by name.
//!
//! Units link themselves in from C constructors, before anything else of the runtime runs.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::{c_char, c_int};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering::SeqCst};
use std::sync::{Arc, OnceLock};

use thiserror::Error;

use pc3_typemetric::abi::Abi;
use pc3_typemetric::choice::Choice;
use pc3_typemetric::descriptor::{
    pc3_fn, pc3_func, pc3_global, pc3_hook, pc3_point, pc3_type, pc3_union_static, pc3_unit, MARK,
    PC3_DESCRIPTOR_VERSION, PC3_GLOBAL_CONST, PC3_GLOBAL_INIT, PC3_GLOBAL_LITERAL,
    PC3_GLOBAL_UNSAVED, PC3_SEEN, PC3_SEEN_ALIKE, PC3_SEEN_EVERYWHERE, PC3_SEEN_ONCE,
    PC3_UNIT_CHAR_SIGNED, PC3_UNIT_CHAR_UNSIGNED, PC3_UNIT_HAS_ENVIRONMENT, PC3_UNIT_HAS_FLOATS,
    PC3_UNIT_HAS_MPI, PC3_UNIT_HAS_POINTS, PC3_UNIT_HAS_TEAMS, PC3_UNIT_PIECES,
    PC3_UNIT_PRIVATE_GLOBALS, PC3_UNIT_STRAYS, STAMP,
};
use pc3_typemetric::import::{import_unit, ImportError};
use pc3_typemetric::types::{Kind, Type, TypeId, TypeTable};

use crate::pieces::known::may_hold;
use crate::program::block_heads::{self, Heads};
use crate::program::struct_overlays::{self, StructOverlay};
use crate::stack::frames::text;
use crate::unions::shapes::Shapes;
use pc3_control::{control, listening};
use pc3_format::read::sizes;

/// Found in the archive by pc3cc.
#[used]
static MARKED: [u8; MARK.len()] = MARK;

static UNITS: AtomicPtr<pc3_unit> = AtomicPtr::new(null_mut());

/// Adds a translation unit to the program.
///
/// # Safety
/// `unit` is a unit's table, which lives as long as the program and is registered once.
pub unsafe fn add_unit(unit: *mut pc3_unit) {
    // SAFETY: constructors run one after the other.
    let flags = unsafe {
        (*unit).next = UNITS.load(SeqCst);
        (*unit).flags
    };
    UNITS.store(unit, SeqCst);
    if flags & PC3_UNIT_HAS_POINTS != 0 {
        listening::listen();
    }
}

pub type Main = unsafe extern "C" fn(c_int, *mut *mut c_char, *mut *mut c_char) -> c_int;

#[derive(Debug, Error)]
pub enum RegistryError {
    #[error("{file} was compiled by a pc3cc that does not belong to this runtime ({found:x} instead of {STAMP:x}): install both from the same version and build the program again")]
    Version { file: String, found: u32 },
    #[error("{file}: type tables are not valid: {error}")]
    Types { file: String, error: ImportError },
    #[error("no translation unit compiled by pc3cc defines main")]
    NoMain,
    #[error("cannot add a type: {0}")]
    Type(#[from] pc3_typemetric::types::TypeError),
}

#[derive(Debug)]
pub struct Func {
    pub raw: *mut pc3_func,
    pub name: String,
    /// Escaping locals, if any.
    pub shadow: Option<TypeId>,
    pub points: Vec<Point>,
}

#[derive(Debug)]
pub struct Point {
    pub raw: *const pc3_point,
    pub label: u32,
    pub line: u32,
    pub file: String,
    pub what: String,
    /// The live values, if any.
    pub live: Option<TypeId>,
}

#[derive(Debug, Clone)]
pub struct Global {
    pub name: String,
    /// Of the template.
    pub addr: usize,
    pub ty: TypeId,
    pub size: usize,
    pub constant: bool,
    pub initialised: bool,
    /// Computed anew at a restart.
    pub unsaved: bool,
    /// Of a union: the global that says which member is in use, and how.
    pub chosen: Option<(String, Choice)>,
    /// Where it is declared: `file.c:12`; empty: nowhere by the user.
    pub place: String,
}

#[derive(Debug, Clone)]
pub struct Literal {
    /// The unit; of a function's name, and the function.
    pub home: String,
    pub addr: usize,
    pub ty: TypeId,
    pub size: usize,
}

/// A constant that a `long` of 32 bits changes.
#[derive(Debug)]
pub struct Wide {
    /// Into this.
    pub low: u32,
    pub signed: bool,
    /// As the program has it, and where.
    pub what: String,
}

/// A place in the program's sources where an address becomes a number that is kept.
#[derive(Debug)]
pub struct Number {
    pub place: String,
    /// Address of the byte that says whether it has ever been one.
    pub seen: usize,
}

impl Number {
    pub fn was_seen(&self) -> bool {
        // SAFETY: a variable of the program's, which is only ever set.
        unsafe { *(self.seen as *const u8) & PC3_SEEN != 0 }
    }

    /// Does it stay what it is where objects have moved? `alike`: and addresses are as wide.
    pub fn stays(&self, alike: bool) -> bool {
        // SAFETY: as above.
        let mark = unsafe { *(self.seen as *const u8) };
        mark & (PC3_SEEN_EVERYWHERE | PC3_SEEN_ONCE) != 0 || alike && mark & PC3_SEEN_ALIKE != 0
    }

    pub fn see(&self) {
        // SAFETY: as above.
        unsafe { *(self.seen as *mut u8) |= PC3_SEEN }
    }
}

/// A place where what the architecture gave is kept, and what decides (`pc3_order`).
#[derive(Debug)]
pub struct OrderDependence {
    pub place: String,
    pub by: u32,
    /// Address of the byte that says whether its code has run; 0: nothing says it.
    pub ran: usize,
    /// Only if sizes have got to this node (`size_flows`).
    pub when: Option<String>,
}

impl OrderDependence {
    pub fn has_run(&self) -> bool {
        // SAFETY: a variable of the program's, which is only ever set.
        self.ran == 0 || unsafe { *(self.ran as *const u8) != 0 }
    }

    /// As checkpoints have it.
    pub fn row(&self) -> (String, u32) {
        (self.place.clone(), self.by)
    }
}

/// An array, or a single object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Extent {
    pub start: usize,
    pub end: usize,
    /// The size of an element.
    unit: usize,
    /// It holds nothing but scalars.
    flat: bool,
}

impl Extent {
    pub fn new(types: &TypeTable, start: usize, size: usize, ty: TypeId) -> Extent {
        let mut elem = ty;
        while types.get(elem).kind == Kind::Array {
            elem = types.get(elem).elem;
        }
        let flat = !matches!(types.get(elem).kind, Kind::Struct | Kind::Union);
        Extent {
            start,
            end: start + size,
            unit: types.size(elem) as usize,
            flat,
        }
    }

    /// Is `to` one of its elements, of so many bytes each, or behind the last? What lies within elements is not looked into.
    pub fn has(&self, to: usize, elem: usize) -> bool {
        let whole = || elem == self.unit && elem > 0 && (to - self.start) % elem == 0;
        (self.start..=self.end).contains(&to) && (self.flat || whole())
    }
}

/// Everything restarts need to know of the running program.
#[derive(Debug)]
pub struct Program {
    pub types: TypeTable,
    /// By name; duplicates (statics of equally named files) in order of registration.
    pub funcs: Vec<Func>,
    pub globals: Vec<Global>,
    pub literals: Vec<Literal>,
    pub fnrefs: BTreeMap<String, usize>,
    /// Numbers that the program keeps in pointers.
    pub marks: Vec<u64>,
    /// Functions to call around checkpoints: events, address.
    pub around: Vec<(u32, usize)>,
    /// Places in its sources where addresses are kept as numbers that become pointers again.
    pub numbers: Vec<Number>,
    /// Constants that it keeps and a `long` of 32 bits changes.
    pub wide: Vec<Wide>,
    pub orders: Vec<OrderDependence>,
    /// Places that allocate memory of unknown type, or of several forms.
    pub untyped: Vec<String>,
    /// Structs whose memory is also written as others.
    pub also: Vec<StructOverlay>,
    /// Unions in objects of static storage that an initialiser gives a value: address of the template, type, size, member.
    pub unions: Vec<(usize, u32, usize, u32)>,
    pub shapes: Arc<Shapes>,
    pub main: Main,
    pub main_resume: pc3_fn,
    /// Constructors, then destructors, in the order in which they run.
    pub hooks: Vec<pc3_hook>,
    pub calls_mpi: bool,
    pub private_globals: bool,
    pub has_points: bool,
    /// It moves pointers to where they can leave their objects.
    pub strays: bool,
    /// It looks at the floating-point environment, or changes it.
    pub floats: bool,
    /// It hands out blocks in pieces.
    pub pieces: bool,
    /// It may point into the environment.
    pub environment: bool,
    /// A library of OpenMP runs parts of it on other threads.
    pub teams: bool,
    /// Then by type: may objects be such blocks?
    pub dealt: Vec<bool>,
    /// Its state is a guest's.
    pub guest: bool,
    /// A descriptor for each type that has one, for headers on the shadow stack.
    pub descriptors: HashMap<TypeId, *mut pc3_type>,
    /// Sites of memory with a head in front of what was asked for.
    pub headed: block_heads::Sites,
    func_of: HashMap<usize, usize>,
    char_type: TypeId,
    text_type: TypeId,
    /// Made by `beside` when it needs them.
    pub(crate) by_address: OnceLock<Vec<usize>>,
    pub statics: OnceLock<Vec<Extent>>,
}

// SAFETY: the tables it points to are static and, once read, constant.
unsafe impl Send for Program {}
unsafe impl Sync for Program {}

fn units() -> Vec<*mut pc3_unit> {
    let mut all = Vec::new();
    let mut unit = UNITS.load(SeqCst);
    while !unit.is_null() {
        all.push(unit);
        // SAFETY: units live as long as the program.
        unit = unsafe { (*unit).next };
    }
    // In the order of their constructors.
    all.reverse();
    all
}

unsafe fn slice<'a, T>(first: *const T, n: usize) -> &'a [T] {
    if n == 0 {
        return &[];
    }
    // SAFETY: by the caller; tables are static.
    unsafe { std::slice::from_raw_parts(first, n) }
}

fn type_of(ty: *mut pc3_type) -> Option<TypeId> {
    // SAFETY: null or a descriptor of an imported unit.
    unsafe { ty.as_ref() }.map(|t| TypeId(t.id))
}

impl Program {
    /// The object of static storage (of the template) that holds an address.
    pub fn variable_at(&self, addr: usize) -> Option<&Global> {
        let order = self.by_address.get_or_init(|| {
            let mut all: Vec<usize> = (0..self.globals.len()).collect();
            all.sort_by_key(|i| self.globals[*i].addr);
            all
        });
        let after = order.partition_point(|i| self.globals[*i].addr <= addr);
        let g = &self.globals[order[after.checked_sub(1)?]];
        (addr < g.addr + g.size).then_some(g)
    }

    /// A program without contents, whose main returns 0.
    pub fn empty() -> Program {
        unsafe extern "C" fn nothing(_: c_int, _: *mut *mut c_char, _: *mut *mut c_char) -> c_int {
            0
        }
        Program {
            types: TypeTable::new(Abi::host()),
            funcs: Vec::new(),
            globals: Vec::new(),
            literals: Vec::new(),
            fnrefs: BTreeMap::new(),
            marks: Vec::new(),
            around: Vec::new(),
            numbers: Vec::new(),
            wide: Vec::new(),
            orders: Vec::new(),
            untyped: Vec::new(),
            also: Vec::new(),
            unions: Vec::new(),
            shapes: Arc::default(),
            main: nothing,
            main_resume: None,
            hooks: Vec::new(),
            calls_mpi: false,
            private_globals: false,
            has_points: false,
            strays: false,
            floats: false,
            pieces: false,
            environment: false,
            teams: false,
            dealt: Vec::new(),
            guest: false,
            descriptors: HashMap::new(),
            headed: block_heads::Sites::new(),
            func_of: HashMap::new(),
            char_type: TypeId::UNKNOWN,
            text_type: TypeId::UNKNOWN,
            by_address: OnceLock::new(),
            statics: OnceLock::new(),
        }
    }

    /// A program whose functions and types a guest knows.
    pub fn of_guest(calls_mpi: bool) -> Program {
        listening::listen();
        if calls_mpi {
            control::set_flag(control::FLAG_COUNT);
        }
        Program {
            calls_mpi,
            private_globals: true,
            has_points: true,
            guest: true,
            ..Program::empty()
        }
    }

    /// Reads all registered units.
    pub fn load() -> Result<Program, RegistryError> {
        let units = units();
        // SAFETY: registered units are complete tables.
        let abi = abi(units.iter().map(|u| unsafe { &**u }));
        let mut types = TypeTable::new(abi);
        let mut program = Builder::default();
        for &unit in &units {
            // SAFETY: registered units are complete tables; nothing else runs yet.
            unsafe {
                let u = &*unit;
                let file = text(u.file).into_owned();
                // Units written by hand name the version.
                if u.version != STAMP && u.version != PC3_DESCRIPTOR_VERSION {
                    return Err(RegistryError::Version {
                        file,
                        found: u.version,
                    });
                }
                import_unit(&mut types, u.types, u.ntypes)
                    .map_err(|error| RegistryError::Types { file, error })?;
                for i in 0..u.ntypes {
                    let ty = u.types.add(i);
                    program.descriptors.entry(TypeId((*ty).id)).or_insert(ty);
                }
                program.add(u);
            }
        }
        program.finish(types)
    }

    /// Of pointers to characters.
    pub fn text_type(&self) -> TypeId {
        self.text_type
    }

    /// Plain `char`, for strings the runtime allocates.
    pub fn char_type(&self) -> TypeId {
        self.char_type
    }

    /// Index of a point's function.
    pub fn func_index(&self, func: *const pc3_func) -> Option<usize> {
        self.func_of.get(&(func as usize)).copied()
    }

    /// Span of all writable globals: lowest address and end.
    pub(crate) fn globals_span(&self) -> Option<(usize, usize)> {
        let writable = || self.globals.iter().filter(|g| !g.constant);
        let start = writable().map(|g| g.addr).min()?;
        let end = writable().map(|g| g.addr + g.size).max()?;
        Some((start, end))
    }
}

#[derive(Default)]
struct Builder {
    funcs: Vec<Func>,
    globals: Vec<Global>,
    literals: Vec<Literal>,
    seen: HashSet<usize>,
    fnrefs: BTreeMap<String, usize>,
    marks: Vec<u64>,
    around: Vec<(u32, usize)>,
    numbers: Vec<Number>,
    wide: Vec<Wide>,
    orders: Vec<OrderDependence>,
    untyped: Vec<String>,
    also: Vec<struct_overlays::Half>,
    unions: Vec<(usize, u32, usize, u32)>,
    kinds: Vec<(u32, u32)>,
    descriptors: HashMap<TypeId, *mut pc3_type>,
    heads: Heads,
    main: Option<Main>,
    main_resume: pc3_fn,
    hooks: Vec<pc3_hook>,
    flags: u32,
}

/// As the unit with main was compiled (`-fsigned-char`).
fn abi<'a>(units: impl Iterator<Item = &'a pc3_unit>) -> Abi {
    let host = Abi::host();
    let said = |u: &pc3_unit| match () {
        () if u.flags & PC3_UNIT_CHAR_SIGNED != 0 => Some(true),
        () if u.flags & PC3_UNIT_CHAR_UNSIGNED != 0 => Some(false),
        () => None,
    };
    let main = units.filter(|u| u.main.is_some()).find_map(said);
    Abi {
        char_signed: main.unwrap_or(host.char_signed),
        ..host
    }
}

impl Builder {
    unsafe fn add(&mut self, u: &pc3_unit) {
        self.flags |= u.flags;
        // SAFETY: by the caller, the unit's tables are complete.
        unsafe {
            for i in 0..u.nfuncs {
                self.funcs.push(func(u.funcs.add(i)));
            }
            for g in slice(u.globals, u.nglobals) {
                self.global(g);
            }
            for f in slice(u.fnrefs, u.nfnrefs) {
                if let Some(addr) = f.addr {
                    self.fnrefs
                        .entry(text(f.name).into_owned())
                        .or_insert(addr as usize);
                }
            }
            self.marks.extend_from_slice(slice(u.marks, u.nmarks));
            self.hooks.extend_from_slice(slice(u.hooks, u.nhooks));
            for h in slice(u.around, u.naround) {
                self.around
                    .extend(h.function.map(|f| (h.events, f as usize)));
            }
            let numbers = slice(u.numbers, u.nnumbers).iter().enumerate();
            self.numbers.extend(numbers.map(|(i, n)| Number {
                place: text(*n).into_owned(),
                seen: u.seen.wrapping_add(i) as usize,
            }));
            let wide = slice(u.wides, u.nwides).iter();
            self.wide.extend(wide.map(|w| Wide {
                low: w.low,
                signed: w.is_signed != 0,
                what: text(w.what).into_owned(),
            }));
            let orders = slice(u.orders, u.norders).iter();
            let orders = orders.map(|o| OrderDependence {
                place: text(o.place).into_owned(),
                by: o.is_long,
                ran: o.ran as usize,
                when: (!o.when.is_null()).then(|| text(o.when).into_owned()),
            });
            self.orders.extend(orders);
            let untyped = slice(u.untyped, u.nuntyped).iter();
            self.untyped.extend(untyped.map(|n| text(*n).into_owned()));
            let also = slice(u.also, u.nalso).iter();
            self.also.extend(also.map(|a| {
                let id = |t: *const pc3_type| t.as_ref().map(|t| TypeId(t.id));
                struct_overlays::Half {
                    of: id(a.ty),
                    other: id(a.other),
                    place: text(a.place).into_owned(),
                }
            }));
            for h in slice(u.heads, u.nheads) {
                self.heads.add(h);
            }
            for s in slice(u.unions, u.nunions) {
                self.unions.extend(marks(s));
            }
            let kinds = slice(u.kinds, u.nkinds).iter();
            let kinds = kinds.filter_map(|k| Some((k.number, k.ty.as_ref()?.id)));
            self.kinds.extend(kinds);
            if u.main.is_some() {
                self.main = u.main;
                self.main_resume = u.main_func.as_ref().and_then(|f| f.resume);
            }
        }
    }

    fn global(&mut self, g: &pc3_global) {
        let (addr, ty) = (g.addr as usize, type_of(g.ty).unwrap_or(TypeId::UNKNOWN));
        if g.flags & PC3_GLOBAL_LITERAL != 0 {
            // Where compilers or linkers merge them, several units have one.
            self.literals.push(Literal {
                home: text(g.name).into_owned(),
                addr,
                ty,
                size: g.size,
            });
        } else if self.seen.insert(addr) {
            let global = Global {
                name: text(g.name).into_owned(),
                addr,
                ty,
                size: g.size,
                constant: g.flags & PC3_GLOBAL_CONST != 0,
                initialised: g.flags & PC3_GLOBAL_INIT != 0,
                unsaved: g.flags & PC3_GLOBAL_UNSAVED != 0,
                chosen: chosen(g),
                place: text(g.place).into_owned(),
            };
            self.globals.push(global);
        }
    }

    fn finish(self, mut types: TypeTable) -> Result<Program, RegistryError> {
        // What the runtime itself puts on heaps: argv.
        let abi = types.abi().clone();
        let char_type = types.add(Type::scalar(Kind::Char, "char", 1, 1, 0))?;
        let text_type = types.add(Type::pointer(&abi, char_type))?;
        let mut funcs = self.funcs;
        funcs.sort_by(|a, b| a.name.cmp(&b.name));
        let func_of = funcs
            .iter()
            .enumerate()
            .map(|(i, f)| (f.raw as usize, i))
            .collect();
        types.set_measured(sizes(self.orders.iter().map(OrderDependence::row)));
        let mut descriptors = self.descriptors;
        let headed = self.heads.join(&mut types, &mut descriptors)?;
        let shapes = Arc::new(Shapes::new(&types, &self.kinds));
        let mut globals = self.globals;
        globals.sort_by(|a, b| a.name.cmp(&b.name));
        let pieces = self.flags & PC3_UNIT_PIECES != 0;
        let dealt = types.iter().filter(|_| pieces);
        let dealt = dealt.map(|(id, _)| may_hold(&types, id)).collect();
        Ok(Program {
            by_address: OnceLock::new(),
            statics: OnceLock::new(),
            types,
            funcs,
            globals,
            literals: self.literals,
            fnrefs: self.fnrefs,
            marks: self.marks,
            around: self.around,
            numbers: self.numbers,
            wide: self.wide,
            orders: self.orders,
            untyped: self.untyped,
            also: struct_overlays::joined(&self.also),
            shapes,
            unions: self.unions,
            main: self.main.ok_or(RegistryError::NoMain)?,
            main_resume: self.main_resume,
            hooks: in_order(self.hooks),
            calls_mpi: self.flags & PC3_UNIT_HAS_MPI != 0,
            private_globals: self.flags & PC3_UNIT_PRIVATE_GLOBALS != 0,
            has_points: self.flags & PC3_UNIT_HAS_POINTS != 0,
            strays: self.flags & PC3_UNIT_STRAYS != 0,
            floats: self.flags & PC3_UNIT_HAS_FLOATS != 0,
            pieces,
            dealt,
            environment: self.flags & PC3_UNIT_HAS_ENVIRONMENT != 0,
            teams: self.flags & PC3_UNIT_HAS_TEAMS != 0,
            guest: false,
            descriptors,
            headed,
            func_of,
            char_type,
            text_type,
        })
    }
}

/// By priority, then as they are linked; destructors the other way round.
fn in_order(hooks: Vec<pc3_hook>) -> Vec<pc3_hook> {
    let (mut last, mut first): (Vec<_>, Vec<_>) =
        hooks.into_iter().partition(|h| h.destructor != 0);
    first.sort_by_key(|h| h.priority);
    last.sort_by_key(|h| h.priority);
    first.extend(last.into_iter().rev());
    first
}

/// # Safety
/// A table of generated code; types have been imported.
unsafe fn marks(s: &pc3_union_static) -> Vec<(usize, u32, usize, u32)> {
    let mut list = Vec::new();
    let mut mark = s.marks;
    // SAFETY: by the caller; the last one has no type.
    while let Some((m, ty)) =
        unsafe { mark.as_ref() }.and_then(|m| Some((m, unsafe { m.ty.as_ref() }?)))
    {
        list.push((s.addr as usize + m.offset, ty.id, ty.size, m.member));
        // SAFETY: it was not the last.
        mark = unsafe { mark.add(1) };
    }
    list
}

fn chosen(g: &pc3_global) -> Option<(String, Choice)> {
    if g.tag.is_null() || g.choice.is_null() {
        return None;
    }
    // The compiler has read it before.
    let choice = Choice::parse(&text(g.choice), &|_| None).ok()?;
    Some((text(g.tag).into_owned(), choice))
}

unsafe fn func(raw: *mut pc3_func) -> Func {
    // SAFETY: by the caller, a complete descriptor.
    let f = unsafe { &*raw };
    // SAFETY: its points.
    let points = unsafe { slice(f.points, f.npoints as usize) };
    Func {
        raw,
        name: text(f.name).into_owned(),
        shadow: type_of(f.shadow),
        points: points
            .iter()
            .map(|p| Point {
                raw: p,
                label: p.label,
                line: p.line,
                file: text(p.file).into_owned(),
                what: text(p.what).into_owned(),
                live: type_of(p.live),
            })
            .collect(),
    }
}

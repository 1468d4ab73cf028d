//! All units together: which definition a name means.

use crate::tables;
pub use pc3_syntax::paths::base_name;
use pc3_syntax::tree::*;
use rustc_hash::FxHashMap;
use std::collections::HashSet;

/// A function definition of the whole program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FnId(pub u32);
impl FnId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Callee {
    Defined(FnId),
    /// Defined by no unit.
    External(String),
}

pub struct Program<'a> {
    pub units: &'a [Unit],
    /// Unit and function of each definition.
    pub fns: Vec<(usize, FuncId)>,
    own: Vec<FxHashMap<SymId, FnId>>,
    linked: FxHashMap<&'a str, FnId>,
    /// Names that a unit defines weakly, and another one strongly: the linker takes that. And
    /// what headers define of the library's.
    replaced: HashSet<(usize, SymId)>,
    /// Definitions that no name means.
    unnamed: HashSet<FnId>,
    /// Functions of objects that are linked without being units, the C library's apart.
    foreign: HashSet<&'a str>,
    /// What the user's own objects among those define.
    own_foreign: HashSet<&'a str>,
    /// What they use of the program.
    used: HashSet<&'a str>,
    /// Functions below which locations are passed by, as the author says.
    passing: HashSet<FnId>,
    /// Variables of file scope, and structs and unions, by their names.
    globals: ByName<'a, SymId>,
    records: ByName<'a, RecordId>,
}

/// What a unit's `#pragma weak` lines say: `name`, or `name = function`.
fn weak_lines(u: &Unit) -> Vec<(&str, Option<&str>)> {
    let names = |line: &'_ str| -> Option<usize> {
        let rest = line.trim_start().strip_prefix('#')?.trim_start();
        let rest = rest.strip_prefix("pragma")?.trim_start();
        Some(line.len() - rest.strip_prefix("weak ")?.len())
    };
    let said = u.text.lines().filter_map(|l| Some(&l[names(l)?..]));
    let said = said.map(|names| match names.split_once('=') {
        Some((name, of)) => (name.trim(), Some(of.trim())),
        None => (names.trim(), None),
    });
    said.collect()
}

fn is_weak(s: &Symbol, lines: &[(&str, Option<&str>)]) -> bool {
    s.attributes.iter().any(|a| a == "weak") || lines.iter().any(|(name, _)| *name == s.name)
}

/// Does a header define what the library has, too, for calls of it to be inlined (with `_FORTIFY_SOURCE`, or when
/// optimised)? The library's is meant. A compiler's header only defines what it has inlined.
fn is_librarys_too(u: &Unit, f: &Function) -> bool {
    let s = u.sym(f.sym);
    let declared = s.decls.len() > 1 && s.attributes.iter().any(|a| a == "gnu_inline");
    (declared || u.plain_function(f.sym).is_some()) && u.lines.is_system(f.span.start)
}

/// The function that a declaration with `alias` or `weakref` is another name for.
pub fn alias(u: &Unit, s: &Symbol) -> Option<SymId> {
    let mut names = s.attributes.iter().filter_map(|a| {
        let name = a.strip_prefix("alias=").or(a.strip_prefix("weakref="))?;
        Some(name.trim().trim_matches('"'))
    });
    named(u, s, names.next_back()?)
}

fn named(u: &Unit, s: &Symbol, name: &str) -> Option<SymId> {
    if s.kind != SymKind::Func {
        return None;
    }
    let mut functions = u.functions.iter().map(|f| f.sym);
    functions.find(|f| u.sym(*f).name == name)
}

type ByName<'a, T> = FxHashMap<&'a str, Vec<(usize, T)>>;

fn name_all<'a>(
    unit: usize,
    u: &'a Unit,
    globals: &mut ByName<'a, SymId>,
    records: &mut ByName<'a, RecordId>,
) {
    for (k, s) in u.symbols.iter().enumerate() {
        if s.is_global && s.kind == SymKind::Var {
            let list = globals.entry(&s.name).or_default();
            list.push((unit, SymId(k as u32)));
        }
    }
    for (k, r) in u.records.iter().enumerate() {
        if let Some(name) = r.tag.as_ref().or(r.typedef_name.as_ref()) {
            let list = records.entry(name).or_default();
            list.push((unit, RecordId(k as u32)));
        }
    }
}

impl<'a> Program<'a> {
    pub fn new(units: &'a [Unit]) -> Self {
        let mut fns = Vec::new();
        let mut own = Vec::new();
        // What other units see, and whether that is weak.
        let mut seen: Vec<(usize, SymId, FnId, bool)> = Vec::new();
        let mut replaced = HashSet::new();
        for (i, u) in units.iter().enumerate() {
            let lines = weak_lines(u);
            let mut map = FxHashMap::default();
            let mut see = |s: SymId, id: FnId| {
                let sym = u.sym(s);
                if sym.storage != Storage::Static {
                    seen.push((i, s, id, is_weak(sym, &lines)));
                }
            };
            for (k, f) in u.functions.iter().enumerate() {
                let id = FnId(fns.len() as u32);
                fns.push((i, FuncId(k as u32)));
                map.insert(f.sym, id);
                match is_librarys_too(u, f) {
                    true => drop(replaced.insert((i, f.sym))),
                    false => see(f.sym, id),
                }
            }
            // Other names of them.
            for (k, s) in u.symbols.iter().enumerate() {
                let pragma = || {
                    let mut of = lines.iter().filter(|(name, _)| *name == s.name);
                    of.find_map(|(_, of)| named(u, s, (*of)?))
                };
                let Some(id) = alias(u, s)
                    .or_else(pragma)
                    .and_then(|f| map.get(&f).copied())
                else {
                    continue;
                };
                map.insert(SymId(k as u32), id);
                see(SymId(k as u32), id);
            }
            own.push(map);
        }
        let mut linked: FxHashMap<&str, FnId> = FxHashMap::default();
        let strong = seen.iter().filter(|(.., weak)| !weak);
        for (unit, s, id, _) in strong.chain(seen.iter().filter(|(.., weak)| *weak)) {
            let name = units[*unit].sym(*s).name.as_str();
            linked.entry(name).or_insert(*id);
        }
        let name = |(unit, s, ..): &(usize, SymId, FnId, bool)| units[*unit].sym(*s).name.as_str();
        let firm: HashSet<&str> = seen.iter().filter(|x| !x.3).map(name).collect();
        let weak = seen.iter().filter(|x| x.3 && firm.contains(name(x)));
        replaced.extend(weak.map(|x| (x.0, x.1)));
        let mut unnamed: HashSet<FnId> = HashSet::new();
        for (unit, map) in own.iter().enumerate() {
            let (lost, kept): (Vec<_>, Vec<_>) = map
                .iter()
                .partition(|(s, _)| replaced.contains(&(unit, **s)));
            unnamed.extend(lost.iter().map(|x| *x.1));
            kept.iter().for_each(|x| _ = unnamed.remove(x.1));
        }
        let (mut globals, mut records) = (FxHashMap::default(), FxHashMap::default());
        for (unit, u) in units.iter().enumerate() {
            name_all(unit, u, &mut globals, &mut records);
        }
        Program {
            units,
            fns,
            own,
            linked,
            replaced,
            unnamed,
            foreign: HashSet::new(),
            own_foreign: HashSet::new(),
            used: HashSet::new(),
            passing: HashSet::new(),
            globals,
            records,
        }
    }

    pub fn with_foreign(
        self,
        names: impl Iterator<Item = &'a str>,
        own: impl Iterator<Item = &'a str>,
        used: impl Iterator<Item = &'a str>,
    ) -> Self {
        Program {
            foreign: names.collect(),
            own_foreign: own.collect(),
            used: used.collect(),
            ..self
        }
    }

    /// Locations below these functions are passed by.
    pub fn passing(self, functions: &[(usize, FuncId)]) -> Self {
        let passing = functions.iter().map(|(unit, f)| self.id(*unit, *f));
        Program {
            passing: passing.collect(),
            ..self
        }
    }

    pub(crate) fn is_passing(&self, f: FnId) -> bool {
        self.passing.contains(&f)
    }

    /// Is it defined by an object that is no unit, other than the C library?
    pub fn is_foreign(&self, name: &str) -> bool {
        self.foreign.contains(name)
    }

    /// Does such an object use what the program has by this name?
    pub(crate) fn is_used_outside(&self, name: &str) -> bool {
        self.used.contains(name)
    }

    /// Is it the C library's by this name, and not that of an object of the user's?
    pub fn is_librarys(&self, name: &str) -> bool {
        !self.own_foreign.contains(name)
    }

    /// May a function that no unit defines keep a pointer it is given?  Of the C library's it is known.
    pub fn keeps_pointers(&self, name: &str) -> bool {
        tables::retains(name) || self.foreign.contains(name)
    }

    /// The declarations of a variable that units share, also of those that have it for themselves.
    pub fn globals(&self, name: &str) -> impl Iterator<Item = (&'a Unit, &'a Symbol)> + '_ {
        let all = self.globals.get(name).into_iter().flatten();
        all.map(|(unit, s)| (&self.units[*unit], self.units[*unit].sym(*s)))
    }

    /// Units that declare such a variable.
    pub fn declaring(&self, name: &str) -> impl Iterator<Item = usize> + '_ {
        let all = self.globals.get(name).into_iter().flatten();
        all.map(|(unit, _)| *unit)
    }

    /// Structs and unions of a tag, or, without one, of a type's name; `UNIT:NUMBER` of those that have neither.
    pub fn records<'s>(
        &'s self,
        name: &'s str,
    ) -> impl Iterator<Item = (&'a Record, (usize, RecordId))> + 's {
        let nameless = name.split_once(':').and_then(|(unit, k)| {
            let id = (unit.parse().ok()?, RecordId(k.parse().ok()?));
            Some(id)
        });
        let named = self.records.get(name).into_iter().flatten().copied();
        let all = nameless.into_iter().chain(named);
        all.filter_map(|(unit, r)| {
            let unit_of: &'a Unit = self.units.get(unit)?;
            Some((unit_of.records.get(r.index())?, (unit, r)))
        })
    }

    pub fn ids(&self) -> impl Iterator<Item = FnId> {
        (0..self.fns.len() as u32).map(FnId)
    }
    pub fn id(&self, unit: usize, func: FuncId) -> FnId {
        self.own[unit][&self.units[unit].func(func).sym]
    }
    pub fn unit(&self, f: FnId) -> &'a Unit {
        &self.units[self.fns[f.index()].0]
    }
    pub fn func(&self, f: FnId) -> &'a Function {
        self.unit(f).func(self.fns[f.index()].1)
    }
    pub fn name(&self, f: FnId) -> &'a str {
        &self.unit(f).sym(self.func(f).sym).name
    }
    pub fn is_static(&self, f: FnId) -> bool {
        self.unit(f).sym(self.func(f).sym).storage == Storage::Static
    }

    /// A weak definition where another unit has a strong one: it is not in the program.
    pub fn is_replaced(&self, f: FnId) -> bool {
        self.unnamed.contains(&f)
    }

    /// A unit's main, if it is the program's.
    pub fn main_of(&self, unit: usize) -> Option<&'a Function> {
        let u = &self.units[unit];
        let mut mains = u.functions.iter().filter(|f| u.sym(f.sym).name == "main");
        mains.find(|f| !self.is_replaced(self.own[unit][&f.sym]))
    }

    /// The function a function symbol of `unit` stands for.
    pub fn resolve(&self, unit: usize, sym: SymId) -> Callee {
        if let Some(id) = self.own[unit].get(&sym) {
            if !self.replaced.contains(&(unit, sym)) {
                return Callee::Defined(*id);
            }
        }
        let name = self.units[unit].sym(sym).name.as_str();
        match self.linked.get(name) {
            Some(id) => Callee::Defined(*id),
            None => Callee::External(name.to_string()),
        }
    }

    /// The function a call names, if it names one.
    pub fn direct(&self, unit: usize, callee: ExprId) -> Option<(SymId, Callee)> {
        let u = &self.units[unit];
        let mut e = callee;
        loop {
            match &u.expr(e).kind {
                ExprKind::Deref(a) | ExprKind::AddrOf(a) => e = *a,
                ExprKind::Ident(s) if u.sym(*s).kind == SymKind::Func => {
                    return Some((*s, self.resolve(unit, *s)))
                }
                _ => return None,
            }
        }
    }

    /// `file.c:name` for statics, `name` for others.
    pub fn portable_name(&self, unit: usize, sym: SymId) -> String {
        let u = &self.units[unit];
        let s = u.sym(sym);
        if s.storage == Storage::Static {
            format!("{}:{}", u.name, s.name)
        } else {
            s.name.clone()
        }
    }
}

/// An automatic variable or a parameter of a function.
pub fn is_local(s: &Symbol) -> bool {
    matches!(s.kind, SymKind::Var | SymKind::Param)
        && s.func.is_some()
        && !s.is_global
        && !matches!(
            s.storage,
            Storage::Static | Storage::Extern | Storage::Typedef
        )
}

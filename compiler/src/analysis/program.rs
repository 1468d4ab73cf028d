//! All units together: which definition a name means.

use super::tables;
use crate::tree::*;
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
    /// Functions of objects that are linked without being units, the C library's apart.
    foreign: HashSet<&'a str>,
    /// What the user's own objects among those define.
    own_foreign: HashSet<&'a str>,
}

/// The function that a declaration with `alias` or `weakref` is another name for.
pub fn alias(u: &Unit, s: &Symbol) -> Option<SymId> {
    let mut names = s.attributes.iter().filter_map(|a| {
        let name = a.strip_prefix("alias=").or(a.strip_prefix("weakref="))?;
        Some(name.trim().trim_matches('"'))
    });
    let name = names.next_back().filter(|_| s.kind == SymKind::Func)?;
    let mut functions = u.functions.iter().map(|f| f.sym);
    functions.find(|f| u.sym(*f).name == name)
}

impl<'a> Program<'a> {
    pub fn new(units: &'a [Unit]) -> Self {
        let mut fns = Vec::new();
        let mut own = Vec::new();
        let mut linked = FxHashMap::default();
        for (i, u) in units.iter().enumerate() {
            let mut map = FxHashMap::default();
            for (k, f) in u.functions.iter().enumerate() {
                let id = FnId(fns.len() as u32);
                fns.push((i, FuncId(k as u32)));
                map.insert(f.sym, id);
                let sym = u.sym(f.sym);
                if sym.storage != Storage::Static {
                    linked.entry(sym.name.as_str()).or_insert(id);
                }
            }
            // Other names of them.
            for (k, s) in u.symbols.iter().enumerate() {
                let Some(id) = alias(u, s).and_then(|f| map.get(&f).copied()) else {
                    continue;
                };
                map.insert(SymId(k as u32), id);
                if s.storage != Storage::Static {
                    linked.entry(s.name.as_str()).or_insert(id);
                }
            }
            own.push(map);
        }
        Program {
            units,
            fns,
            own,
            linked,
            foreign: HashSet::new(),
            own_foreign: HashSet::new(),
        }
    }

    pub fn with_foreign(
        self,
        names: impl Iterator<Item = &'a str>,
        own: impl Iterator<Item = &'a str>,
    ) -> Self {
        Program {
            foreign: names.collect(),
            own_foreign: own.collect(),
            ..self
        }
    }

    /// Is it the C library's by this name, and not that of an object of the user's?
    pub fn is_librarys(&self, name: &str) -> bool {
        !self.own_foreign.contains(name)
    }

    /// May a function that no unit defines keep a pointer it is given?  Of the C library's it is known.
    pub fn keeps_pointers(&self, name: &str) -> bool {
        tables::retains(name) || self.foreign.contains(name)
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

    /// The function a function symbol of `unit` stands for.
    pub fn resolve(&self, unit: usize, sym: SymId) -> Callee {
        if let Some(id) = self.own[unit].get(&sym) {
            return Callee::Defined(*id);
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

pub fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
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

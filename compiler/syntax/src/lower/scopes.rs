//! Names: scopes, symbols, redeclarations.

use super::Lower;
use crate::tree::*;
use rustc_hash::FxHashMap;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TagName {
    Record(RecordId),
    Enum(EnumId),
}

#[derive(Clone, Default, Debug)]
pub struct Scope {
    pub names: FxHashMap<String, SymId>,
    pub tags: FxHashMap<String, TagName>,
}

/// A declaration about to enter the current scope.
pub struct NewSymbol {
    pub name: String,
    /// Its identifier; None for what nobody wrote.
    pub span: Option<Span>,
    pub kind: SymKind,
    pub ty: QualType,
    /// As written.
    pub storage: Option<Storage>,
    pub thread_local: bool,
    /// Has an initialiser or a body.
    pub initialised: bool,
    pub attributes: Vec<String>,
}

impl Lower {
    pub fn lookup(&self, name: &str) -> Option<SymId> {
        self.scopes
            .iter()
            .rev()
            .find_map(|s| s.names.get(name).copied())
    }

    pub(crate) fn lookup_tag(&self, name: &str) -> Option<TagName> {
        self.scopes
            .iter()
            .rev()
            .find_map(|s| s.tags.get(name).copied())
    }

    pub fn scope(&mut self) -> &mut Scope {
        if self.scopes.is_empty() {
            self.scopes.push(Scope::default());
        }
        let last = self.scopes.len() - 1;
        &mut self.scopes[last]
    }

    pub(crate) fn is_at_file(&self) -> bool {
        self.scopes.len() == 1
    }

    pub(crate) fn is_file_type(&self, name: &str) -> bool {
        let id = self.scopes.first().and_then(|s| s.names.get(name));
        id.is_some_and(|s| self.unit.sym(*s).kind == SymKind::Typedef)
    }

    pub(crate) fn func_id(&self) -> Option<FuncId> {
        self.func.as_ref().map(|f| f.id)
    }

    pub fn declare(&mut self, new: NewSymbol) -> SymId {
        let at_file = self.is_at_file();
        let is_extern = new.storage == Some(Storage::Extern);
        let linked =
            new.kind == SymKind::Func || new.kind == SymKind::Var && (at_file || is_extern);
        let system = new
            .span
            .as_ref()
            .is_some_and(|s| self.p.lines.is_system(s.start));
        let overloads = new.kind == SymKind::Func && is_overloadable(&new.attributes);
        let previous = if overloads {
            self.overloaded(&new.name, new.ty)
        } else if linked {
            let visible = self
                .lookup(&new.name)
                .filter(|&s| self.unit.sym(s).is_global);
            visible.or_else(|| self.globals.get(&new.name).copied())
        } else {
            // C11 allows a typedef to be repeated.
            let same = self.scope().names.get(&new.name).copied();
            same.filter(|&s| {
                new.kind == SymKind::Typedef && self.unit.sym(s).kind == SymKind::Typedef
            })
        };
        let defines = match new.kind {
            SymKind::Func => new.initialised,
            SymKind::Var => new.initialised || !is_extern,
            _ => true,
        };
        let id = match previous {
            Some(id) => {
                self.declare_again(id, &new, linked);
                id
            }
            None => self.first_declaration(&new, linked),
        };
        let s = &mut self.unit.symbols[id.index()];
        s.defined |= defines;
        s.system |= system;
        if overloads && previous.is_none() {
            self.note_overload(id);
        }
        if linked {
            self.globals.entry(new.name.clone()).or_insert(id);
        }
        if !at_file && new.kind != SymKind::Param {
            if let Some(f) = &mut self.func {
                if !f.locals.contains(&id) {
                    f.locals.push(id);
                }
            }
        }
        if !new.name.is_empty() {
            self.scope().names.insert(new.name, id);
        }
        id
    }

    fn declare_again(&mut self, id: SymId, new: &NewSymbol, linked: bool) {
        let old = self.unit.sym(id).ty;
        let ty = self.composite(old, new.ty, new.kind == SymKind::Func && new.initialised);
        let s = &mut self.unit.symbols[id.index()];
        s.ty = ty;
        s.decls.extend(new.span.clone());
        s.initialised |= new.initialised;
        s.implicit = false;
        s.thread_local |= new.thread_local;
        if new.storage == Some(Storage::Static) && linked {
            s.storage = Storage::Static;
        }
        for a in &new.attributes {
            if !s.attributes.contains(a) {
                s.attributes.push(a.clone());
            }
        }
    }

    fn first_declaration(&mut self, new: &NewSymbol, linked: bool) -> SymId {
        let storage = match (new.kind, new.storage) {
            (SymKind::Typedef, _) => Storage::Typedef,
            (_, Some(Storage::Static)) => Storage::Static,
            (SymKind::Param, Some(s)) => s,
            _ if linked => Storage::Extern,
            (_, Some(s)) => s,
            _ => Storage::Auto,
        };
        let at_file = self.is_at_file();
        let id = SymId(self.unit.symbols.len() as u32);
        self.unit.symbols.push(Symbol {
            name: new.name.clone(),
            kind: new.kind,
            ty: new.ty,
            storage,
            thread_local: new.thread_local,
            func: match linked || at_file {
                true => None,
                false => self.func_id(),
            },
            is_global: linked,
            initialised: new.initialised,
            defined: false,
            decls: new.span.iter().cloned().collect(),
            value: None,
            system: false,
            implicit: false,
            attributes: new.attributes.clone(),
            alignments: Vec::new(),
            named: None,
        });
        id
    }

    /// The type two declarations of one thing agree on.
    fn composite(&mut self, old: QualType, new: QualType, new_defines: bool) -> QualType {
        let quals = new;
        match (
            self.types.get(old.ty).clone(),
            self.types.get(new.ty).clone(),
        ) {
            (Type::Array { len: a, elem: ea }, Type::Array { len: b, elem: eb }) => {
                let elem = self.composite(ea, eb, false);
                let len = if b == ArrayLen::Unknown { a } else { b };
                QualType {
                    ty: self.types.intern(Type::Array { elem, len }),
                    ..quals
                }
            }
            (
                Type::Function {
                    prototype: true, ..
                },
                Type::Function {
                    prototype: false, ..
                },
            ) if !new_defines => old,
            (
                Type::Function {
                    prototype: true,
                    params,
                    ..
                },
                Type::Function {
                    prototype: false,
                    ret,
                    ..
                },
            ) => {
                // An old-style definition behind a prototype is called as the prototype says.
                let variadic = false;
                QualType {
                    ty: self.types.intern(Type::Function {
                        ret,
                        params,
                        variadic,
                        prototype: true,
                    }),
                    ..quals
                }
            }
            _ => new,
        }
    }
}

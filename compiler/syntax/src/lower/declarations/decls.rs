//! Declarations and function definitions.

use crate::diag::Code;
use crate::lower::declarators::Params;
use crate::lower::scopes::NewSymbol;
use crate::lower::specifiers::of_declaration;
use crate::lower::{FuncState, Lower};
use crate::tree::*;
use lang_c::ast;
use lang_c::span::Node;
use std::collections::HashMap;

impl Lower {
    pub fn declaration(&mut self, n: &Node<ast::Declaration>) -> DeclGroup {
        let d = &n.node;
        let span = self.span(n.span);
        let span = self.p.with_attributes(span.clone()).start..span.end;
        let first = d.declarators.first().map(|x| self.raw(x.span).start);
        let specifiers_end = match first {
            Some(at) => self.last_token_end(at),
            None => self.last_token_end(span.end - 1),
        };
        let specifiers = span.start..specifiers_end.max(span.start);
        let specs = self.specifiers(
            d.specifiers.iter().map(of_declaration),
            d.declarators.is_empty(),
            &specifiers,
        );
        self.unseen_names(specifiers.end);
        let base = self.type_attributes(specs.base, &specifiers, specs.defines_type);
        let mut shared = self.attribute_names(&specifiers, specs.defines_type);
        shared.extend(specs.noreturn.then(|| "noreturn".to_string()));
        let (aligned, typedef) = self.alignments(&specifiers);
        let mut group = DeclGroup {
            specifiers,
            vars: Vec::new(),
            is_typedef: specs.is_typedef,
            defines_type: specs.defines_type,
            span,
        };
        for x in &d.declarators {
            let whole = self.span(x.span);
            let dspan = self.span(x.node.declarator.span);
            let behind = dspan.end..self.p.with_attributes(dspan.clone()).end;
            let base = self.type_attributes(base, &behind, false);
            let counts = (
                self.unit.symbols.len(),
                self.unit.exprs.len(),
                self.unit.records.len(),
                self.unit.enums.len(),
            );
            let around = [&group.specifiers, &behind];
            let declared = self.declared(&x.node.declarator, base, &specs, around);
            if counts.1 == self.unit.exprs.len()
                && counts.2 == self.unit.records.len()
                && counts.3 == self.unit.enums.len()
            {
                // Names of a prototype's parameters that nothing refers to.
                self.unit.symbols.truncate(counts.0);
            }
            let Some((name, at)) = declared.name else {
                continue;
            };
            let mut span = whole.start..self.p.with_attributes(whole.clone()).end;
            if !group.vars.is_empty() {
                span.start = self.p.with_attributes(whole).start;
            }
            let is_func = self.types.is_function(declared.ty.ty);
            let kind = match (specs.is_typedef, is_func) {
                (true, _) => SymKind::Typedef,
                // Of a nested function.
                (_, true) if specs.storage == Some(Storage::Auto) => SymKind::Var,
                (_, true) => SymKind::Func,
                _ => SymKind::Var,
            };
            let attributes = [shared.clone(), self.words_of(&behind)].concat();
            let sym = self.declare(NewSymbol {
                name: name.clone(),
                span: Some(at),
                kind,
                ty: declared.ty,
                storage: specs.storage,
                thread_local: specs.thread_local,
                initialised: x.node.initializer.is_some(),
                attributes,
            });
            let mut alignments = self.alignments(&behind).0;
            alignments.extend(aligned.iter().cloned());
            if let Some(t) = typedef.filter(|_| self.is_or_holds(declared.ty, base)) {
                alignments.extend(self.unit.sym(t).alignments.iter().cloned());
            }
            let s = &mut self.unit.symbols[sym.index()];
            (s.alignments, s.named) = (alignments, specs.named);
            if kind == SymKind::Typedef {
                self.name_anonymous(declared.ty, &name);
            }
            let init = x.node.initializer.as_ref().map(|i| self.init(i));
            let init = init.map(|i| self.without_braces(sym, i));
            if let Some(init) = &init {
                self.complete_from_init(sym, init, specs.auto_type);
                if specs.constant {
                    self.note_constant(sym, init);
                }
            }
            group.vars.push(VarDecl {
                sym,
                span,
                init,
                vla_lens: declared.vla_lens,
            });
        }
        group
    }

    /// End of the last token before `at`.
    fn last_token_end(&self, at: u32) -> u32 {
        let i = self.p.tokens.at_or_after(at);
        i.checked_sub(1).map_or(0, |i| self.p.tokens.list[i].end)
    }

    fn attribute_names(&self, span: &Span, defines_type: bool) -> Vec<String> {
        if defines_type {
            // Those of members are inside.
            return Vec::new();
        }
        self.words_of(span)
    }

    /// The attributes' names; with one argument also `name=argument`.
    fn words_of(&self, span: &Span) -> Vec<String> {
        let mut words = Vec::new();
        for a in self.p.attributes_in(span) {
            words.push(a.name.clone());
            let argument = self.text(&a.args).trim().trim_matches('"');
            if matches!(
                a.name.as_str(),
                "cleanup" | "alias" | "weakref" | "constructor" | "destructor"
            ) {
                words.push(format!("{}={argument}", a.name));
            }
        }
        words
    }

    fn name_anonymous(&mut self, ty: QualType, name: &str) {
        match *self.types.get(ty.ty) {
            Type::Record(r) => {
                let r = &mut self.unit.records[r.index()];
                if r.tag.is_none() && r.typedef_name.is_none() {
                    r.typedef_name = Some(name.to_string());
                }
            }
            Type::Enum(e) => {
                let e = &mut self.unit.enums[e.index()];
                if e.tag.is_none() && e.typedef_name.is_none() {
                    e.typedef_name = Some(name.to_string());
                }
            }
            _ => {}
        }
    }

    /// `int *p = { e };` is `int *p = e;`.
    fn without_braces(&self, sym: SymId, init: Init) -> Init {
        let ty = self.types.get(self.unit.sym(sym).ty.ty);
        let scalar = matches!(
            ty,
            Type::Int(_) | Type::Float(_) | Type::Bool | Type::Enum(_) | Type::Pointer(_)
        );
        match init {
            Init::List { mut items, .. }
                if scalar && items.len() == 1 && items[0].designators.is_empty() =>
            {
                self.without_braces(sym, items.remove(0).value)
            }
            init => init,
        }
    }

    /// `__auto_type x = e;` and `int a[] = { ... };` take their type from the initialiser.
    fn complete_from_init(&mut self, sym: SymId, init: &Init, auto_type: bool) {
        let old = self.unit.sym(sym).ty;
        if auto_type {
            if let Init::Expr(e) = init {
                let value = self.unit.expr(*e).ty;
                let ty = match self.types.get(old.ty) {
                    // `auto text[] = "...";`
                    Type::Array { .. } => value,
                    _ => self.types.decay(value),
                };
                let ty = self.inferred(old, ty);
                self.unit.symbols[sym.index()].ty = ty;
            }
            return;
        }
        if let Type::Array {
            elem,
            len: ArrayLen::Unknown,
        } = *self.types.get(old.ty)
        {
            if let Some(n) = self.count_elements(elem, init) {
                let ty = self.types.intern(Type::Array {
                    elem,
                    len: ArrayLen::Const(n),
                });
                self.unit.symbols[sym.index()].ty.ty = ty;
            }
        }
    }

    /// `int a[];` is `int a[1];` if nothing else is said in the unit.
    pub(crate) fn complete_arrays(&mut self) {
        for s in &mut self.unit.symbols {
            let tentative = s.is_global && s.defined && !s.initialised && s.func.is_none();
            let Type::Array {
                elem,
                len: ArrayLen::Unknown,
            } = *self.types.get(s.ty.ty)
            else {
                continue;
            };
            if tentative && s.kind == SymKind::Var {
                s.ty.ty = self.types.intern(Type::Array {
                    elem,
                    len: ArrayLen::Const(1),
                });
                s.attributes.push(ONE_ELEMENT.into());
            }
        }
    }

    /// `auto *p`, `const auto x`: a value's type, with what the declaration says of qualifiers.
    fn inferred(&mut self, declared: QualType, value: QualType) -> QualType {
        let (of, to) = match (self.types.get(declared.ty), self.types.get(value.ty)) {
            (Type::Pointer(of), Type::Pointer(to)) => (*of, *to),
            _ => {
                return value.with(QualType {
                    ty: value.ty,
                    ..declared
                })
            }
        };
        let to = self.inferred(of, to);
        let pointer = self.types.pointer(to);
        pointer.with(QualType {
            ty: pointer.ty,
            ..declared
        })
    }

    /// A `constexpr` object: the compiler takes it for its value.
    fn note_constant(&mut self, sym: SymId, init: &Init) {
        let Init::Expr(e) = init else { return };
        let value = self.view().eval(*e);
        let ty = self.unit.sym(sym).ty.ty;
        let value = value.and_then(|v| self.view().convert(ty, v));
        let s = &mut self.unit.symbols[sym.index()];
        s.value = value;
        s.attributes.push(CONSTANT.into());
    }

    pub fn function(&mut self, n: &Node<ast::FunctionDefinition>) -> FuncId {
        let f = &n.node;
        let span = self.span(n.span);
        let span = self.p.with_attributes(span.clone()).start..span.end;
        let dspan = self.span(f.declarator.span);
        let specs = self.specifiers(f.specifiers.iter().map(of_declaration), false, &span);
        let base = self.type_attributes(specs.base, &(span.start..dspan.start), specs.defines_type);
        let id = FuncId(self.unit.functions.len() as u32);
        self.unseen_names(span.start);
        self.func = Some(FuncState {
            id,
            labels: vec![Default::default()],
            locals: Vec::new(),
        });
        let declared = self.declarator(&f.declarator, base, true);
        let (name, at) = declared
            .name
            .unwrap_or_else(|| (String::new(), dspan.clone()));
        let mut params = declared.params.unwrap_or(Params {
            syms: Vec::new(),
            scope: Default::default(),
            old_style: Vec::new(),
            is_old_style: true,
        });
        let behind = self.p.with_attributes(dspan.clone()).end;
        let mut attributes = self.attribute_names(&(span.start..dspan.start), specs.defines_type);
        attributes.extend(self.words_of(&(dspan.end..behind)));
        attributes.extend(specs.noreturn.then(|| "noreturn".to_string()));
        let sym = self.declare(NewSymbol {
            name,
            span: Some(at),
            kind: SymKind::Func,
            ty: declared.ty,
            storage: specs.storage,
            thread_local: false,
            initialised: true,
            attributes,
        });
        let (ret, variadic) = match self.types.get(declared.ty.ty) {
            Type::Function { ret, variadic, .. } => (*ret, *variadic),
            _ => (base, false),
        };
        let kr_style = params.is_old_style && !params.old_style.is_empty();
        let body_span = self.span(f.statement.span);
        self.unit.functions.push(Function {
            sym,
            params: params.syms.clone(),
            span: span.clone(),
            head: span.start..body_span.start,
            body: StmtId(0),
            ret,
            variadic,
            kr_style,
            is_inline: specs.is_inline,
            locals: Vec::new(),
        });
        self.scopes.push(std::mem::take(&mut params.scope));
        if kr_style {
            self.old_style_params(f, &params.old_style, id, sym, declared.ty);
        }
        let body = self.statement(&f.statement);
        self.scopes.pop();
        self.leave_labels();
        if let Some(state) = self.func.take() {
            self.unit.functions[id.index()].locals = state.locals;
        }
        self.unit.functions[id.index()].body = body;
        id
    }

    /// `int f(a, b) char *b; { ... }`: undeclared parameters are `int`.
    fn old_style_params(
        &mut self,
        f: &ast::FunctionDefinition,
        names: &[(String, Span)],
        id: FuncId,
        func: SymId,
        fty: QualType,
    ) {
        let mut types: HashMap<String, (QualType, Span, Option<Storage>)> = HashMap::new();
        for d in &f.declarations {
            let span = self.span(d.span);
            let specs = self.specifiers(d.node.specifiers.iter().map(of_declaration), false, &span);
            for x in &d.node.declarators {
                let declared = self.declarator(&x.node.declarator, specs.base, false);
                if let Some((name, at)) = declared.name {
                    let ty = self.adjust_parameter(declared.ty);
                    types.insert(name, (ty, at, specs.storage));
                }
            }
        }
        let mut syms = Vec::new();
        for (name, at) in names {
            let int = self.types.int(IntKind::Int);
            let (ty, span, storage) = types.remove(name).unwrap_or((int, at.clone(), None));
            syms.push(self.declare_param(name.clone(), Some(span), ty, storage, true));
        }
        for (name, (_, at, _)) in types {
            self.error(
                Code::BadDeclaration,
                &at,
                format!("`{name}` is declared as a parameter but is not one"),
            );
        }
        let list = syms.iter().map(|s| self.unit.sym(*s).ty).collect();
        self.unit.functions[id.index()].params = syms;
        if let Type::Function { ret, variadic, .. } = *self.types.get(fty.ty) {
            let known = matches!(
                self.types.get(self.unit.sym(func).ty.ty),
                Type::Function {
                    prototype: true,
                    ..
                }
            );
            if !known {
                let ty = self.types.plain(Type::Function {
                    ret,
                    params: list,
                    variadic,
                    prototype: false,
                });
                self.unit.symbols[func.index()].ty = ty;
            }
        }
    }
}

//! Structs, unions and enumerations; members.

use crate::diag::Code;
use crate::lower::scopes::{NewSymbol, TagName};
use crate::lower::specifiers::of_qualifiers;
use crate::lower::Lower;
use crate::prefilter::Attribute;
use crate::tree::*;
use lang_c::ast;
use lang_c::span::Node;

impl Lower {
    pub fn record(&mut self, n: &Node<ast::StructType>, alone: bool) -> RecordId {
        let is_union = n.node.kind.node == ast::StructKind::Union;
        let span = self.span(n.span);
        let tag = n.node.identifier.as_ref().map(|i| self.identifier(i));
        let has_body = n.node.declarations.is_some();
        let found = tag.as_ref().and_then(|(name, _)| {
            if has_body || alone {
                self.scope().tags.get(name).copied()
            } else {
                self.lookup_tag(name)
            }
        });
        let outer = match tag.as_ref().and_then(|(name, _)| self.lookup_tag(name)) {
            Some(TagName::Record(r)) if has_body && self.unit.target.standard.same_tags => Some(r),
            _ => None,
        };
        let id = match found {
            Some(TagName::Record(r)) => r,
            Some(TagName::Enum(_)) | None => {
                let id = RecordId(self.unit.records.len() as u32);
                self.unit.records.push(Record {
                    tag: tag.as_ref().map(|(n, _)| n.clone()),
                    typedef_name: None,
                    is_union,
                    fields: None,
                    scope: self.func_id(),
                    def: None,
                    tag_at: None,
                    tag_span: None,
                    packed: false,
                    reversed: false,
                    like: None,
                });
                if let Some((name, _)) = &tag {
                    self.scope().tags.insert(name.clone(), TagName::Record(id));
                }
                id
            }
        };
        if let (Some((_, span)), Some(_)) = (&tag, self.unit.records[id.index()].scope) {
            self.unit.type_refs.push(TypeRef {
                span: span.clone(),
                to: TypeRefTo::Record(id),
            });
        }
        let Some(declarations) = &n.node.declarations else {
            return id;
        };
        let again = self.unit.records[id.index()].fields.is_some();
        if again && !self.unit.target.standard.same_tags {
            self.error(
                Code::BadDeclaration,
                &span,
                "this struct or union is defined twice",
            );
        }
        let mut fields = Vec::new();
        for d in declarations {
            if let ast::StructDeclaration::Field(f) = &d.node {
                self.fields(f, &mut fields);
            }
            self.unseen_names(self.span(d.span).end);
        }
        let same = match again {
            true => Some(id),
            false => outer.filter(|o| self.same_fields(*o, id, &fields)),
        };
        if let (Some(same), Some((name, at))) = (same, &tag) {
            self.unit.repeated.push(at.end..span.end);
            self.stands_for(id, same, name);
            return same;
        }
        let open = self.opening_brace(&span, tag.as_ref().map(|(_, s)| s.end));
        let def = span.start..self.p.with_attributes(span.clone()).end;
        let close = span.end;
        let head = span.start..open;
        let own = [
            self.p.attributes_in(&head),
            self.p.attributes_in(&(close..def.end)),
        ];
        let packed = own.iter().any(|l| l.iter().any(|a| a.name == "packed"));
        let reversed = self.is_reversed(&own.concat(), span.start);
        let like = tag.as_ref().and_then(|_| self.unseen_like(id, &fields));
        let r = &mut self.unit.records[id.index()];
        r.like = like;
        r.fields = Some(fields);
        r.def = Some(def);
        r.tag_at = Some(open);
        r.tag_span = tag.map(|(_, s)| s);
        r.packed |= packed;
        r.reversed = reversed;
        id
    }

    /// Are scalars stored in the other order of bytes: by an attribute, a pragma before it, or an option?
    fn is_reversed(&self, attributes: &[Attribute], at: u32) -> bool {
        let target = &self.unit.target;
        let other = |order: &str| order.contains("big") != target.big_endian;
        let named = attributes
            .iter()
            .rfind(|a| a.name == "scalar_storage_order");
        if !target.storage_order {
            return false;
        }
        if let Some(a) = named {
            return other(self.text(&a.args));
        }
        let before = self.p.tokens.directives.iter().rev();
        let mut before = before.filter(|d| d.start < at).filter_map(|d| {
            let words = self
                .text(&(d.start..d.end))
                .trim_start_matches('#')
                .trim_start();
            words
                .strip_prefix("pragma")?
                .trim()
                .strip_prefix("scalar_storage_order")
        });
        match before.next() {
            Some(order) if !order.contains("default") => other(order),
            _ => target.reversed,
        }
    }

    /// Offset of the `{` of a struct, union or enum.
    fn opening_brace(&self, span: &Span, tag_end: Option<u32>) -> u32 {
        let mut i = self.p.tokens.at_or_after(tag_end.unwrap_or(span.start));
        while i < self.p.tokens.list.len() {
            if !self.p.marks.soft[i] && self.p.token_text(i) == "{" {
                return self.p.tokens.list[i].start;
            }
            i += 1;
        }
        span.end
    }

    fn fields(&mut self, f: &Node<ast::StructField>, out: &mut Vec<Field>) {
        let span = self.span(f.span);
        let specs = self.specifiers(f.node.specifiers.iter().map(of_qualifiers), false, &span);
        if f.node.declarators.is_empty() {
            // `struct tag { ... };` declares a type and no member.
            let unnamed = |s: &Node<ast::SpecifierQualifier>| {
                let ast::SpecifierQualifier::TypeSpecifier(t) = &s.node else {
                    return false;
                };
                matches!(&t.node, ast::TypeSpecifier::Struct(s) if s.node.identifier.is_none())
            };
            let is_member =
                self.unit.target.tagged_members || f.node.specifiers.iter().any(unnamed);
            if is_member && matches!(self.types.get(specs.base.ty), Type::Record(_)) {
                out.push(Field {
                    name: None,
                    ty: specs.base,
                    bit_width: None,
                    width: None,
                    span,
                    named: None,
                });
            }
            return;
        }
        let first = f
            .node
            .declarators
            .first()
            .map_or(span.end, |d| self.raw(d.span).start);
        let start = self.p.with_attributes(span.clone()).start;
        let base = self.type_attributes(specs.base, &(start..first), specs.defines_type);
        for d in &f.node.declarators {
            let span = self.span(d.span);
            let behind = span.end..self.p.with_attributes(span.clone()).end;
            let base = self.type_attributes(base, &behind, false);
            let (name, ty) = match &d.node.declarator {
                Some(x) => {
                    let declared = self.declarator(x, base, false);
                    (declared.name.map(|n| n.0), declared.ty)
                }
                None => (None, base),
            };
            let width = d.node.bit_width.as_ref().map(|e| self.expr(e));
            out.push(Field {
                name,
                ty,
                bit_width: width.map(|e| self.unit.expr(e).span.clone()),
                width: width
                    .and_then(|e| self.view().eval(e))
                    .and_then(|w| u32::try_from(w).ok()),
                span,
                named: specs.named,
            });
        }
    }

    pub fn enumeration(&mut self, n: &Node<ast::EnumType>) -> EnumId {
        let span = self.span(n.span);
        let tag = n.node.identifier.as_ref().map(|i| self.identifier(i));
        let has_body = !n.node.enumerators.is_empty();
        let found = tag.as_ref().and_then(|(name, _)| {
            if has_body {
                self.scope().tags.get(name).copied()
            } else {
                self.lookup_tag(name)
            }
        });
        let outer = match tag.as_ref().and_then(|(name, _)| self.lookup_tag(name)) {
            Some(TagName::Enum(e)) if has_body && self.unit.target.standard.same_tags => Some(e),
            _ => None,
        };
        let id = match found {
            Some(TagName::Enum(e)) => e,
            Some(TagName::Record(_)) | None => {
                let id = EnumId(self.unit.enums.len() as u32);
                self.unit.enums.push(EnumDef {
                    tag: tag.as_ref().map(|(n, _)| n.clone()),
                    typedef_name: None,
                    scope: self.func_id(),
                    def: None,
                    tag_at: None,
                    tag_span: None,
                    constants: Vec::new(),
                    underlying: IntKind::UInt,
                    fixed: false,
                });
                if let Some((name, _)) = &tag {
                    self.scope().tags.insert(name.clone(), TagName::Enum(id));
                }
                id
            }
        };
        if let (Some((_, span)), Some(_)) = (&tag, self.unit.enums[id.index()].scope) {
            self.unit.type_refs.push(TypeRef {
                span: span.clone(),
                to: TypeRefTo::Enum(id),
            });
        }
        if let Some(words) = self.p.marks.enum_types.get(&span.start).cloned() {
            match self
                .type_in_words(&words)
                .and_then(|t| self.view().int_kind(t.ty))
            {
                Some(kind) => {
                    let e = &mut self.unit.enums[id.index()];
                    (e.underlying, e.fixed) = (kind, true);
                }
                None => self.error(
                    Code::BadDeclaration,
                    &words,
                    "the type of this enumeration is not known to pc3cc",
                ),
            }
        }
        let again = self.unit.enums[id.index()].def.is_some();
        match tag {
            Some((_, at)) if has_body && again && self.unit.target.standard.same_tags => {
                self.repeated_enum(id, at.end, &span);
            }
            tag if has_body => {
                self.enumerators(n, id, &span, tag.as_ref().map(|(_, s)| s.clone()));
                let same = outer.filter(|o| self.same_enumerators(*o, id));
                if let (Some(same), Some((name, at))) = (same, tag) {
                    self.repeated_enum(same, at.end, &span);
                    self.enum_stands_for(id, same, &name);
                    return same;
                }
            }
            _ => {}
        }
        id
    }

    /// Its members go; its type stays where this is a declaration by itself, which has to have it.
    fn repeated_enum(&mut self, id: EnumId, tag_end: u32, span: &Span) {
        let first = self.p.tokens.at_or_after(span.start);
        let behind = self.p.tokens.at_or_after(span.end);
        let ends = |i: usize| matches!(self.p.token_text(i), ";" | "}");
        let alone = (first == 0 || ends(first - 1))
            && (behind >= self.p.tokens.list.len() || self.p.token_text(behind) == ";");
        let from = match alone && self.unit.enums[id.index()].fixed {
            true => self.opening_brace(span, Some(tag_end)),
            false => tag_end,
        };
        self.unit.repeated.push(from..span.end);
    }

    /// A type that is named by words alone.
    pub(crate) fn type_in_words(&mut self, span: &Span) -> Option<QualType> {
        let text = self.text(span).to_string();
        let mut text = text.as_str();
        while let Some(inner) = ["typeof_unqual", "__typeof__", "typeof"]
            .iter()
            .find_map(|w| text.strip_prefix(w)?.trim().strip_prefix('('))
        {
            text = inner.trim().strip_suffix(')')?;
        }
        let words = text.split_whitespace();
        let words: Vec<&str> = words
            .filter(|w| !matches!(*w, "const" | "volatile"))
            .collect();
        if words == ["_Bool"] {
            return Some(self.types.plain(Type::Bool));
        }
        if let Some(kind) = crate::types::int_kind_of_words(&words.join(" ")) {
            return Some(self.types.int(kind));
        }
        let [name] = words[..] else { return None };
        let s = self.lookup(name)?;
        let s = self.unit.sym(s);
        (s.kind == SymKind::Typedef).then_some(s.ty)
    }

    fn enumerators(
        &mut self,
        n: &Node<ast::EnumType>,
        id: EnumId,
        span: &Span,
        tag_span: Option<Span>,
    ) {
        let mut next = Some(0i128);
        let mut all = Vec::new();
        let mut constants = Vec::new();
        let mut before = None;
        for e in &n.node.enumerators {
            if let Some(x) = &e.node.expression {
                let x = self.expr(x);
                next = self.view().eval(x);
            }
            let (name, at) = self.identifier(&e.node.identifier);
            let target = &self.unit.target;
            let kinds = [
                IntKind::Int,
                IntKind::UInt,
                IntKind::Long,
                IntKind::ULong,
                IntKind::LongLong,
                IntKind::ULongLong,
            ];
            // Until the end of the definition one more than an unsigned number is one.
            let counted =
                before.filter(|_| target.standard.wide_enumerators && e.node.expression.is_none());
            let like = |k: &IntKind| {
                *k == IntKind::Int || counted.is_none_or(|b| target.signed(b) == target.signed(*k))
            };
            let kind = next
                .and_then(|v| (kinds.into_iter().filter(like)).find(|&k| target.fits(k, v)))
                .unwrap_or(IntKind::Int);
            before = Some(kind);
            let fixed = self.unit.enums[id.index()].fixed;
            let ty = match fixed {
                true => self.types.plain(Type::Enum(id)),
                false => self.types.int(kind),
            };
            let sym = self.declare(NewSymbol {
                name,
                span: Some(at),
                kind: SymKind::EnumConst,
                ty,
                storage: None,
                thread_local: false,
                initialised: true,
                attributes: Vec::new(),
            });
            self.unit.symbols[sym.index()].value = next;
            all.extend(next);
            constants.push(sym);
            next = next.map(|v| v + 1);
        }
        let open = self.opening_brace(span, tag_span.as_ref().map(|s| s.end));
        let def = span.start..self.p.with_attributes(span.clone()).end;
        let packed = self
            .p
            .attributes_in(&(span.start..open))
            .iter()
            .chain(self.p.attributes_in(&(span.end..def.end)))
            .any(|a| a.name == "packed");
        let target = &self.unit.target;
        use IntKind::*;
        let (min, max) = (
            all.iter().copied().min().unwrap_or(0),
            all.iter().copied().max().unwrap_or(0),
        );
        let wide: &[IntKind] = &[UInt, Int, ULong, Long, ULongLong, LongLong];
        let small: &[IntKind] = &[
            UChar, SChar, UShort, Short, UInt, Int, ULong, Long, ULongLong, LongLong,
        ];
        let kinds = if packed { small } else { wide };
        let underlying = kinds
            .iter()
            .copied()
            .find(|&k| target.fits(k, min) && target.fits(k, max))
            .unwrap_or(LongLong);
        let wide =
            target.standard.wide_enumerators && !(target.fits(Int, min) && target.fits(Int, max));
        if wide {
            let ty = self.types.plain(Type::Enum(id));
            for c in &constants {
                self.unit.symbols[c.index()].ty = ty;
            }
        }
        let e = &mut self.unit.enums[id.index()];
        e.def = Some(def);
        e.tag_at = Some(open);
        e.tag_span = tag_span;
        e.constants = constants;
        if !e.fixed {
            e.underlying = underlying;
        }
    }

    /// A member by name, also through anonymous structs and unions.
    pub(crate) fn find_field(&self, r: RecordId, name: &str) -> Option<(QualType, Option<u32>)> {
        let fields = self.unit.records[r.index()].fields.as_ref()?;
        fields.iter().find_map(|f| match &f.name {
            Some(n) if n == name => Some((f.ty, f.width.filter(|_| f.bit_width.is_some()))),
            Some(_) => None,
            None => match self.types.get(f.ty.ty) {
                Type::Record(inner) => self
                    .find_field(*inner, name)
                    .map(|(t, w)| (t.with(QualType { ty: t.ty, ..f.ty }), w)),
                _ => None,
            },
        })
    }
}

//! Expressions without operands: names, numbers, strings.

use crate::consteval::{character, literal, number, Number};
use crate::diag::Code;
use crate::lower::Lower;
use crate::prefilter::Mark;
use crate::tree::*;
use lang_c::ast;
use lang_c::span::Node;

impl Lower {
    pub fn name(&mut self, n: &Node<ast::Identifier>) -> ExprId {
        let (name, span) = self.identifier(n);
        let sym = match self.lookup(&name) {
            Some(s) => s,
            None if matches!(
                name.as_str(),
                "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__"
            ) =>
            {
                let elem = self.types.int(IntKind::Char);
                let elem = QualType {
                    is_const: true,
                    ..elem
                };
                let len = self
                    .func
                    .as_ref()
                    .map(|f| f.id)
                    .and_then(|f| self.unit.functions.get(f.index()));
                let len = len.map_or(1, |f| self.unit.sym(f.sym).name.len() as u64 + 1);
                let ty = self.types.plain(Type::Array {
                    elem,
                    len: ArrayLen::Const(len),
                });
                return self.add(ExprKind::Builtin, ty, span);
            }
            None if name.starts_with("__builtin_") => self.declare_implicit(&name, &span),
            None => {
                self.error(
                    Code::Undeclared,
                    &span,
                    format!("`{name}` is not declared here"),
                );
                let ty = self.unsupported(span.clone());
                return self.add(ExprKind::Builtin, ty, span);
            }
        };
        let s = self.unit.sym(sym);
        let ty = s.ty;
        if s.kind == SymKind::Typedef {
            self.error(
                Code::Misparse,
                &span,
                format!("the type name `{name}` is read as a value here"),
            );
        }
        self.add(ExprKind::Ident(sym), ty, span)
    }

    pub fn constant(&mut self, n: &Node<ast::Constant>) -> ExprId {
        let mut span = self.span(n.span);
        match self.mark_at(n.span) {
            Some(Mark::TypeBuiltin(end)) => {
                span.end = end;
                self.unseen_names(end);
                let ty = self.type_builtin(&span);
                return self.add(ExprKind::Builtin, ty, span);
            }
            Some(Mark::OmittedThen) => {
                let ty = self.types.int(IntKind::Int);
                return self.add(ExprKind::Int(0), ty, span);
            }
            _ => {}
        }
        let text = self.text(&span).to_string();
        if text == "nullptr" || text == "__nullptr" {
            return self.null(span);
        }
        if text == "true" || text == "false" {
            let ty = self.types.plain(Type::Bool);
            return self.add(ExprKind::Int((text == "true") as i128), ty, span);
        }
        if text.ends_with('\'') {
            let (value, kind) = character(&text, &self.unit.target);
            let ty = self.types.int(kind);
            return self.add(ExprKind::Int(value), ty, span);
        }
        let (kind, ty) = match number(&text, &self.unit.target) {
            Some(Number::Int {
                value,
                kind,
                imaginary: false,
            }) => (ExprKind::Int(value), self.types.int(kind)),
            Some(Number::Float {
                kind,
                imaginary: false,
            }) => (ExprKind::Float, self.types.plain(Type::Float(kind))),
            Some(Number::Float {
                kind,
                imaginary: true,
            }) => (ExprKind::Float, self.types.plain(Type::Complex(kind))),
            Some(Number::Int {
                kind,
                imaginary: true,
                ..
            }) => (ExprKind::Builtin, self.types.plain(Type::ComplexInt(kind))),
            _ => (ExprKind::Builtin, self.unsupported(span.clone())),
        };
        self.add(kind, ty, span)
    }

    /// The type of a builtin that takes types.
    fn type_builtin(&mut self, span: &Span) -> QualType {
        let Some(text) = self.text(span).strip_prefix("__builtin_bit_cast") else {
            return self.types.int(IntKind::Int);
        };
        let inside = text.find('(').zip(text.find(','));
        let base = span.end - text.len() as u32;
        let words = inside.map(|(open, comma)| base + open as u32 + 1..base + comma as u32);
        let ty = words.and_then(|w| self.type_in_words(&w));
        ty.unwrap_or_else(|| self.unsupported(span.clone()))
    }

    /// `nullptr`: as `(void *)0`, but for its type.
    fn null(&mut self, span: Span) -> ExprId {
        let int = self.types.int(IntKind::Int);
        let arg = self.add(ExprKind::Int(0), int, span.clone());
        let to = self.null_type();
        self.add(ExprKind::Cast { to, arg }, to, span)
    }

    /// `nullptr_t` is `void *` of a kind that nothing else is: what it points to is `restrict`.
    fn null_type(&mut self) -> QualType {
        let void = self.types.void();
        self.types.pointer(QualType {
            is_restrict: true,
            ..void
        })
    }

    pub fn string(&mut self, n: &Node<ast::StringLiteral>) -> ExprId {
        let span = self.span(n.span);
        let first = self.p.tokens.at_or_after(span.start);
        let mut wide = String::new();
        let mut pieces = Vec::new();
        let mut i = first;
        while i < self.p.tokens.list.len() && self.p.tokens.list[i].start < span.end {
            let (prefix, units) = literal(self.p.token_text(i));
            if !prefix.is_empty() {
                wide = prefix.to_string();
            }
            pieces.push((prefix.is_empty(), units));
            i += 1;
        }
        let is_wide = !matches!(wide.as_str(), "" | "u8");
        let target = &self.unit.target;
        let kind = match wide.as_str() {
            "L" => target.wchar,
            "u" => IntKind::UShort,
            "U" => IntKind::UInt,
            "u8" if target.standard.utf8_unsigned => IntKind::UChar,
            _ => IntKind::Char,
        };
        let two_byte = target.bits(kind) == 16;
        let mut count = 1u64;
        let mut bytes = Vec::new();
        for (plain, units) in pieces {
            if is_wide && plain {
                // A plain piece of a wide literal counts characters, not bytes.
                let text: Vec<u8> = units.iter().map(|&u| u as u8).collect();
                count += String::from_utf8_lossy(&text)
                    .chars()
                    .map(|c| if two_byte { c.len_utf16() as u64 } else { 1 })
                    .sum::<u64>();
            } else {
                count += units
                    .iter()
                    .map(|&u| 1 + (is_wide && two_byte && u > 0xffff) as u64)
                    .sum::<u64>();
            }
            bytes.extend(units.iter().map(|&u| u as u8));
        }
        let elem = self.types.int(kind);
        let ty = self.types.plain(Type::Array {
            elem,
            len: ArrayLen::Const(count),
        });
        self.add(
            ExprKind::Str {
                bytes,
                wide: is_wide,
            },
            ty,
            span,
        )
    }
}

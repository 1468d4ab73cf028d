//! Attributes that change a type.

use crate::lower::declarators::Declared;
use crate::lower::specifiers::Specifiers;
use crate::lower::Lower;
use crate::tree::*;
use crate::types::Target;
use lang_c::ast;
use lang_c::span::Node;

impl Lower {
    /// A declarator with what is in front of it and behind it, which says more of a typedef's type.
    pub(super) fn declared(
        &mut self,
        d: &Node<ast::Declarator>,
        base: QualType,
        specs: &Specifiers,
        [before, behind]: [&Span; 2],
    ) -> Declared {
        let mut declared = self.declarator(d, base, false);
        if specs.is_typedef {
            declared.ty = self.accessed(declared.ty, behind);
            if !specs.defines_type {
                declared.ty = self.accessed(declared.ty, before);
            }
        }
        declared
    }

    /// What typedefs say of how their type is accessed: `may_alias`, and an alignment that may be less than the type's. Any is less
    /// than any type's that matters if it is not more than 8.
    fn accessed(&self, mut base: QualType, span: &Span) -> QualType {
        for a in self.p.attributes_in(span) {
            let of = self.text(&a.args);
            let number = of.trim_matches(|c: char| matches!(c, '(' | ')') || c.is_whitespace());
            base.may_alias |= a.name == "may_alias";
            base.unaligned |= a.name == "aligned" && number.parse().is_ok_and(|n: u64| n <= 8);
        }
        base
    }

    /// `mode` and `vector_size` among the attributes in `span` change a type; clang's vectors are not known.
    pub(crate) fn type_attributes(
        &mut self,
        base: QualType,
        span: &Span,
        defines_type: bool,
    ) -> QualType {
        if defines_type {
            return base;
        }
        let found: Vec<_> = self
            .p
            .attributes_in(span)
            .iter()
            .filter(|a| matches!(a.name.as_str(), "mode" | "vector_size" | "ext_vector_type"))
            .cloned()
            .collect();
        found.into_iter().fold(base, |qt, a| {
            let arg = self
                .text(&a.args)
                .trim_start_matches('(')
                .trim()
                .to_string();
            let ty = match a.name.as_str() {
                "mode" => self.mode(qt, &arg),
                "vector_size" => vector(qt, &arg, &self.unit.target),
                _ => None,
            };
            let ty = ty.unwrap_or(Type::Unsupported(Unknown::Written(a.span)));
            QualType {
                ty: self.types.intern(ty),
                ..qt
            }
        })
    }

    /// `_Alignas` and `aligned` in the specifiers or behind a declarator, and the typedef that is named there. Those of members
    /// and operands do not count.
    pub fn alignments(&self, span: &Span) -> (Vec<Span>, Option<SymId>) {
        let (mut found, mut typedef) = (Vec::new(), None);
        let list = &self.p.tokens.list;
        let end = self.p.tokens.at_or_after(span.end);
        let mut i = self.p.tokens.at_or_after(span.start);
        while i < end {
            let start = list[i].start;
            let close = |open| crate::prefilter::closing(&self.p.text, &self.p.tokens, open);
            match self.p.token_text(i) {
                "_Alignas" => {
                    i = close(i + 1);
                    found.extend(list.get(i).map(|t| start..t.end));
                }
                "__attribute__" | "__attribute" => {
                    i = close(i + 1);
                    let inside = start..list.get(i).map_or(start, |t| t.end);
                    let all = self.p.attributes_in(&inside).iter();
                    let aligned = all.filter(|a| a.name == "aligned");
                    found.extend(aligned.map(|a| a.span.clone()));
                }
                "[" if self.p.token_text((i + 1).min(list.len() - 1)) == "[" => {
                    i = close(i);
                    let inside = start..list.get(i).map_or(start, |t| t.end);
                    let all = self.p.attributes_in(&inside).iter();
                    let aligned = all.filter(|a| a.name == "aligned");
                    found.extend(aligned.map(|a| a.span.clone()));
                }
                "{" | "(" => i = close(i),
                name => {
                    let is_type = |s: &SymId| self.unit.sym(*s).kind == SymKind::Typedef;
                    typedef = typedef.or(self.lookup(name).filter(is_type));
                }
            }
            i += 1;
        }
        (found, typedef)
    }

    /// Is `q` the type, or an array of it?
    pub(crate) fn is_or_holds(&self, q: QualType, of: QualType) -> bool {
        match self.types.get(q.ty) {
            _ if q.ty == of.ty => true,
            Type::Array { elem, .. } => self.is_or_holds(*elem, of),
            _ => false,
        }
    }

    fn mode(&self, qt: QualType, mode: &str) -> Option<Type> {
        use IntKind::*;
        let mode = mode.trim_matches('_');
        let float = match mode {
            "SF" => Some(Type::Float(FloatKind::Float)),
            "DF" => Some(Type::Float(FloatKind::Double)),
            "XF" => Some(Type::Float(FloatKind::LongDouble)),
            "TF" => Some(Type::Float(FloatKind::Float128)),
            "SC" => Some(Type::Complex(FloatKind::Float)),
            "DC" => Some(Type::Complex(FloatKind::Double)),
            "XC" => Some(Type::Complex(FloatKind::LongDouble)),
            "TC" => Some(Type::Complex(FloatKind::Float128)),
            "HF" => Some(Type::Float(FloatKind::Float16)),
            _ => None,
        };
        if float.is_some() {
            return float;
        }
        let t = &self.unit.target;
        let signed = match self.types.get(qt.ty) {
            Type::Int(k) => t.signed(*k),
            _ => return None,
        };
        let bits = match mode {
            "QI" | "byte" => 8,
            "HI" => 16,
            "SI" => 32,
            "DI" => 64,
            "TI" => 128,
            "word" | "pointer" | "unwind_word" => t.pointer_bits,
            _ => return None,
        };
        let kinds = if signed {
            [SChar, Short, Int, Long, LongLong, Int128]
        } else {
            [UChar, UShort, UInt, ULong, ULongLong, UInt128]
        };
        kinds
            .into_iter()
            .find(|&k| t.bits(k) == bits)
            .map(Type::Int)
    }
}

fn vector(qt: QualType, arg: &str, target: &Target) -> Option<Type> {
    let mut bytes = 1;
    for factor in arg.split('*') {
        bytes *= factor_bytes(factor.trim(), target)?;
    }
    Some(Type::Vector {
        elem: qt.unqualified(),
        bytes,
    })
}

/// A number or `sizeof (T)` of an arithmetic type.
fn factor_bytes(text: &str, target: &Target) -> Option<u64> {
    let bare = |t: &str| {
        t.trim()
            .trim_start_matches('(')
            .trim_end_matches(')')
            .trim()
            .to_string()
    };
    let Some(name) = text.trim_start_matches('(').trim().strip_prefix("sizeof") else {
        return bare(text).parse().ok();
    };
    let name = bare(name);
    let mut long = 0;
    let mut bits = target.int_bits;
    for word in name.split_whitespace() {
        match word {
            "long" => {
                long += 1;
                bits = if long == 1 {
                    target.bits(IntKind::Long)
                } else {
                    64
                };
            }
            "short" => bits = 16,
            "char" => bits = 8,
            "float" => bits = 32,
            "double" if long == 0 => bits = 64,
            "int" | "signed" | "unsigned" => {}
            _ => return None,
        }
    }
    Some(u64::from(bits) / 8)
}

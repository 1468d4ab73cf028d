//! Attributes that change a type.

use super::Lower;
use crate::tree::*;

impl Lower {
    /// `mode` and `vector_size` among the attributes in `span` change a type.
    pub fn type_attributes(&mut self, base: QualType, span: &Span, defines_type: bool) -> QualType {
        if defines_type {
            return base;
        }
        let found: Vec<_> = self
            .p
            .attributes_in(span)
            .iter()
            .filter(|a| matches!(a.name.as_str(), "mode" | "vector_size"))
            .cloned()
            .collect();
        found.into_iter().fold(base, |qt, a| {
            let arg = self
                .text(&a.args)
                .trim_start_matches('(')
                .trim()
                .to_string();
            let ty = if a.name == "mode" {
                self.mode(qt, &arg)
            } else {
                vector(qt, &arg)
            };
            let ty = ty.unwrap_or(Type::Unsupported(a.span));
            QualType {
                ty: self.types.intern(ty),
                ..qt
            }
        })
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

fn vector(qt: QualType, arg: &str) -> Option<Type> {
    Some(Type::Vector {
        elem: qt.unqualified(),
        bytes: arg.parse().ok()?,
    })
}

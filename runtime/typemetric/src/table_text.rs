//! A type table as text: one line per type.
//!
//! ```text
//! 3 struct "struct node" 16/8 { value 1 @0, flag 1 @4 bits 32+3, next 4 @8 }
//! 4 pointer 8/8 to 3
//! 5 array 40/4 of 10 x 1
//! ```
//! The number is the `TypeId`, `16/8` size and alignment, `@` a byte offset, `bits` a bit-field's
//! position and width in memory order.

use crate::types::{Kind, TypeTable, LONG_DOUBLE, NUMBER, ONE, ROW, SIGNED, UNKNOWN};
use std::fmt;

impl fmt::Display for TypeTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.abi())?;
        for (id, t) in self.iter().skip(1) {
            write!(f, "{} {}", id.0, t.kind.name())?;
            if !t.name.is_empty() {
                write!(f, " {:?}", t.name)?;
            }
            write!(f, " {}/{}", t.size, t.align)?;
            for (flag, word) in [
                (LONG_DOUBLE, "long-double"),
                (if t.is_number() { NUMBER } else { 0 }, "number"),
                (if t.is_number() { 0 } else { SIGNED }, "signed"),
                (UNKNOWN, "unknown"),
                (ROW, "row"),
                (ONE, "one"),
            ] {
                if t.flags & flag != 0 {
                    write!(f, " {word}")?;
                }
            }
            match t.kind {
                Kind::Pointer => write!(f, " to {}", t.elem.0)?,
                Kind::Array => write!(f, " of {} x {}", t.count, t.elem.0)?,
                Kind::Struct | Kind::Union => {
                    for (i, m) in t.members.iter().enumerate() {
                        let lead = if i == 0 { " { " } else { ", " };
                        let name = if m.name.is_empty() { "-" } else { &m.name };
                        write!(f, "{lead}{name} {} @{}", m.ty.0, m.offset)?;
                        if let Some(bits) = m.bits {
                            write!(f, " bits {}+{}", bits.offset, bits.width)?;
                        }
                    }
                    f.write_str(if t.members.is_empty() { " { }" } else { " }" })?;
                }
                _ => {}
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

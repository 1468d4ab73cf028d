//! The values of random types: as initialisers, and as statements that show them.

use std::fmt::Write;

use fastrand::Rng;

use super::generate::{Member, Record, What};
use super::kinds::{Flavour, Scalar, Shape, Value};

/// Elements of flexible arrays.
pub const MORE: u32 = 3;

pub struct Values<'a> {
    pub types: &'a [Record],
    pub flavour: Flavour,
    pub rng: Rng,
}

impl Values<'_> {
    /// What stands between the braces of an initialiser.
    pub fn initial(&mut self, r: &Record) -> String {
        let mut out = String::new();
        // Of a union of several types: the first member that is in use, by number.
        for m in used(r) {
            let tagged = r.tags.iter().any(|(tag, _)| Some(tag) == m.name.as_ref());
            let Some(name) = &m.name else {
                if let What::Record(inner) = &m.what {
                    out += &self.initial(inner);
                }
                continue;
            };
            if m.open || m.dimensions.contains(&0) {
                continue;
            }
            let value = match tagged {
                // The first.
                true => "0".into(),
                false => self.member(m, &m.dimensions),
            };
            let _ = write!(out, ".{name} = {value}, ");
        }
        out
    }

    fn member(&mut self, m: &Member, dimensions: &[u32]) -> String {
        if let Some((n, rest)) = dimensions.split_first() {
            let all: Vec<String> = (0..*n).map(|_| self.member(m, rest)).collect();
            return format!("{{ {} }}", all.join(", "));
        }
        match &m.what {
            What::Scalar(s) => self.scalar(s, m.width),
            What::Record(r) => format!("{{ {} }}", self.initial(r)),
            What::Known(k, _) => {
                let types = self.types;
                format!("{{ {} }}", self.initial(&types[*k]))
            }
        }
    }

    pub fn scalar(&mut self, s: &Scalar, width: Option<u32>) -> String {
        match s.shape {
            Shape::One => self.one(s.value, width),
            Shape::Complex => {
                let (re, im) = (self.one(s.value, None), self.one(s.value, None));
                format!("{re} + {}i", im.trim_start_matches('-'))
            }
            Shape::Vector(n) => {
                let all: Vec<String> = (0..n).map(|_| self.one(s.value, None)).collect();
                format!("{{ {} }}", all.join(", "))
            }
        }
    }

    fn one(&mut self, v: Value, width: Option<u32>) -> String {
        match v {
            Value::Bool => self.rng.u32(0..2).to_string(),
            // As numbers of other signs too.
            Value::Char => self.rng.u32(0..1 << (width.unwrap_or(8) - 1)).to_string(),
            Value::Signed(n) => {
                let n = width.unwrap_or(n);
                let v = self.rng.i128(..) >> (128 - n);
                match i64::try_from(v) {
                    Ok(i64::MIN) => "-9223372036854775807ll - 1".into(),
                    Ok(v) => format!("{v}ll"),
                    Err(_) => self.wide(v as u128),
                }
            }
            Value::Unsigned(n) => {
                let v = self.rng.u128(..) >> (128 - width.unwrap_or(n));
                u64::try_from(v).map_or_else(|_| self.wide(v), |v| format!("{v}ull"))
            }
            Value::Range(from, to) => self.rng.i32(from..=to).to_string(),
            Value::Float => format!("{:?}", f64::from(self.rng.i32(-400..=400)) / 4.0),
            Value::Pointer => format!("&pool[{}]", self.rng.u32(0..64)),
        }
    }

    fn wide(&self, v: u128) -> String {
        let t = self.flavour.wide();
        format!("({t}){}ull << 64 | {}ull", (v >> 64) as u64, v as u64)
    }

    /// Statements that show every value in a record.
    pub fn show(&self, r: &Record, at: &str, depth: usize, out: &mut String) {
        for m in used(r) {
            let place = match &m.name {
                Some(n) => format!("{at}.{n}"),
                None if m.width.is_some() => continue,
                None => at.to_owned(),
            };
            let (mut place, mut depth) = (place, depth);
            let open = m.open.then_some(&MORE);
            for n in m.dimensions.iter().chain(open) {
                let _ = write!(out, "for (int i{depth} = 0; i{depth} < {n}; i{depth}++) ");
                place += &format!("[i{depth}]");
                depth += 1;
            }
            let inner = match &m.what {
                What::Record(inner) => inner,
                What::Known(k, _) => &self.types[*k],
                What::Scalar(s) => {
                    let _ = writeln!(out, "{}", shown(s, &place));
                    continue;
                }
            };
            out.push_str("{ ");
            self.show(inner, &place, depth, out);
            out.push_str("}\n");
        }
    }

    /// Some member with an address, by the way to it.
    pub fn place(&mut self, r: &Record) -> Option<String> {
        let mut all = Vec::new();
        for m in used(r).iter().filter(|m| m.width.is_none() && !m.open) {
            let mut step = m.name.as_ref().map_or(String::new(), |n| format!(".{n}"));
            if m.dimensions.contains(&0) {
                continue;
            }
            for n in &m.dimensions {
                step += &format!("[{}]", self.rng.u32(0..*n));
            }
            let types = self.types;
            let inner = match &m.what {
                What::Scalar(_) => Some(String::new()),
                What::Record(r) => self.place(r),
                What::Known(k, _) => self.place(&types[*k]),
            };
            all.extend(inner.map(|rest| step + &rest));
        }
        let n = all.len();
        (n > 0).then(|| all.swap_remove(self.rng.usize(0..n)))
    }
}

fn used(r: &Record) -> &[Member] {
    let n = if r.is_union { 1 } else { r.members.len() };
    &r.members[..n.min(r.members.len())]
}

fn shown(s: &Scalar, place: &str) -> String {
    let by = match s.value {
        Value::Float => "F",
        Value::Pointer => "P",
        Value::Unsigned(65..) | Value::Signed(65..) => "W",
        _ => "I",
    };
    match s.shape {
        Shape::One => format!("{by}({place});"),
        // As a whole: gcc 12 takes its parts to be aligned also where a struct is packed.
        Shape::Complex => format!(
            "{{ {} z = {place}; {by}(__real__ z); {by}(__imag__ z); }}",
            s.c
        ),
        Shape::Vector(n) => format!("for (int v = 0; v < {n}; v++) {by}({place}[v]);"),
    }
}

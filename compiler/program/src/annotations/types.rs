//! Types as annotations write them: `struct node`, `unsigned char`, `table *[4]`, `struct name + ...`.

use super::{all, wrong, Annotation, Problem};
use pc3_syntax::tree::*;

/// A type's text, taken apart.
pub(super) struct Written {
    base: Vec<String>,
    /// From the inside out.
    derived: Vec<Derived>,
    /// One of it, with a longer array at its end.
    pub longer: bool,
}

enum Derived {
    Pointer,
    Array(u64),
}

pub(super) fn parse(text: &str) -> Result<Written, Problem> {
    let (text, longer) = match text.split_once('+') {
        Some((t, rest)) if rest.trim() == "..." => (t, true),
        Some(_) => {
            return wrong("behind `+` stands `...`: one struct with a longer array at its end")
        }
        None => (text, false),
    };
    let end = text.find(['*', '[']).unwrap_or(text.len());
    let (words, mut rest) = text.split_at(end);
    let base: Vec<String> = words.split_whitespace().map(str::to_string).collect();
    let base: Vec<String> = base.into_iter().filter(|w| w != "const").collect();
    if base.is_empty() {
        return wrong("the type is missing");
    }
    let mut derived = Vec::new();
    let mut lengths = Vec::new();
    loop {
        rest = rest.trim();
        if let Some(r) = rest.strip_prefix('*').filter(|_| lengths.is_empty()) {
            derived.push(Derived::Pointer);
            rest = r;
        } else if let Some((n, r)) = rest.strip_prefix('[').and_then(|r| r.split_once(']')) {
            match n.trim().parse() {
                Ok(n) if n > 0 => lengths.push(n),
                _ => return wrong(format!("`{n}` is no length")),
            }
            rest = r;
        } else if rest.is_empty() {
            break;
        } else {
            return wrong(format!("`{}` is no type", text.trim()));
        }
    }
    derived.extend(lengths.into_iter().rev().map(Derived::Array));
    Ok(Written {
        base,
        derived,
        longer,
    })
}

/// Under what name a unit knows the type before pointers and arrays; `Err`: one that may be made.
fn base(u: &Unit, words: &[String]) -> Option<Result<TypeId, Type>> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let known = |wanted: &dyn Fn(&Type) -> bool| {
        let at = u.types.iter().position(wanted)?;
        Some(Ok(TypeId(at as u32)))
    };
    match words.as_slice() {
        [key @ ("struct" | "union"), tag] => known(&|t| match t {
            Type::Record(r) => {
                let d = &u.records[r.index()];
                d.tag.as_deref() == Some(*tag)
                    && d.is_union == (*key == "union")
                    && d.fields.is_some()
            }
            _ => false,
        }),
        ["enum", tag] => known(&|t| match t {
            Type::Enum(e) => u.enums[e.index()].tag.as_deref() == Some(*tag),
            _ => false,
        }),
        _ => {
            if let [name] = words.as_slice() {
                let named =
                    |s: &&Symbol| s.kind == SymKind::Typedef && s.func.is_none() && s.name == *name;
                if let Some(s) = u.symbols.iter().find(named) {
                    return Some(Ok(s.ty.ty));
                }
            }
            builtin(&words).map(Err)
        }
    }
}

fn builtin(words: &[&str]) -> Option<Type> {
    let count = |w: &str| words.iter().filter(|x| **x == w).count();
    let known = [
        "void", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "_Bool",
    ];
    if !words.iter().all(|w| known.contains(w)) {
        return None;
    }
    let unsigned = count("unsigned") > 0;
    let pick = |s: IntKind, u: IntKind| Type::Int(if unsigned { u } else { s });
    Some(match (count("long"), words) {
        (_, ["void"]) => Type::Void,
        (_, ["_Bool"]) => Type::Bool,
        (_, ["float"]) => Type::Float(FloatKind::Float),
        (0, ["double"]) => Type::Float(FloatKind::Double),
        (1, _) if count("double") == 1 => Type::Float(FloatKind::LongDouble),
        _ if count("char") == 1 && count("signed") == 1 => Type::Int(IntKind::SChar),
        _ if count("char") == 1 => pick(IntKind::Char, IntKind::UChar),
        _ if count("short") == 1 => pick(IntKind::Short, IntKind::UShort),
        (0, _) => pick(IntKind::Int, IntKind::UInt),
        (1, _) => pick(IntKind::Long, IntKind::ULong),
        (2, _) => pick(IntKind::LongLong, IntKind::ULongLong),
        _ => return None,
    })
}

impl Written {
    /// The type, as far as the unit has it; `make` adds what it lacks.
    fn build(&self, u: &Unit, make: &mut dyn FnMut(Type) -> Option<TypeId>) -> Option<QualType> {
        let mut ty = match base(u, &self.base)? {
            Ok(ty) => ty,
            Err(t) => make(t)?,
        };
        for d in &self.derived {
            ty = make(match d {
                Derived::Pointer => Type::Pointer(QualType::plain(ty)),
                Derived::Array(n) => Type::Array {
                    elem: QualType::plain(ty),
                    len: ArrayLen::Const(*n),
                },
            })?;
        }
        Some(QualType::plain(ty))
    }

    pub fn find(&self, u: &Unit) -> Option<QualType> {
        self.build(u, &mut |t| {
            let at = u.types.iter().position(|x| *x == t)?;
            Some(TypeId(at as u32))
        })
    }
}

/// Gives every unit the types that annotations speak of, as far as their parts exist in it.
pub fn prepare(units: &mut [Unit], file: &[Annotation]) {
    let texts: Vec<String> = all(units, file)
        .into_iter()
        .filter_map(|a| {
            let of = match a.text.split_once(char::is_whitespace)? {
                ("type", rest) => rest.rsplit(':').next()?,
                ("bytes", rest) => rest.split_once(" of ")?.1,
                _ => return None,
            };
            Some(of.to_string())
        })
        .collect();
    for text in texts {
        let of = &text;
        let Ok(written) = parse(of) else { continue };
        for u in units.iter_mut() {
            let mut more: Vec<Type> = Vec::new();
            let first = u.types.len();
            written.build(u, &mut |t| {
                let at = u.types.iter().chain(&more).position(|x| *x == t);
                Some(TypeId(match at {
                    Some(at) => at,
                    None => {
                        more.push(t);
                        first + more.len() - 1
                    }
                } as u32))
            });
            u.types.append(&mut more);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pc3_syntax::types::Target;

    #[test]
    fn types_by_their_text() {
        let text = "# 1 \"t.c\"\nstruct node { struct node *next; }; typedef struct { int x; } point; union u { int i; }; enum e { A };\n";
        let (unit, _) = pc3_syntax::lower::build("t.c", text.into(), &Target::default());
        let mut units = [unit];
        let check = |units: &mut [Unit], text: &str, expected: &str| {
            let said = Annotation {
                text: format!("type f: {text}"),
                from: super::super::AnnotationSource::File("a:1".into()),
                strict: true,
            };
            prepare(units, &[said]);
            let found = parse(text).ok().and_then(|w| w.find(&units[0]));
            let name = found.map_or("?".into(), |q| units[0].type_name(q));
            assert_eq!(name, expected, "{text}");
        };
        check(&mut units, "struct node", "struct node");
        check(&mut units, "const struct node **[3]", "struct node **[3]");
        check(&mut units, "point [2][4]", "point [2][4]");
        check(&mut units, "unsigned long long", "unsigned long long");
        check(&mut units, "signed char", "signed char");
        check(&mut units, "long double", "long double");
        check(&mut units, "void *", "void *");
        check(&mut units, "enum e", "enum e");
        check(&mut units, "union u + ...", "union u");
        check(&mut units, "struct u", "?");
        check(&mut units, "node", "?");
        check(&mut units, "int [n]", "?");
        check(&mut units, "int + 4", "?");
        check(&mut units, "", "?");
    }
}

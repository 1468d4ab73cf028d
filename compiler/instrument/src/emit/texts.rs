//! What texts the program may store or compare: string literals and functions' names, each an object of its unit.

use super::types::TypeTable;
use crate::rewrite::text::quote;
use crate::rewrite::unit::UnitCx;
use pc3_syntax::tree::*;
use pc3_typemetric::descriptor::{PC3_GLOBAL_CONST, PC3_GLOBAL_INIT, PC3_GLOBAL_LITERAL};

/// A named string literal.
pub struct Literal {
    /// C text of the literal.
    pub text: String,
    pub wide: bool,
    pub elem: QualType,
}

/// Adds their declarations and rows.
pub fn rows(
    cx: &UnitCx,
    literals: &[Literal],
    types: &mut TypeTable,
    front: &mut String,
    globals: &mut Vec<String>,
) {
    let unit = &cx.u.name;
    let mut row = |home: String, object: &str, ty: String| {
        let flags = PC3_GLOBAL_CONST | PC3_GLOBAL_LITERAL | PC3_GLOBAL_INIT;
        globals.push(format!(
            "{{{}, (void *){object}, {ty}, sizeof({object}), {flags}, 0, 0}}",
            quote(&home)
        ));
    };
    for (i, l) in literals.iter().enumerate() {
        let object = format!("pc3_lit_{i}");
        let ty = if l.wide {
            *front += &format!("static const __typeof__({0}) {object} = {0}; ", l.text);
            types.literal(l.elem, &object)
        } else {
            *front += &format!("static const char {object}[] = {}; ", l.text);
            types.char_array(&object)
        };
        row(unit.clone() + prefix(l), &object, ty);
    }
    for (f, spelt) in cx.func_names.borrow().iter() {
        let n = cx.fname(*f);
        let object = format!("pc3_{spelt}_{n}");
        *front += &format!("static const char {object}[] = \"{n}\"; ");
        let ty = types.char_array(&object);
        row(format!("{unit}:{n}.__{spelt}__"), &object, ty);
    }
}

/// Texts of other characters are other texts, though their types may be the same.
fn prefix(l: &Literal) -> &'static str {
    let has = |p: &str| {
        let begins = format!("{p}\"");
        let mut pieces = l.text.match_indices(&begins);
        pieces.any(|(at, _)| at == 0 || l.text[..at].trim_end().ends_with('"'))
    };
    match () {
        () if !l.wide => "",
        () if has("u") => " u",
        () if has("U") => " U",
        () => " L",
    }
}

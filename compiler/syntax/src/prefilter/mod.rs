//! Prepares preprocessed text for the parser.
//!
//! Two steps.  `normalise` makes harmless edits in the text that everything after works on
//! (checkpoint pragmas become calls, a null statement before a `}` that follows a label).
//! `mask` then derives the parser's copy: the *same length*, with what the parser cannot read
//! blanked or replaced; what the replaced words meant is kept in [`Marks`] by offset.

pub mod comments;
mod mask;
mod mask_c23;
mod nested;
mod normalise;
mod standard;
pub(crate) use normalise::is_label;
pub use normalise::{insert, openmp_words};
pub mod tokens;

use crate::diag::Diagnostics;
use crate::preprocess::LineMap;
use crate::standard::Standard;
use crate::tree::Span;
use std::collections::HashMap;
use tokens::Tokens;

/// What a masked word stands for, by the offset at which its replacement starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mark {
    Real,
    Imag,
    /// `&&label`, masked as `& label`.
    LabelAddr,
    /// The invented middle operand of `a ?: b`.
    OmittedThen,
    /// The invented item of an empty compound literal.
    EmptyInit,
    /// Masked as `sizeof`.
    AlignOf,
    /// Masked as `int`.
    Int128,
    AutoType,
    /// `_BitInt(N)`, masked as `int`; ends at the given offset.
    BitInt(u32),
    /// `typeof_unqual`, masked as `typeof`.
    Unqualified,
    /// The `typeof` or `typeof_unqual` of a type that `_Generic` chooses by, masked as `sizeof`.
    ChoosingType {
        unqualified: bool,
    },
    /// The `...` of `f(...)`, masked as a parameter.
    OnlyVariable,
    /// The `;` behind a parameter that is declared in front of the list (GNU C), masked as `,`.
    Forward,
    /// `__thread`, masked as `register`.
    ThreadLocal,
    /// An int-valued builtin that takes types; ends at the given offset.
    TypeBuiltin(u32),
    /// The `;` behind an assembler statement without operands, which starts at the offset.
    Asm(u32),
    AsmGoto(u32),
    /// The `{` of a nested function.
    NestedBody,
    /// `goto *p;`, masked as `*p;`: where the `goto` stands.
    ComputedGoto(u32),
}

/// One attribute of a list, `packed` or `__packed__` alike.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attribute {
    pub name: String,
    pub args: Span,
    pub span: Span,
}

#[derive(Clone, Debug, Default)]
pub struct Marks {
    pub at: HashMap<u32, Mark>,
    /// In order of offset.
    pub attributes: Vec<Attribute>,
    /// Per token: blanked, and belongs to the declaration or expression around it.
    pub soft: Vec<bool>,
    /// Per token: blanked, and stands for itself (static assertions, file-scope assembler).
    pub gone: Vec<bool>,
    pub openmp: Vec<Span>,
    /// Text among the blanked that names variables, constants or types: assertions, alignments, operands of
    /// builtins that take types. In order.
    pub texts: Vec<Span>,
    /// Types that enumerations are declared with, by the offset of `enum`.
    pub enum_types: HashMap<u32, Span>,
    /// Storage classes of compound literals whose objects stay, in functions.
    pub literals: Vec<Span>,
    /// `__label__ a, b;`, by the `{` of the block.
    pub local_labels: HashMap<u32, Vec<Span>>,
}

/// Text ready to be parsed and lowered.
#[derive(Clone, Debug)]
pub struct Prepared {
    pub text: String,
    /// The parser's copy: ASCII, same length.
    pub masked: String,
    pub tokens: Tokens,
    pub marks: Marks,
    pub lines: LineMap,
}

pub fn prepare(text: String, standard: &Standard, diags: &mut Diagnostics) -> Prepared {
    let (text, tokens) = normalise::normalise(comments::strip(text), standard);
    let lines = LineMap::new(&text);
    let (masked, marks) = mask::mask(&text, &tokens, standard);
    normalise::check_locations(&text, &tokens, &lines, diags);
    Prepared {
        text,
        masked,
        tokens,
        marks,
        lines,
    }
}

impl Prepared {
    pub(crate) fn token_text(&self, i: usize) -> &str {
        let t = self.tokens.list[i];
        &self.text[t.start as usize..t.end as usize]
    }

    /// The span without surrounding blanks, directives and masked attributes.
    pub fn trim(&self, span: Span) -> Span {
        let list = &self.tokens.list;
        let mut first = self.tokens.at_or_after(span.start);
        let mut last = self.tokens.at_or_after(span.end);
        let blank = |i: usize| self.marks.soft[i] || self.marks.gone[i];
        while first < last && blank(first) {
            first += 1;
        }
        while last > first && blank(last - 1) {
            last -= 1;
        }
        if first == last {
            return span.start..span.start;
        }
        let end = match self.marks.at.get(&list[last - 1].start) {
            Some(Mark::TypeBuiltin(end)) => *end,
            _ => list[last - 1].end,
        };
        list[first].start..end
    }

    /// The span extended over masked attributes directly before and behind it.
    pub(crate) fn with_attributes(&self, span: Span) -> Span {
        let list = &self.tokens.list;
        let mut first = self.tokens.at_or_after(span.start);
        let mut last = self.tokens.at_or_after(span.end);
        let (first0, last0) = (first, last);
        while first > 0 && self.marks.soft[first - 1] {
            first -= 1;
        }
        while last < list.len() && self.marks.soft[last] {
            last += 1;
        }
        let start = if first < first0 {
            list[first].start
        } else {
            span.start
        };
        let end = if last > last0 {
            list[last - 1].end
        } else {
            span.end
        };
        start..end
    }

    /// The storage class of a compound literal whose head is there, if it is one of an object that stays.
    pub(crate) fn literal_storage(&self, head: &Span) -> Option<Span> {
        let list = &self.marks.literals;
        let first = list.partition_point(|s| s.start < head.start);
        list.get(first).filter(|s| s.end <= head.end).cloned()
    }

    pub(crate) fn attributes_in(&self, span: &Span) -> &[Attribute] {
        let list = &self.marks.attributes;
        let a = list.partition_point(|x| x.span.start < span.start);
        let b = list.partition_point(|x| x.span.start < span.end);
        &list[a..b.max(a)]
    }
}

/// Does the operand of the `typeof` at `i` begin with another?
fn nested_typeof<'a>(word: &dyn Fn(usize) -> &'a str, i: usize) -> bool {
    let opens = |k| is_typeof(word(k)) && word(k + 1) == "(";
    opens(i) && opens(i + 2)
}

fn is_typeof(word: &str) -> bool {
    matches!(word.trim_matches('_'), "typeof" | "typeof_unqual")
}

/// Index of the token that closes the bracket at `open`, or the number of tokens.
pub fn closing(text: &str, tokens: &Tokens, open: usize) -> usize {
    let mut depth = 0;
    for (i, t) in tokens.list.iter().enumerate().skip(open) {
        if t.kind == tokens::TokenKind::Punct {
            match text.as_bytes()[t.start as usize] {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => {
                    depth -= 1;
                    if depth == 0 {
                        return i;
                    }
                }
                _ => {}
            }
        }
    }
    tokens.list.len()
}

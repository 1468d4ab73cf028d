//! GNU `extern inline` definitions that another one in the unit replaces.
//!
//! They are there for inlining alone, so a declaration does as well; and a function has one body to save and resume.

use crate::prefilter::{closing, Prepared};
use crate::tree::*;

/// The text with such definitions made declarations, if there are any.
pub fn declare(u: &Unit, p: &Prepared) -> Option<String> {
    let mut text: Option<String> = None;
    for (i, f) in u.functions.iter().enumerate() {
        let again = u.functions[i + 1..].iter().any(|o| o.sym == f.sym);
        if !again || !f.is_inline || f.kr_style {
            continue;
        }
        let text = text.get_or_insert_with(|| p.text.clone());
        let body = u.stmt(f.body).span.clone();
        blank(text, &body);
        text.replace_range(body.start as usize..body.start as usize + 1, ";");
        for span in inline_words(p, &f.head) {
            blank(text, &span);
        }
    }
    text
}

fn blank(text: &mut String, span: &Span) {
    let range = span.start as usize..span.end as usize;
    let keep = |b: u8| if b == b'\n' { '\n' } else { ' ' };
    let blanks: String = text[range.clone()].bytes().map(keep).collect();
    text.replace_range(range, &blanks);
}

/// `inline`, and attributes that speak of it.
fn inline_words(p: &Prepared, head: &Span) -> Vec<Span> {
    let list = &p.tokens.list;
    let end = p.tokens.at_or_after(head.end);
    let mut out = Vec::new();
    let mut i = p.tokens.at_or_after(head.start);
    while i < end {
        let mut last = i;
        let found = match p.token_text(i) {
            "inline" | "__inline" | "__inline__" => true,
            "__attribute__" | "__attribute" => {
                last = closing(&p.text, &p.tokens, i).min(end - 1);
                (i..last).any(|k| p.token_text(k).contains("inline"))
            }
            _ => false,
        };
        if found {
            out.push(list[i].start..list[last].end);
        }
        i = last + 1;
    }
    out
}

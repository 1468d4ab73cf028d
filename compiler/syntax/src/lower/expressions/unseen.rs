//! Names in text that is no expression of the tree: assertions, alignments, operands of `_Alignof` and of builtins that
//! take types. Rewriting has to know what they mean.

use crate::lower::scopes::TagName;
use crate::lower::Lower;
use crate::prefilter::tokens::TokenKind;
use crate::tree::*;

/// What names between brackets mean.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Names {
    Values,
    /// Of `__builtin_offsetof`: a type, then a member.
    Offset,
    Member,
    /// Declarations of members.
    Members,
}

impl Lower {
    /// Looks up the names in such text in front of `until`, in the scope at hand.
    pub(crate) fn unseen_names(&mut self, until: u32) {
        while let Some(text) = self.p.marks.texts.get(self.unseen) {
            if text.start >= until {
                break;
            }
            let text = text.clone();
            self.unseen += 1;
            if self.func.is_some() {
                self.names_in(&text);
            }
        }
    }

    fn names_in(&mut self, text: &Span) {
        let range = self.p.tokens.at_or_after(text.start)..self.p.tokens.at_or_after(text.end);
        let mut before = "(".to_string();
        // Of brackets: what is in them names members.
        let mut open: Vec<Names> = Vec::new();
        let (mut record, mut offset) = (false, false);
        for i in range {
            let t = self.p.tokens.list[i];
            let word = self.p.token_text(i).to_string();
            let tag = matches!(before.as_str(), "struct" | "union" | "enum");
            match word.as_str() {
                "(" => open.push(if offset { Names::Offset } else { Names::Values }),
                "{" => open.push(if record {
                    Names::Members
                } else {
                    Names::Values
                }),
                "[" => open.push(Names::Values),
                ")" | "]" | "}" => drop(open.pop()),
                "," if open.last() == Some(&Names::Offset) => {
                    open.pop();
                    open.push(Names::Member);
                }
                _ if t.kind == TokenKind::Ident => {
                    let member = matches!(before.as_str(), "." | "->")
                        || open.last() == Some(&Names::Member)
                        // `int a, *b : 3;`, where a type may stand first.
                        || open.last() == Some(&Names::Members) && !tag && !self.is_type(&word);
                    if !member {
                        self.unseen_name(&word, t.start..t.end, tag);
                    }
                }
                _ => {}
            }
            offset = word == "__builtin_offsetof";
            let head = matches!(word.as_str(), "struct" | "union");
            record = head || (record && t.kind == TokenKind::Ident && before != "}");
            before = word;
        }
    }

    fn is_type(&self, name: &str) -> bool {
        self.lookup(name)
            .is_some_and(|s| self.unit.sym(s).kind == SymKind::Typedef)
    }

    fn unseen_name(&mut self, name: &str, span: Span, tag: bool) {
        let to = match (tag, self.lookup(name)) {
            (true, _) => match self.lookup_tag(name) {
                Some(TagName::Record(r)) if self.unit.records[r.index()].scope.is_some() => {
                    TypeRefTo::Record(r)
                }
                Some(TagName::Enum(e)) if self.unit.enums[e.index()].scope.is_some() => {
                    TypeRefTo::Enum(e)
                }
                _ => return,
            },
            (_, Some(s)) if self.unit.sym(s).func.is_some() => {
                if self.unit.sym(s).kind != SymKind::Typedef {
                    return self.unit.text_names.push(TextName { span, sym: s });
                }
                TypeRefTo::Typedef(s)
            }
            _ => return,
        };
        self.unit.type_refs.push(TypeRef { span, to });
    }

    /// The names among the expressions from `first` on, which the tree does not keep.
    pub(crate) fn names_since(&mut self, first: usize) {
        for x in &self.unit.exprs[first..] {
            if let ExprKind::Ident(sym) = x.kind {
                if self.unit.symbols[sym.index()].func.is_some() {
                    let span = x.span.clone();
                    self.unit.text_names.push(TextName { span, sym });
                }
            }
        }
    }
}

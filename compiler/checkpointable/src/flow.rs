//! Which locals are needed after a point: by what follows in the blocks around it, and in the loops around it.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use proc_macro2::{Spacing, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Expr, Stmt};

use crate::names::texts::{captures, is_text};

/// Words of a piece of code that may be locals: no fields, methods or parts of paths; also those captured by format
/// strings.
pub fn identifiers(tokens: &TokenStream) -> BTreeSet<String> {
    let mut set = BTreeSet::new();
    gather(tokens, &mut set);
    set
}

fn gather(tokens: &TokenStream, into: &mut BTreeSet<String>) {
    let mut before = [' '; 2];
    let mut rest = tokens.clone().into_iter().peekable();
    while let Some(t) = rest.next() {
        let this = match &t {
            TokenTree::Punct(p) => p.as_char(),
            _ => ' ',
        };
        // `field: value`, `'label: `
        let named = matches!(rest.peek(), Some(TokenTree::Punct(p)) if p.as_char() == ':' && p.spacing() == Spacing::Alone);
        match t {
            TokenTree::Ident(i) => {
                let field = (before[1] == '.' && before[0] != '.') || before == [':', ':'];
                if !field && !named {
                    into.insert(i.to_string());
                }
            }
            TokenTree::Group(g) => gather(&g.stream(), into),
            TokenTree::Literal(l) => {
                let text = l.to_string();
                if is_text(&text) && text.contains('{') {
                    captures(&text, |name| {
                        into.insert(name.to_owned());
                        None
                    });
                }
            }
            TokenTree::Punct(_) => {}
        }
        before = [before[1], this];
    }
}

/// What a statement does with locals.
enum Event {
    Uses(BTreeSet<String>),
    Assigns(String),
    /// Nothing behind it is reached.
    Leaves,
}

fn assigns(left: &Expr, into: &mut Vec<Event>) {
    match left {
        Expr::Path(p) if p.path.get_ident().is_some() => {
            into.extend(p.path.get_ident().map(|i| Event::Assigns(i.to_string())));
        }
        Expr::Tuple(t) => t.elems.iter().for_each(|e| assigns(e, into)),
        Expr::Array(t) => t.elems.iter().for_each(|e| assigns(e, into)),
        Expr::Call(c) => c.args.iter().for_each(|e| assigns(e, into)),
        Expr::Struct(s) => s.fields.iter().for_each(|f| assigns(&f.expr, into)),
        Expr::Paren(p) => assigns(&p.expr, into),
        left => into.push(Event::Uses(identifiers(&left.to_token_stream()))),
    }
}

fn events(stmt: &Stmt, into: &mut Vec<Event>) {
    let all = |e: &dyn quote::ToTokens| Event::Uses(identifiers(&e.to_token_stream()));
    match stmt {
        Stmt::Expr(Expr::Assign(a), _) => {
            into.push(all(&a.right));
            assigns(&a.left, into);
        }
        Stmt::Expr(e @ (Expr::Return(_) | Expr::Break(_) | Expr::Continue(_)), _) => {
            into.push(all(e));
            into.push(Event::Leaves);
        }
        other => into.push(all(other)),
    }
}

/// What the statements of a block do with locals, each by itself.
#[derive(Clone)]
pub struct Block(Rc<[Vec<Event>]>);

impl Block {
    pub fn of(stmts: &[Stmt]) -> Block {
        let each = |s: &Stmt| {
            let mut list = Vec::new();
            events(s, &mut list);
            list
        };
        Block(stmts.iter().map(each).collect())
    }
}

/// What follows a place in the program: blocks around it, inner ones last.
#[derive(Default)]
pub struct After {
    levels: Vec<Level>,
}

enum Level {
    /// Of a block, from this statement on.
    Rest(Block, usize),
    /// Used by what is left of the statement.
    Use(BTreeSet<String>),
    /// A loop: what is used in it, and which locals existed before it.
    Loop {
        uses: BTreeSet<String>,
        outside: BTreeSet<String>,
    },
}

impl After {
    pub fn enter(&mut self, block: &Block, rest: usize) {
        self.levels.push(Level::Rest(block.clone(), rest));
    }

    /// A block's last expression.
    pub(crate) fn enter_tail(&mut self, tail: &TokenStream) {
        let uses = Event::Uses(identifiers(tail));
        let block = Block(Rc::from([vec![uses]]));
        self.levels.push(Level::Rest(block, 0));
    }

    /// What is left of the statement uses something.
    pub(crate) fn enter_use(&mut self, tokens: &TokenStream) {
        self.levels.push(Level::Use(identifiers(tokens)));
    }

    /// Does what is left of the statement use it, or of one around?
    pub fn uses(&self, name: &str) -> bool {
        let uses = |l: &Level| matches!(l, Level::Use(names) if names.contains(name));
        self.levels.iter().any(uses)
    }

    pub(crate) fn enter_loop(
        &mut self,
        tokens: &TokenStream,
        outside: impl Iterator<Item = String>,
    ) {
        self.levels.push(Level::Loop {
            uses: identifiers(tokens),
            outside: outside.collect(),
        });
    }

    pub fn leave(&mut self) {
        self.levels.pop();
    }

    /// Is the local's value needed from here on?
    pub fn needs(&self, name: &str) -> bool {
        let mut reached = true;
        let mut decided: HashMap<&str, bool> = HashMap::new();
        for level in self.levels.iter().rev() {
            match level {
                Level::Loop { uses, outside } => {
                    if outside.contains(name) && uses.contains(name) {
                        return true;
                    }
                    // Left by the end of its body at the latest.
                    reached = true;
                }
                Level::Rest(block, from) if reached && !decided.contains_key(name) => {
                    for event in block.0[*from..].iter().flatten() {
                        match event {
                            Event::Uses(names) if names.contains(name) => return true,
                            Event::Assigns(n) if n == name => {
                                decided.insert(name, false);
                                break;
                            }
                            Event::Leaves => {
                                reached = false;
                                break;
                            }
                            _ => {}
                        }
                    }
                }
                Level::Use(names) if reached && !decided.contains_key(name) => {
                    if names.contains(name) {
                        return true;
                    }
                }
                Level::Rest(..) | Level::Use(_) => {}
            }
        }
        false
    }
}

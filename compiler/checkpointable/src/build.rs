//! Writes a function's body so that it can be left and gone back into at its points.
//!
//! A **region** is the body, or that of a loop with points.  What is declared in a region outside of code without
//! points is declared at its start; its code is one stream, in which every point and every loop with points ends a
//! labelled block around all that comes before it.  On the way down again the stream is left at its start for the
//! code in front of the first point (`'pc3_e…`), from there for that of the next, until the one that the frame was
//! left at: there its locals are taken back and the stream is entered.  Branches are written one behind the other, and
//! jump.  So nothing is evaluated twice, no local is read before it is there, and the compiler can see that.

use std::collections::{BTreeSet, HashMap};

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned, ToTokens};
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{parse_quote, Block, Expr, ExprMatch, Lifetime, Pat, Stmt, Type};

use crate::flow::{identifiers, After};
use crate::loops::{over, Over};
use crate::marks::{self, has_points_expr, Arguments};
use crate::names::is_binding;
use crate::operands::{is_assignment, is_marked};

type Result<T> = std::result::Result<T, syn::Error>;

/// How a local comes back.
#[derive(Clone)]
enum Way {
    /// It is saved.
    Kept,
    /// It is made again by this code, which may make others, too.
    Made(TokenStream),
}

#[derive(Clone)]
struct Var {
    name: Ident,
    way: Way,
    region: usize,
}

/// A point, and the locals that its frame keeps.
struct Point {
    label: u32,
    vars: Vec<Var>,
}

#[derive(Default)]
struct Region {
    id: usize,
    /// Declarations at its start.
    head: TokenStream,
    stream: TokenStream,
    /// Units so far.
    entries: usize,
    points: Vec<Point>,
}

/// What becomes of an expression's value.
#[derive(Clone)]
enum To {
    Nowhere,
    Local(Ident),
    Return,
}

pub struct Builder {
    regions: Vec<Region>,
    made: usize,
    /// Locals that exist, outer ones first.
    visible: Vec<Var>,
    after: After,
    labels: u32,
    names: usize,
    /// Statics of the points.
    pub statics: TokenStream,
    loops: Vec<Lifetime>,
    /// Users' labelled blocks that are taken apart.
    blocks: HashMap<String, (To, Lifetime)>,
    output: Type,
    function: Ident,
    /// Parameters that are borrows; is it `&mut`?
    borrowed: HashMap<String, bool>,
}

/// A parameter by value.
pub struct Parameter {
    pub pat: Pat,
    pub ty: Type,
    pub argument: Ident,
}

pub fn body(
    block: &Block,
    by_value: &[Parameter],
    borrowed: HashMap<String, bool>,
    output: Type,
    function: Ident,
) -> Result<(TokenStream, TokenStream)> {
    let mut b = Builder {
        regions: Vec::new(),
        made: 0,
        visible: Vec::new(),
        after: After::default(),
        labels: 0,
        names: 0,
        statics: TokenStream::new(),
        loops: Vec::new(),
        blocks: HashMap::new(),
        output,
        function,
        borrowed,
    };
    b.open();
    for p in by_value {
        let (ty, argument) = (&p.ty, &p.argument);
        b.bind(&p.pat, quote!(M::given::<#ty>(#argument)), None, &Way::Kept);
    }
    b.stmts(&block.stmts, &To::Return)?;
    let (code, _) = b.close(&quote!());
    Ok((code, b.statics))
}

fn label(name: &str) -> Lifetime {
    Lifetime::new(&format!("'{name}"), Span::call_site())
}

impl Builder {
    fn region(&mut self) -> &mut Region {
        // One is open as long as code is written.
        let last = self.regions.len() - 1;
        &mut self.regions[last]
    }

    fn put(&mut self, tokens: TokenStream) {
        self.region().stream.extend(tokens);
    }

    fn name(&mut self, what: &str) -> Ident {
        self.names += 1;
        format_ident!("pc3_{}{}", what, self.names)
    }

    /// What has been written becomes a block that jumps to here can leave.
    fn target(&mut self, at: &Lifetime) {
        let before = std::mem::take(&mut self.region().stream);
        self.region().stream = quote!(#at: { #before });
    }

    fn open(&mut self) {
        self.made += 1;
        let id = self.made;
        let first = label(&format!("pc3_e{id}_1"));
        self.regions.push(Region {
            id,
            stream: quote! { if M::RESUME && pc3_at != 0 { break #first; } },
            entries: 1,
            ..Region::default()
        });
    }

    /// Ends a region; `end` is how its stream ends.  Gives its code and its points.
    fn close(&mut self, end: &TokenStream) -> (TokenStream, Vec<Point>) {
        self.put(end.clone());
        let r = self.regions.pop().unwrap_or_default();
        let last = label(&format!("pc3_e{}_{}", r.id, r.entries));
        let (head, stream) = (r.head, r.stream);
        let code = quote! { #head #last: { #stream } ::pc3::point::lost(&pc3_frame) };
        (code, r.points)
    }

    /// From here the stream can be entered for frames left at `points`.
    fn unit(&mut self, arms: TokenStream, labels: &[u32], at: &Lifetime) {
        let (id, n) = (self.region().id, self.region().entries);
        let (this, next) = (
            label(&format!("pc3_e{id}_{n}")),
            label(&format!("pc3_e{id}_{}", n + 1)),
        );
        self.put(quote!(break #at;));
        self.target(&this);
        self.put(quote! {
            if let #(#labels)|* = pc3_at { #arms break #at; }
            break #next;
        });
        self.target(at);
        self.region().entries = n + 1;
    }

    fn declare(&mut self, name: &Ident, mutable: bool, ty: Option<&Type>) {
        let mutable = mutable.then(|| quote!(mut));
        let ty = ty.map(|t| quote!(: #t));
        self.region().head.extend(quote!(let #mutable #name #ty;));
    }

    /// A local that the user's code has.
    fn local(&mut self, name: &Ident, mutable: bool, ty: Option<&Type>, way: Way) {
        // Assigned once on each way, but the compiler may not see that on ways that never meet.
        self.declare(name, mutable, ty);
        let region = self.region().id;
        self.visible.push(Var {
            name: name.clone(),
            way,
            region,
        });
    }

    /// Assigns the parts of a value to locals that are declared for them.
    fn bind(&mut self, pat: &Pat, value: TokenStream, diverge: Option<TokenStream>, way: &Way) {
        match pat {
            Pat::Type(t) => {
                if let Pat::Ident(p) = &*t.pat {
                    if p.by_ref.is_none() && p.subpat.is_none() && is_binding(p) {
                        self.local(&p.ident, p.mutability.is_some(), Some(&t.ty), way.clone());
                        let name = &p.ident;
                        self.put(quote!(#name = #value;));
                        return;
                    }
                }
                let ty = &t.ty;
                self.bind(
                    &t.pat,
                    quote!({ let pc3_v: #ty = #value; pc3_v }),
                    diverge,
                    way,
                );
            }
            Pat::Ident(p) if p.by_ref.is_none() && p.subpat.is_none() && is_binding(p) => {
                self.local(&p.ident, p.mutability.is_some(), None, way.clone());
                let name = &p.ident;
                self.put(quote!(#name = #value;));
            }
            Pat::Wild(_) => self.put(quote!(let _ = #value;)),
            _ => {
                let (inner, names) = inner_names(pat);
                for (name, mutable) in &names {
                    self.local(name, *mutable, None, way.clone());
                }
                let assign = assignments(&names);
                match diverge {
                    Some(diverge) => self.put(quote!(let #inner = #value else #diverge; #assign)),
                    None => self.put(quote!(let #inner = #value; #assign)),
                }
            }
        }
    }

    // ---- statements -------------------------------------------------------------------------

    fn stmts(&mut self, stmts: &[Stmt], to: &To) -> Result<()> {
        let depth = self.visible.len();
        for (i, stmt) in stmts.iter().enumerate() {
            let last = i + 1 == stmts.len();
            self.after.enter(&stmts[i + 1..]);
            let done = match stmt {
                Stmt::Expr(e, None) if last => self.value(e, to),
                Stmt::Macro(m)
                    if last && m.semi_token.is_none() && marks::location(stmt).is_none() =>
                {
                    let e = Expr::Macro(syn::ExprMacro {
                        attrs: m.attrs.clone(),
                        mac: m.mac.clone(),
                    });
                    self.value(&e, to)
                }
                _ => self.stmt(stmt),
            };
            self.after.leave();
            done?;
        }
        let valued = matches!(stmts.last(), Some(Stmt::Expr(_, None)))
            || matches!(stmts.last(), Some(Stmt::Macro(m)) if m.semi_token.is_none() && marks::location(&stmts[stmts.len() - 1]).is_none());
        if !valued {
            let ends = matches!(
                stmts.last(),
                Some(Stmt::Expr(
                    Expr::Return(_) | Expr::Break(_) | Expr::Continue(_),
                    _
                ))
            );
            if !ends && !matches!(to, To::Nowhere) {
                self.give(quote!(()), to);
            }
        }
        self.visible.truncate(depth);
        Ok(())
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<()> {
        if let Some(mac) = marks::location(stmt) {
            self.location(mac.span());
            return Ok(());
        }
        match stmt {
            Stmt::Item(item) => {
                self.region().head.extend(quote!(#item));
                Ok(())
            }
            Stmt::Local(local) => self.let_(local),
            Stmt::Expr(e, _) if has_points_expr(e) => self.value(e, &To::Nowhere),
            Stmt::Macro(m) if marks::is_call(&m.mac) => {
                let e = Expr::Macro(syn::ExprMacro {
                    attrs: m.attrs.clone(),
                    mac: m.mac.clone(),
                });
                self.value(&e, &To::Nowhere)
            }
            stmt => {
                let mut leaf = stmt.clone();
                self.leaf_stmt(&mut leaf);
                self.put(match leaf {
                    Stmt::Expr(e, None) => quote!(#e;),
                    leaf => quote!(#leaf),
                });
                Ok(())
            }
        }
    }

    fn let_(&mut self, local: &syn::Local) -> Result<()> {
        let Some(init) = &local.init else {
            let (pat, ty) = match &local.pat {
                Pat::Type(t) => (&*t.pat, Some(&*t.ty)),
                pat => (pat, None),
            };
            if let Pat::Ident(p) = pat {
                self.local(&p.ident, p.mutability.is_some(), ty, Way::Kept);
                return Ok(());
            }
            return Err(syn::Error::new_spanned(
                &local.pat,
                "a `let` without a value declares one name here",
            ));
        };
        let mut way = Way::Kept;
        let value = if has_points_expr(&init.expr) {
            let name = self.name("v");
            self.declare(&name, false, None);
            self.value(&init.expr, &To::Local(name.clone()))?;
            quote!(#name)
        } else {
            let mut e = (*init.expr).clone();
            self.leaf(&mut e);
            if let Expr::Reference(r) = &mut e {
                if !is_place(&r.expr) {
                    // The value it leads to gets a name, since it must outlive this statement.
                    let name = self.name("o");
                    self.local(&name, r.mutability.is_some(), None, Way::Kept);
                    let inner = std::mem::replace(&mut *r.expr, parse_quote!(#name));
                    self.put(quote!(#name = #inner;));
                }
                way = match &local.pat {
                    Pat::Ident(p) if p.by_ref.is_none() => {
                        let name = &p.ident;
                        Way::Made(quote!(#name = #e;))
                    }
                    Pat::Type(t) => match &*t.pat {
                        Pat::Ident(p) => {
                            let name = &p.ident;
                            Way::Made(quote!(#name = #e;))
                        }
                        _ => Way::Kept,
                    },
                    _ => Way::Kept,
                };
            }
            quote!(#e)
        };
        let diverge = match &init.diverge {
            Some((_, d)) => {
                let mut d = (**d).clone();
                self.leaf(&mut d);
                Some(quote!(#d))
            }
            None => None,
        };
        self.bind(&local.pat, value, diverge, &way);
        Ok(())
    }

    // ---- expressions ------------------------------------------------------------------------

    fn give(&mut self, value: TokenStream, to: &To) {
        match to {
            To::Nowhere => self.put(quote!(#value;)),
            To::Local(name) => self.put(quote!(#name = #value;)),
            To::Return => self.put(quote!(return ::core::result::Result::Ok(#value);)),
        }
    }

    /// An expression whose value goes somewhere.
    fn value(&mut self, e: &Expr, to: &To) -> Result<()> {
        if !has_points_expr(e) {
            let mut leaf = e.clone();
            self.leaf(&mut leaf);
            match to {
                To::Nowhere => self.put(quote!(#leaf;)),
                _ => self.give(quote!(#leaf), to),
            }
            return Ok(());
        }
        if is_marked(e) {
            let value = self.call(e)?;
            match to {
                To::Nowhere => self.put(quote!(#value;)),
                _ => self.give(value, to),
            }
            return Ok(());
        }
        match e {
            Expr::Paren(p) => self.value(&p.expr, to),
            Expr::Group(p) => self.value(&p.expr, to),
            Expr::Return(r) => match &r.expr {
                Some(e) => self.value(e, &To::Return),
                None => {
                    self.give(quote!(()), &To::Return);
                    Ok(())
                }
            },
            Expr::Assign(a) => {
                self.after.enter_use(&left_uses(&a.left));
                let value = self.named(&a.right);
                self.after.leave();
                let (value, mut left) = (value?, (*a.left).clone());
                self.leaf(&mut left);
                self.put(quote!(#left = #value;));
                Ok(())
            }
            Expr::Binary(b) if is_assignment(&b.op) => {
                self.after.enter_use(&b.left.to_token_stream());
                let value = self.named(&b.right);
                self.after.leave();
                let (value, mut left, op) = (value?, (*b.left).clone(), &b.op);
                self.leaf(&mut left);
                self.put(quote!(#left #op #value;));
                Ok(())
            }
            Expr::If(i) => self.if_(i, to),
            Expr::Match(m) => self.match_(m, to),
            Expr::Block(b) => self.block_expr(b, to),
            Expr::Unsafe(u) => Err(syn::Error::new_spanned(
                u.unsafe_token,
                "points cannot be within `unsafe`",
            )),
            Expr::Loop(l) => {
                let value = self.loop_(&l.label, &l.body, Head::Loop, e)?;
                match to {
                    To::Nowhere => self.put(quote!(let _ = #value;)),
                    to => self.give(value, to),
                }
                Ok(())
            }
            Expr::While(w) => {
                let value = self.loop_(&w.label, &w.body, Head::While(&w.cond), e)?;
                self.give(value, to);
                Ok(())
            }
            Expr::ForLoop(f) => {
                let value = self.for_(f)?;
                self.give(value, to);
                Ok(())
            }
            other => Err(syn::Error::new_spanned(
                other,
                "a marked call cannot be part of this expression: bind its value with `let` before",
            )),
        }
    }

    /// The value under a name of its own.
    fn named(&mut self, e: &Expr) -> Result<TokenStream> {
        let name = self.name("v");
        self.declare(&name, false, None);
        self.value(e, &To::Local(name.clone()))?;
        Ok(quote!(#name))
    }

    fn block_expr(&mut self, b: &syn::ExprBlock, to: &To) -> Result<()> {
        let end = match &b.label {
            Some(l) => {
                let end = label(&self.name("j").to_string());
                self.blocks
                    .insert(l.name.ident.to_string(), (to.clone(), end.clone()));
                Some(end)
            }
            None => None,
        };
        self.stmts(&b.block.stmts, to)?;
        if let Some(end) = end {
            self.target(&end);
        }
        Ok(())
    }

    fn if_(&mut self, i: &syn::ExprIf, to: &To) -> Result<()> {
        let (then, end) = (
            label(&self.name("b").to_string()),
            label(&self.name("j").to_string()),
        );
        let depth = self.visible.len();
        let mut bound = Vec::new();
        if let Expr::Let(l) = &*i.cond {
            let mut scrutinee = (*l.expr).clone();
            self.leaf(&mut scrutinee);
            bound = self.arm(&l.pat, &scrutinee, None, &then)?;
        } else {
            let mut cond = (*i.cond).clone();
            self.leaf(&mut cond);
            self.put(quote!(if #cond { break #then; }));
        }
        match &i.else_branch {
            Some((_, other)) => match &**other {
                Expr::Block(b) if b.label.is_none() => self.stmts(&b.block.stmts, to)?,
                other => self.value(other, to)?,
            },
            None if matches!(to, To::Nowhere) => {}
            None => self.give(quote!(()), to),
        }
        self.put(quote!(break #end;));
        self.target(&then);
        self.visible.extend(bound);
        self.stmts(&i.then_branch.stmts, to)?;
        self.visible.truncate(depth);
        self.target(&end);
        Ok(())
    }

    /// `if let PAT = scrutinee` that jumps; gives the locals that it binds.
    fn arm(
        &mut self,
        pat: &Pat,
        scrutinee: &Expr,
        guard: Option<&Expr>,
        to: &Lifetime,
    ) -> Result<Vec<Var>> {
        let (inner, names) = inner_names(pat);
        let assign = assignments(&names);
        let way = match borrows(scrutinee) {
            true => Way::Made(quote! {
                if let #inner = #scrutinee { #assign } else { ::pc3::point::changed() }
            }),
            false => Way::Kept,
        };
        let depth = self.visible.len();
        for (name, mutable) in &names {
            self.local(name, *mutable, None, way.clone());
        }
        let bound = self.visible.split_off(depth);
        match guard {
            None => self.put(quote!(if let #inner = #scrutinee { #assign break #to; })),
            Some(g) => self.put(quote!(#g #assign)),
        }
        Ok(bound)
    }

    fn match_(&mut self, m: &ExprMatch, to: &To) -> Result<()> {
        let end = label(&self.name("j").to_string());
        let mut scrutinee = (*m.expr).clone();
        self.leaf(&mut scrutinee);
        let mut arms = TokenStream::new();
        let mut bodies = Vec::new();
        for arm in &m.arms {
            let pat = &arm.pat;
            if !has_points_expr(&arm.body) {
                let mut leaf = arm.clone();
                if let Some((_, g)) = &mut leaf.guard {
                    self.leaf(g);
                }
                self.leaf(&mut leaf.body);
                let (guard, body) = (leaf.guard.map(|(_, g)| quote!(if #g)), leaf.body);
                let give = match to {
                    To::Nowhere => quote!(#body;),
                    To::Local(name) => quote!(#name = #body;),
                    To::Return => quote!(return ::core::result::Result::Ok(#body);),
                };
                arms.extend(quote!(#pat #guard => { #give break #end; }));
                continue;
            }
            let at = label(&self.name("b").to_string());
            let (inner, names) = inner_names(pat);
            let assign = assignments(&names);
            let guard = match &arm.guard {
                Some((_, g)) => {
                    let mut g = (**g).clone();
                    self.leaf(&mut g);
                    let renamed = rename_inner(g, &names);
                    Some(quote!(if #renamed))
                }
                None => None,
            };
            let way = match borrows(&scrutinee) {
                true => Way::Made(quote! {
                    match #scrutinee { #inner => { #assign } #[allow(unreachable_patterns)] _ => ::pc3::point::changed() }
                }),
                false => Way::Kept,
            };
            let depth = self.visible.len();
            for (name, mutable) in &names {
                self.local(name, *mutable, None, way.clone());
            }
            let bound = self.visible.split_off(depth);
            arms.extend(quote!(#inner #guard => { #assign break #at; }));
            bodies.push((at, bound, &arm.body));
        }
        self.put(quote!(match #scrutinee { #arms }));
        for (at, bound, body) in bodies {
            self.target(&at);
            let depth = self.visible.len();
            self.visible.extend(bound);
            match &**body {
                Expr::Block(b) if b.label.is_none() => self.stmts(&b.block.stmts, to)?,
                other => self.value(other, to)?,
            }
            self.visible.truncate(depth);
            self.put(quote!(break #end;));
        }
        self.target(&end);
        Ok(())
    }

    // ---- loops ------------------------------------------------------------------------------

    fn loop_(
        &mut self,
        name: &Option<syn::Label>,
        body: &Block,
        head: Head,
        whole: &Expr,
    ) -> Result<TokenStream> {
        let at = match name {
            Some(l) => l.name.clone(),
            None => label(&self.name("l").to_string()),
        };
        let depth = self.visible.len();
        let outside: Vec<String> = self.visible.iter().map(|v| v.name.to_string()).collect();
        self.after
            .enter_loop(&whole.to_token_stream(), outside.into_iter());
        self.loops.push(at.clone());
        self.open();
        let done = self.loop_body(body, head, &at);
        let (code, points) = self.close(&quote!(continue #at;));
        self.loops.pop();
        self.after.leave();
        self.visible.truncate(depth);
        done?;
        let before = label(&self.name("u").to_string());
        self.loop_unit(points, &before);
        Ok(quote!(#at: loop { #code }))
    }

    fn loop_body(&mut self, body: &Block, head: Head, at: &Lifetime) -> Result<()> {
        match head {
            Head::Loop => {}
            Head::While(cond) => {
                let begin = label(&self.name("b").to_string());
                if let Expr::Let(l) = cond {
                    let mut scrutinee = (*l.expr).clone();
                    self.leaf(&mut scrutinee);
                    let bound = self.arm(&l.pat, &scrutinee, None, &begin)?;
                    self.visible.extend(bound);
                } else {
                    let mut cond = cond.clone();
                    self.leaf(&mut cond);
                    self.put(quote!(if #cond { break #begin; }));
                }
                self.put(quote!(break #at;));
                self.target(&begin);
            }
            Head::Next {
                iterator,
                pat,
                count,
                item,
            } => {
                let take = quote! {
                    match ::core::iter::Iterator::next(&mut #iterator) {
                        ::core::option::Option::Some(pc3_v) => { #count pc3_v }
                        ::core::option::Option::None => break #at,
                    }
                };
                let (inner, names) = inner_names(pat);
                let assign = assignments(&names);
                let way = match &item {
                    Some(item) => Way::Made(quote! {
                        match #item.take() { ::core::option::Option::Some(#inner) => { #assign } _ => ::pc3::point::changed() }
                    }),
                    None => Way::Kept,
                };
                self.bind(pat, take, None, &way);
            }
        }
        self.stmts(&body.stmts, &To::Nowhere)
    }

    /// A loop begins here; frames may lead into it.
    fn loop_unit(&mut self, points: Vec<Point>, at: &Lifetime) {
        let id = self.region().id;
        let mut arms = TokenStream::new();
        let mut labels = Vec::new();
        for p in &points {
            let take = restore(&p.vars, id);
            let n = p.label;
            arms.extend(quote!(#n => { #take }));
            labels.push(n);
        }
        self.unit(
            quote!(match pc3_at { #arms _ => ::pc3::point::lost(&pc3_frame) }),
            &labels,
            at,
        );
        self.region().points.extend(points);
    }

    fn for_(&mut self, f: &syn::ExprForLoop) -> Result<TokenStream> {
        self.names += 1;
        let id = self.names;
        let mut expr = (*f.expr).clone();
        self.leaf(&mut expr);
        let iterator = format_ident!("pc3_i{}", id);
        let depth = self.visible.len();
        // Code in front of the loop whichever way it is entered, and what that is made from.
        let (mut again, mut sources) = (TokenStream::new(), TokenStream::new());
        let mut head = Head::Loop;
        match over(&expr, id, &|name| self.is_borrow(name)) {
            Over::Owned(expr) => {
                self.local(&iterator, true, None, Way::Kept);
                self.put(quote!(#iterator = ::core::iter::IntoIterator::into_iter(#expr);));
            }
            Over::Again { made, from } => {
                for (name, value) in from {
                    self.local(&name, false, None, Way::Kept);
                    self.put(quote!(#name = #value;));
                }
                let (count, item) = (format_ident!("pc3_n{}", id), format_ident!("pc3_x{}", id));
                self.local(&count, true, Some(&parse_quote!(u64)), Way::Kept);
                self.declare(&iterator, true, None);
                self.declare(&item, true, None);
                self.put(quote!(#count = 0u64;));
                again = quote! {
                    #iterator = ::core::iter::IntoIterator::into_iter(#made);
                    #item = ::pc3::point::advance(&mut #iterator, #count);
                };
                sources = quote!(#made);
                head = Head::Next {
                    iterator: iterator.clone(),
                    pat: &f.pat,
                    count: quote!(#count += 1;),
                    item: Some(item),
                };
            }
        }
        if let Head::Loop = head {
            head = Head::Next {
                iterator: iterator.clone(),
                pat: &f.pat,
                count: quote!(),
                item: None,
            };
        }
        let at = match &f.label {
            Some(l) => l.name.clone(),
            None => label(&self.name("l").to_string()),
        };
        let outside: Vec<String> = self.visible.iter().map(|v| v.name.to_string()).collect();
        // What it goes over is evaluated once.
        let mut uses = f.body.to_token_stream();
        uses.extend(quote!(; #sources));
        for v in &self.visible[depth..] {
            let name = &v.name;
            uses.extend(quote!(; #name));
        }
        self.after.enter_loop(&uses, outside.into_iter());
        self.loops.push(at.clone());
        self.open();
        let done = self.loop_body(&f.body, head, &at);
        let (code, points) = self.close(&quote!(continue #at;));
        self.loops.pop();
        self.after.leave();
        self.visible.truncate(depth);
        done?;
        let before = label(&self.name("u").to_string());
        self.loop_unit(points, &before);
        self.put(again);
        Ok(quote!(#at: loop { #code }))
    }

    // ---- points -----------------------------------------------------------------------------

    /// The locals that the frame keeps here, and the point's static.
    fn point(&mut self, what: TokenStream, span: Span) -> (u32, Vec<Var>, Ident, TokenStream) {
        self.labels += 1;
        let n = self.labels;
        let vars: Vec<Var> = self
            .visible
            .iter()
            .filter(|v| self.after.needs(&v.name.to_string()))
            .cloned()
            .collect();
        let vars = with_sources(vars, &self.visible);
        let kept: Vec<&Ident> = vars
            .iter()
            .filter(|v| matches!(v.way, Way::Kept))
            .map(|v| &v.name)
            .collect();
        let names: Vec<String> = kept.iter().map(|n| n.to_string()).collect();
        let point = format_ident!("PC3_POINT_{}", n);
        let function = &self.function;
        let line = quote_spanned!(span=> ::core::line!());
        self.statics.extend(quote! {
            static #point: ::pc3::point::Point = ::pc3::point::Point {
                function: &#function,
                label: #n,
                file: ::core::file!(),
                line: #line,
                what: #what,
                live: &[#(#names),*],
            };
        });
        let park = quote! {
            return ::core::result::Result::Err(::pc3::point::park(&#point, ::std::vec![#(::pc3::point::keep(#names, #kept)),*]))
        };
        (n, vars, point, park)
    }

    fn location(&mut self, span: Span) {
        let (n, vars, point, park) = self.point(quote!("checkpoint"), span);
        let id = self.region().id;
        self.put(quote!(if ::pc3::point::due() { #park; }));
        let take = restore(&vars, id);
        let at = label(&self.name("u").to_string());
        let arms = quote!(::pc3::point::check(&pc3_frame, &#point); #take pc3_at = 0; pc3_frame = ::core::option::Option::None; ::pc3::point::resumed(););
        self.unit(arms, &[n], &at);
        self.region().points.push(Point { label: n, vars });
    }

    /// A marked call: gives its value.
    fn call(&mut self, e: &Expr) -> Result<TokenStream> {
        if let Expr::Try(t) = e {
            let value = self.call(&t.expr)?;
            return Ok(question(value, &self.output));
        }
        let mac = marks::call(e)
            .ok_or_else(|| syn::Error::new_spanned(e, "a marked call is expected here"))?;
        let span = mac.mac.path.span();
        let mut inner: Expr = syn::parse2(mac.mac.tokens.clone())?;
        let what = called(&inner);
        // To go back in, borrows are made again.
        self.after.enter_use(&self.borrows_of(&inner));
        let (n, vars, point, park) = self.point(quote!(#what), span);
        self.after.leave();
        let id = self.region().id;
        let result = self.name("r");
        self.declare(&result, false, None);
        self.leaf(&mut inner);
        let call = self.marked(&inner)?;
        let types = &call.types;
        self.region()
            .head
            .extend(quote!(#(let #types = ::core::marker::PhantomData;)*));
        let (hot, resume) = (&call.hot, &call.resume);
        self.put(quote!(#result = #hot;));
        let take = restore(&vars, id);
        let at = label(&self.name("u").to_string());
        let arms = quote! {
            ::pc3::point::check(&pc3_frame, &#point);
            #take
            pc3_at = 0;
            pc3_frame = ::core::option::Option::None;
            #result = #resume;
        };
        self.unit(arms, &[n], &at);
        self.region().points.push(Point { label: n, vars });
        let value = self.name("c");
        self.declare(&value, false, None);
        self.put(quote! {
            match #result {
                ::core::result::Result::Ok(pc3_v) => #value = pc3_v,
                ::core::result::Result::Err(_) => #park,
            }
        });
        Ok(quote!(#value))
    }

    /// How a marked call is made, and gone back into.
    fn marked(&mut self, e: &Expr) -> Result<Call> {
        let mut call = Call::default();
        match e {
            Expr::Call(c) => {
                let Expr::Path(p) = &*c.func else {
                    return Err(syn::Error::new_spanned(
                        &c.func,
                        "`ck!` marks calls of functions by their name",
                    ));
                };
                let (hot, resume) = forms(p);
                let (again, first) = self.arguments(&c.args, &mut call);
                call.hot = quote!(#hot(#(#first),*));
                call.resume = quote!(#resume(#(#again),*));
            }
            Expr::MethodCall(m) => {
                let (receiver, generics) = (&m.receiver, &m.turbofish);
                let hot = format_ident!("pc3_hot_{}", m.method, span = m.method.span());
                let resume = format_ident!("pc3_resume_{}", m.method, span = m.method.span());
                let (again, first) = self.arguments(&m.args, &mut call);
                call.hot = quote!(#receiver.#hot #generics(#(#first),*));
                call.resume = quote!(#receiver.#resume #generics(#(#again),*));
            }
            other => {
                return Err(syn::Error::new_spanned(
                    other,
                    "`ck!` marks one call: `ck!(f(x))` or `ck!(value.method(x))`",
                ))
            }
        }
        Ok(call)
    }

    /// Arguments for going back in, and for the first time.
    fn arguments(
        &mut self,
        list: &syn::punctuated::Punctuated<Expr, syn::Token![,]>,
        call: &mut Call,
    ) -> (Vec<TokenStream>, Vec<TokenStream>) {
        let (mut again, mut first) = (Vec::new(), Vec::new());
        for e in list {
            match self.borrow(e) {
                Some(borrow) => {
                    again.push(quote!(::pc3::point::Again(#borrow)));
                    // As the user wrote it: what the compiler makes of it may overlap with other arguments.
                    first.push(quote!(#e));
                }
                None => {
                    let ty = self.name("p");
                    again.push(quote!(::pc3::point::Kept::new(#ty)));
                    first.push(quote!(::pc3::point::same(#ty, #e)));
                    call.types.push(ty);
                }
            }
        }
        (again, first)
    }

    fn borrows_of(&self, call: &Expr) -> TokenStream {
        let (receiver, list) = match call {
            Expr::Call(c) => (TokenStream::new(), &c.args),
            Expr::MethodCall(m) => (m.receiver.to_token_stream(), &m.args),
            _ => return TokenStream::new(),
        };
        let borrows = list.iter().filter_map(|e| self.borrow(e));
        quote!(#receiver #(; #borrows)*)
    }

    /// A local or parameter that is a borrow.
    fn is_borrow(&self, name: &str) -> bool {
        let made = |v: &&Var| v.name == name && matches!(v.way, Way::Made(_));
        self.borrowed.contains_key(name) || self.visible.iter().any(|v| made(&v))
    }

    /// The argument as a borrow that can be made again.
    fn borrow(&self, e: &Expr) -> Option<TokenStream> {
        match e {
            Expr::Paren(p) => self.borrow(&p.expr),
            Expr::Group(p) => self.borrow(&p.expr),
            Expr::Reference(_) | Expr::Closure(_) => Some(quote!(#e)),
            Expr::Path(p) => {
                let name = p.path.get_ident()?.to_string();
                let made = self.visible.iter().find(|v| v.name == name);
                match self.borrowed.get(&name) {
                    Some(true) => Some(quote!(&mut *#e)),
                    Some(false) => Some(quote!(#e)),
                    None => made
                        .filter(|v| matches!(v.way, Way::Made(_)))
                        .map(|_| quote!(#e)),
                }
            }
            _ => None,
        }
    }

    // ---- code without points ----------------------------------------------------------------

    fn leaf(&mut self, e: &mut Expr) {
        let mut leaf = self.leaves();
        leaf.visit_expr_mut(e);
    }

    fn leaf_stmt(&mut self, stmt: &mut Stmt) {
        let mut leaf = self.leaves();
        leaf.visit_stmt_mut(stmt);
    }

    fn leaves(&self) -> Leaf<'_> {
        Leaf {
            output: &self.output,
            outer: self.loops.last(),
            blocks: &self.blocks,
            inside: 0,
        }
    }
}

/// How a loop goes on.
enum Head<'a> {
    Loop,
    While(&'a Expr),
    Next {
        iterator: Ident,
        pat: &'a Pat,
        count: TokenStream,
        /// The item in hand after going back in, of an iterator that was made again.
        item: Option<Ident>,
    },
}

#[derive(Default)]
struct Call {
    hot: TokenStream,
    resume: TokenStream,
    /// Stand for the types of arguments by value.
    types: Vec<Ident>,
}

/// `path::f` as `path::f::hot` and `path::f::resume`; `Type::f` as `Type::pc3_hot_f`.
fn forms(p: &syn::ExprPath) -> (syn::ExprPath, syn::ExprPath) {
    let n = p.path.segments.len();
    let of_type = p.qself.is_some()
        || n.checked_sub(2)
            .and_then(|i| p.path.segments.get(i))
            .is_some_and(|s| s.ident.to_string().starts_with(char::is_uppercase));
    let form = |what: &str| {
        let mut p = p.clone();
        if of_type {
            if let Some(last) = p.path.segments.last_mut() {
                last.ident = format_ident!("pc3_{}_{}", what, last.ident);
            }
        } else {
            let last = p.path.segments.last_mut();
            let generics = last
                .map(|l| std::mem::take(&mut l.arguments))
                .unwrap_or_default();
            let ident = format_ident!("{}", what);
            p.path.segments.push(syn::PathSegment {
                ident,
                arguments: generics,
            });
        }
        p
    };
    (form("hot"), form("resume"))
}

/// The name of what is called.
fn called(e: &Expr) -> String {
    match e {
        Expr::Call(c) => match &*c.func {
            Expr::Path(p) => p
                .path
                .segments
                .last()
                .map(|s| s.ident.to_string())
                .unwrap_or_default(),
            _ => String::new(),
        },
        Expr::MethodCall(m) => m.method.to_string(),
        _ => String::new(),
    }
}

fn question(value: TokenStream, output: &Type) -> TokenStream {
    quote! {
        match ::pc3::point::Question::<#output>::question(#value) {
            ::core::ops::ControlFlow::Continue(pc3_v) => pc3_v,
            ::core::ops::ControlFlow::Break(pc3_v) => return ::core::result::Result::Ok(pc3_v),
        }
    }
}

fn left_uses(left: &Expr) -> TokenStream {
    match left {
        Expr::Path(_) => TokenStream::new(),
        left => left.to_token_stream(),
    }
}

/// Takes back the locals of a region.
fn restore(vars: &[Var], region: usize) -> TokenStream {
    let mut out = TokenStream::new();
    let mut done = BTreeSet::new();
    for v in vars.iter().filter(|v| v.region == region) {
        match &v.way {
            Way::Kept => {
                let (name, text) = (&v.name, v.name.to_string());
                out.extend(quote!(#name = ::pc3::point::take(&mut pc3_frame, #text);));
            }
            Way::Made(code) => {
                if done.insert(code.to_string()) {
                    out.extend(code.clone());
                }
            }
        }
    }
    out
}

/// With the locals that those to be made again are made from.
fn with_sources(vars: Vec<Var>, visible: &[Var]) -> Vec<Var> {
    let mut names: BTreeSet<String> = vars.iter().map(|v| v.name.to_string()).collect();
    loop {
        let before = names.len();
        for v in visible
            .iter()
            .filter(|v| names.contains(&v.name.to_string()))
            .collect::<Vec<_>>()
        {
            if let Way::Made(code) = &v.way {
                let sources = identifiers(code);
                names.extend(
                    visible
                        .iter()
                        .map(|v| v.name.to_string())
                        .filter(|n| sources.contains(n)),
                );
            }
        }
        if names.len() == before {
            break;
        }
    }
    visible
        .iter()
        .filter(|v| names.contains(&v.name.to_string()))
        .cloned()
        .collect()
}

pub fn is_place(e: &Expr) -> bool {
    match e {
        Expr::Path(_) => true,
        Expr::Field(f) => is_place(&f.base),
        Expr::Index(i) => is_place(&i.expr),
        Expr::Paren(p) => is_place(&p.expr),
        Expr::Unary(u) => matches!(u.op, syn::UnOp::Deref(_)),
        _ => false,
    }
}

/// Does a pattern bind borrows from this?
fn borrows(e: &Expr) -> bool {
    match e {
        Expr::Reference(_) => true,
        Expr::Paren(p) => borrows(&p.expr),
        Expr::MethodCall(m) => matches!(
            m.method.to_string().as_str(),
            "as_ref"
                | "as_mut"
                | "as_deref"
                | "as_deref_mut"
                | "get"
                | "get_mut"
                | "first"
                | "last"
                | "first_mut"
                | "last_mut"
                | "iter"
                | "as_slice"
                | "as_str"
                | "split_first"
                | "split_last"
        ),
        _ => false,
    }
}

fn inner_name(name: &Ident) -> Ident {
    format_ident!("pc3_in_{}", name, span = name.span())
}

/// The pattern with other names, and its names with whether they are `mut`.
fn inner_names(pat: &Pat) -> (Pat, Vec<(Ident, bool)>) {
    struct Rename(Vec<(Ident, bool)>);
    impl VisitMut for Rename {
        fn visit_pat_ident_mut(&mut self, p: &mut syn::PatIdent) {
            if is_binding(p) {
                if !self.0.iter().any(|(n, _)| *n == p.ident) {
                    let mutable = p.mutability.is_some() && p.by_ref.is_none();
                    self.0.push((p.ident.clone(), mutable));
                }
                p.ident = inner_name(&p.ident);
                if p.by_ref.is_none() {
                    p.mutability = None;
                }
            }
            if let Some((_, sub)) = &mut p.subpat {
                self.visit_pat_mut(sub);
            }
        }
        fn visit_expr_mut(&mut self, _: &mut Expr) {}
    }
    let mut inner = pat.clone();
    let mut rename = Rename(Vec::new());
    rename.visit_pat_mut(&mut inner);
    (inner, rename.0)
}

fn assignments(names: &[(Ident, bool)]) -> TokenStream {
    let (to, from): (Vec<_>, Vec<_>) = names.iter().map(|(n, _)| (n, inner_name(n))).unzip();
    quote!(#(#to = #from;)*)
}

/// A guard with the names that the pattern has there.
fn rename_inner(guard: Expr, names: &[(Ident, bool)]) -> TokenStream {
    fn walk(tokens: TokenStream, names: &[(Ident, bool)]) -> TokenStream {
        tokens
            .into_iter()
            .map(|t| match t {
                proc_macro2::TokenTree::Ident(i) if names.iter().any(|(n, _)| *n == i) => {
                    inner_name(&i).into()
                }
                proc_macro2::TokenTree::Group(g) => {
                    let mut new = proc_macro2::Group::new(g.delimiter(), walk(g.stream(), names));
                    new.set_span(g.span());
                    new.into()
                }
                t => t,
            })
            .collect()
    }
    walk(guard.to_token_stream(), names)
}

/// Code without points: `return` and `?` give what the body gives, jumps lead out of what is around.
struct Leaf<'b> {
    output: &'b Type,
    outer: Option<&'b Lifetime>,
    blocks: &'b HashMap<String, (To, Lifetime)>,
    /// Loops of the code itself.
    inside: usize,
}

impl VisitMut for Leaf<'_> {
    fn visit_expr_mut(&mut self, e: &mut Expr) {
        match e {
            Expr::Closure(_) | Expr::Async(_) => return,
            Expr::Loop(_) | Expr::While(_) | Expr::ForLoop(_) => {
                self.inside += 1;
                visit_mut::visit_expr_mut(self, e);
                self.inside -= 1;
                return;
            }
            _ => visit_mut::visit_expr_mut(self, e),
        }
        match e {
            Expr::Return(r) => {
                let value = r.expr.take().map_or_else(|| quote!(()), |e| quote!(#e));
                *e = parse_quote!(return ::core::result::Result::Ok(#value));
            }
            Expr::Try(t) => {
                let value = question(t.expr.to_token_stream(), self.output);
                *e = Expr::Verbatim(quote!((#value)));
            }
            Expr::Break(b) if b.label.is_none() && self.inside == 0 => {
                b.label = self.outer.cloned()
            }
            Expr::Continue(c) if c.label.is_none() && self.inside == 0 => {
                c.label = self.outer.cloned()
            }
            Expr::Break(b) => {
                let name = b
                    .label
                    .as_ref()
                    .map(|l| l.ident.to_string())
                    .unwrap_or_default();
                if let Some((to, end)) = self.blocks.get(&name) {
                    let value = b.expr.take().map_or_else(|| quote!(()), |e| quote!(#e));
                    *e = Expr::Verbatim(match to {
                        To::Nowhere => quote!({ #value; break #end; }),
                        To::Local(name) => quote!({ #name = #value; break #end; }),
                        To::Return => quote!(return ::core::result::Result::Ok(#value)),
                    });
                }
            }
            _ => {}
        }
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        if marks::is_call(mac) {
            return;
        }
        match marks::arguments(mac) {
            Some(Arguments::Listed(mut list)) => {
                list.iter_mut().for_each(|e| match e {
                    // `name = value`
                    Expr::Assign(a) => self.visit_expr_mut(&mut a.right),
                    e => self.visit_expr_mut(e),
                });
                mac.tokens = quote!(#list);
            }
            Some(Arguments::Repeated(mut item, mut n)) => {
                self.visit_expr_mut(&mut item);
                self.visit_expr_mut(&mut n);
                mac.tokens = quote!(#item; #n);
            }
            None => {}
        }
    }
}

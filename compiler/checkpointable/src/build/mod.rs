//! Writes a function's body so that it can be left and gone back into at its points.
//!
//! A **region** is the body, or that of a loop with points.  What is declared in a region outside of code without
//! points is declared at its start; its code is one stream, in which every point and every loop with points ends a
//! labelled block around all that comes before it.  On the way down again the stream is left at its start for the
//! code in front of the first point (`'pc3_e…`), from there for that of the next, until the one that the frame was
//! left at: there its locals are taken back and the stream is entered.  Branches are written one behind the other, and
//! jump.  So nothing is evaluated twice, no local is read before it is there, and the compiler can see that.

mod borrows;
pub(crate) mod brief;
mod calls;
mod conditions;
mod leaf;
mod lets;
mod loops;
pub(crate) mod patterns;
mod places;
mod points;
mod rematch;
mod statements;
mod tails;
mod values;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Block, Expr, Lifetime, Pat, Type};

use crate::flow::After;
use crate::moves::Moves;
use borrows::{is_borrowing, type_of};
use rematch::ChosenCase;

type Result<T> = std::result::Result<T, syn::Error>;

/// How a local comes back.
#[derive(Clone)]
enum Restoration {
    /// It is saved.
    Kept,
    /// It is made again by this code, which may make others, too.
    Made(TokenStream),
    /// It is not saved: after a restart this makes it.
    Transient(TokenStream),
    /// Its type says whether it is saved or made again.
    Asked(Rc<Chain>),
    /// An item of a loop that is made again, whatever its type is: it has been moved.
    Item(Rc<Chain>),
    /// An iterator, made again by this expression; how far it has been gone over is saved.
    Walked(TokenStream),
    /// As that, of its own type: how far it has been gone over is found by comparing with one that is made again.
    Compared(TokenStream),
    /// As the first, but it is made where the code goes on that it is needed in.
    Once(TokenStream),
    /// A closure, made there, too.
    Closure(TokenStream),
    /// It is saved unless the call that has this way has moved it.
    Perhaps(Ident),
    /// A call's argument: its type says whether there is anything to save.
    Handed,
    /// As that, of a local that may be a part of a text.
    Piece,
    /// A borrow that has become another one: what it leads to is saved.
    Cut,
    /// The type named by this says whether it is one of these.
    Parted(Ident),
}

/// What makes locals again whose types say that they are.
struct Chain {
    id: usize,
    /// None: it is one local.
    pattern: Option<ChosenCase>,
    /// It is matched in a head, or by a `let` that takes a borrow apart: what it is made from is still there.
    head: bool,
    /// It is what a loop's pattern binds of an item, which is there once.
    item: bool,
    /// A closure's, of an iterator that has become part of the loop: nothing else mentions it.
    folded: bool,
    made: TokenStream,
    /// It stands for something as long as it exists, used or not.
    guard: bool,
    /// It may have taken this local.
    taken: Option<Ident>,
}

impl Restoration {
    /// Is it an iterator that is gone on with?
    fn is_walked(&self) -> bool {
        matches!(
            self,
            Restoration::Walked(_) | Restoration::Compared(_) | Restoration::Once(_)
        )
    }

    /// Is it what a loop goes over?
    fn is_item(&self) -> bool {
        matches!(self, Restoration::Asked(chain) if chain.item)
    }

    /// Is something of it, by its name, in a frame?
    fn is_kept(&self) -> bool {
        let other = matches!(
            self,
            Restoration::Perhaps(_)
                | Restoration::Handed
                | Restoration::Piece
                | Restoration::Cut
                | Restoration::Parted(_)
        );
        matches!(self, Restoration::Kept) || other || self.is_walked()
    }

    /// What it is made again of.
    fn made(&self) -> Option<TokenStream> {
        match self {
            Restoration::Kept
            | Restoration::Perhaps(_)
            | Restoration::Handed
            | Restoration::Piece
            | Restoration::Cut
            | Restoration::Parted(_) => None,
            Restoration::Made(code)
            | Restoration::Transient(code)
            | Restoration::Walked(code)
            | Restoration::Compared(code)
            | Restoration::Once(code)
            | Restoration::Closure(code) => Some(code.clone()),
            Restoration::Asked(chain) | Restoration::Item(chain) => Some(chain.of()),
        }
    }
}

#[derive(Clone)]
struct Var {
    name: Ident,
    way: Restoration,
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
    /// Declarations of the user's blocks that are open in it, outer ones first.
    heads: Vec<TokenStream>,
    stream: TokenStream,
    /// Units so far.
    entries: usize,
    points: Vec<Point>,
    /// It is part of a block of the user's: what that declares outlives it.
    part: bool,
}

/// What becomes of an expression's value.
#[derive(Clone)]
enum Destination {
    Nowhere,
    Local(Ident),
    Return,
}

pub struct Builder {
    form: BodyForm,
    regions: Vec<Region>,
    made: usize,
    /// Locals that exist, outer ones first.
    visible: Vec<Var>,
    after: After,
    labels: u32,
    names: usize,
    /// Statics of the points.
    pub statics: TokenStream,
    /// How marked methods take what they are called on, by their points.
    ways: HashMap<usize, Ident>,
    loops: Vec<Lifetime>,
    /// What comes in front of a loop's next round, by its label.
    hands_on: HashMap<String, TokenStream>,
    /// Users' labelled blocks that are taken apart.
    blocks: HashMap<String, (Destination, Lifetime)>,
    output: Type,
    function: Ident,
    /// Parameters that are borrows; is it `&mut`?
    borrowed: HashMap<String, bool>,
    /// Locals and parameters that are a `BufReader`, or borrow one, as far as it shows.
    readers: HashSet<String>,
    /// Locals that are iterators, and closures, as far as it shows.
    iterators: HashSet<String>,
    closures: HashSet<String>,
    /// Closures that do nothing but give a value, as far as it shows.
    pure: HashSet<String>,
    /// Those with `#[reeval]`.
    reevals: HashSet<String>,
    /// Users' names of locals that have others.
    renamed: HashMap<String, String>,
    /// Locals that may be mentioned where it does not show.
    in_macros: HashSet<String>,
    positions: Vec<String>,
    moves: Moves,
    /// Loops around over iterators that are made again, by their names in the analysis of moves.
    made_loops: Vec<String>,
    /// Those iterators, and where their loops are.
    made_iterators: Vec<(Ident, Span)>,
    /// What is asked of types at the function's end.
    again: Vec<loops::Question>,
    /// Locals that may exist at a point.
    asked: BTreeMap<String, LocalAtPoint>,
    /// Values that a checkpoint would end, by their numbers.
    briefs: Vec<brief::Brief>,
    /// Guards of an `if` that its `else` may not hold.
    else_ends: Vec<Ident>,
    /// `use`s of the blocks that are open, but for the function's own.
    uses: Vec<TokenStream>,
    /// Is one of its blocks open?
    in_function: bool,
    /// The arguments of the call that is being made which may be texts.
    handed: Vec<(usize, Ident)>,
    /// Does the function take texts apart?
    cuts_texts: bool,
    /// Are there borrows that are saved as what they lead to?
    cuts: bool,
    /// Guards in the expression that is judged get names.
    guards_named: bool,
    errors: Vec<syn::Error>,
}

/// A local that may exist at a point.
struct LocalAtPoint {
    number: usize,
    name: Ident,
    /// A point may end it,
    ends: bool,
    /// or what is left of it.
    part: bool,
    /// The line of the first point of which that is so.
    line: Option<TokenStream>,
    /// It may, if the call that has this way has moved it, or has not.
    called: Vec<(Ident, bool)>,
}

/// A parameter by value.
#[derive(Clone)]
pub struct Parameter {
    pub pat: Pat,
    pub ty: Type,
    pub argument: Ident,
}

/// Which forms of the function have the body.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum BodyForm {
    /// Both, as one that is generic.
    Either,
    /// That which runs: frames lead into none of it, and what is asked of types the other one asks.
    Hot,
    /// That which is gone back into.
    Resumed,
}

/// What is known of a function besides its body.
#[derive(Clone)]
pub struct About<'a> {
    pub form: BodyForm,
    pub by_value: &'a [Parameter],
    pub borrowed: HashMap<String, bool>,
    pub readers: HashSet<String>,
    pub iterators: HashSet<String>,
    pub renamed: HashMap<String, String>,
    pub in_macros: HashSet<String>,
    /// Where the points are among the statements.
    pub positions: Vec<String>,
    pub output: Type,
    pub function: Ident,
}

pub fn body(block: &Block, about: About, moves: Moves) -> Result<(TokenStream, TokenStream)> {
    let About {
        form,
        by_value,
        borrowed,
        readers,
        iterators,
        renamed,
        in_macros,
        positions,
        output,
        function,
    } = about;
    let mut block = block.clone();
    let pure = loops::pure::in_locals(&mut block);
    let block = &block;
    let mut b = Builder {
        form,
        regions: Vec::new(),
        made: 0,
        visible: Vec::new(),
        after: After::default(),
        labels: 0,
        names: 0,
        statics: TokenStream::new(),
        ways: HashMap::new(),
        loops: Vec::new(),
        hands_on: HashMap::new(),
        blocks: HashMap::new(),
        output,
        function,
        borrowed,
        readers,
        iterators,
        closures: HashSet::new(),
        pure,
        reevals: HashSet::new(),
        renamed,
        in_macros,
        positions,
        moves,
        made_loops: Vec::new(),
        made_iterators: Vec::new(),
        again: Vec::new(),
        asked: BTreeMap::new(),
        briefs: Vec::new(),
        else_ends: Vec::new(),
        uses: Vec::new(),
        in_function: false,
        handed: Vec::new(),
        cuts_texts: lets::cuts_texts(block),
        cuts: false,
        guards_named: false,
        errors: Vec::new(),
    };
    b.open();
    for p in by_value {
        b.parameter(p);
    }
    b.block(block, &Destination::Return)?;
    let (code, _) = b.close(&quote!());
    if let Some(all) = std::mem::take(&mut b.errors)
        .into_iter()
        .reduce(|mut a, e| {
            a.combine(e);
            a
        })
    {
        return Err(all);
    }
    let (mut questions, mut asked): (Vec<_>, Vec<_>) =
        b.asked.values().map(|a| a.question(&b)).unzip();
    let briefs = b.briefs.iter().filter(|_| form != BodyForm::Hot);
    for (question, answer) in briefs.enumerate().map(|(n, brief)| brief.question(n, &b)) {
        questions.push(question);
        asked.push(answer);
    }
    for (n, q) in b.again.iter().enumerate() {
        let (question, answer) = q.asked(n);
        questions.push(question);
        asked.push(answer);
    }
    let statics = match b.cuts {
        true => {
            let statics = b.statics;
            quote!(#statics let pc3_texts = ::pc3::point::Texts::new();)
        }
        false => b.statics,
    };
    // Nothing behind `code` is reached.
    let code = quote! {
        #code;
        #[allow(unused_imports)]
        use ::pc3::point::{Foreign as _, IsApart as _, IsCell as _, IsElsewhere as _, IsEnding as _, IsFixed as _, IsLasting as _, IsLent as _, IsLocked as _, IsNoPiece as _, IsPiece as _, IsOrdered as _, IsOwn as _, IsShuffled as _, IsTaken as _, IsThere as _, LentStays as _, OtherStays as _, SavedStays as _, Unsaved as _};
        #(#asked)*
    };
    Ok((code, quote!(#statics #(#questions)*)))
}

/// How names of locals begin that no code mentions, but that live until their block ends.
pub(crate) const HELD: &str = "pc3_held_";

/// What is not bound of it ends with the statement.
fn whole(name: &Ident) -> TokenStream {
    quote!(({ #name }))
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

    fn region_now(&self) -> usize {
        self.regions.last().map_or(0, |r| r.id)
    }

    fn put(&mut self, tokens: TokenStream) {
        let tokens = match self.uses.is_empty() {
            true => tokens,
            false => {
                let uses = &self.uses;
                quote!({ #(#uses)* #tokens })
            }
        };
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
        let entered = (self.form != BodyForm::Hot)
            .then(|| quote! { if Pc3Mode::RESUME && pc3_at != 0 { break #first; } });
        self.regions.push(Region {
            id,
            heads: vec![TokenStream::new()],
            stream: entered.unwrap_or_default(),
            entries: 1,
            ..Region::default()
        });
    }

    /// Ends a region; `end` is how its stream ends.  Gives its code and its points.
    fn close(&mut self, end: &TokenStream) -> (TokenStream, Vec<Point>) {
        self.put(end.clone());
        let r = self.regions.pop().unwrap_or_default();
        let last = label(&format!("pc3_e{}_{}", r.id, r.entries));
        let (heads, stream) = (r.heads, r.stream);
        let code = quote! { #(#heads)* #last: { #stream } ::pc3::point::lost(&mut pc3_frame) };
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
        if self.form != BodyForm::Hot {
            self.target(&this);
            self.put(quote! {
                if let #(#labels)|* = pc3_at { #arms break #at; }
                break #next;
            });
        }
        self.target(at);
        self.region().entries = n + 1;
    }

    /// What is asked of types: one form does that.
    fn in_one_form(&self, asked: TokenStream) -> TokenStream {
        match self.form {
            BodyForm::Hot => TokenStream::new(),
            BodyForm::Either | BodyForm::Resumed => asked,
        }
    }

    /// The form in which what is asked of types fails.
    fn judged(&self) -> TokenStream {
        match self.form {
            BodyForm::Either => quote!(Pc3Mode),
            BodyForm::Hot | BodyForm::Resumed => quote!(::pc3::point::Hot),
        }
    }

    /// The region that has the user's innermost block.
    fn of_block(&self) -> usize {
        let part = |r: &&Region| r.part && r.heads.len() == 1;
        let within = self.regions.iter().rev().take_while(part).count();
        self.regions.len().saturating_sub(1 + within)
    }

    /// Declarations of the user's innermost block.
    fn head(&mut self) -> &mut TokenStream {
        let at = self.of_block();
        let heads = &mut self.regions[at].heads;
        if heads.is_empty() {
            heads.push(TokenStream::new());
        }
        let last = heads.len() - 1;
        &mut heads[last]
    }

    /// A block of the user's: what is declared in it, and `head`, ends with it, however it is left.  All code so far
    /// comes to lie within: what is in front of the block knows nothing of its names.
    fn scoped<T>(
        &mut self,
        head: TokenStream,
        write: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let depth = self.visible.len();
        self.region().heads.push(head);
        let done = write(self);
        let region = self.region();
        let head = region.heads.pop().unwrap_or_default();
        if !head.is_empty() {
            let before = std::mem::take(&mut region.stream);
            region.stream = quote!({ #head #before });
        }
        self.visible.truncate(depth);
        done
    }

    /// Locals that are declared later.
    fn apart(&mut self, declare: impl FnOnce(&mut Self)) -> (TokenStream, Vec<Var>) {
        let depth = self.visible.len();
        self.region().heads.push(TokenStream::new());
        declare(self);
        let head = self.region().heads.pop().unwrap_or_default();
        (head, self.visible.split_off(depth))
    }

    fn declare(&mut self, name: &Ident, mutable: bool, ty: Option<&Type>) {
        let mutable = mutable.then(|| quote!(mut));
        let ty = ty.map(|t| quote!(: #t));
        self.head().extend(quote!(let #mutable #name #ty;));
    }

    /// A local that the user's code has.
    fn local(&mut self, name: &Ident, mutable: bool, ty: Option<&Type>, way: Restoration) {
        // Assigned once on each way, but the compiler may not see that on ways that never meet.
        // One that rounds of a loop hand on is assigned in each.
        let mutable = mutable || self.moves.is_carried(&name.to_string());
        self.declare(name, mutable, ty);
        self.ask(name);
        if let Restoration::Asked(_) | Restoration::Compared(_) = way {
            let of = type_of(name);
            self.head().extend(quote_spanned! {name.span()=>
                let #of = ::core::marker::PhantomData;
                if false { loop {} ::pc3::point::of(&#name, &#of); }
            });
        }
        let region = self.region().id;
        self.visible.push(Var {
            name: name.clone(),
            way,
            region,
        });
    }

    /// An argument that came by value: what is not bound of it lives until the function's end.
    fn parameter(&mut self, p: &Parameter) {
        let (ty, argument) = (&p.ty, &p.argument);
        let given = quote_spanned!(p.pat.span().resolved_at(Span::call_site())=> Pc3Mode::given::<#ty>(#argument));
        let mut pat = p.pat.clone();
        if let Pat::Wild(_) = pat {
            let name = format_ident!("{}{}", HELD, argument);
            pat = Pat::Ident(syn::PatIdent {
                attrs: Vec::new(),
                by_ref: None,
                mutability: None,
                ident: name,
                subpat: None,
            });
        }
        if brief::leaves(&pat) {
            let mut value = Expr::Verbatim(given);
            self.brief_parameter(&mut value);
            return self.bind(&pat, quote!(#value), None, &Restoration::Kept);
        }
        self.bind(&pat, given, None, &Restoration::Kept);
    }
}

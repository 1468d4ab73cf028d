//! Numbers made of sizes that differ between architectures, and what holds them.
//!
//! Where all that a place is given are multiples of one type's size, a restart converts its value, as an annotation
//! (`#pragma pc3 bytes`) would have it.  Else its type in the tables names the places in the sources whose sizes are in it, and
//! a restart that finds one of these different refuses the value.

mod beyond;
mod givers;
mod made;
mod reach;
mod size_flows;
mod totals;

use crate::addresses::{Arrays, NumberPlace, Numbers, Saved};
use crate::heap::{allocator, one_line, Heap};
use crate::lints::layout;
use beyond::Beyond;
pub use givers::{Given, Gives};
use made::NumberForm;
use pc3_program::annotations::{Annotations, Meaning, Sizes};
use pc3_program::callgraph::CallGraph;
use pc3_program::program::{base_name, is_local, Callee, FnId, Program};
use pc3_program::walk::{strip_casts, visit, Node};
use pc3_syntax::tree::*;
use pc3_typemetric::descriptor::{PC3_TYPE_FITS, PC3_TYPE_ONE, PC3_TYPE_SUM};
use reach::{Reach, Reached};
pub use size_flows::SizeFlow;
use size_flows::Ways;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use totals::Share;

/// A `sizeof` that counts.
pub struct SizeSource {
    pub unit: usize,
    pub of: ExprId,
    pub ty: TypeId,
    /// `sizeof(struct node)` (t.c:12): what both builds call it.
    pub name: String,
    /// What it is put into at once, and all that it gets to.
    pub to: Vec<NumberPlace>,
    pub reached: Reached,
}

/// What becomes of a number at a restart.
#[derive(Clone, Debug)]
enum Derivation {
    /// It counts objects of a unit's type.
    Counts(usize, TypeId),
    Refused {
        sources: BTreeSet<usize>,
        flags: u8,
        /// Of the ways by which sizes get there.
        node: Option<String>,
        /// A restart refuses it only if it is not this of what is allocated.
        total: Option<Share>,
    },
}

#[derive(Default)]
pub struct SizeDerived {
    pub sources: Vec<SizeSource>,
    kept: HashMap<NumberPlace, Derivation>,
    /// Expressions of units in which sizes are, but for those that have one value on each architecture, and where these
    /// come from.
    sized: HashMap<(usize, ExprId), Vec<Option<NumberPlace>>>,
    ways: Ways,
}

impl SizeDerived {
    /// A restart elsewhere converts it.
    pub fn counts(&self, place: &NumberPlace) -> bool {
        matches!(self.kept.get(place), Some(Derivation::Counts(..)))
    }
    /// A restart elsewhere refuses it.
    pub fn refused(&self, place: &NumberPlace) -> bool {
        matches!(
            self.kept.get(place),
            Some(Derivation::Refused { total: None, .. })
        )
    }
    /// Are all sizes in it that a restart refuses of one type?
    pub(crate) fn of_one_type(&self, p: &Program, place: &NumberPlace) -> bool {
        let Some(Derivation::Refused { sources, .. }) = self.kept.get(place) else {
            return true;
        };
        let mut all = sources.iter().map(|s| &self.sources[*s]);
        let first = all.next();
        first.is_none_or(|a| all.all(|b| same(p, a.unit, a.ty, b.unit) == Some(b.ty)))
    }
    /// Is it a number that sizes are in?
    pub fn sized(&self, unit: usize, e: ExprId) -> bool {
        self.sized.contains_key(&(unit, e))
    }
    /// A size in such a number: `sizeof(struct node)` (t.c:12).
    pub fn size_in(&self, u: &Unit, unit: usize, e: ExprId) -> Option<&str> {
        let span = &u.expr(e).span;
        let inside = |s: &&SizeSource| {
            let at = &u.exprs.get(s.of.index()).map(|x| x.span.clone());
            s.unit == unit
                && at
                    .as_ref()
                    .is_some_and(|a| span.start <= a.start && a.end <= span.end)
        };
        let from = |s: &&SizeSource| {
            let mut places = self.sized.get(&(unit, e)).into_iter().flatten().flatten();
            places.any(|x| s.reached.contains(x))
        };
        let mut all = self.sources.iter();
        let own = all.find(inside);
        let found = own.or_else(|| self.sources.iter().find(from))?;
        Some(&found.name)
    }
    /// The nodes that its sizes come from, if there are none but by ways that code takes.
    pub fn nodes(&self, unit: usize, e: ExprId) -> Option<Vec<String>> {
        let all = self.sized.get(&(unit, e))?.iter();
        let node = |x: &Option<NumberPlace>| self.ways.node(x.as_ref()?).cloned();
        let nodes: Vec<String> = all.map(node).collect::<Option<_>>()?;
        (!nodes.is_empty()).then_some(nodes)
    }
    /// Ways to these nodes, and to those of what restarts refuse.
    pub fn ways(&self, nodes: impl Iterator<Item = String>) -> Vec<&SizeFlow> {
        let refused = self.kept.values().filter_map(|k| match k {
            Derivation::Refused { node, .. } => node.clone(),
            Derivation::Counts(..) => None,
        });
        self.ways.to(&nodes.chain(refused).collect())
    }
    /// Is a source in something that is refused?
    pub fn decides(&self, source: usize) -> bool {
        let mut all = self.kept.values();
        all.any(|k| matches!(k, Derivation::Refused { sources, .. } if sources.contains(&source)))
    }
}

/// `by_code`: a restart asks what code has run.
pub fn find(
    p: &Program,
    graph: &CallGraph,
    said: &Annotations,
    heap: &Heap,
    numbers: &Numbers,
    (saved, by_code): (Saved, bool),
) -> SizeDerived {
    let calls = reach::calls(p, numbers);
    let beyond = beyond::find(p, graph);
    let told = made::annotated_places(p, numbers, said);
    let systems = systems(p);
    let mut banned: HashSet<NumberPlace> = HashSet::new();
    let (sources, all, analysed) = loop {
        let sources = sources(p, heap, (numbers, &banned), &calls, &beyond);
        let own = |x: &NumberPlace| match x {
            NumberPlace::Member(of, _) => !systems.contains(of),
            NumberPlace::Elements(_) => !banned.contains(x),
            NumberPlace::Memory(_) | NumberPlace::Pointer => false,
            _ => true,
        };
        let all = distinct(&sources).into_iter().flat_map(|r| r.iter());
        let all: HashSet<NumberPlace> = all.filter(|x| own(x)).cloned().collect();
        let analysed = made::analyse(p, graph, (numbers, &calls, &beyond), &all, &told);
        // Of several arrays that cannot be told apart only what all have in common is known.
        let unclear = analysed.made.iter().filter(|(x, made)| {
            matches!(
                made,
                NumberForm::OneOf | NumberForm::Sum | NumberForm::Other
            ) && numbers.arrays.is_mixed(x)
        });
        let unclear: Vec<NumberPlace> = unclear.map(|x| x.0.clone()).collect();
        if unclear.is_empty() {
            break (sources, all, analysed);
        }
        banned.extend(unclear);
    };
    let dealt = dealt(p, heap, numbers, &sources);
    let held = |x: &&NumberPlace| {
        let bare = matches!(x, NumberPlace::Result(_)) || told.contains_key(*x) || asks(p, heap, x);
        let elements = matches!(x, NumberPlace::Elements(_));
        // The type of what is behind a head says what its members count.
        let counted = heap.headed.iter().any(|h| h.counts(p, x));
        !bare && !counted && has_row(p, x) && (!elements || numbers.arrays.kept(p, graph, x, saved))
    };
    let ways = match by_code {
        true => analysed.ways,
        false => Ways::default(),
    };
    let mut kept = HashMap::new();
    let totals = totals::find(p, heap);
    let sets = distinct(&sources);
    for place in all.iter().filter(held) {
        let (flags, of) = match analysed.made.get(place) {
            None | Some(NumberForm::Plain | NumberForm::Nothing) => continue,
            Some(NumberForm::Of(unit, ty) | NumberForm::Is(unit, ty)) => {
                (PC3_TYPE_SUM, Some((*unit, *ty)))
            }
            Some(NumberForm::OneOf) => (PC3_TYPE_SUM | PC3_TYPE_ONE, None),
            Some(NumberForm::Sum) => (PC3_TYPE_SUM, None),
            Some(NumberForm::Other) => (0, None),
        };
        // Pieces stay where they are in their blocks, with their sizes; larger ones would not fit.
        let flags = flags
            | if dealt.contains(place) {
                PC3_TYPE_FITS
            } else {
                0
            };
        let with_pieces = !heap.pieces.dealers.is_empty();
        let of = of.filter(|of| !with_pieces && everywhere(p, numbers, place, *of));
        kept.insert(
            place.clone(),
            match of {
                Some((unit, ty)) => Derivation::Counts(unit, ty),
                None => {
                    let in_it = sets.iter().filter(|r| r.contains(place));
                    let in_it: HashSet<_> = in_it.map(|r| Arc::as_ptr(r)).collect();
                    let has = |s: &SizeSource| in_it.contains(&Arc::as_ptr(&s.reached));
                    let all = sources.iter().enumerate().filter(|s| has(s.1));
                    let of: BTreeSet<usize> = all.map(|s| s.0).collect();
                    Derivation::Refused {
                        sources: of,
                        flags,
                        node: ways.node(place).cloned(),
                        total: totals.get(place).cloned(),
                    }
                }
            },
        );
    }
    SizeDerived {
        sources,
        kept,
        sized: analysed.sized,
        ways,
    }
}

fn sources(
    p: &Program,
    heap: &Heap,
    (numbers, banned): (&Numbers, &HashSet<NumberPlace>),
    calls: &reach::SizeCalls,
    beyond: &Beyond,
) -> Vec<SizeSource> {
    let asked = asked(p, heap);
    let mut reach = Reach::new(p, (numbers, banned), beyond);
    let mut sources: Vec<SizeSource> = Vec::new();
    let mut names: HashMap<String, usize> = HashMap::new();
    for w in numbers.wanted() {
        let u = &p.units[w.unit];
        let ty = match &u.expr(w.of).kind {
            ExprKind::SizeofType(q) => q.ty,
            ExprKind::SizeofExpr(x) => u.expr(*x).ty.ty,
            _ => continue,
        };
        let system = u.lines.is_system(u.expr(w.of).span.start);
        let own = system || pc3_libc::is_own(&u.path);
        if own || !layout::size_may_vary(u, w.of) || asked.contains(&(w.unit, w.of)) {
            continue;
        }
        let ends = w.to.iter().flat_map(|x| numbers.ends(x));
        let mut to: Vec<NumberPlace> = ends.cloned().collect();
        to.extend(calls.to.get(&(w.unit, w.of)).into_iter().flatten().cloned());
        to.extend(
            beyond
                .sizes
                .get(&(w.unit, w.of))
                .into_iter()
                .flatten()
                .cloned(),
        );
        to.retain(|x| !banned.contains(x));
        let at = u.lines.position(u.expr(w.of).span.start);
        let text = one_line(u.slice(&u.expr(w.of).span));
        let file = base_name(&at.file);
        let mut name = format!("`{text}` ({file}:{})", at.line);
        let before = names.entry(name.clone()).or_default();
        *before += 1;
        if *before > 1 {
            name = format!("`{text}` ({file}:{}, {before})", at.line);
        }
        sources.push(SizeSource {
            unit: w.unit,
            of: w.of,
            ty,
            name,
            reached: reach.from(&to),
            to,
        });
    }
    sources
}

/// Lets the tables say it.
pub fn tell(p: &Program, measured: &SizeDerived, arrays: &Arrays, said: &mut Annotations) {
    for (unit, u) in p.units.iter().enumerate() {
        let here = &mut said.units[unit];
        let mut rows: HashMap<NumberPlace, usize> = HashMap::new();
        let mut kept = |place: NumberPlace, made: &mut Vec<Sizes>| {
            Some(match measured.kept.get(&place)? {
                Derivation::Counts(from, ty) => Ok(QualType::plain(same(p, *from, *ty, unit)?)),
                Derivation::Refused {
                    sources,
                    flags,
                    node,
                    total,
                } => {
                    let name = place.name(p).map(|n| format!("#{n}"));
                    let row = *rows.entry(place).or_insert_with(|| {
                        let names = sources.iter().map(|s| measured.sources[*s].name.clone());
                        let node = node.iter().map(|n| format!("@{n}"));
                        let total = total.iter().map(Share::line);
                        let places = names.chain(node).chain(total).chain(name);
                        let places = places.collect::<Vec<_>>().join("\n");
                        let flags = *flags;
                        made.push(Sizes { places, flags });
                        made.len() - 1
                    });
                    Err(row)
                }
            })
        };
        // The elements' meaning is that of the array's type; what pointers lead to has its own.
        let row = |place: NumberPlace, ty: TypeId| match u.ty(ty) {
            Type::Array { .. } => arrays.own(&place),
            Type::Pointer(_) => None,
            _ => Some(place),
        };
        let blocks = arrays.blocks().filter(|(at, ..)| *at == unit);
        for (_, call, place) in blocks {
            let meaning = match kept(place, &mut here.made) {
                Some(Ok(of)) => Meaning::Bytes(of),
                Some(Err(row)) => Meaning::Sizes(row),
                None => continue,
            };
            here.blocks.insert(call, meaning);
        }
        for k in 0..u.symbols.len() {
            let s = SymId(k as u32);
            if !matches!(u.sym(s).kind, SymKind::Var | SymKind::Param) {
                continue;
            }
            let Some(place) = row(NumberPlace::variable(unit, u, s), u.sym(s).ty.ty) else {
                continue;
            };
            match kept(place, &mut here.made) {
                Some(Ok(of)) => _ = here.bytes.variables.insert(s, of),
                Some(Err(row)) => _ = here.sizes.variables.insert(s, row),
                None => {}
            }
        }
        for k in 0..u.records.len() {
            let r = RecordId(k as u32);
            for (i, f) in u.records[k].fields.iter().flatten().enumerate() {
                let Some(name) = &f.name else { continue };
                let Some(place) = row(NumberPlace::member(unit, u, r, name), f.ty.ty) else {
                    continue;
                };
                match kept(place, &mut here.made) {
                    Some(Ok(of)) => _ = here.bytes.members.insert((r, i), of),
                    Some(Err(row)) => _ = here.sizes.members.insert((r, i), row),
                    None => {}
                }
            }
        }
    }
}

/// All that gives places their values.
pub(crate) fn givers(
    p: &Program,
    graph: &CallGraph,
    numbers: &Numbers,
    wanted: impl Iterator<Item = NumberPlace>,
) -> Given {
    let beyond = beyond::find(p, graph);
    givers::givers_of(p, graph, (numbers, &beyond), wanted)
}

/// Units in which a place is declared.
fn declared<'a>(p: &'a Program, place: &'a NumberPlace) -> impl Iterator<Item = usize> + 'a {
    let mut units: Vec<usize> = match place {
        NumberPlace::Variable(of, _) => vec![*of],
        NumberPlace::Global(name) => p.declaring(name).collect(),
        NumberPlace::Member(of, name) => {
            let all = p.records(of).filter(|(_, r)| field(p, *r, name).is_some());
            all.map(|(_, (unit, _))| unit).collect()
        }
        _ => Vec::new(),
    };
    units.sort_unstable();
    units.dedup();
    units.into_iter()
}

fn field<'a>(p: &'a Program, (unit, r): (usize, RecordId), name: &str) -> Option<&'a Field> {
    let mut fields = p.units[unit].records[r.index()].fields.iter().flatten();
    fields.find(|f| f.name.as_deref() == Some(name))
}

/// The fields of a unit that a place stands for.
fn fields<'a>(p: &'a Program, unit: usize, place: &NumberPlace) -> Vec<(&'a Record, &'a Field)> {
    let NumberPlace::Member(of, name) = place else {
        return Vec::new();
    };
    let here = p.records(of).filter(|(_, (of, _))| *of == unit);
    let found = here.filter_map(|(d, r)| Some((d, field(p, r, name)?)));
    found.collect()
}

/// Can a type of the tables be this place's alone?
fn has_row(p: &Program, place: &NumberPlace) -> bool {
    declared(p, place).all(|unit| {
        let all = fields(p, unit, place);
        let plain = |(d, f): &(&Record, &Field)| !d.is_union && f.bit_width.is_none();
        all.iter().all(plain)
    })
}

/// A member of a union, or of bits.
pub fn is_part(p: &Program, place: &NumberPlace) -> bool {
    matches!(place, NumberPlace::Member(..)) && !has_row(p, place)
}

/// Is the type known wherever the place is declared, or what is in it allocated?
fn everywhere(
    p: &Program,
    numbers: &Numbers,
    place: &NumberPlace,
    (unit, ty): (usize, TypeId),
) -> bool {
    let known = |place: &NumberPlace| declared(p, place).all(|to| same(p, unit, ty, to).is_some());
    let Some(class) = numbers.arrays.class(place) else {
        return known(place);
    };
    let blocks = numbers.arrays.blocks();
    let mut blocks = blocks.filter(|(.., x)| x == place);
    class.holders.iter().all(|h| known(&h.place))
        && blocks.all(|(to, ..)| same(p, unit, ty, to).is_some())
}

/// A unit's type, in another unit.
pub fn same(p: &Program, from: usize, ty: TypeId, to: usize) -> Option<TypeId> {
    if from == to {
        return Some(ty);
    }
    let (u, v) = (&p.units[from], &p.units[to]);
    let name = |d: &Record| match d.scope {
        None => d.tag.clone().or(d.typedef_name.clone()),
        Some(_) => None,
    };
    let wanted = match u.ty(ty) {
        Type::Record(r) => Some(name(&u.records[r.index()])?),
        _ => None,
    };
    let alike = |t: &Type| match (u.ty(ty), t) {
        (Type::Int(a), Type::Int(b)) => a == b,
        (Type::Float(a), Type::Float(b)) => a == b,
        (Type::Pointer(_), Type::Pointer(_)) => true,
        (Type::Record(_), Type::Record(r)) => {
            let d = &v.records[r.index()];
            d.fields.is_some() && name(d) == wanted
        }
        _ => false,
    };
    let found = (0..v.types.len() as u32).map(TypeId);
    let mut found = found.filter(|t| alike(v.ty(*t)));
    found.find(|t| layout::sizes(u, ty).is_some() && layout::sizes(u, ty) == layout::sizes(v, *t))
}

/// Is it a parameter of a function that allocates for its callers, and used for nothing but how much?  A restart in it knows whose
/// size that is, and asks for as many bytes as that has here.
fn asks(p: &Program, heap: &Heap, place: &NumberPlace) -> bool {
    let NumberPlace::Variable(unit, s) = place else {
        return false;
    };
    let says = |f: FnId, list: &[usize]| {
        let params = &p.func(f).params;
        p.fns[f.index()].0 == *unit && list.iter().any(|i| params.get(*i) == Some(s))
    };
    let Some((f, _)) = heap.wrappers.iter().find(|(f, list)| says(**f, list)) else {
        return false;
    };
    let f = p.func(*f);
    let u = &p.units[*unit];
    let (mut uses, mut sizes) = (0, 0);
    visit(u, Node::Stmt(f.body), &mut |n| {
        let Node::Expr(e) = n else { return true };
        let is =
            |e: ExprId| matches!(u.expr(strip_casts(u, e)).kind, ExprKind::Ident(x) if x == *s);
        match &u.expr(e).kind {
            ExprKind::Ident(x) if x == s => uses += 1,
            ExprKind::Call { callee, args } => {
                let name = match p.direct(*unit, *callee) {
                    Some((_, Callee::External(name))) => name,
                    _ => return true,
                };
                let which = allocator(&name).unwrap_or_default().iter();
                sizes += which
                    .filter(|i| args.get(**i).is_some_and(|a| is(*a)))
                    .count();
            }
            _ => {}
        }
        true
    });
    uses == sizes
}

/// What is in the sizes of pieces: these stay where they are in their blocks, and what counts them means the same elsewhere.
fn asked(p: &Program, heap: &Heap) -> HashSet<(usize, ExprId)> {
    let mut all = HashSet::new();
    let with_pieces = !heap.pieces.dealers.is_empty();
    for (unit, u) in p.units.iter().enumerate().filter(|_| with_pieces) {
        for e in &u.exprs {
            let ExprKind::Call { callee, args } = &e.kind else {
                continue;
            };
            let Some((_, Callee::Defined(f))) = p.direct(unit, *callee) else {
                continue;
            };
            let sizes = heap.pieces.dealers.get(&f).into_iter().flatten();
            for a in sizes.filter_map(|i| args.get(*i)) {
                visit(u, Node::Expr(*a), &mut |n| {
                    if let Node::Expr(x) = n {
                        all.insert((unit, x));
                    }
                    true
                });
            }
        }
    }
    all
}

/// Places with sizes of pieces, or beside what leads to blocks of them, and all that those sizes get to.
fn dealt(
    p: &Program,
    heap: &Heap,
    numbers: &Numbers,
    sources: &[SizeSource],
) -> HashSet<NumberPlace> {
    let pieces = &heap.pieces;
    let mut ends: HashSet<NumberPlace> = HashSet::new();
    for (f, sizes) in &pieces.dealers {
        let unit = p.fns[f.index()].0;
        let params = sizes.iter().filter_map(|i| p.func(*f).params.get(*i));
        ends.extend(params.map(|s| NumberPlace::Variable(unit, *s)));
    }
    for (f, e) in &pieces.steps {
        let unit = p.fns[f.index()].0;
        ends.extend(crate::addresses::named(unit, &p.units[unit], *e));
    }
    let structs: HashSet<String> = pieces.places.iter().filter_map(|x| x.holder()).collect();
    let variables = pieces.places.iter().any(|x| x.holder().is_none());
    let beside = |x: &NumberPlace| match x {
        NumberPlace::Member(of, _) => structs.contains(of),
        NumberPlace::Global(_) => variables,
        NumberPlace::Variable(unit, s) => variables && !is_local(p.units[*unit].sym(*s)),
        _ => false,
    };
    let sets = distinct(sources);
    let all = sets.iter().flat_map(|r| r.iter());
    ends.extend(all.filter(|x| beside(x)).cloned());
    let from: Vec<NumberPlace> = ends.iter().cloned().collect();
    let none = HashSet::new();
    let mut reach = Reach::new(p, (numbers, &none), &Beyond::default());
    ends.extend(reach.from(&from).iter().cloned());
    let meets = |r: &&&Reached| !r.is_disjoint(&ends);
    let met: Vec<&&Reached> = sets.iter().filter(meets).collect();
    ends.extend(met.iter().flat_map(|r| r.iter().cloned()));
    ends
}

/// What sources get to: many share it.
fn distinct(sources: &[SizeSource]) -> Vec<&Reached> {
    let mut seen = HashSet::new();
    let all = sources.iter().map(|s| &s.reached);
    all.filter(|r| seen.insert(Arc::as_ptr(r))).collect()
}

/// Structs of the system's headers: what they are given is for a call.
fn systems(p: &Program) -> HashSet<String> {
    let all = p
        .units
        .iter()
        .flat_map(|u| u.records.iter().map(move |r| (u, r)));
    let system = all.filter(|(u, r)| r.def.as_ref().is_some_and(|d| u.lines.is_system(d.start)));
    system
        .filter_map(|(_, r)| r.tag.clone().or(r.typedef_name.clone()))
        .collect()
}

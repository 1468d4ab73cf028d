//! The allocation sites of a unit, and what is known of each.

use super::element::{element, wish};
use super::flow::{self, Follow, PointerPlace, Use, Wish};
use super::headed::{self, Headed};
use super::suballocation::Pieces;
use super::types::{base, is_char};
use super::wrappers::{allocation, callers, Calls};
use super::{size, Site, SizeForm, Why};
use pc3_program::annotations::Typed;
use pc3_program::callgraph::CallGraph;
use pc3_program::program::{is_local, FnId};
use pc3_program::walk::{visit, Node};
use pc3_syntax::tree::*;
use pc3_typemetric::types::AddressBits;
use std::collections::{HashMap, HashSet};

/// What the whole program says of them.
pub struct Sites<'s, 'a> {
    pub calls: &'s Calls<'a>,
    pub graph: &'s CallGraph,
    pub pieces: &'s Pieces,
    /// Functions that hand out memory again.
    pub dealers: &'s HashSet<FnId>,
    /// What is handed out is noted.
    pub noted: bool,
    /// Places whose integers hold addresses.
    pub held: HashMap<PointerPlace, AddressBits>,
}

#[derive(Default)]
pub struct InUnit {
    pub sites: Vec<Site>,
    pub silent: HashSet<ExprId>,
    /// The structs of allocations whose results become pointers to others.
    pub contrary: Vec<(QualType, QualType, ExprId)>,
    pub headed: Vec<Headed>,
}

/// A call that allocates.
struct Call<'c> {
    e: ExprId,
    sizes: &'c [ExprId],
    of_wrapper: bool,
    /// The function around it.
    id: FnId,
    /// That one allocates for its callers.
    inside: bool,
}

type Found = Result<(QualType, SizeForm, Why), Why>;

impl Sites<'_, '_> {
    pub fn of(&self, follow: &Follow) -> InUnit {
        let (unit, u) = (follow.flow.unit, follow.flow.u);
        let p = self.calls.p;
        let mut all = InUnit::default();
        for f in &u.functions {
            let id = p.id(unit, func_of(u, f));
            let inside = self.calls.wrappers.contains_key(&id) || self.dealers.contains(&id);
            let function = p.portable_name(unit, f.sym);
            let mut ordinal = 0;
            visit(u, Node::Stmt(f.body), &mut |n| {
                let Node::Expr(e) = n else {
                    return true;
                };
                if let Some((sizes, of_wrapper)) = allocation(self.calls, unit, e) {
                    let call = Call {
                        e,
                        sizes: &sizes,
                        of_wrapper,
                        id,
                        inside,
                    };
                    ordinal += 1;
                    let name = format!("allocation {ordinal} in {function}");
                    let site = self.site(f, &call, name, follow);
                    let head = headed::heads(follow.flow, f, e, &sizes).filter(|_| site.in_wrapper);
                    all.headed.extend(head);
                    let of_head = |f: FnId| self.calls.heads.contains(&f);
                    let known = self.calls.target(unit, e).is_some_and(of_head);
                    if let (Some(q), Wish::Type(to), false) = (site.elem, wish(e, follow), known) {
                        all.contrary.push((base(u, q), base(u, to), e));
                    }
                    all.sites.push(site);
                } else if self.calls.may_allocate(unit, e) {
                    all.silent.insert(e);
                }
                true
            });
        }
        all
    }

    fn site(&self, f: &Function, c: &Call, name: String, follow: &Follow) -> Site {
        let flow = follow.flow;
        let said = self.calls.said(flow.unit, c.e);
        let returned =
            said.is_none() && c.inside && callers(self.calls, f, c.e, c.sizes, follow).is_some();
        let again = returned && self.dealers.contains(&c.id);
        let in_wrapper = returned && !again;
        let found = match said {
            Some(t) => Ok((t.elem, as_said(t), Why::Said)),
            None if again && self.noted && self.pieces.dealers.contains_key(&c.id) => {
                Err(Why::Pieces)
            }
            None if again => Err(Why::Unknown(
                "the function hands it out again for something else".into(),
            )),
            None if in_wrapper => {
                // For callers that are not known.
                let size = size::size(flow, c.sizes);
                let head = headed::heads(flow, f, c.e, c.sizes).is_some();
                match size.typed.first().filter(|_| !c.of_wrapper && !head) {
                    Some((q, _)) => Ok((*q, SizeForm::Unknown, Why::Callers)),
                    None => Err(Why::Callers),
                }
            }
            None => self.own(c, follow),
        };
        let found = match c.of_wrapper {
            true => found,
            false => self.dealt(c.e, found, follow),
        };
        // What the callers of the function around it have said would be lost, or taken for this.
        let late = c.of_wrapper && c.inside && !in_wrapper && {
            let reaches = |f: FnId| self.graph.reaches[f.index()];
            reaches(c.id) && self.calls.target(flow.unit, c.e).is_none_or(reaches)
        };
        let found = match late {
            true => Err(Why::Unknown(
                "both functions can reach a location, and allocate for their callers".into(),
            )),
            false => found,
        };
        let (elem, form, why) = match found {
            Ok((elem, form, why)) => (Some(elem), form, why),
            Err(why) => (None, SizeForm::Unknown, why),
        };
        let head = match why {
            Why::Unknown(_) | Why::Pieces if !c.of_wrapper => {
                size::size(flow, c.sizes).head(flow.u)
            }
            _ => None,
        };
        let mut places = flow.destinations(c.e).into_iter();
        Site {
            head,
            unit: flow.unit,
            call: c.e,
            name,
            elem,
            form,
            in_wrapper,
            of_wrapper: c.of_wrapper,
            held: places.find_map(|x| self.held.get(&x).copied()),
            why,
        }
    }

    /// What neither an annotation nor a caller says.
    fn own(&self, c: &Call, follow: &Follow) -> Found {
        let known = self.calls.target(follow.flow.unit, c.e);
        if known.is_some_and(|f| self.calls.heads.contains(&f)) {
            // Where the result goes says what the head is.
            let size = size::size(follow.flow, c.sizes);
            return match size.typed[..] {
                [(q, _)] if !size.plain && !size.unclear => Ok((q, SizeForm::Row, Why::Size)),
                _ => Err(Why::Unknown(
                    "the size does not say by `sizeof` what is behind the head".into(),
                )),
            };
        }
        let places = &self.pieces.places;
        element(c.e, c.sizes, follow).map_err(|why| {
            match !c.of_wrapper && !places.is_empty() && is_dealt(follow, places, c.e) {
                true => Why::Pieces,
                false => Why::Unknown(why),
            }
        })
    }

    /// Blocks that are handed out as something else than they are declared as, or the rest of which is.
    fn dealt(&self, call: ExprId, found: Found, follow: &Follow) -> Found {
        let (unit, u) = (follow.flow.unit, follow.flow.u);
        let (q, form, why) = found?;
        let words = &self.pieces.words;
        if !words.is_empty() && is_dealt(follow, words, call) {
            return Err(Why::Unknown("it is handed out as something else".into()));
        }
        if let (SizeForm::One, Why::Longer) = (form, &why) {
            match tail(unit, u, q) {
                Some((place, _)) if words.contains(&place) => {
                    return Err(Why::Unknown(
                        "what it ends with is handed out as something else".into(),
                    ));
                }
                Some((_, of))
                    if matches!(u.ty(of.ty), Type::Int(_))
                        && !is_char(u, of)
                        && is_dealt(follow, &self.pieces.places, call) =>
                {
                    return Err(Why::Pieces);
                }
                _ => {}
            }
        }
        Ok((q, form, why))
    }
}

fn as_said(t: Typed) -> SizeForm {
    if t.longer {
        SizeForm::One
    } else {
        SizeForm::Row
    }
}

/// The array that a struct ends with, and its elements.
fn tail(unit: usize, u: &Unit, q: QualType) -> Option<(PointerPlace, QualType)> {
    let Type::Record(r) = u.ty(q.ty) else {
        return None;
    };
    let last = u.records[r.index()].fields.as_ref()?.last()?;
    let name = last.name.as_ref()?;
    Some((
        PointerPlace::member(unit, u, *r, name),
        flow::element(u, last.ty)?,
    ))
}

/// Does memory go to a place from which pieces of it are handed out?
fn is_dealt(follow: &Follow, dealt: &HashSet<PointerPlace>, call: ExprId) -> bool {
    let (flow, u) = (follow.flow, follow.flow.u);
    let (mut places, mut locals) = (Vec::new(), Vec::new());
    let note = |e: ExprId, places: &mut Vec<PointerPlace>, locals: &mut Vec<SymId>| {
        let mut up = Some(e);
        while let Some(e) = up {
            up = match flow.uses.get(&e) {
                Some(Use::Same(x) | Use::Cast(_, x)) => Some(*x),
                Some(Use::Init(s)) => {
                    locals.push(*s);
                    None
                }
                Some(Use::Assign(lhs, whole)) => {
                    match u.expr(*lhs).kind {
                        ExprKind::Ident(s) if is_local(u.sym(s)) => locals.push(s),
                        _ => places.extend(flow.place(*lhs)),
                    }
                    Some(*whole)
                }
                _ => None,
            }
        }
    };
    note(call, &mut places, &mut locals);
    let mut k = 0;
    // Moved or not, from local to local.
    while let Some(s) = locals.get(k).copied().filter(|_| k < 8) {
        for e in flow.uses.keys() {
            if matches!(u.expr(flow.origin(*e).0).kind, ExprKind::Ident(x) if x == s) {
                note(*e, &mut places, &mut locals);
            }
        }
        locals.dedup();
        k += 1;
    }
    places.iter().any(|p| dealt.contains(p))
}

fn func_of(u: &Unit, f: &Function) -> FuncId {
    FuncId(
        u.functions
            .iter()
            .position(|x| std::ptr::eq(x, f))
            .unwrap_or(0) as u32,
    )
}

//! Initialisers, and how many elements they give an array of unknown length.

use crate::lower::Lower;
use crate::prefilter::Mark;
use crate::tree::*;
use lang_c::ast;
use lang_c::ast::Designator;
use lang_c::span::Node;

impl Lower {
    pub fn init(&mut self, n: &Node<ast::Initializer>) -> Init {
        match &n.node {
            ast::Initializer::Expression(e) => Init::Expr(self.expr(e)),
            ast::Initializer::List(items) => {
                let span = self.span(n.span);
                self.init_list(items, span)
            }
        }
    }

    pub(crate) fn init_list(
        &mut self,
        items: &[Node<ast::InitializerListItem>],
        span: Span,
    ) -> Init {
        let mut out = Vec::with_capacity(items.len());
        let mut firsts = Vec::with_capacity(items.len());
        for i in items
            .iter()
            .filter(|i| !i.node.designation.is_empty() || !self.is_invented(i))
            .collect::<Vec<_>>()
        {
            let mut designators = Vec::new();
            for d in &i.node.designation {
                match &d.node {
                    Designator::Index(e) => designators.push(self.expr(e)),
                    Designator::Range(r) => {
                        designators.push(self.expr(&r.node.from));
                        designators.push(self.expr(&r.node.to));
                    }
                    Designator::Member(_) => {}
                }
            }
            firsts.push(i.node.designation.first().map(|d| Designation {
                first: match &d.node {
                    Designator::Index(_) => First::Index,
                    Designator::Range(_) => First::Range,
                    Designator::Member(_) => First::Member,
                },
                nested: i.node.designation.len() > 1,
            }));
            let value = self.init(&i.node.initializer);
            out.push(InitItem { designators, value });
        }
        self.list_shapes.insert(span.start, firsts);
        Init::List { items: out, span }
    }

    /// The item with which the mask fills an empty compound literal.
    fn is_invented(&self, i: &Node<ast::InitializerListItem>) -> bool {
        self.mark_at(i.span) == Some(Mark::EmptyInit)
    }

    /// Length of an array of `elem` initialised so; None where only the target's compiler knows.
    pub(crate) fn count_elements(&self, elem: QualType, init: &Init) -> Option<u64> {
        match init {
            Init::Expr(e) => self.string_length(*e),
            Init::List { items, span } => {
                if let [InitItem {
                    value: Init::Expr(e),
                    designators,
                }] = &items[..]
                {
                    let is_char = matches!(self.types.get(elem.ty), Type::Int(_));
                    if let (true, true, Some(n)) =
                        (designators.is_empty(), is_char, self.string_length(*e))
                    {
                        return Some(n);
                    }
                }
                let firsts = self.list_shapes.get(&span.start)?;
                let (mut next, mut max) = (0u64, 0u64);
                let mut i = 0;
                while i < items.len() {
                    let item = &items[i];
                    let at = |k: usize| {
                        self.view()
                            .eval(*item.designators.get(k)?)
                            .and_then(|v| u64::try_from(v).ok())
                    };
                    let shape = *firsts.get(i)?;
                    match shape.map(|s| s.first) {
                        Some(First::Index) => next = at(0)?,
                        Some(First::Range) => next = at(1)?,
                        Some(First::Member) => return None,
                        None => {}
                    }
                    // What follows a nested designator (`[3].x = 1`) goes on inside that element: too subtle to guess.
                    if shape.is_some_and(|s| s.nested) {
                        if items.len() > i + 1 && firsts.get(i + 1)?.is_none() {
                            return None;
                        }
                        i += 1;
                    } else {
                        i = self.consume(elem, items, firsts, i)?;
                    }
                    next = next.checked_add(1)?;
                    max = max.max(next);
                }
                Some(max)
            }
        }
    }

    /// Index behind the items that initialise one object of type `ty`, braces elided or not.
    fn consume(
        &self,
        ty: QualType,
        items: &[InitItem],
        firsts: &[Option<Designation>],
        i: usize,
    ) -> Option<usize> {
        let Some(item) = items.get(i) else {
            return Some(i);
        };
        let Init::Expr(e) = item.value else {
            return Some(i + 1);
        };
        let aggregate = match self.types.get(ty.ty) {
            Type::Record(_) => {
                let given = self.unit.expr(e).ty.ty;
                matches!(self.types.get(given), Type::Record(_))
                    .then_some(false)
                    .unwrap_or(true)
            }
            Type::Array { elem, .. } => {
                let text = self.string_length(e).is_some()
                    && matches!(self.types.get(elem.ty), Type::Int(_));
                !text
            }
            Type::Unsupported(_) => return None,
            _ => false,
        };
        if !aggregate {
            return Some(i + 1);
        }
        let mut at = i;
        let go = |ty: QualType, at: &mut usize| -> Option<bool> {
            if *at >= items.len() || *at > i && firsts.get(*at)?.is_some() {
                return Some(false);
            }
            *at = self.consume(ty, items, firsts, *at)?;
            Some(true)
        };
        match self.types.get(ty.ty) {
            Type::Array {
                elem,
                len: ArrayLen::Const(n),
            } => {
                for _ in 0..*n {
                    if !go(*elem, &mut at)? {
                        break;
                    }
                }
            }
            Type::Record(r) => {
                let r = &self.unit.records[r.index()];
                let fields = r
                    .fields
                    .as_ref()?
                    .iter()
                    .filter(|f| f.name.is_some() || f.bit_width.is_none());
                for f in fields.take(if r.is_union { 1 } else { usize::MAX }) {
                    if !go(f.ty, &mut at)? {
                        break;
                    }
                }
            }
            _ => return None,
        }
        Some(at.max(i + 1))
    }

    fn string_length(&self, e: ExprId) -> Option<u64> {
        let x = self.unit.expr(e);
        match (&x.kind, self.types.get(x.ty.ty)) {
            (
                ExprKind::Str { .. },
                Type::Array {
                    len: ArrayLen::Const(n),
                    ..
                },
            ) => Some(*n),
            _ => None,
        }
    }
}

/// The designation of an item.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Designation {
    first: First,
    /// More designators follow.
    nested: bool,
}

/// How it begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum First {
    Index,
    Range,
    Member,
}

//! Types that correspond as trees of their parts.

use std::collections::HashMap;
use std::sync::Arc;

use super::Compiler;
use crate::plan::node::{Node, PlanMember, PlanShape};
use crate::types::{counterparts, Kind, Type, TypeId};

/// Builds nodes for types that the compiler has found to correspond.
pub(crate) struct Nodes<'c, 'a> {
    compiler: &'c mut Compiler<'a>,
    known: HashMap<(TypeId, TypeId), Arc<Node>>,
}

impl<'c, 'a> Nodes<'c, 'a> {
    pub fn new(compiler: &'c mut Compiler<'a>) -> Self {
        Nodes {
            compiler,
            known: HashMap::new(),
        }
    }

    pub fn root(mut self, s: TypeId, d: TypeId) -> Arc<Node> {
        self.node(s, d)
    }

    fn node(&mut self, s: TypeId, d: TypeId) -> Arc<Node> {
        if let Some(node) = self.known.get(&(s, d)) {
            return node.clone();
        }
        let (src, dst) = (self.compiler.src, self.compiler.dst);
        let (a, b) = (src.get(s), dst.get(d));
        let parts = match (a.kind, b.kind) {
            (Kind::Array, Kind::Array) => PlanShape::Array {
                elem: self.node(a.elem, b.elem),
                count: a.count,
            },
            (k, l) if k == l && k.is_record() => {
                let mut parts = Vec::new();
                for (i, k) in counterparts(a, b).unwrap_or_default() {
                    let (m, n) = (&a.members[i], &b.members[k]);
                    let node = self.node(m.ty, n.ty);
                    let bytes = m.bits.map(|bits| bits.bytes());
                    let len = bytes.map_or(node.from_size, |r| r.end - r.start);
                    let bit = m.bits.map(|bits| bits.offset);
                    parts.push(PlanMember {
                        name: m.name.clone(),
                        from: m.offset,
                        to: n.offset,
                        bit,
                        len,
                        node,
                    });
                }
                if k == Kind::Struct {
                    parts.sort_by_key(|p| (p.from, p.bit));
                }
                PlanShape::Record {
                    parts,
                    union: k == Kind::Union,
                }
            }
            // The parts of a complex number are numbers of their own.
            (Kind::Complex, Kind::Complex) => {
                let same = self.compiler.identical(s, d);
                let half = Node {
                    ty: TypeId::UNKNOWN,
                    like: Vec::new(),
                    from_size: a.size / 2,
                    to_size: b.size / 2,
                    same,
                    parts: PlanShape::Scalar,
                };
                PlanShape::Array {
                    elem: Arc::new(half),
                    count: 2,
                }
            }
            _ => PlanShape::Scalar,
        };
        let same = self.compiler.identical(s, d);
        let number = |t: &Type| t.kind.is_integer() && t.size == a.size;
        let like = match a.kind {
            Kind::Bytes | Kind::Address => {
                let numbers = src.iter().filter(|(_, t)| number(t));
                numbers.map(|(id, _)| id).collect()
            }
            _ => Vec::new(),
        };
        let node = Arc::new(Node {
            ty: s,
            like,
            from_size: a.size,
            to_size: b.size,
            same,
            parts,
        });
        self.known.insert((s, d), node.clone());
        node
    }
}

//! Which type of the target stands for a type of the source that has no name of its own.
//!
//! A heap object is known by its type only, and C spells the same type differently on different
//! ABIs: `int64_t` is `long` here and `long long` there, while `long` stays `long`.  So names do
//! not decide.  What does: the program's named things (globals, saved frames, structs) correspond by
//! name, and every type that is reached from two of them along the same way corresponds too.
//! Where that gives a type several partners that differ, the answer is an error and not a guess.

use crate::compile::Compiler;
use crate::types::{counterparts, Kind, TypeId, TypeTable};
use std::collections::HashMap;

/// Why a type's partner is not known.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoPartner {
    /// No pair of named things leads to it.
    #[error("nothing in the program says what {0} is here")]
    Unreached(String),
    #[error("{source_type} in the checkpoint may be {} here", .candidates.join(" or "))]
    Ambiguous {
        source_type: String,
        candidates: Vec<String>,
    },
}

/// Pairs of types found so far.
#[derive(Clone, Debug, Default)]
pub struct Correspondence {
    partners: HashMap<TypeId, Vec<TypeId>>,
}

impl Correspondence {
    pub fn new() -> Correspondence {
        Correspondence::default()
    }

    /// Two types are known to correspond: so do the types they lead to.
    pub fn relate(&mut self, src: &TypeTable, s: TypeId, dst: &TypeTable, d: TypeId) {
        let mut open = vec![(s, d)];
        while let Some((s, d)) = open.pop() {
            if s == TypeId::UNKNOWN || d == TypeId::UNKNOWN {
                continue;
            }
            let known = self.partners.entry(s).or_default();
            if known.contains(&d) {
                continue;
            }
            let (a, b) = (src.get(s), dst.get(d));
            known.push(d);
            match (a.kind, b.kind) {
                (Kind::Pointer, Kind::Pointer) | (Kind::Array, Kind::Array) => {
                    open.push((a.elem, b.elem))
                }
                (k, l) if k == l && k.is_record() => {
                    if let Some(pairs) = counterparts(a, b) {
                        open.extend(
                            pairs
                                .iter()
                                .map(|&(i, j)| (a.members[i].ty, b.members[j].ty)),
                        );
                        continue;
                    }
                    let both = a.members.iter().zip(&b.members);
                    open.extend(
                        both.filter(|(m, n)| m.name == n.name)
                            .map(|(m, n)| (m.ty, n.ty)),
                    );
                }
                _ => {}
            }
        }
    }

    /// The one type that stands for `s`; of several that are laid out alike, the first found.
    pub fn partner(
        &self,
        src: &TypeTable,
        s: TypeId,
        dst: &TypeTable,
    ) -> Result<TypeId, NoPartner> {
        if s == TypeId::UNKNOWN {
            return Ok(s);
        }
        let found = self.partners.get(&s).map_or(&[][..], Vec::as_slice);
        let Some(&first) = found.first() else {
            return Err(NoPartner::Unreached(src.describe(s)));
        };
        let mut compiler = Compiler::new(dst, dst);
        if found.iter().all(|&other| compiler.identical(first, other)) {
            return Ok(first);
        }
        let mut candidates: Vec<String> = found.iter().map(|&d| dst.describe(d)).collect();
        candidates.sort();
        candidates.dedup();
        Err(NoPartner::Ambiguous {
            source_type: src.describe(s),
            candidates,
        })
    }
}

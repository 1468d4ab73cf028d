//! String literals: each is its unit's, whatever others hold the same characters. What was one address is one again, and
//! what were two stay two: programs tell texts apart by their addresses.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use pc3_typemetric::plan::{NoReferences, Plan};
use pc3_typemetric::types::{Kind, TypeId, TypeTable};

use super::RankBuilder;
use pc3_format::meta::{LiteralMeta, ProgramMeta};

/// The literals of one type: by unit and characters, where those are, in the unit's order.
type Alike<'a> = HashMap<(&'a str, &'a [u8]), Vec<u64>>;

/// A saved literal, where it is here, and how it is converted.
type Found<'a> = (&'a LiteralMeta, u64, Arc<Plan>);

/// This program's. How the type of their characters is spelt is the ABI's.
pub(super) struct Texts<'a>(BTreeMap<TypeId, Alike<'a>>);

impl Texts<'_> {
    pub(super) fn of(here: &ProgramMeta) -> Texts<'_> {
        let mut texts: BTreeMap<TypeId, Alike> = BTreeMap::new();
        for l in &here.literals {
            let alike = texts.entry(l.ty).or_default();
            let own = alike.entry((&l.home, &l.bytes)).or_default();
            own.push(l.addr);
            // Of which unit one is was not always said.
            if !l.home.is_empty() {
                let any = alike.entry(("", &l.bytes)).or_default();
                any.push(l.addr);
            }
        }
        Texts(texts)
    }

    fn find(&self, l: &LiteralMeta, nth: usize, ty: TypeId, bytes: &[u8]) -> Option<u64> {
        let list = self.0.get(&ty)?.get(&(&l.home, bytes))?;
        match l.home.is_empty() {
            true => list.iter().all(|a| *a == list[0]).then_some(list[0]),
            false => list.get(nth).copied(),
        }
    }
}

impl RankBuilder<'_, '_> {
    pub(super) fn texts(&mut self, here: &Texts) {
        let (source, target) = (self.plans.source, self.plans.target);
        // Of the same unit and the same characters: spelt in several ways.
        let mut seen: HashMap<(&str, TypeId, &[u8]), usize> = HashMap::new();
        let mut places: BTreeMap<u64, Vec<Found>> = BTreeMap::new();
        for l in &self.checkpoint.program.literals {
            let nth = seen.entry((&l.home, l.ty, &l.bytes)).or_default();
            let same = self.plans.partner(l.ty).ok();
            let mut like = |ty: TypeId| {
                let plan = self.plans.get(l.ty, ty).ok()?;
                let size = plan.dst_size(l.bytes.len() as u64).ok()?;
                let mut bytes = vec![0; size as usize];
                plan.run_object(&l.bytes, &mut bytes, &mut NoReferences)
                    .ok()?;
                Some((here.find(l, *nth, ty, &bytes)?, plan))
            };
            let is_text = |t: &TypeTable, ty| t.get(t.get(ty).elem).kind == Kind::Char;
            let kinds = here.0.keys().copied();
            let mut alike = kinds.filter(|ty| is_text(source, l.ty) == is_text(target, *ty));
            let found = same
                .and_then(&mut like)
                .or_else(|| alike.find_map(&mut like));
            if let Some((to, plan)) = found {
                places.entry(l.addr).or_default().push((l, to, plan));
            }
            *nth += 1;
        }
        for (addr, list) in places {
            // What several units had together and have apart here could be any of them.
            let Some((_, to, _)) = list.first().filter(|f| list.iter().all(|l| l.1 == f.1)) else {
                continue;
            };
            let to = *to as usize;
            for (l, _, plan) in &list {
                let bytes = l.bytes.len() as u64;
                self.directory.literal(addr, bytes, l.ty, to, plan.clone());
            }
        }
    }
}

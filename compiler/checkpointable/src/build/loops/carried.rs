//! Locals that a loop is gone around with and that are gone at one of its points.  Between rounds they wait in a slot, so
//! that the loop can be entered without them; frames that have them give them back where they were left.
//!
//! ```text
//! loop { s = ck!(step(s)); }    →    slot = Some(s); 'l: loop { …; s = carried(&mut slot); …; slot = Some(s); continue 'l; }
//! ```

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{Attribute, Lifetime};

use crate::build::{Builder, Restoration};

/// The locals of a loop that is being written.
pub(in crate::build) struct Carried {
    /// Where they belong outside.
    regions: Vec<(Ident, usize)>,
    slots: Vec<(Ident, Ident)>,
}

impl Builder {
    /// Finds them; the loop begins behind what this writes.
    pub(in crate::build) fn carry(&mut self, attrs: &[Attribute]) -> Carried {
        let (wanted, here) = (self.moves.carried(attrs), self.region_now());
        let found = self.visible.iter().filter_map(|v| {
            let needed = wanted.get(&v.name.to_string())?;
            // What the loop's iterator is made again of is there in front of the loop.
            let made = self.after.uses(&v.name.to_string());
            let kept = matches!(v.way, Restoration::Kept) && v.region == here && !made;
            kept.then(|| (v.name.clone(), *needed))
        });
        let found: Vec<(Ident, bool)> = found.collect();
        let mut carried = Carried {
            regions: found.iter().map(|f| (f.0.clone(), here)).collect(),
            slots: Vec::new(),
        };
        for (name, _) in found.into_iter().filter(|f| f.1) {
            let slot = self.name("o");
            self.head()
                .extend(quote!(let mut #slot = ::core::option::Option::None;));
            self.put(quote!(#slot = ::core::option::Option::Some(#name);));
            carried.slots.push((name, slot));
        }
        carried
    }

    /// The loop's region is open.
    pub(in crate::build) fn begin_carried(&mut self, carried: &Carried, at: &Lifetime) {
        let here = self.region_now();
        self.move_carried(carried, |_| here);
        for (name, slot) in &carried.slots {
            self.put(quote!(#name = ::pc3::point::carried(&mut #slot);));
        }
        self.hands_on.insert(at.ident.to_string(), carried.on());
    }

    /// It is closed.
    pub(in crate::build) fn end_carried(&mut self, carried: &Carried, at: &Lifetime) {
        self.move_carried(carried, |before| before);
        self.hands_on.remove(&at.ident.to_string());
    }

    fn move_carried(&mut self, carried: &Carried, to: impl Fn(usize) -> usize) {
        for (name, before) in &carried.regions {
            let of = self.visible.iter_mut().filter(|v| v.name == *name);
            of.for_each(|v| v.region = to(*before));
        }
    }
}

impl Carried {
    /// In front of the next round.
    pub(in crate::build) fn on(&self) -> TokenStream {
        let on = self
            .slots
            .iter()
            .map(|(name, slot)| quote!(#slot = ::core::option::Option::Some(#name);));
        on.collect()
    }
}

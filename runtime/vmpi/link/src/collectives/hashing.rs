//! Maps from numbers that no one chooses who means harm: a multiplication for each spreads them well enough.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

pub type By<K, T> = HashMap<K, T, BuildHasherDefault<Spread>>;
pub(crate) type ById<T> = By<u64, T>;

#[derive(Default)]
pub struct Spread(u64);

impl Hasher for Spread {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|b| self.write_u64(u64::from(*b)));
    }

    fn write_u32(&mut self, n: u32) {
        self.write_u64(n.into());
    }

    fn write_u64(&mut self, n: u64) {
        let mixed = (self.0 ^ n).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        // Tables look at both ends of it.
        self.0 = mixed ^ mixed >> 32;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

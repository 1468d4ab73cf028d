//! Generators that can be saved, with the numbers of those of `rand` that cannot.
//!
//! ```
//! use rand_chacha::rand_core::{RngCore, SeedableRng};
//!
//! // What rand::rngs::StdRng and SmallRng give.
//! assert_eq!(pc3::rand::StdRng::seed_from_u64(42).next_u64(), 0x86cc_7763_2227_24a2);
//! let mut small = pc3::rand::SmallRng::seed_from_u64(42);
//! assert_eq!((small.next_u64(), small.next_u32()), (0xd076_4d4f_4476_689f, 0x519e_4174));
//! ```

/// `rand::rngs::StdRng` of `rand` 0.9.
pub type StdRng = rand_chacha::ChaCha12Rng;

/// `rand::rngs::SmallRng` of `rand` 0.9 as it is on machines with 64 bits, on all.
pub type SmallRng = rand_xoshiro::Xoshiro256PlusPlus;

//! The scalars that random types are made of.

/// Where the types of a program exist, and what its state can move between.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flavour {
    /// On all ABIs, by all compilers.
    All,
    /// With `__int128`: those of 64 bits.
    Wide,
    /// With `_Float16`: not on s390x.
    Half,
    /// With `_BitInt` and enumerations of given types, as clang has them: on all ABIs.
    Bits,
    /// With wider ones: of 64 bits, as clang 19 lays them out in two ways on others.
    WideBits,
}

/// How a scalar's value is made and shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    Bool,
    /// Plain `char`, whose sign is the ABI's.
    Char,
    Signed(u32),
    Unsigned(u32),
    /// Of an enumeration: from, to.
    Range(i32, i32),
    Float,
    Pointer,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    One,
    Complex,
    Vector(u32),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scalar {
    /// As it is written.
    pub c: &'static str,
    pub value: Value,
    pub shape: Shape,
    /// The widest bit-field on all ABIs of the flavour; 0: none.
    pub bits: u32,
}

impl Scalar {
    /// Elements of arrays are no smaller than their alignment.
    pub fn is_element(&self) -> bool {
        !self.c.contains("_at_")
    }
}

const fn one(c: &'static str, value: Value, bits: u32) -> Scalar {
    Scalar {
        c,
        value,
        shape: Shape::One,
        bits,
    }
}
const fn signed(c: &'static str, bits: u32) -> Scalar {
    one(c, Signed(bits), bits)
}
const fn unsigned(c: &'static str, bits: u32) -> Scalar {
    one(c, Unsigned(bits), bits)
}
const fn complex(c: &'static str, value: Value) -> Scalar {
    Scalar {
        c,
        value,
        shape: Shape::Complex,
        bits: 0,
    }
}
const fn vector(c: &'static str, value: Value, n: u32) -> Scalar {
    Scalar {
        c,
        value,
        shape: Shape::Vector(n),
        bits: 0,
    }
}

use Value::*;

/// The names are declared by [`PRELUDE`].
const SCALARS: &[Scalar] = &[
    one("_Bool", Bool, 1),
    one("char", Char, 8),
    signed("signed char", 8),
    unsigned("unsigned char", 8),
    signed("short", 16),
    unsigned("unsigned short", 16),
    signed("int", 32),
    unsigned("unsigned", 32),
    signed("long", 32),
    unsigned("unsigned long", 32),
    signed("long long", 64),
    unsigned("unsigned long long", 64),
    one("enum small", Range(0, 3), 8),
    one("enum below", Range(-2, 1), 8),
    one("enum tiny", Range(0, 3), 8),
    one("untagged", Range(0, 3), 8),
    one("float", Float, 0),
    one("double", Float, 0),
    one("long double", Float, 0),
    one("int *", Pointer, 0),
    one("int_at_16", Signed(32), 0),
    one("double_at_4", Float, 0),
    one("long_at_1", Signed(64), 0),
    one("short_at_8", Signed(16), 0),
    complex("_Complex float", Float),
    complex("_Complex double", Float),
    complex("_Complex long double", Float),
    complex("_Complex int", Signed(32)),
    complex("_Complex char", Char),
    complex("_Complex unsigned short", Unsigned(16)),
    complex("_Complex long", Signed(32)),
    complex("_Complex long long", Signed(64)),
    vector("chars_1", Signed(8), 1),
    vector("shorts_2", Unsigned(16), 1),
    vector("bytes_4", Unsigned(8), 4),
    vector("floats_8", Float, 2),
    vector("shorts_8", Signed(16), 4),
    vector("ints_16", Signed(32), 4),
    vector("doubles_16", Float, 2),
    vector("bytes_16", Unsigned(8), 16),
    vector("floats_32", Float, 8),
    vector("longs_64", Signed(64), 8),
    vector("doubles_128", Float, 16),
];

const WIDE: &[Scalar] = &[
    signed("__int128", 128),
    unsigned("unsigned __int128", 128),
    complex("_Complex __int128", Signed(64)),
    signed("__int128", 128),
    one("_Float128", Float, 0),
    complex("_Complex _Float128", Float),
    vector("wides_32", Unsigned(128), 2),
];

const HALF: &[Scalar] = &[
    one("_Float16", Float, 0),
    complex("_Complex _Float16", Float),
    vector("halves_4", Float, 2),
    vector("halves_16", Float, 8),
];

const BITS: &[Scalar] = &[
    signed("_BitInt(2)", 2),
    signed("_BitInt(7)", 7),
    signed("_BitInt(8)", 8),
    signed("_BitInt(17)", 17),
    signed("_BitInt(33)", 33),
    signed("_BitInt(64)", 64),
    unsigned("unsigned _BitInt(1)", 1),
    unsigned("unsigned _BitInt(9)", 9),
    unsigned("unsigned _BitInt(24)", 24),
    unsigned("unsigned _BitInt(32)", 32),
    unsigned("unsigned _BitInt(47)", 47),
    unsigned("unsigned _BitInt(63)", 63),
    one("enum given", Range(0, 3), 8),
    one("enum given_small", Range(-2, 1), 8),
    one("enum given_large", Range(-2, 1), 8),
];

const WIDE_BITS: &[Scalar] = &[
    signed("_BitInt(65)", 65),
    signed("_BitInt(100)", 100),
    signed("_BitInt(128)", 128),
    unsigned("unsigned _BitInt(80)", 80),
    unsigned("unsigned _BitInt(127)", 127),
    signed("_BitInt(37)", 37),
];

impl Flavour {
    pub fn scalars(self) -> Vec<Scalar> {
        let more = match self {
            Flavour::All => &[],
            Flavour::Wide => WIDE,
            Flavour::Half => HALF,
            Flavour::Bits => BITS,
            Flavour::WideBits => WIDE_BITS,
        };
        // So that they are not rare.
        let often = if more.len() < 10 { 5 } else { 2 };
        [SCALARS, &more.repeat(often)].concat()
    }

    /// The widest integer.
    pub fn wide(self) -> &'static str {
        match self {
            Flavour::WideBits => "unsigned _BitInt(128)",
            _ => "unsigned __int128",
        }
    }
}

/// Declarations in front of the types.
pub fn prelude(flavour: Flavour) -> String {
    let more = match flavour {
        Flavour::All | Flavour::WideBits => "",
        Flavour::Wide => "typedef unsigned __int128 wides_32 __attribute__((vector_size(32)));\n",
        Flavour::Half => {
            "typedef _Float16 halves_4 __attribute__((vector_size(4)));\n\
             typedef _Float16 halves_16 __attribute__((vector_size(16)));\n"
        }
        Flavour::Bits => {
            "enum given : unsigned char { G0, G1, G2, G3 };\n\
             enum given_small : signed char { H0 = -2, H1, H2, H3 };\n\
             enum given_large : long long { L0 = -2, L1, L2, L3 };\n"
        }
    };
    format!("{PRELUDE}{more}")
}

const PRELUDE: &str = "\
enum small { S0, S1, S2, S3 };
enum below { B0 = -2, B1, B2, B3 };
enum __attribute__((packed)) tiny { T0, T1, T2, T3 };
typedef enum { U0, U1, U2, U3 } untagged;
typedef int int_at_16 __attribute__((aligned(16)));
typedef double double_at_4 __attribute__((aligned(4)));
typedef long long long_at_1 __attribute__((aligned(1)));
typedef short short_at_8 __attribute__((aligned(8)));
typedef signed char chars_1 __attribute__((vector_size(1)));
typedef unsigned short shorts_2 __attribute__((vector_size(2)));
typedef unsigned char bytes_4 __attribute__((vector_size(4)));
typedef float floats_8 __attribute__((vector_size(8)));
typedef short shorts_8 __attribute__((vector_size(8)));
typedef int ints_16 __attribute__((vector_size(16)));
typedef double doubles_16 __attribute__((vector_size(16)));
typedef unsigned char bytes_16 __attribute__((vector_size(16)));
typedef float floats_32 __attribute__((vector_size(32)));
typedef long long longs_64 __attribute__((vector_size(64)));
typedef double doubles_128 __attribute__((vector_size(128)));
";

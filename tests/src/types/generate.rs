//! Random C types of every form that compilers lay out in a way of their own.

use fastrand::Rng;

/// Where the types of a program exist, and what its state can move between.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flavour {
    /// On all ABIs.
    All,
    /// With `__int128`: those of 64 bits.
    Wide,
    /// With `_Float16`: not on s390x.
    Half,
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
    fn is_element(&self) -> bool {
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

/// What the programs' types are made of; the names are declared by [`PRELUDE`].
const SCALARS: &[Scalar] = &[
    one("_Bool", Bool, 1),
    one("char", Char, 8),
    one("signed char", Signed(8), 8),
    one("unsigned char", Unsigned(8), 8),
    one("short", Signed(16), 16),
    one("unsigned short", Unsigned(16), 16),
    one("int", Signed(32), 32),
    one("unsigned", Unsigned(32), 32),
    one("long", Signed(32), 32),
    one("unsigned long", Unsigned(32), 32),
    one("long long", Signed(64), 64),
    one("unsigned long long", Unsigned(64), 64),
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
    vector("floats_8", Float, 2),
    vector("shorts_8", Signed(16), 4),
    vector("ints_16", Signed(32), 4),
    vector("doubles_16", Float, 2),
    vector("bytes_16", Unsigned(8), 16),
    vector("floats_32", Float, 8),
    vector("longs_64", Signed(64), 8),
];

const WIDE: &[Scalar] = &[
    one("__int128", Signed(128), 128),
    one("unsigned __int128", Unsigned(128), 128),
    complex("_Complex __int128", Signed(128)),
    one("__int128", Signed(128), 128),
    one("_Float128", Float, 0),
    complex("_Complex _Float128", Float),
    vector("wides_32", Unsigned(128), 2),
];

const HALF: &[Scalar] = &[
    one("_Float16", Float, 0),
    complex("_Complex _Float16", Float),
];

/// Declarations in front of the types.
pub const PRELUDE: &str = "\
enum small { S0, S1, S2, S3 };
enum below { B0 = -2, B1, B2, B3 };
enum __attribute__((packed)) tiny { T0, T1, T2, T3 };
typedef enum { U0, U1, U2, U3 } untagged;
typedef int int_at_16 __attribute__((aligned(16)));
typedef double double_at_4 __attribute__((aligned(4)));
typedef long long long_at_1 __attribute__((aligned(1)));
typedef short short_at_8 __attribute__((aligned(8)));
typedef float floats_8 __attribute__((vector_size(8)));
typedef short shorts_8 __attribute__((vector_size(8)));
typedef int ints_16 __attribute__((vector_size(16)));
typedef double doubles_16 __attribute__((vector_size(16)));
typedef unsigned char bytes_16 __attribute__((vector_size(16)));
typedef float floats_32 __attribute__((vector_size(32)));
typedef long long longs_64 __attribute__((vector_size(64)));
#ifdef __SIZEOF_INT128__
typedef unsigned __int128 wides_32 __attribute__((vector_size(32)));
#endif
";

#[derive(Clone, Debug)]
pub enum What {
    Scalar(Scalar),
    /// Defined in place.
    Record(Box<Record>),
    /// One of the program's, by number.
    Known(usize),
}

#[derive(Clone, Debug)]
pub struct Member {
    /// None: unnamed.
    pub name: Option<String>,
    pub what: What,
    /// Of a bit-field; 0 ends a unit.
    pub width: Option<u32>,
    pub dimensions: Vec<u32>,
    /// A flexible array.
    pub open: bool,
    pub before: String,
    pub behind: String,
}

#[derive(Clone, Debug)]
pub struct Record {
    pub is_union: bool,
    pub members: Vec<Member>,
    pub attributes: String,
    /// `#pragma pack(n)`; 0: none.
    pub pack: u32,
}

impl Record {
    /// Objects of it have a longer array at their end.
    pub fn is_open(&self) -> bool {
        self.members.last().is_some_and(|m| m.open)
    }
}

pub struct Maker {
    rng: Rng,
    scalars: Vec<Scalar>,
    /// Of the record being made.
    names: u32,
    made: Vec<Record>,
}

/// So many members of one struct, and structs within structs.
const MEMBERS: u32 = 7;
const DEPTH: u32 = 3;
/// Values of a struct that others have as a member.
const MOST: u32 = 20;

pub fn types(seed: u64, count: usize, flavour: Flavour) -> Vec<Record> {
    let mut scalars = SCALARS.to_vec();
    let more = match flavour {
        Flavour::All => &[],
        Flavour::Wide => WIDE,
        Flavour::Half => HALF,
    };
    // So that they are not rare.
    (0..4).for_each(|_| scalars.extend_from_slice(more));
    let mut maker = Maker {
        rng: Rng::with_seed(seed),
        scalars,
        names: 0,
        made: Vec::new(),
    };
    for _ in 0..count {
        maker.names = 0;
        let record = maker.record(0);
        maker.made.push(record);
    }
    maker.made
}

impl Maker {
    fn chance(&mut self, of: u32) -> bool {
        self.rng.u32(0..of) == 0
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("m{}", self.names)
    }

    fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.rng.usize(0..list.len())]
    }

    fn scalar(&mut self) -> Scalar {
        let n = self.rng.usize(0..self.scalars.len());
        self.scalars[n]
    }

    fn record(&mut self, depth: u32) -> Record {
        if self.chance(8) {
            return self.union();
        }
        let count = self.rng.u32(1..=MEMBERS);
        let mut members: Vec<Member> = (0..count).map(|_| self.member(depth)).collect();
        // Something must be there, and not only padding.
        members.insert(0, self.plain());
        if depth == 0 && self.chance(12) {
            let mut list = self.scalars.clone();
            list.retain(Scalar::is_element);
            let s = self.pick(&list);
            let mut last = self.of(What::Scalar(s));
            last.open = true;
            members.push(last);
        }
        let attributes = match self.rng.u32(0..8) {
            0 => "__attribute__((packed))".to_owned(),
            1 => format!(
                "__attribute__((aligned({})))",
                self.pick(&[2, 8, 16, 32, 64])
            ),
            2 => format!(
                "__attribute__((packed, aligned({})))",
                self.pick(&[1, 2, 4, 8])
            ),
            3 => "__attribute__((ms_struct))".to_owned(),
            _ => String::new(),
        };
        let pack = match depth == 0 && self.chance(8) {
            true => self.pick(&[1, 2, 4, 8]),
            false => 0,
        };
        Record {
            is_union: false,
            members,
            attributes,
            pack,
        }
    }

    /// Members of one type, so that it does not matter which of them is in use.
    fn union(&mut self) -> Record {
        let mut list = self.scalars.clone();
        list.retain(|s| s.shape == Shape::One && s.value != Char && s.is_element());
        let scalar = self.pick(&list);
        let mut members = Vec::new();
        for n in (1..=self.rng.u32(1..=3)).rev() {
            let mut m = self.of(What::Scalar(scalar));
            if n > 1 {
                m.dimensions.push(n);
            }
            members.push(m);
        }
        Record {
            is_union: true,
            members,
            attributes: String::new(),
            pack: 0,
        }
    }

    /// So many values are in it.
    fn values(&self, r: &Record) -> u32 {
        let of = |m: &Member| {
            let one = match &m.what {
                What::Scalar(_) => 1,
                What::Record(r) => self.values(r),
                What::Known(k) => self.values(&self.made[*k]),
            };
            one * m.dimensions.iter().product::<u32>()
        };
        r.members.iter().map(of).sum()
    }

    fn of(&mut self, what: What) -> Member {
        Member {
            name: Some(self.name()),
            what,
            width: None,
            dimensions: Vec::new(),
            open: false,
            before: String::new(),
            behind: String::new(),
        }
    }

    fn plain(&mut self) -> Member {
        let s = self.scalar();
        self.of(What::Scalar(s))
    }

    fn member(&mut self, depth: u32) -> Member {
        let mut m = match self.rng.u32(0..16) {
            0..=4 => return self.bit_field(),
            5 | 6 if depth < DEPTH => {
                let r = self.record(depth + 1);
                self.of(What::Record(Box::new(r)))
            }
            7 | 8 if depth < DEPTH => {
                let r = self.record(depth + 1);
                let mut m = self.of(What::Record(Box::new(r)));
                m.name = None;
                return m;
            }
            9 if !self.made.is_empty() => {
                let n = self.rng.usize(0..self.made.len());
                let large = self.values(&self.made[n]) > MOST;
                match self.made[n].is_open() || large {
                    true => self.plain(),
                    false => self.of(What::Known(n)),
                }
            }
            _ => self.plain(),
        };
        let fixed = matches!(m.what, What::Scalar(s) if !s.is_element());
        if !fixed && self.chance(4) {
            m.dimensions.push(self.rng.u32(1..=3));
            if self.chance(4) {
                m.dimensions.push(2);
            }
        }
        match self.rng.u32(0..16) {
            0 => {
                m.behind = format!(
                    "__attribute__((aligned({})))",
                    self.pick(&[1, 2, 4, 8, 16, 64])
                )
            }
            1 => m.behind = "__attribute__((packed))".into(),
            2 => m.before = "_Alignas(128)".into(),
            _ => {}
        }
        m
    }

    fn bit_field(&mut self) -> Member {
        let mut list = self.scalars.clone();
        list.retain(|s| s.bits > 0);
        let scalar = self.pick(&list);
        let least = match scalar.value {
            Range(..) => 3,
            _ => 1,
        };
        let mut m = self.of(What::Scalar(scalar));
        m.width = Some(self.rng.u32(least.min(scalar.bits)..=scalar.bits));
        if self.chance(6) {
            m.name = None;
            if self.chance(3) {
                m.width = Some(0);
            }
        }
        m
    }
}

//! Random C types of every form that compilers lay out in a way of their own.

use fastrand::Rng;

use super::kinds::{Flavour, Scalar, Shape, Value};

#[derive(Clone, Debug)]
pub enum What {
    Scalar(Scalar),
    /// Defined in place.
    Record(Box<Record>),
    /// One of the program's, by number, with an alignment of its own or 0.
    Known(usize, u32),
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
    /// Of a union, the first is in use: the largest.
    pub members: Vec<Member>,
    pub attributes: String,
    /// `#pragma pack(n)`; 0: none.
    pub pack: u32,
    /// Members that say what is in use of others: tag, union.
    pub tags: Vec<(String, String)>,
}

impl Record {
    fn new(is_union: bool, members: Vec<Member>) -> Record {
        Record {
            is_union,
            members,
            attributes: String::new(),
            pack: 0,
            tags: Vec::new(),
        }
    }

    /// Without bit-fields that are as wide as their type.
    pub fn narrow(&mut self) {
        for m in &mut self.members {
            match &mut m.what {
                What::Record(r) => r.narrow(),
                What::Scalar(s) if s.bits > 1 => {
                    m.width = m.width.map(|w| w.min(s.bits - 1));
                }
                _ => {}
            }
        }
    }

    /// The array at its end that objects have more of: how to come to it from the object, and its elements.
    pub fn open(&self) -> Option<(String, Scalar)> {
        let last = self.members.last()?;
        let step = last
            .name
            .as_ref()
            .map_or(String::new(), |n| format!(".{n}"));
        match &last.what {
            What::Scalar(s) if last.open => Some((step, *s)),
            What::Record(r) if !self.is_union => r.open().map(|(rest, s)| (step + &rest, s)),
            _ => None,
        }
    }
}

pub(crate) struct Maker {
    rng: Rng,
    scalars: Vec<Scalar>,
    /// Of the record being made.
    names: u32,
    made: Vec<Record>,
}

/// So many members of one struct, and structs within structs.
const MEMBERS: u32 = 5;
const DEPTH: u32 = 3;
/// Values of a struct that others have as a member.
const MOST: u32 = 20;

pub fn types(seed: u64, count: usize, flavour: Flavour) -> Vec<Record> {
    let mut maker = Maker {
        rng: Rng::with_seed(seed),
        scalars: flavour.scalars(),
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

    fn scalar_that(&mut self, fits: impl Fn(&Scalar) -> bool) -> Scalar {
        let mut list = self.scalars.clone();
        list.retain(fits);
        self.pick(&list)
    }

    fn record(&mut self, depth: u32) -> Record {
        if self.chance(8) {
            return self.union();
        }
        let count = self.rng.u32(1..=MEMBERS + 2 * u32::from(depth == 0));
        let mut members: Vec<Member> = (0..count).map(|_| self.member(depth)).collect();
        // Something must be there, and not only padding.
        members.insert(0, self.plain());
        let mut record = Record::new(false, members);
        if depth == 0 && self.chance(8) {
            self.tagged(&mut record);
        }
        if depth == 0 && self.chance(10) {
            let last = self.open_end();
            record.members.push(last);
        }
        record.attributes = match self.rng.u32(0..8) {
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
        if depth == 0 && self.chance(8) {
            record.pack = self.pick(&[1, 2, 4, 8, 16]);
        }
        record
    }

    /// A flexible array, perhaps of a struct at the end.
    fn open_end(&mut self) -> Member {
        let s = self.scalar_that(Scalar::is_element);
        let mut last = self.of(What::Scalar(s));
        last.open = true;
        if !self.chance(4) {
            return last;
        }
        let inner = Record::new(false, vec![self.plain(), last]);
        let mut outer = self.of(What::Record(Box::new(inner)));
        if self.chance(2) {
            outer.name = None;
        }
        outer
    }

    /// Members of one type, so that it does not matter which of them is in use.
    fn union(&mut self) -> Record {
        let scalar = self.scalar_that(is_plain);
        let mut members = Vec::new();
        for n in (1..=self.rng.u32(1..=3)).rev() {
            let mut m = self.of(What::Scalar(scalar));
            if n > 1 {
                m.dimensions.push(n);
            }
            members.push(m);
        }
        let mut union = Record::new(true, members);
        if self.chance(4) {
            union.attributes = "__attribute__((transparent_union))".into();
        }
        union
    }

    /// A union of several types, and the member that says which is in use.
    fn tagged(&mut self, record: &mut Record) {
        let tag = self.scalar_that(|s| s.c == "int" || s.c == "unsigned char");
        let tag = self.of(What::Scalar(tag));
        let members = (0..self.rng.u32(2..=3)).map(|_| {
            let s = self.scalar_that(is_plain);
            let mut m = self.of(What::Scalar(s));
            if self.chance(3) {
                m.dimensions.push(2);
            }
            m
        });
        let members = members.collect();
        let mut union = self.of(What::Record(Box::new(Record::new(true, members))));
        union.behind = self.pick(&["", "", "__attribute__((packed))"]).into();
        record.tags.push((
            tag.name.clone().unwrap_or_default(),
            union.name.clone().unwrap_or_default(),
        ));
        record.members.extend([tag, union]);
    }

    /// So many values are in it.
    fn values(&self, r: &Record) -> u32 {
        let of = |m: &Member| {
            let one = match &m.what {
                What::Scalar(_) => 1,
                What::Record(r) => self.values(r),
                What::Known(k, _) => self.values(&self.made[*k]),
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
                let align = self.pick(&[0, 0, 1, 4, 32]);
                match self.made[n].open().is_some() || large {
                    true => self.plain(),
                    false => self.of(What::Known(n, align)),
                }
            }
            10 if self.chance(4) => self.of(What::Record(Box::new(Record::new(false, vec![])))),
            _ => self.plain(),
        };
        let fixed = match &m.what {
            What::Scalar(s) => !s.is_element(),
            What::Known(_, align) => *align > 0,
            What::Record(_) => false,
        };
        if !fixed && self.chance(4) {
            let n = self.rng.u32(0..=12);
            m.dimensions.push(n.div_ceil(4));
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
        let scalar = self.scalar_that(|s| s.bits > 0);
        let least = match scalar.value {
            Value::Range(..) => 3,
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

/// Of unions.
fn is_plain(s: &Scalar) -> bool {
    s.shape == Shape::One && s.value != Value::Char && s.is_element()
}

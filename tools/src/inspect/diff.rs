//! `pc3 diff`: where the values of two checkpoints differ, also of two architectures.
//!
//! Variables are paired by name, and objects of the heap by how they are reached: two objects are one and the same if
//! pointers in the same place lead to them. So addresses play no part, and neither do layouts.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fmt::Write;
use std::ops::Range;

use pc3_runtime::format::read::{Checkpoint, ReadError};
use pc3_typemetric::types::{Kind, Member, Type, TypeId};
use serde_json::{json, Value as Json};

use super::calls::{calls, repeated};
use super::image::{path, Image, Object, Target};
use super::json::value;
use super::text::{inline, plural, type_of};
use super::value::{Reader, Value};
use crate::human;

/// How the differences are told.
pub(super) struct How {
    pub json: bool,
    /// Lines for each variable.
    pub limit: usize,
}

/// Names of objects that are reached through many others end: their number says enough.
const LONGEST_NAME: usize = 60;

/// What is different at a place, in words for the first and the second checkpoint.
#[derive(Debug)]
struct Difference {
    /// The variable that it is in, or is reached from.
    root: String,
    place: String,
    what: DifferenceKind,
}

#[derive(Debug)]
enum DifferenceKind {
    Values(Box<(Value, Value)>),
    /// Words that are no values: types, calls, targets of pointers.
    Words(String, String),
    Elements(Elements),
}

/// Numbers of an array.
#[derive(Debug)]
struct Elements {
    of: usize,
    differ: usize,
    first: usize,
    values: Box<(Value, Value)>,
    /// By how much, and which; floating-point numbers only.
    largest: Option<(f64, usize)>,
}

/// What was compared.
#[derive(Default, Debug)]
struct Compared {
    differences: Vec<Difference>,
    variables: usize,
    objects: usize,
    bytes: u64,
}

/// Where a value is, as C would say it.
#[derive(Clone)]
struct ValuePath {
    root: String,
    text: String,
    /// The text is a pointer to it.
    by_pointer: bool,
}

impl ValuePath {
    fn variable(text: String) -> ValuePath {
        ValuePath {
            root: text.clone(),
            text,
            by_pointer: false,
        }
    }

    fn further(&self, text: String) -> ValuePath {
        ValuePath {
            root: self.root.clone(),
            text,
            by_pointer: false,
        }
    }

    fn member(&self, name: &str) -> ValuePath {
        match (name, self.by_pointer) {
            ("", _) => self.clone(),
            (_, true) => self.further(format!("{}->{name}", self.text)),
            (_, false) => self.further(format!("{}.{name}", self.text)),
        }
    }

    fn element(&self, n: usize) -> ValuePath {
        self.further(format!("{}[{n}]", self.text))
    }

    fn text(&self) -> String {
        match self.by_pointer {
            true => format!("*{}", self.text),
            false => self.text.clone(),
        }
    }
}

struct Comparison<'a> {
    sides: [Reader<'a>; 2],
    same_abi: bool,
    /// Of each object of a side, by address and size, the other side's.
    pairs: [HashMap<(u64, u64), (u64, u64)>; 2],
    reached: VecDeque<(ValuePath, Object<'a>, Object<'a>)>,
    done: Compared,
}

/// A value of each side.
type Two<'a> = [(TypeId, &'a [u8]); 2];

fn rank(a: &Image, b: &Image) -> Compared {
    let all = |image| Reader {
        image,
        limit: usize::MAX,
    };
    let mut walk = Comparison {
        same_abi: a.types().abi() == b.types().abi(),
        sides: [all(a), all(b)],
        pairs: [HashMap::new(), HashMap::new()],
        reached: VecDeque::new(),
        done: Compared::default(),
    };
    walk.globals();
    walk.stack();
    while let Some((place, one, other)) = walk.reached.pop_front() {
        walk.done.objects += 1;
        walk.objects(&place, &one, &other);
    }
    walk.heap();
    walk.done
}

impl<'a> Comparison<'a> {
    fn report(&mut self, place: &ValuePath, what: DifferenceKind) {
        self.done.differences.push(Difference {
            root: place.root.clone(),
            place: place.text(),
            what,
        });
    }

    fn words(&mut self, place: &ValuePath, words: [String; 2]) {
        let [a, b] = words;
        if a != b {
            self.report(place, DifferenceKind::Words(a, b));
        }
    }

    fn each<T>(&self, f: impl Fn(&Reader<'a>) -> T) -> [T; 2] {
        [f(&self.sides[0]), f(&self.sides[1])]
    }

    /// Calls from `main` on, as far as both are in the same functions.
    fn stack(&mut self) {
        let calls = self.each(|s| calls(s.image));
        let texts = calls.each_ref().map(|list| {
            let same = list.chunk_by(|c, d| c.text == d.text).rev();
            let lines: Vec<String> = same.map(repeated).collect();
            lines.join(" > ")
        });
        self.words(&ValuePath::variable("stack".into()), texts);
        let [a, b] = calls;
        for (a, b) in a.iter().rev().zip(b.iter().rev()) {
            if a.function != b.function {
                return;
            }
            let place = ValuePath::variable(a.name.clone());
            for (one, other) in a.records.iter().zip(&b.records) {
                let (Some(one), Some(other)) = (one, other) else {
                    continue;
                };
                self.pair(one, other);
                self.variables(&place, [(one.ty, one.bytes), (other.ty, other.bytes)]);
            }
        }
    }

    /// Locals of a call: what is saved there of both.
    fn variables(&mut self, call: &ValuePath, two: Two<'a>) {
        let [a, b] = self.each(|s| s.image.types());
        for one in &a.get(two[0].0).members {
            let others = &b.get(two[1].0).members;
            if let Some(other) = others.iter().find(|m| m.name == one.name) {
                let mut place = call.member(&one.name);
                place.root.clone_from(&place.text);
                self.done.variables += 1;
                self.member(
                    &place,
                    [one, other],
                    two.map(|(_, bytes)| bytes),
                    [false; 2],
                );
            }
        }
    }

    fn globals(&mut self) {
        let [a, b] = self.each(|s| s.image.globals());
        let mut others: HashMap<String, Vec<Object>> = HashMap::new();
        for object in b.into_iter().rev() {
            others.entry(object.name.clone()).or_default().push(object);
        }
        let mut both = Vec::new();
        for one in a {
            match others.get_mut(&one.name).and_then(Vec::pop) {
                Some(other) => both.push((one, other)),
                None => {
                    let there = type_of(self.sides[0].image, one.ty, one.size);
                    self.words(&ValuePath::variable(one.name), [there, "not there".into()]);
                }
            }
        }
        for (one, other) in &both {
            self.pair(one, other);
        }
        for (one, other) in both {
            self.done.variables += 1;
            self.objects(&ValuePath::variable(one.name.clone()), &one, &other);
        }
    }

    /// How many objects of each type there are.
    fn heap(&mut self) {
        let counts = self.each(|s| {
            let mut kinds: BTreeMap<String, u64> = BTreeMap::new();
            for o in s.image.heap() {
                *kinds.entry(s.image.types().describe(o.ty)).or_default() += 1;
            }
            kinds
        });
        let [a, b] = &counts;
        let mut kinds: Vec<&String> = a.keys().chain(b.keys()).collect();
        kinds.sort();
        kinds.dedup();
        for kind in kinds {
            let words = counts.each_ref().map(|all| match all.get(kind) {
                None => "none".to_owned(),
                Some(1) => "1 object".to_owned(),
                Some(n) => format!("{n} objects"),
            });
            self.words(&ValuePath::variable(format!("heap: {kind}")), words);
        }
    }

    /// Are they each other's? Objects that are met for the first time become so.
    fn pair(&mut self, one: &Object, other: &Object) -> bool {
        let (a, b) = ((one.base, one.size), (other.base, other.size));
        match (self.pairs[0].get(&a), self.pairs[1].get(&b)) {
            (None, None) => {
                self.pairs[0].insert(a, b);
                self.pairs[1].insert(b, a);
                true
            }
            (Some(known), _) => *known == b,
            _ => false,
        }
    }

    fn objects(&mut self, place: &ValuePath, one: &Object<'a>, other: &Object<'a>) {
        self.done.bytes += one.bytes.len() as u64;
        let two = [(one.ty, one.bytes), (other.ty, other.bytes)];
        let [a, b] = self.each(|s| s.image.types());
        let (name, other_name) = (a.describe(one.ty), b.describe(other.ty));
        if name != other_name {
            return self.words(place, [name, other_name]);
        }
        let (size, other_size) = (a.size(one.ty) as usize, b.size(other.ty) as usize);
        if one.ty == TypeId::UNKNOWN || size == 0 || other_size == 0 {
            return self.raw(place, two);
        }
        let single = |bytes: &[u8], size| bytes.len() < 2 * size;
        let flexible = a.trailing_array(one.ty).is_some();
        if flexible || single(one.bytes, size) && single(other.bytes, other_size) {
            return self.value(place, two);
        }
        self.list(place, two);
    }

    fn raw(&mut self, place: &ValuePath, two: Two<'a>) {
        if two[0].1 != two[1].1 {
            let values = two.map(|(_, bytes)| Value::Bytes(bytes.to_vec()));
            self.values(place, values);
        }
    }

    fn value(&mut self, place: &ValuePath, two: Two<'a>) {
        let [(ta, a), (tb, b)] = two;
        let [types, other_types] = self.each(|s| s.image.types());
        let (t, other) = (types.get(ta), other_types.get(tb));
        if a.len() < t.size as usize || b.len() < other.size as usize {
            return;
        }
        match (t.kind, other.kind) {
            (Kind::Struct, Kind::Struct) => self.structs(place, two),
            (Kind::Union, Kind::Union) => self.unions(place, two),
            (Kind::Array, Kind::Array) => {
                let cut = |t: &Type, bytes: &'a [u8]| match t.count {
                    0 => bytes,
                    _ => &bytes[..t.size as usize],
                };
                self.list(place, [(t.elem, cut(t, a)), (other.elem, cut(other, b))]);
            }
            _ => self.scalars(place, two),
        }
    }

    fn structs(&mut self, place: &ValuePath, two: Two<'a>) {
        let [(ta, a), (tb, b)] = two;
        let [types, other_types] = self.each(|s| s.image.types());
        let (t, other) = (types.get(ta), other_types.get(tb));
        let chosen = self.sides[0].chosen(t, a);
        if let (Some((m, inside)), Some((om, other_inside))) =
            (chosen, self.sides[1].chosen(other, b))
        {
            let words = [m.name.clone(), om.name.clone()];
            let (ty, other_ty) = (m.ty, om.ty);
            let same = words[0] == words[1];
            let place = place.member(&words[0]);
            self.words(&place, words);
            if same {
                self.structs(&place, [(ty, inside), (other_ty, other_inside)]);
            }
            return;
        }
        for (n, m) in t.members.iter().enumerate() {
            let found = match m.name.as_str() {
                "" => other.members.get(n).filter(|o| o.name.is_empty()),
                name => other.members.iter().find(|o| o.name == name),
            };
            if let Some(om) = found {
                let last =
                    |t: &Type, m: &Member| t.members.last().is_some_and(|l| std::ptr::eq(l, m));
                let lasts = [last(t, m), last(other, om)];
                self.member(&place.member(&m.name), [m, om], [a, b], lasts);
            }
        }
    }

    /// Of structs of these bytes; `last`: it may go on to their end.
    fn member(
        &mut self,
        place: &ValuePath,
        two: [&Member; 2],
        bytes: [&'a [u8]; 2],
        last: [bool; 2],
    ) {
        if two[0].bits.is_some() || two[1].bits.is_some() {
            let values = [0, 1].map(|n| self.sides[n].member(two[n], bytes[n], last[n]));
            return self.values(place, values);
        }
        let part = |n: usize| {
            let types = self.sides[n].image.types();
            let from = two[n].offset as usize;
            let flexible = last[n] && types.trailing_array(two[n].ty).is_some();
            let to = from + types.size(two[n].ty) as usize;
            let to = if flexible { bytes[n].len() } else { to };
            bytes[n].get(from..to.max(from)).unwrap_or(&[])
        };
        let parts = [(two[0].ty, part(0)), (two[1].ty, part(1))];
        self.value(place, parts);
    }

    /// Under one ABI their bytes tell; between two a member that reads the same does.
    fn unions(&mut self, place: &ValuePath, two: Two<'a>) {
        let [(_, a), (_, b)] = two;
        if self.same_abi && a == b {
            return;
        }
        let values = [0, 1].map(|n| self.sides[n].value(two[n].0, two[n].1));
        let [Value::Union(one), Value::Union(other)] = &values else {
            return self.values(place, values);
        };
        let agree = |(name, v): &(String, Value)| {
            let same = other.iter().find(|(n, _)| n == name);
            same.is_some_and(|(_, w)| equal(v, w))
        };
        if self.same_abi || !one.iter().any(agree) {
            self.report(place, DifferenceKind::Values(Box::new(values.into())));
        }
    }

    fn list(&mut self, place: &ValuePath, two: Two<'a>) {
        let sizes = [0, 1].map(|n| self.sides[n].image.types().size(two[n].0) as usize);
        if sizes.contains(&0) {
            return self.raw(place, two);
        }
        let kinds = [0, 1].map(|n| self.sides[n].image.types().get(two[n].0).kind);
        if kinds == [Kind::Char, Kind::Char] && sizes == [1, 1] {
            return self.texts(place, two);
        }
        let counts = [0, 1].map(|n| two[n].1.len() / sizes[n]);
        if counts[0] != counts[1] {
            self.words(place, counts.map(|n| format!("{n} elements")));
        }
        let both = two[0]
            .1
            .chunks_exact(sizes[0])
            .zip(two[1].1.chunks_exact(sizes[1]));
        if !is_number(kinds[0]) || !is_number(kinds[1]) {
            for (n, (a, b)) in both.enumerate() {
                self.value(&place.element(n), [(two[0].0, a), (two[1].0, b)]);
            }
            return;
        }
        let mut found: Option<Elements> = None;
        for (n, (a, b)) in both.enumerate() {
            if self.same_abi && a == b {
                continue;
            }
            let values = (
                self.sides[0].value(two[0].0, a),
                self.sides[1].value(two[1].0, b),
            );
            if !equal(&values.0, &values.1) {
                note(&mut found, counts[0].min(counts[1]), n, values);
            }
        }
        match found {
            Some(e) if e.differ == 1 => {
                let place = place.element(e.first);
                self.report(&place, DifferenceKind::Values(e.values));
            }
            Some(e) => {
                let place = place.further(place.text.clone());
                self.report(&place, DifferenceKind::Elements(e));
            }
            None => {}
        }
    }

    /// Of characters what is behind the end counts, too.
    fn texts(&mut self, place: &ValuePath, two: Two<'a>) {
        if two[0].1 != two[1].1 {
            let values = [0, 1].map(|n| self.sides[n].object(two[n].0, two[n].1));
            let place = place.further(place.text.clone());
            self.report(&place, DifferenceKind::Values(Box::new(values.into())));
        }
    }

    fn scalars(&mut self, place: &ValuePath, two: Two<'a>) {
        let addresses = [0, 1].map(|n| {
            let (ty, bytes) = two[n];
            let t = self.sides[n].image.types().get(ty);
            self.sides[n].address(t, bytes).map(|addr| (addr, t.elem))
        });
        if let [Some(one), Some(other)] = addresses {
            return self.pointers(place, [one, other], two);
        }
        let values = [0, 1].map(|n| self.sides[n].value(two[n].0, two[n].1));
        self.values(place, values);
    }

    fn pointers(&mut self, place: &ValuePath, to: [(u64, TypeId); 2], two: Two<'a>) {
        let [a, b] = self.each(|s| s.image);
        let images = [a, b];
        let objects = [0, 1].map(|n| images[n].pointed(to[n].0, to[n].1));
        let plain = |n: usize| images[n].target(to[n].0, to[n].1);
        let function = |n: usize| matches!(plain(n), Target::Function(_) | Target::Null);
        let ([Some(one), Some(other)], false) = (objects, function(0) || function(1)) else {
            return self.values(place, [0, 1].map(|n| Value::Pointer(plain(n))));
        };
        let inside = |n: usize, o: &Object| {
            path(images[n].types(), o, to[n].0.wrapping_sub(o.base), to[n].1)
        };
        let paths = [inside(0, &one), inside(1, &other)];
        let literal = |o: &Object| o.name.starts_with('"');
        let alike = match literal(&one) || literal(&other) {
            true => one.name == other.name,
            false => {
                let new = !self.pairs[0].contains_key(&(one.base, one.size));
                let paired = self.pair(&one, &other);
                if new && paired {
                    let at_start = matches!(paths[0].as_str(), "" | "[0]");
                    let name = match place.text() {
                        name if at_start && name.len() <= LONGEST_NAME => name,
                        _ => format!("&{}", one.name),
                    };
                    let mut of = place.further(name);
                    of.by_pointer = true;
                    self.reached.push_back((of, one, other));
                }
                paired
            }
        };
        if !alike || paths[0] != paths[1] {
            let values = [0, 1].map(|n| self.sides[n].value(two[n].0, two[n].1));
            self.report(place, DifferenceKind::Values(Box::new(values.into())));
        }
    }

    fn values(&mut self, place: &ValuePath, values: [Value; 2]) {
        if !equal(&values[0], &values[1]) {
            self.report(place, DifferenceKind::Values(Box::new(values.into())));
        }
    }
}

fn is_number(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Bool
            | Kind::Char
            | Kind::SInt
            | Kind::UInt
            | Kind::Enum
            | Kind::Float
            | Kind::Complex
    )
}

/// To the bit: zeros have signs, and a NaN is equal to itself.
fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
        (Value::Single(a), Value::Single(b)) => a.to_bits() == b.to_bits(),
        (Value::Complex(a), Value::Complex(b)) => equal(&a.0, &b.0) && equal(&a.1, &b.1),
        (Value::Record(a), Value::Record(b)) | (Value::Union(a), Value::Union(b)) => {
            let same =
                |((n, v), (m, w)): (&(String, Value), &(String, Value))| n == m && equal(v, w);
            a.len() == b.len() && a.iter().zip(b).all(same)
        }
        (Value::List(a, more), Value::List(b, others)) => {
            let same = |(v, w)| equal(v, w);
            more == others && a.len() == b.len() && a.iter().zip(b).all(same)
        }
        _ => a == b,
    }
}

fn note(found: &mut Option<Elements>, of: usize, n: usize, values: (Value, Value)) {
    let by = match values {
        (Value::Float(a), Value::Float(b)) => Some((a - b).abs()),
        (Value::Single(a), Value::Single(b)) => Some((f64::from(a) - f64::from(b)).abs()),
        _ => None,
    };
    let by = by.filter(|by| !by.is_nan()).map(|by| (by, n));
    let Some(e) = found else {
        *found = Some(Elements {
            of,
            differ: 1,
            first: n,
            values: Box::new(values),
            largest: by,
        });
        return;
    };
    e.differ += 1;
    if by.map(|b| b.0) > e.largest.map(|l| l.0) {
        e.largest = by;
    }
}

/// The comparison of these ranks, and whether nothing differs.
pub(super) fn show(
    both: [&Checkpoint; 2],
    ranks: Range<u64>,
    how: &How,
) -> Result<(String, bool), ReadError> {
    let mut all = Vec::new();
    for number in ranks {
        let [a, b] = [both[0].rank(number)?, both[1].rank(number)?];
        let mut compared = rank(&Image::new(both[0], &a), &Image::new(both[1], &b));
        let passages = [&a, &b].map(|r| r.meta.passages.to_string());
        if both[0].job.calls_mpi && passages[0] != passages[1] {
            let [one, other] = passages;
            compared.differences.insert(
                0,
                Difference {
                    root: "passage".into(),
                    place: "passage".into(),
                    what: DifferenceKind::Words(one, other),
                },
            );
        }
        all.push((number, compared));
    }
    let same = all.iter().all(|(_, c)| c.differences.is_empty());
    let text = match how.json {
        true => as_json(both, &all),
        false => as_text(both, &all, how.limit),
    };
    Ok((text, same))
}

fn as_text(both: [&Checkpoint; 2], all: &[(u64, Compared)], limit: usize) -> String {
    let mut out = String::new();
    for (n, c) in both.iter().enumerate() {
        let job = &c.job;
        let time = human::utc(job.time);
        let _ = writeln!(
            out,
            "{}: checkpoint {} of {}, {time} UTC, {}, passage {}",
            n + 1,
            c.id(),
            job.program,
            job.abi.name,
            job.passage
        );
    }
    for (number, compared) in all {
        let size = human::bytes(compared.bytes);
        let (variables, objects) = (compared.variables, compared.objects);
        let what = format!(
            "{variables} variable{}, {objects} object{} behind pointers, {size}",
            plural(variables as u64),
            plural(objects as u64)
        );
        if compared.differences.is_empty() {
            let _ = writeln!(out, "\nrank {number}: equal ({what})");
            continue;
        }
        let _ = writeln!(out, "\nrank {number} ({what})");
        let mut rest = &compared.differences[..];
        while let Some(first) = rest.first() {
            let of = rest.iter().take_while(|d| d.root == first.root).count();
            for d in &rest[..of.min(limit)] {
                let _ = writeln!(out, "  {}", line(d));
            }
            if of > limit {
                let _ = writeln!(out, "  … {} more of {} (--limit)", of - limit, first.root);
            }
            rest = &rest[of..];
        }
    }
    out
}

fn as_json(both: [&Checkpoint; 2], all: &[(u64, Compared)]) -> String {
    let one = |d: &Difference| {
        let mut out = json!({ "variable": d.root, "place": d.place });
        match &d.what {
            DifferenceKind::Words(a, b) => out["values"] = json!([a, b]),
            DifferenceKind::Values(v) => out["values"] = json!([value(&v.0), value(&v.1)]),
            DifferenceKind::Elements(e) => {
                out["elements"] = json!({ "of": e.of, "differ": e.differ, "first": e.first });
                out["values"] = json!([value(&e.values.0), value(&e.values.1)]);
                if let Some((by, n)) = e.largest {
                    out["largest"] = json!({ "by": by, "at": n });
                }
            }
        }
        out
    };
    let rank = |(number, c): &(u64, Compared)| {
        let differences: Vec<Json> = c.differences.iter().map(one).collect();
        json!({ "rank": number, "variables": c.variables, "objects": c.objects, "bytes": c.bytes, "differences": differences })
    };
    let ranks: Vec<Json> = all.iter().map(rank).collect();
    let ids = both.map(Checkpoint::id);
    format!("{:#}\n", json!({ "checkpoints": ids, "rank": ranks }))
}

/// One line for a person.
fn line(d: &Difference) -> String {
    let short = |v: &Value| {
        let text = inline(v);
        match text.char_indices().nth(LONGEST_NAME) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        }
    };
    match &d.what {
        DifferenceKind::Words(a, b) => format!("{}: {a} -> {b}", d.place),
        DifferenceKind::Values(v) => format!("{}: {} -> {}", d.place, short(&v.0), short(&v.1)),
        DifferenceKind::Elements(e) => {
            let (a, b) = (short(&e.values.0), short(&e.values.1));
            let mut text = format!(
                "{}[0..{}]: {} differ; [{}]: {a} -> {b}",
                d.place, e.of, e.differ, e.first
            );
            if let Some((by, n)) = e.largest {
                text.push_str(&format!(", the largest by {by:?} at [{n}]"));
            }
            text
        }
    }
}

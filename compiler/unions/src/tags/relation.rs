//! From what is stored to which values of a tag belong to which member, if that is so in the whole program.

use super::places::whole;
use super::{Check, Facts, Home, Store, TagValue, Tags, Unions, Written};
use crate::alike::left_over;
use crate::member_paths::key;
use pc3_program::initialiser::parts;
use pc3_program::program::Program;
use pc3_syntax::tree::*;
use pc3_typemetric::choice::{Choice, Rule, Test, LEFT, VALUE};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A struct in some unit that has the union.
pub struct Owned<'a> {
    pub unit: usize,
    pub u: &'a Unit,
    pub record: RecordId,
    pub field: usize,
    pub home: Home,
}

impl Owned<'_> {
    fn fields(&self) -> &[Field] {
        self.u.records[self.record.index()]
            .fields
            .as_deref()
            .unwrap_or_default()
    }

    fn is_tag(&self, k: usize) -> bool {
        let field = self.fields().get(k);
        field.is_some_and(|f| {
            f.bit_width.is_none() && f.name.is_some() && super::is_integer(self.u, f.ty.ty)
        })
    }

    fn kind(&self, k: usize) -> Option<IntKind> {
        self.u.view().int_kind(self.fields().get(k)?.ty.ty)
    }
}

/// What belongs to which member.
#[derive(Default)]
struct Relation {
    /// Each home's tag.
    tags: HashMap<Home, usize>,
    numbers: BTreeMap<i128, usize>,
    bits: BTreeMap<u64, usize>,
    /// A tag is stored alone, so that a value is left over.
    left: bool,
}

pub(crate) fn conclude(p: &Program, unions: &[Unions], facts: &Facts, out: &mut Tags) {
    let all: BTreeSet<&String> = unions.iter().flat_map(|m| m.values()).collect();
    for name in all {
        let owners = owners(p, unions, name);
        let kept = facts
            .kept
            .get(name)
            .filter(|_| is_reached(p, unions, name, facts));
        let result = match facts.refused.get(name).or(kept) {
            Some(why) => Err(why.clone()),
            None if !one_form(p, unions, name, &owners) => {
                Err("it is declared in several ways".into())
            }
            None if facts.taken.contains_key(name) => {
                super::own::conclude(p, name, &owners, facts, out)
            }
            None => relate(p, unions, name, &owners, facts)
                .map(|r| tell(p, unions, name, &owners, &r, facts, out)),
        };
        if let Err(why) = result {
            out.told.push(format!("{name}: none: {why}"));
        }
    }
}

fn owners<'a>(p: &Program<'a>, unions: &[Unions], name: &str) -> Vec<Owned<'a>> {
    let mut out = Vec::new();
    for (unit, u) in p.units.iter().enumerate() {
        for (i, d) in u.records.iter().enumerate() {
            for (field, f) in d.fields.iter().flatten().enumerate() {
                if whole(u, &unions[unit], f.ty.ty).is_some_and(|k| k == name) {
                    let record = RecordId(i as u32);
                    let home = (key(u, record), field);
                    out.push(Owned {
                        unit,
                        u,
                        record,
                        field,
                        home,
                    });
                }
            }
        }
    }
    out
}

/// Could pointers that the program uses without types write a part of the union?
fn is_reached(p: &Program, unions: &[Unions], name: &str, facts: &Facts) -> bool {
    fn scalars(u: &Unit, t: TypeId, out: &mut Vec<TypeId>) {
        match u.ty(t) {
            Type::Array { elem, .. } => scalars(u, elem.ty, out),
            Type::Record(r) => {
                let fields = u.records[r.index()].fields.iter().flatten();
                fields.for_each(|f| scalars(u, f.ty.ty, out));
            }
            _ => out.push(t),
        }
    }
    p.units.iter().enumerate().any(|(i, u)| {
        let mut out = Vec::new();
        for (r, _) in unions[i].iter().filter(|(_, k)| *k == name) {
            let fields = u.records[r.index()].fields.iter().flatten();
            fields.for_each(|f| scalars(u, f.ty.ty, &mut out));
        }
        let used = |t: &TypeId| facts.untyped.contains(&u.type_name(QualType::plain(*t)));
        out.iter().any(used)
    })
}

/// Do all units declare union and structs alike?
fn one_form(p: &Program, unions: &[Unions], name: &str, owners: &[Owned]) -> bool {
    let names = |u: &Unit, r: RecordId| -> Vec<Option<String>> {
        let fields = u.records[r.index()].fields.iter().flatten();
        fields.map(|f| f.name.clone()).collect()
    };
    let mut forms = HashMap::new();
    let mut same = |key: &str, form: Vec<Option<String>>| {
        *forms.entry(key.to_string()).or_insert_with(|| form.clone()) == form
    };
    let mut alike = true;
    for (i, u) in p.units.iter().enumerate() {
        for (r, k) in unions[i].iter().filter(|(_, k)| *k == name) {
            alike &= same(k, names(u, *r));
        }
    }
    for o in owners {
        alike &= same(&format!(" {}", o.home.0), names(o.u, o.record));
    }
    alike
}

fn relate(
    p: &Program,
    unions: &[Unions],
    name: &str,
    owners: &[Owned],
    facts: &Facts,
) -> Result<Relation, String> {
    let stores: Vec<&Store> = facts.stores.iter().filter(|s| s.union == name).collect();
    let mut r = Relation::default();
    tags(owners, &stores, facts, &mut r)?;
    let loose = left_over_alike(p, unions, name);
    for s in &stores {
        claim(s, owners, loose, &mut r)?;
    }
    for (number, member) in &r.numbers {
        let other = |(bit, m): (&u64, &usize)| *number as u64 & bit != 0 && m != member;
        if r.bits.iter().any(other) {
            return Err(format!("{number} belongs to several members"));
        }
    }
    if r.bits.values().collect::<BTreeSet<_>>().len() > 1 {
        return Err("several bits belong to members".into());
    }
    if r.numbers.is_empty() && r.bits.is_empty() {
        return Err("nothing is stored with it".into());
    }
    for s in &stores {
        let belongs = |k: usize| r.numbers.values().chain(r.bits.values()).any(|m| *m == k);
        match s.written {
            Written::Member(k) if unpaired(s, &r) && (!belongs(k) || s.site.is_none()) => {
                return Err(format!("a member is stored alone at {}", s.line));
            }
            _ => {}
        }
    }
    for o in owners {
        let mine = |name: &str, k: usize| r.tags.iter().any(|(h, t)| h.0 == name && *t == k);
        let tag = (o.u, o.record, r.tags[&o.home]);
        if let Some(other) = facts.related.other(p, tag, &mine) {
            return Err(format!(
                "the tag of {} can be stored as one of {other}",
                o.home.0
            ));
        }
    }
    for t in &facts.tags {
        let mut homes = r.tags.iter().filter(|(h, _)| h.0 == t.record);
        if homes.all(|(h, k)| *k != t.field || t.with.contains(&h.1)) {
            continue;
        }
        let TagValue::Numbers(list) = &t.value else {
            return Err(format!("the tag is given any value at {}", t.line));
        };
        if list.iter().any(|v| r.is_taken(*v)) {
            return Err(format!("the tag is stored alone at {}", t.line));
        }
        r.left = true;
    }
    if r.left && !loose {
        return Err("the tag is stored alone, and the members are unlike".into());
    }
    Ok(r)
}

impl Relation {
    fn is_taken(&self, number: i128) -> bool {
        self.numbers.contains_key(&number) || self.bits.keys().any(|b| number as u64 & b != 0)
    }
}

/// Is it without any other's tag?
fn unpaired(s: &Store, r: &Relation) -> bool {
    let tag = s.home.as_ref().and_then(|h| r.tags.get(h));
    tag.is_none_or(|k| s.beside.iter().all(|b| b.0 != *k))
}

fn left_over_alike(p: &Program, unions: &[Unions], name: &str) -> bool {
    p.units.iter().enumerate().all(|(i, u)| {
        let own = unions[i].iter().filter(|(_, k)| *k == name);
        own.into_iter().all(|(r, _)| left_over(u, *r))
    })
}

/// Which integer beside it each struct has.
fn tags(
    owners: &[Owned],
    stores: &[&Store],
    facts: &Facts,
    r: &mut Relation,
) -> Result<(), String> {
    let mut names: BTreeSet<(String, String)> = BTreeSet::new();
    let name = |o: &Owned, k: usize| o.fields().get(k).and_then(|f| f.name.clone());
    for o in owners {
        let mut votes: BTreeMap<usize, usize> = BTreeMap::new();
        let own = stores.iter().filter(|s| s.home.as_ref() == Some(&o.home));
        for (k, value) in own.flat_map(|s| &s.beside) {
            if *value != TagValue::Unknown && o.is_tag(*k) {
                *votes.entry(*k).or_default() += 1;
            }
        }
        let best = votes.iter().max_by_key(|(k, n)| (**n, usize::MAX - **k));
        if let Some((k, _)) = best {
            r.tags.insert(o.home.clone(), *k);
            names.extend(name(o, o.field).zip(name(o, *k)));
        }
    }
    for o in owners {
        if !r.tags.contains_key(&o.home) {
            let own = name(o, o.field);
            let like = |k: &usize| {
                let pair = own.clone().zip(name(o, *k));
                o.is_tag(*k) && pair.is_some_and(|p| names.contains(&p))
            };
            let found = (0..o.fields().len()).find(|k| like(k));
            let k = found.ok_or_else(|| format!("{} has no tag", o.home.0))?;
            r.tags.insert(o.home.clone(), k);
        }
        let tag = (o.home.0.clone(), r.tags[&o.home]);
        if !o.is_tag(tag.1) || facts.addressed.contains(&tag) {
            return Err(format!("the address of the tag of {} is taken", o.home.0));
        }
    }
    Ok(())
}

/// What a store says.
fn claim(s: &Store, owners: &[Owned], loose: bool, r: &mut Relation) -> Result<(), String> {
    let home = s
        .home
        .as_ref()
        .ok_or_else(|| format!("a pointer leads to it at {}", s.line))?;
    let tag = *r.tags.get(home).ok_or("a struct has no tag")?;
    let beside = s.beside.iter().find(|b| b.0 == tag).map(|b| &b.1);
    let alone = || Err(format!("it is copied without its tag at {}", s.line));
    match (s.written, beside) {
        (Written::Member(_), None) => Ok(()),
        (Written::Member(_), Some(_)) if s.zero && loose => Ok(()),
        (Written::Member(k), Some(TagValue::Numbers(list))) => {
            for v in list {
                if r.numbers.insert(*v, k).is_some_and(|old| old != k) {
                    return Err(format!("{v} belongs to several members"));
                }
            }
            Ok(())
        }
        (Written::Member(k), Some(TagValue::Bit(b))) => {
            let other = r.bits.insert(*b, k).is_some_and(|old| old != k);
            match other {
                true => Err(format!("bit {b:#x} belongs to several members")),
                false => Ok(()),
            }
        }
        (Written::Member(_), Some(_)) => Err(format!("the tag is given any value at {}", s.line)),
        (Written::Whole, Some(TagValue::Copied(k))) => {
            let Some(from) = &s.copied else {
                return alone();
            };
            let kind = |home: &Home, k: usize| {
                let o = owners.iter().find(|o| o.home == *home);
                o.and_then(|o| o.kind(k))
            };
            match r.tags.get(from) == Some(k) && kind(from, *k) == kind(home, tag) {
                true => Ok(()),
                false => alone(),
            }
        }
        (Written::Whole, _) => alone(),
    }
}

fn tell(
    p: &Program,
    unions: &[Unions],
    name: &str,
    owners: &[Owned],
    r: &Relation,
    facts: &Facts,
    out: &mut Tags,
) {
    let mut told = BTreeSet::new();
    for o in owners {
        let fields = o.fields();
        let Some(tag) = fields[r.tags[&o.home]].name.clone() else {
            continue;
        };
        let Type::Record(union) = o.u.ty(fields[o.field].ty.ty) else {
            continue;
        };
        let choice = choice(o.u, *union, tag, r);
        told.insert(format!("{} {}", o.home.0, choice.text()));
        out.choices[o.unit].insert((o.record, o.field), choice);
    }
    let mut checks = 0;
    for s in facts.stores.iter().filter(|s| s.union == name) {
        let (Written::Member(k), Some(site), Some(home)) = (s.written, &s.site, &s.home) else {
            continue;
        };
        if !unpaired(s, r) {
            continue;
        }
        let owner = owners
            .iter()
            .find(|o| o.home == *home && o.unit == site.unit);
        let tag = owner.and_then(|o| o.fields()[r.tags[home]].name.clone());
        let Some(tag) = tag else { continue };
        checks += 1;
        let mine = r.numbers.iter().filter(|n| *n.1 == k);
        let check = Check {
            base: site.owner.base,
            arrow: site.owner.arrow,
            tag,
            numbers: mine.map(|n| *n.0).collect(),
            bits: r.bits.iter().filter(|b| *b.1 == k).map(|b| b.0).sum(),
            leads: None,
        };
        out.checks[site.unit].insert(site.store, check);
    }
    let _ = (p, unions);
    for line in told {
        out.told.push(format!("{name}: {line}; {checks} checked"));
    }
}

fn choice(u: &Unit, union: RecordId, tag: String, r: &Relation) -> Choice {
    let fields = u.records[union.index()].fields.iter().flatten();
    let mut rules = Vec::new();
    for (k, f) in fields.enumerate() {
        let bits = r.bits.iter().filter(|b| *b.1 == k).map(|b| Test::Any(*b.0));
        let numbers = r.numbers.iter().filter(|n| *n.1 == k);
        let tests: Vec<Test> = bits.chain(numbers.map(|n| Test::Equal(*n.0))).collect();
        if !tests.is_empty() {
            rules.push(Rule {
                member: f.name.clone(),
                tests,
            });
        }
    }
    let rest = if r.left { LEFT } else { VALUE };
    rules.push(Rule {
        member: Some(rest.into()),
        tests: vec![Test::Always],
    });
    Choice {
        tag,
        mask: u64::MAX,
        rules,
    }
}

/// What an initialiser gives to a union and its tag.
pub fn initialised(
    u: &Unit,
    unions: &Unions,
    t: TypeId,
    leaves: &[(Vec<u64>, TypeId, ExprId)],
    facts: &mut Facts,
) {
    for (path, _, e) in leaves {
        let mut at = t;
        let mut outer: Option<(RecordId, usize, Vec<u64>)> = None;
        for (depth, step) in path.iter().enumerate() {
            match u.ty(at) {
                Type::Array { elem, .. } => {
                    at = elem.ty;
                    outer = None;
                }
                Type::Record(r) => {
                    let d = &u.records[r.index()];
                    let Some((k, f)) = nth(d, *step) else { break };
                    if let Some(union) = unions.get(r) {
                        initialiser_states(
                            u,
                            union,
                            Written::Member(k),
                            outer.as_ref(),
                            leaves,
                            *e,
                            facts,
                        );
                    }
                    outer = Some((*r, k, path[..depth].to_vec()));
                    at = f.ty.ty;
                }
                _ => break,
            }
        }
        if let Some(union) = whole(u, unions, at) {
            initialiser_states(u, union, Written::Whole, outer.as_ref(), leaves, *e, facts);
        }
    }
}

/// A field by its number among those that can be initialised.
fn nth(d: &Record, n: u64) -> Option<(usize, &Field)> {
    let field = parts(d).nth(n as usize)?;
    let all = d.fields.as_ref()?;
    let k = all.iter().position(|f| std::ptr::eq(f, field))?;
    Some((k, field))
}

fn initialiser_states(
    u: &Unit,
    union: &str,
    written: Written,
    outer: Option<&(RecordId, usize, Vec<u64>)>,
    leaves: &[(Vec<u64>, TypeId, ExprId)],
    e: ExprId,
    facts: &mut Facts,
) {
    let at = u.lines.position(u.expr(e).span.start);
    let line = format!("{}:{}", at.file, at.line);
    let Some((record, field, path)) = outer else {
        return facts.refuse(
            union,
            format!("it is initialised without a struct at {line}"),
        );
    };
    let d = &u.records[record.index()];
    let mut beside = Vec::new();
    let mut copied = None;
    let from = super::places::owner(u, e).filter(|_| written == Written::Whole);
    for (n, f) in parts(d)
        .enumerate()
        .filter(|(_, f)| super::is_integer(u, f.ty.ty))
    {
        let Some((k, _)) = nth(d, n as u64) else {
            continue;
        };
        let mut own = path.clone();
        own.push(n as u64);
        // Of several the last one counts; what is given twice is left open.
        let values: Vec<ExprId> = leaves.iter().filter(|l| l.0 == own).map(|l| l.2).collect();
        let value = match values[..] {
            [] => TagValue::Numbers(vec![0]),
            [e] => match (super::runs::values(u, e, f.ty.ty), &from) {
                (TagValue::Unknown, Some(o)) => match super::places::owner(u, e) {
                    Some(t) if super::places::same_owner(u, &t, o) => {
                        copied = Some(o.home(u));
                        TagValue::Copied(t.field)
                    }
                    _ => TagValue::Unknown,
                },
                (v, _) => v,
            },
            _ => TagValue::Unknown,
        };
        beside.push((k, value));
    }
    facts.stores.push(Store {
        union: union.into(),
        home: Some((key(u, *record), *field)),
        written,
        zero: crate::expressions::is_zero(u, e),
        copied,
        behind: Vec::new(),
        beside,
        site: None,
        line,
    });
}

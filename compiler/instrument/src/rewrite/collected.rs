//! What is found and collected of a unit while it is printed.

use pc3_syntax::tree::*;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Labels whose address is taken.
#[derive(Default)]
pub struct Labels {
    /// Static tables that only `goto *table[i]` uses.
    pub tables: HashSet<SymId>,
    /// Labels whose address is a value, per function, in source order.
    pub objects: BTreeMap<FuncId, Vec<LabelId>>,
    /// Jumps within them that go straight to what a table says.
    pub direct: HashSet<ExprId>,
    /// What those tables hold.
    pub inside: HashSet<ExprId>,
}

/// Savers of a unit, by what they are made of.
#[derive(Default)]
pub struct Savers {
    pub records: HashMap<String, usize>,
    pub savers: HashMap<String, usize>,
    pub nexts: HashMap<String, usize>,
    /// Not written yet.
    pub pending: String,
}

/// How the type table names the type of a union.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Row {
    Of(TypeId),
    /// An unnamed member of that type.
    In(TypeId, RecordId),
}

/// A union in an object, by its designator, and the member that an initialiser is for.
pub type Mark = (String, Row, usize);

/// Notes of unions, for the tables.
#[derive(Default)]
pub struct Notes {
    pub rows: BTreeMap<Row, String>,
    /// Type of the object, what lies where.
    pub marks: Vec<(TypeId, Vec<Mark>)>,
}

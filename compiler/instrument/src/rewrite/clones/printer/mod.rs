//! What the printer of a function knows; how it prints statements, expressions and compound literals is in the files of
//! this folder.

pub(crate) mod compound;
pub(crate) mod full;
pub(crate) mod print;
pub(crate) mod stmts;

use crate::rewrite::frames::plan::Plan;
use crate::rewrite::unit::UnitCx;
use pc3_syntax::tree::*;
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// A function without points, or anything at file scope.
    Plain,
    Hot,
    Resume,
}

pub struct Printer<'p, 'a> {
    pub cx: &'p UnitCx<'a>,
    pub f: FuncId,
    pub plan: &'p Plan,
    pub mode: Mode,
    /// A second copy, for resume clones to call.
    pub again: bool,
    /// Statements that are values of statement expressions.
    pub values: HashSet<StmtId>,
    /// How many dispatches a jump to the current statement passes.
    pub depth: Cell<u32>,
    pub noting: RefCell<InFunction>,
    /// Locals that stand for static variables in what is being printed.
    pub held: RefCell<Holding>,
}

/// The run that is being printed.
#[derive(Default)]
pub struct Holding {
    pub locals: HashMap<SymId, String>,
    pub last: Option<StmtId>,
    /// Writes them back.
    pub behind: String,
}

impl Holding {
    pub fn local(&self, s: SymId) -> Option<&String> {
        self.locals.get(&s)
    }
}

/// What the printer remembers of the function it prints.
#[derive(Default)]
pub struct InFunction {
    pub ready: bool,
    /// Expressions whose value nobody uses.
    pub unused: HashSet<ExprId>,
    /// Locals that are used as a whole somewhere.
    pub whole: HashSet<SymId>,
    /// Members whose address is kept.
    pub held: HashSet<ExprId>,
    /// Stores, and unions that they write, which a later store notes.
    pub later: HashSet<(ExprId, RecordId)>,
    /// Values that are passed on.
    pub given: HashSet<ExprId>,
    /// What is printed in place of an expression.
    pub stand_in: HashMap<ExprId, String>,
}

pub(crate) fn shadow_member(u: &Unit, s: SymId) -> String {
    format!("{}_{}", u.sym(s).name, s.0)
}

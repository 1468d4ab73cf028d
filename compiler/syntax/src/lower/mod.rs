//! From the parser's tree to the typed tree: one file per group of constructs.
//!
//! Works piece by piece (one external declaration at a time), so a piece that cannot be parsed
//! is reported and the rest is still understood.

mod declarations;
mod expressions;
mod statements;
use declarations::{declarators, init, replaced, specifiers, unused};
use expressions::typing;
use statements::labels;

mod scopes;
#[cfg(test)]
mod tests;

use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::parse::{implicit_int, label_of_declaration, parse_piece, ParseFailure, Piece};
use crate::prefilter::{prepare, Mark, Prepared};
use crate::tree::*;
use crate::types::{Target, Types};
use lang_c::ast::ExternalDeclaration;
use lang_c::span::Node;
use rustc_hash::FxHashMap;
use scopes::Scope;
use std::collections::HashMap;

/// What to do about a name of MPI's that is not declared.
const MPI_UNSEEN: &str = "include <mpi.h>";
const MPI_MISSING: &str = "pc3's mpi.h has the C names of MPI 5.0, and this is none of them";

/// Deeply nested expressions need deep recursion, in the parser most of all.
const STACK: usize = 1 << 30;

/// Builds the typed tree of a preprocessed source.
pub fn build(path: &str, text: String, target: &Target) -> (Unit, Diagnostics) {
    std::thread::scope(|s| {
        let big = std::thread::Builder::new().stack_size(STACK);
        match big.spawn_scoped(s, || build_here(path, text.clone(), target)) {
            Ok(handle) => handle
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            // No address space for it: the stack at hand will do for ordinary programs.
            Err(_) => build_here(path, text.clone(), target),
        }
    })
}

fn build_here(path: &str, mut text: String, target: &Target) -> (Unit, Diagnostics) {
    loop {
        let mut diags = Diagnostics::default();
        let prepared = prepare(text, &target.standard, &mut diags);
        let mut lower = Lower::new(path, prepared, target.clone(), diags);
        lower.run();
        if lower.repairs.is_empty() {
            match replaced::declare(&lower.unit, &lower.p) {
                Some(edited) => text = edited,
                None => return lower.finish(),
            }
            continue;
        }
        let mut inserts = std::mem::take(&mut lower.repairs);
        inserts.sort_unstable();
        inserts.dedup();
        text = crate::prefilter::insert(lower.p.text, &inserts);
    }
}

/// The function being lowered.
struct FuncState {
    id: FuncId,
    /// The function's, and those of blocks with `__label__` and of nested functions being lowered.
    labels: Vec<labels::Labels>,
    locals: Vec<SymId>,
}

pub(crate) struct Lower {
    unit: Unit,
    types: Types,
    p: Prepared,
    diags: Diagnostics,
    scopes: Vec<Scope>,
    /// Everything with linkage, also what only blocks have declared.
    globals: FxHashMap<String, SymId>,
    /// Functions that share a name.
    overloads: FxHashMap<String, Vec<SymId>>,
    func: Option<FuncState>,
    /// Widths of bit-field member expressions.
    bitfields: HashMap<ExprId, u32>,
    /// Parser offset + shift = offset in the text.
    shift: i64,
    /// How the items of initialiser lists are designated, by the offset of the list.
    list_shapes: HashMap<u32, Vec<Option<init::Designation>>>,
    /// What the parser misses, and where: then all is done again.
    repairs: Vec<(u32, &'static str)>,
    /// How many of `marks.texts` have been looked at.
    unseen: usize,
}

impl Lower {
    fn new(path: &str, p: Prepared, target: Target, diags: Diagnostics) -> Lower {
        let openmp = if target.openmp {
            p.marks.openmp.clone()
        } else {
            Vec::new()
        };
        let unit = Unit {
            path: path.to_string(),
            name: crate::paths::base_name(path).to_string(),
            target,
            openmp,
            ..Unit::default()
        };
        let mut lower = Lower {
            unit,
            types: Types::default(),
            p,
            diags,
            scopes: vec![Scope::default()],
            globals: FxHashMap::default(),
            overloads: FxHashMap::default(),
            func: None,
            bitfields: HashMap::new(),
            shift: 0,
            list_shapes: HashMap::new(),
            repairs: Vec::new(),
            unseen: 0,
        };
        lower.declare_builtin_types();
        lower
    }

    fn run(&mut self) {
        self.leave_out_variants();
        let list = unused::leave_out(&mut self.p);
        let mut next = 0;
        while let Some(piece) = list.get(next).cloned() {
            if let Some(n) = self.several(&list[next..]) {
                next += n;
                continue;
            }
            next += 1;
            // `f() { ... };`, and locations that have been refused already.
            let idle = [";", "pc3_checkpoint", "(", ")"];
            if piece.clone().all(|i| {
                let gone = self.p.marks.soft[i] || self.p.marks.gone[i];
                gone || idle.contains(&self.p.token_text(i))
            }) {
                self.other(&piece);
                continue;
            }
            match parse_piece(&self.p, &piece, |n| self.is_file_type(n)) {
                Ok(parsed) => {
                    self.shift = parsed.shift;
                    for item in &parsed.items {
                        self.external(item);
                    }
                }
                Err(failure) => self.failed(&piece, failure),
            }
        }
    }

    /// Declarations of system headers, many at once because the parser is slow to begin; if one of them cannot be
    /// read, each by itself.  How many were read.
    fn several(&mut self, list: &[Piece]) -> Option<usize> {
        const MOST: usize = 32;
        /// Bytes of what is left out in between that are cheaper than another beginning.
        const BETWEEN: u32 = 1000;
        let simple = |piece: &&Piece| -> bool {
            let last = piece.end - 1;
            self.p.token_text(last) == ";"
                && piece.len() > 2
                && self.p.lines.is_system(self.p.tokens.list[last].start)
                && (piece.start..piece.end).all(|i| self.p.token_text(i) != "{")
        };
        let mut n = list.iter().take(MOST).take_while(simple).count();
        let token = |i: usize| &self.p.tokens.list[i];
        let far = |k: &usize| {
            let end = token(list[k - 1].end - 1).end;
            token(list[*k].start).start > end + BETWEEN
        };
        n = (1..n).find(far).unwrap_or(n);
        if n < 2 {
            return None;
        }
        let all = list[0].start..list[n - 1].end;
        let parsed = parse_piece(&self.p, &all, |name| self.is_file_type(name)).ok()?;
        self.shift = parsed.shift;
        parsed.items.iter().for_each(|item| self.external(item));
        Some(n)
    }

    fn finish(mut self) -> (Unit, Diagnostics) {
        self.note_threadprivate();
        self.complete_arrays();
        let mut unit = self.unit;
        let mut diags = self.diags;
        // Inline functions of system headers are full of builtins; what is not understood in
        // them is of type `Unsupported`, which is refused where it is used.
        diags.list.retain(|d| {
            let system = d.at.as_ref().is_some_and(|p| p.position.system);
            !system || matches!(d.code, Code::Syntax | Code::Misparse)
        });
        let promise = |a: &&crate::prefilter::Attribute| {
            matches!(a.name.as_str(), "noreturn" | "pure" | "const")
                && !self.p.lines.is_system(a.span.start)
        };
        let promises = self.p.marks.attributes.iter().filter(promise);
        unit.promises = promises.map(|a| a.span.clone()).collect();
        unit.types = self.types.list;
        unit.text_names.sort_by_key(|n| n.span.start);
        unit.text_names.dedup_by(|a, b| a.span == b.span);
        unit.text = self.p.text;
        unit.lines = self.p.lines;
        (unit, diags)
    }

    fn failed(&mut self, piece: &Piece, failure: ParseFailure) {
        match failure {
            ParseFailure::Syntax { offset, expected } => {
                let int = match self.unit.target.standard.c23 {
                    true => None,
                    // `static x;`
                    false => implicit_int(&self.p, piece, offset, |n| self.is_file_type(n)),
                };
                let int = int.map(|at| (at, "int "));
                let label = || label_of_declaration(&self.p, piece, offset);
                if let Some(repair) = int.or_else(|| Some((label()?, ";"))) {
                    self.repairs.push(repair);
                    return;
                }
                let i = self
                    .p
                    .tokens
                    .at_or_after(offset)
                    .min(self.p.tokens.list.len() - 1);
                let t = self.p.tokens.list[i];
                if self.opens_nested_function(piece, i) {
                    let d = Diagnostic::error(
                        Code::NestedFunction,
                        "a function inside a function (GNU extension) is not supported",
                    )
                    .help("move it to file scope");
                    self.diags
                        .push(d.at_text(&self.p.lines, &self.p.text, &(t.start..t.end)));
                    self.other(piece);
                    return;
                }
                if let Some(d) = self.missing_mpi_type(i) {
                    self.diags.push(d);
                    return self.other(piece);
                }
                let mut d = Diagnostic::error(
                    Code::Syntax,
                    format!(
                        "pc3cc cannot parse this: unexpected `{}`",
                        self.p.token_text(i)
                    ),
                );
                let words: Vec<_> = expected
                    .iter()
                    .filter(|e| e.len() < 30)
                    .map(|e| format!("`{e}`"))
                    .take(6)
                    .collect();
                if !words.is_empty() && expected.len() <= 6 {
                    d = d.label(format!("expected {}", words.join(", ")));
                }
                let d = d.at_text(&self.p.lines, &self.p.text, &(t.start..t.end));
                let line = |d: &Diagnostic| {
                    d.at.as_ref()
                        .map(|p| (p.position.file.clone(), p.position.line))
                };
                let misplaced = |p: &Diagnostic| p.code == Code::PragmaPlace && line(p) == line(&d);
                if !self.diags.list.iter().any(misplaced) {
                    self.diags.push(d);
                }
            }
            ParseFailure::Misparse { offset } => {
                let d = Diagnostic::error(
                    Code::Misparse,
                    "this looks like a function definition without a parameter list",
                );
                self.diags
                    .push(d.at_text(&self.p.lines, &self.p.text, &(offset..offset + 1)));
            }
        }
        self.other(piece);
    }

    /// What to do about a name of MPI's, which depends on whether there is an mpi.h.
    fn mpi_missing(&self) -> &'static str {
        match self.globals.contains_key("MPI_Init") {
            true => MPI_MISSING,
            false => MPI_UNSEEN,
        }
    }

    /// A name of MPI's at or before token `i` that would be a type if mpi.h had it.
    fn missing_mpi_type(&self, i: usize) -> Option<Diagnostic> {
        let candidates = [Some(i), i.checked_sub(1)].into_iter().flatten();
        let at = candidates.into_iter().find(|&k| {
            let name = self.p.token_text(k);
            name.starts_with("MPI_") && !self.is_file_type(name) && !self.globals.contains_key(name)
        })?;
        let t = self.p.tokens.list[at];
        let d = Diagnostic::error(
            Code::Undeclared,
            format!("`{}` is not declared here", self.p.token_text(at)),
        );
        Some(
            d.help(self.mpi_missing())
                .at_text(&self.p.lines, &self.p.text, &(t.start..t.end)),
        )
    }

    fn other(&mut self, piece: &Piece) {
        let list = &self.p.tokens.list;
        self.unit.items.push(TopItem::Other(
            list[piece.start].start..list[piece.end - 1].end,
        ));
    }

    /// Is the `{` at token `i` the body of a function inside a function?
    fn opens_nested_function(&self, piece: &Piece, i: usize) -> bool {
        let inside = (piece.start..i).any(|k| self.p.token_text(k) == "{");
        inside
            && i > piece.start
            && self.p.token_text(i) == "{"
            && matches!(self.p.token_text(i - 1), ")" | ";")
    }

    fn external(&mut self, item: &Node<ExternalDeclaration>) {
        match &item.node {
            ExternalDeclaration::Declaration(d) => {
                let group = self.declaration(d);
                self.unit.items.push(TopItem::Decl(group));
            }
            ExternalDeclaration::FunctionDefinition(f) => {
                let id = self.function(f);
                self.unit.items.push(TopItem::Function(id));
            }
            ExternalDeclaration::StaticAssert(s) => {
                let span = self.span(s.span);
                self.unit.items.push(TopItem::Other(span));
            }
        }
    }

    /// A parser span, in the text and without blanks around it.
    fn span(&self, s: lang_c::span::Span) -> Span {
        self.p.trim(self.raw(s))
    }
    fn raw(&self, s: lang_c::span::Span) -> Span {
        (s.start as i64 + self.shift) as u32..(s.end as i64 + self.shift) as u32
    }
    fn text(&self, s: &Span) -> &str {
        &self.p.text[s.start as usize..s.end as usize]
    }
    fn mark_at(&self, s: lang_c::span::Span) -> Option<Mark> {
        self.p.marks.at.get(&self.raw(s).start).copied()
    }
    fn error(&mut self, code: Code, span: &Span, message: impl Into<String>) {
        let d = Diagnostic::error(code, message).at_text(&self.p.lines, &self.p.text, span);
        self.diags.push(d);
    }
    fn unsupported(&mut self, span: Span) -> QualType {
        self.types.plain(Type::Unsupported(Unknown::Written(span)))
    }
    fn add(&mut self, kind: ExprKind, ty: QualType, span: Span) -> ExprId {
        self.unit.exprs.push(Expr { kind, ty, span });
        ExprId(self.unit.exprs.len() as u32 - 1)
    }
    fn view(&self) -> crate::consteval::View<'_> {
        crate::consteval::View {
            exprs: &self.unit.exprs,
            types: &self.types.list,
            symbols: &self.unit.symbols,
            enums: &self.unit.enums,
            target: &self.unit.target,
            measured: false,
        }
    }
}

//! Errors and warnings about the user's program: collected by every phase, rendered at the edge.
//!
//! A diagnostic names a code of the one table below, a place in the *user's* file (through the
//! line markers) and what to do.  Phases push into [`Diagnostics`] and go on; nothing stops at
//! the first error.

use crate::preprocess::{LineMap, Position};
use crate::tree::{Span, Unit};
use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource};
use std::fmt::Write as _;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    Error,
    Warning,
}

macro_rules! codes { ($($name:ident $id:literal $text:literal;)*) => {
    /// Every diagnostic of pc3cc. E01: C front-end, E02: locations, E03: unsupported in
    /// instrumented functions, E04: the command line, W: warnings.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum Code { $($name),* }
    impl Code {
        pub const ALL: &'static [Code] = &[$(Code::$name),*];
        pub fn id(self) -> &'static str { match self { $(Code::$name => $id),* } }
        /// One line on what the code stands for.
        pub fn describe(self) -> &'static str { match self { $(Code::$name => $text),* } }
    }
} }
impl Code {
    /// As its first letter says.
    pub fn severity(self) -> Severity {
        if self.id().starts_with('W') {
            Severity::Warning
        } else {
            Severity::Error
        }
    }
}
codes! {
    Syntax "E0101" "the source is not C that pc3cc can parse";
    Misparse "E0102" "the parser's reading of a declaration contradicts its text";
    Undeclared "E0103" "a name is used that no declaration in scope introduces";
    UnknownMember "E0105" "a struct or union has no such member";
    BadExpression "E0106" "an expression whose type cannot be determined";
    BadDeclaration "E0107" "a declaration that cannot be understood";
    BadLabel "E0108" "a label that is missing or defined twice";
    NestedFunction "E0109" "GNU nested functions are not supported";
    PragmaPlace "E0201" "a checkpoint location stands where no statement can";
    CheckpointValue "E0202" "pc3_checkpoint() is a statement of its own, not part of an expression";
    NoSuchLocation "E0203" "a location asked for on the command line does not exist";
    Unsupported "E0301" "a construct that instrumented functions cannot contain yet";
    Callback "E0302" "a library calls back into code that reaches a checkpoint location";
    Attribute "E0303" "a function attribute that contradicts saving and resuming";
    Cleanup "E0304" "__attribute__((cleanup)) on a local of an instrumented function";
    Setjmp "E0305" "setjmp in an instrumented function";
    LiveValue "E0306" "a value is live at a point that cannot be saved";
    VaStart "E0307" "va_start in an instrumented function";
    OpenMp "E0308" "an OpenMP region around a checkpoint location";
    StatementExpression "E0310" "a point inside a statement expression of an unsupported form";
    CompoundLiteral "E0311" "a compound literal that would have to outlive a point";
    PointerAsNumber "E0314" "an address is kept in an integer and becomes a pointer again";
    LabelAddress "E0313" "the address of a label is kept in an instrumented function";
    ThreadLocal "E0312" "a thread-local variable in a program of several ranks";
    UntypedAllocation "W0301" "an allocation whose type cannot be told";
    NoInput "E0401" "nothing to compile";
    SeparateCompilation "E0402" "sources are analysed together, so they stand on one command line";
    SharedObject "E0403" "a shared object cannot contain checkpoint locations";
    Main "E0404" "a program with checkpoint locations has exactly one main";
    AddressAsNumber "W0302" "an address is kept as a number";
    UnionBlocks "W0303" "a union whose state cannot change architecture";
    NoLocation "W0201" "the program never takes a checkpoint";
    ForeignObject "W0202" "an object or archive is linked whose state pc3 does not know";
    UnsavedState "W0203" "something outside of the program's variables is changed that a checkpoint does not hold";
    UnknownPragma "W0101" "a #pragma pc3 that pc3cc does not know";
    UnknownBuiltin "W0102" "a compiler builtin whose type pc3cc does not know";
}

/// A place in the user's file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    pub position: Position,
    /// The offending text as preprocessed, at most its first line.
    pub text: String,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    pub severity: Severity,
    pub code: Code,
    pub message: String,
    pub at: Option<Place>,
    pub label: Option<String>,
    pub help: Option<String>,
}

impl Diagnostic {
    pub fn new(severity: Severity, code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity,
            code,
            message: message.into(),
            at: None,
            label: None,
            help: None,
        }
    }
    pub fn error(code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error, code, message)
    }
    pub fn warning(code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Warning, code, message)
    }
    /// What the instrumentation refuses, where, and what to do instead.
    pub fn refusal(
        unit: &Unit,
        span: &Span,
        code: Code,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic::error(code, message).at(unit, span).help(help)
    }
    pub fn advice(
        unit: &Unit,
        span: &Span,
        code: Code,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic::warning(code, message).at(unit, span).help(help)
    }
    pub fn at(self, unit: &Unit, span: &Span) -> Diagnostic {
        self.at_text(&unit.lines, &unit.text, span)
    }
    pub fn at_text(mut self, lines: &LineMap, text: &str, span: &Span) -> Diagnostic {
        let end = (span.end as usize).min(text.len());
        let start = (span.start as usize).min(end);
        let text = text
            .get(start..end)
            .unwrap_or("")
            .lines()
            .next()
            .unwrap_or("")
            .to_string();
        self.at = Some(Place {
            position: lines.position(start as u32),
            text,
        });
        self
    }
    pub fn label(mut self, label: impl Into<String>) -> Diagnostic {
        self.label = Some(label.into());
        self
    }
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }
}

/// What a phase has to say.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    pub list: Vec<Diagnostic>,
}

impl Diagnostics {
    pub fn push(&mut self, d: Diagnostic) {
        if !self.list.contains(&d) {
            self.list.push(d);
        }
    }
    pub fn extend(&mut self, other: Diagnostics) {
        for d in other.list {
            self.push(d);
        }
    }
    pub fn has_errors(&self) -> bool {
        self.list.iter().any(|d| d.severity == Severity::Error)
    }
    /// All of them as text: graphical with colours for a terminal, plain otherwise.
    pub fn render(&self, terminal: bool) -> String {
        let mut out = String::new();
        for d in &self.list {
            let source =
                d.at.as_ref()
                    .and_then(|p| std::fs::read(&p.position.file).ok());
            let source = source.map(|b| String::from_utf8_lossy(&b).into_owned());
            match (terminal, &d.at, source) {
                (true, Some(place), Some(source)) => graphical(&mut out, d, place, source),
                (_, _, source) => plain(&mut out, d, source.as_deref()),
            }
        }
        out
    }
}

/// Start and length in bytes of the excerpt to underline, within the user's line.
///
/// The column comes from preprocessed text, where macros are expanded: it counts only if the
/// same text stands there; else the text is searched for, else the whole line is meant.
fn underline(line: &str, place: &Place) -> (usize, usize) {
    let column = place.position.column as usize - 1;
    let wanted = place.text.trim_end();
    if !wanted.is_empty() {
        if line.get(column..).is_some_and(|l| l.starts_with(wanted)) {
            return (column, wanted.len());
        }
        if let Some(at) = line.find(wanted) {
            return (at, wanted.len());
        }
    }
    let trimmed = line.trim();
    (line.len() - line.trim_start().len(), trimmed.len().max(1))
}

fn plain(out: &mut String, d: &Diagnostic, source: Option<&str>) {
    let kind = match d.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let code = d.code.id();
    let Some(place) = &d.at else {
        let _ = writeln!(out, "pc3cc: {kind}[{code}]: {}", d.message);
        help(out, d);
        return;
    };
    let p = &place.position;
    let line = source.and_then(|s| s.lines().nth((p.line as usize).saturating_sub(1)));
    let found = line.map(|l| (l, underline(l, place)));
    let column = found.map_or(p.column as usize, |(_, (c, _))| c + 1);
    let _ = writeln!(
        out,
        "{}:{}:{}: {kind}[{code}]: {}",
        p.file, p.line, column, d.message
    );
    if let Some((line, (start, len))) = found {
        let number = p.line.to_string();
        let pad: String = line[..start]
            .chars()
            .map(|c| if c == '\t' { '\t' } else { ' ' })
            .collect();
        let carets = "^".repeat(line[start..].chars().count().min(len).max(1));
        let label = d.label.as_deref().unwrap_or("");
        let _ = writeln!(out, " {number} | {line}");
        let _ = writeln!(
            out,
            " {:w$} | {}",
            "",
            format!("{pad}{carets} {label}").trim_end(),
            w = number.len()
        );
    }
    help(out, d);
}

fn help(out: &mut String, d: &Diagnostic) {
    if let Some(h) = &d.help {
        let _ = writeln!(out, "  = help: {h}");
    }
}

#[derive(Debug)]
struct Report {
    d: Diagnostic,
    source: NamedSource<String>,
    span: (usize, usize),
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(&self.d.message)
    }
}
impl std::error::Error for Report {}
impl miette::Diagnostic for Report {
    fn code<'a>(&'a self) -> Option<Box<dyn std::fmt::Display + 'a>> {
        Some(Box::new(self.d.code.id()))
    }
    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.d.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
        })
    }
    fn help<'a>(&'a self) -> Option<Box<dyn std::fmt::Display + 'a>> {
        self.d.help.as_ref().map(|h| Box::new(h) as _)
    }
    fn source_code(&self) -> Option<&dyn miette::SourceCode> {
        Some(&self.source)
    }
    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let span = LabeledSpan::new(self.d.label.clone(), self.span.0, self.span.1);
        Some(Box::new(std::iter::once(span)))
    }
}

fn graphical(out: &mut String, d: &Diagnostic, place: &Place, source: String) {
    let start: usize = source
        .split_inclusive('\n')
        .take(place.position.line as usize - 1)
        .map(str::len)
        .sum();
    let line = source
        .get(start..)
        .and_then(|s| s.lines().next())
        .unwrap_or("");
    let (column, len) = underline(line, place);
    let report = Report {
        d: d.clone(),
        span: (start + column, len),
        source: NamedSource::new(&place.position.file, source),
    };
    let handler =
        GraphicalReportHandler::new_themed(GraphicalTheme::unicode()).with_context_lines(1);
    if handler.render_report(out, &report).is_err() {
        plain(out, d, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_described() {
        let mut ids: Vec<_> = Code::ALL.iter().map(|c| c.id()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), Code::ALL.len());
        assert!(Code::ALL.iter().all(|c| c.describe().len() > 10));
    }

    #[test]
    fn plain_rendering_shows_the_users_line() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a.c");
        std::fs::write(&file, "int a;\n#define X 12345678\nint b = X + bad;\n").unwrap();
        let name = file.to_str().unwrap();
        let text = format!("# 3 \"{name}\"\nint b = 12345678 + bad;\n");
        let start = text.rfind("bad").unwrap() as u32;
        let mut list = Diagnostics::default();
        let d = Diagnostic::error(Code::Undeclared, "`bad` is not declared")
            .label("here")
            .help("declare it");
        list.push(d.at_text(&LineMap::new(&text), &text, &(start..start + 3)));
        let expect = format!(
            "{name}:3:13: error[E0103]: `bad` is not declared\n 3 | int b = X + bad;\n   |             ^^^ here\n  = help: declare it\n"
        );
        assert_eq!(list.render(false), expect);
        assert!(list.render(true).contains("bad"));
    }
}

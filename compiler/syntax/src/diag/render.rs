//! Diagnostics as people and as editors read them.

use super::{Diagnostic, Diagnostics, Severity, SourceText};
use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource};
use serde_json::json;
use std::collections::HashMap;
use std::fmt::Write as _;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Format {
    /// With the user's line; no colours.
    #[default]
    Plain,
    /// For a terminal.
    Graphical,
    /// One JSON object a line, with the field names of gcc's `-fdiagnostics-format=json`.
    Json,
}

impl Diagnostics {
    pub fn render(&self, format: Format) -> String {
        let mut out = String::new();
        let mut read: HashMap<&str, Option<Source>> = HashMap::new();
        for d in &self.list {
            let source = d.at.as_ref().and_then(|p| {
                let file = p.position.file.as_str();
                read.entry(file)
                    .or_insert_with(|| Source::read(file))
                    .as_ref()
            });
            match (format, &d.at, source) {
                (Format::Json, _, source) => json(&mut out, d, source),
                (Format::Graphical, Some(place), Some(source)) => {
                    graphical(&mut out, d, place, source.text.clone());
                }
                (_, _, source) => plain(&mut out, d, source),
            }
        }
        out
    }
}

/// A file of the user's, in lines.
struct Source {
    text: String,
    starts: Vec<usize>,
}

impl Source {
    fn read(file: &str) -> Option<Source> {
        let bytes = std::fs::read(file).ok()?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        Some(Source {
            starts: std::iter::once(0).chain(ends).collect(),
            text,
        })
    }

    /// The line with that number, counted from one.
    fn line(&self, number: u32) -> Option<&str> {
        let start = *self.starts.get((number as usize).saturating_sub(1))?;
        self.text[start..].lines().next()
    }
}

fn kind(d: &Diagnostic) -> &'static str {
    match d.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

/// As gcc ends its warnings: what switches this one off.
fn switch(d: &Diagnostic) -> Option<String> {
    let s = d.code.switch();
    (!s.is_empty()).then(|| match d.severity {
        Severity::Error => format!("-Werror=pc3-{s}"),
        Severity::Warning => format!("-Wpc3-{s}"),
    })
}

/// Line (counted from 1), and the column (from 1) and length in bytes of what is meant in it.
fn range(place: &SourceText, source: Option<&Source>) -> (u32, usize, usize) {
    let p = &place.position;
    let line = source.and_then(|s| s.line(p.line));
    let (column, len) = line.map_or((p.column as usize - 1, 1), |l| underline(l, place));
    (p.line, column + 1, len)
}

fn json(out: &mut String, d: &Diagnostic, source: Option<&Source>) {
    let locations: Vec<_> = d.at.iter().map(|place| {
        let (line, column, len) = range(place, source);
        let at = |column: usize| json!({"file": place.position.file, "line": line, "byte-column": column, "column": column});
        json!({"caret": at(column), "finish": at(column + len - 1), "label": d.label})
    }).collect();
    let object = json!({
        "kind": kind(d),
        "code": format!("pc3::{}", d.code.id()),
        "option": switch(d),
        "message": d.message,
        "help": d.help,
        "locations": locations,
    });
    let _ = writeln!(out, "{object}");
}

/// Start and length in bytes of the excerpt to underline, within the user's line.
///
/// The column comes from preprocessed text, where macros are expanded: it counts only if the
/// same text stands there; else the text is searched for, else the whole line is meant.
fn underline(line: &str, place: &SourceText) -> (usize, usize) {
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

fn plain(out: &mut String, d: &Diagnostic, source: Option<&Source>) {
    let kind = kind(d);
    let code = d.code.id();
    let message = match switch(d) {
        Some(s) => format!("{} [{s}]", d.message),
        None => d.message.clone(),
    };
    let Some(place) = &d.at else {
        let _ = writeln!(out, "pc3cc: {kind}[pc3::{code}]: {message}");
        help(out, d);
        return;
    };
    let p = &place.position;
    let line = source.and_then(|s| s.line(p.line));
    let found = line.map(|l| (l, underline(l, place)));
    let column = found.map_or(p.column as usize, |(_, (c, _))| c + 1);
    let _ = writeln!(
        out,
        "{}:{}:{}: {kind}[pc3::{code}]: {message}",
        p.file, p.line, column
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
        f.write_str(&self.d.message)?;
        switch(&self.d).map_or(Ok(()), |s| write!(f, " [{s}]"))
    }
}
impl std::error::Error for Report {}
impl miette::Diagnostic for Report {
    fn code<'a>(&'a self) -> Option<Box<dyn std::fmt::Display + 'a>> {
        Some(Box::new(format!("pc3::{}", self.d.code.id())))
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

fn graphical(out: &mut String, d: &Diagnostic, place: &SourceText, source: String) {
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
    use crate::diag::Code;
    use crate::preprocess::LineMap;

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
            "{name}:3:13: error[pc3::E0103]: `bad` is not declared\n 3 | int b = X + bad;\n   |             ^^^ here\n  = help: declare it\n"
        );
        assert_eq!(list.render(Format::Plain), expect);
        assert!(list.render(Format::Graphical).contains("bad"));
        let object: serde_json::Value = serde_json::from_str(&list.render(Format::Json)).unwrap();
        assert_eq!(object["code"], "pc3::E0103");
        assert_eq!(object["locations"][0]["caret"]["column"], 13);
        assert_eq!(object["locations"][0]["finish"]["column"], 15);
    }
}

//! Errors and warnings about the user's program: collected by every phase, rendered at the edge.
//!
//! A diagnostic names a code of the one table (`codes`), a place in the *user's* file (through the
//! line markers) and what to do.  Phases push into [`Diagnostics`] and go on; nothing stops at
//! the first error.

use crate::preprocess::{LineMap, Position};
use crate::tree::{Span, Unit};

mod codes;
mod fewer;
mod levels;
mod render;

pub use codes::{explanation, Code};
pub use levels::{BadSwitch, Levels};
pub use render::Format;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    Error,
    Warning,
}

/// A place in the user's file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceText {
    pub position: Position,
    /// The offending text as preprocessed, at most its first line.
    pub text: String,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    pub severity: Severity,
    pub code: Code,
    pub message: String,
    pub at: Option<SourceText>,
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
    pub(crate) fn at_text(mut self, lines: &LineMap, text: &str, span: &Span) -> Diagnostic {
        let end = (span.end as usize).min(text.len());
        let start = (span.start as usize).min(end);
        let text = text
            .get(start..end)
            .unwrap_or("")
            .lines()
            .next()
            .unwrap_or("")
            .to_string();
        let mut position = lines.position(start as u32);
        position.file = lines.seen(&position.file);
        self.at = Some(SourceText { position, text });
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
}

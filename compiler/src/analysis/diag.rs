//! What an analysis has to tell the user.

use crate::tree::Span;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    Error,
    Warning,
    Note,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Index of the unit `span` belongs to.
    pub unit: usize,
    pub span: Span,
    pub severity: Severity,
    /// Stable name: `setjmp`, `callback`, `union-pointer` ...
    pub code: &'static str,
    pub message: String,
    /// What the user can do.
    pub help: String,
}

impl Diagnostic {
    pub fn error(
        unit: usize,
        span: &Span,
        code: &'static str,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Diagnostic {
            unit,
            span: span.clone(),
            severity: Severity::Error,
            code,
            message: message.into(),
            help: help.into(),
        }
    }
    pub fn warning(
        unit: usize,
        span: &Span,
        code: &'static str,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Diagnostic {
            severity: Severity::Warning,
            ..Self::error(unit, span, code, message, help)
        }
    }
}

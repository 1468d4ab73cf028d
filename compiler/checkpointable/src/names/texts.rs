//! Texts in the arguments of macros, and the names that format strings capture.

use crate::marks;

/// What a text in the arguments of a macro is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Text {
    /// The first one is a format string.
    Format,
    Unknown,
}

/// Macros of well-known crates whose first text is a format string.
const FORMATS: &[&str] = &[
    "anyhow", "bail", "debug", "ensure", "error", "info", "log", "trace", "warn",
];

/// Macros that take words as they are.
pub const WORDS: &[&str] = &[
    "cfg",
    "column",
    "concat",
    "env",
    "file",
    "include",
    "include_bytes",
    "include_str",
    "line",
    "module_path",
    "option_env",
    "stringify",
];

impl Text {
    /// In a macro that is not the standard library's.
    pub fn of(mac: &syn::Macro) -> Text {
        match FORMATS.contains(&marks::name(mac).as_str()) {
            true => Text::Format,
            false => Text::Unknown,
        }
    }
}

/// Is the literal a text, raw or not?
pub fn is_text(literal: &str) -> bool {
    literal.starts_with('"') || literal.starts_with("r\"") || literal.starts_with("r#")
}

/// Calls `name` for each captured name of a format string and puts what it gives in its place.
pub(crate) fn captures(text: &str, mut name: impl FnMut(&str) -> Option<String>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        out.push_str(&rest[..=open]);
        rest = &rest[open + 1..];
        if let Some(after) = rest.strip_prefix('{') {
            out.push('{');
            rest = after;
            continue;
        }
        let close = rest.find('}').unwrap_or(rest.len());
        let inside = &rest[..close];
        // The name, and widths and precisions like `width$`.
        let (head, spec) = inside
            .split_once(':')
            .map_or((inside, None), |(h, s)| (h, Some(s)));
        let word = |w: &str| {
            !w.is_empty()
                && w.chars().all(|c| c.is_alphanumeric() || c == '_')
                && !w.starts_with(|c: char| c.is_ascii_digit())
        };
        let trimmed = head.trim();
        if word(trimmed) {
            out.push_str(&name(trimmed).unwrap_or_else(|| trimmed.to_owned()));
        } else {
            out.push_str(head);
        }
        if let Some(spec) = spec {
            out.push(':');
            let mut word_now = String::new();
            for c in spec.chars() {
                if c.is_alphanumeric() || c == '_' {
                    word_now.push(c);
                    continue;
                }
                if c == '$' && word(&word_now) {
                    out.push_str(&name(&word_now).unwrap_or_else(|| word_now.clone()));
                } else {
                    out.push_str(&word_now);
                }
                word_now.clear();
                out.push(c);
            }
            out.push_str(&word_now);
        }
        rest = &rest[close..];
    }
    out.push_str(rest);
    out
}

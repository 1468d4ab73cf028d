//! Warnings by the hundred, of which nobody reads the last: some of each kind, and where the others are.

use super::{Code, Diagnostic, Diagnostics, Severity};
use std::collections::BTreeMap;
use std::path::Path;

/// So many of a kind are shown each by itself.
const SHOWN: usize = 20;
/// So many folders are named.
const FOLDERS: usize = 4;

impl Diagnostics {
    /// All errors, and of each kind of warning as many as people read: those in the user's own files first.
    pub fn fewer(self, is_own: &dyn Fn(&str) -> bool) -> Diagnostics {
        let mut counts: BTreeMap<Code, usize> = BTreeMap::new();
        let warnings = self.list.iter();
        for d in warnings.filter(|d| d.severity == Severity::Warning) {
            *counts.entry(d.code).or_default() += 1;
        }
        counts.retain(|_, n| *n > SHOWN);
        if counts.is_empty() {
            return self;
        }
        let many = |d: &Diagnostic| d.severity == Severity::Warning && counts.contains_key(&d.code);
        let (some, mut list): (Vec<_>, Vec<_>) = self.list.into_iter().partition(many);
        let own = |d: &Diagnostic| d.at.as_ref().is_some_and(|at| is_own(&at.position.file));
        let (first, others): (Vec<_>, Vec<_>) = some.into_iter().partition(own);
        let mut left: BTreeMap<Code, Vec<Diagnostic>> = BTreeMap::new();
        let mut shown: BTreeMap<Code, usize> = BTreeMap::new();
        for d in first.into_iter().chain(others) {
            let n = shown.entry(d.code).or_default();
            *n += 1;
            match *n > SHOWN {
                true => left.entry(d.code).or_default().push(d),
                false => list.push(d),
            }
        }
        list.extend(left.into_iter().map(|(code, rest)| summary(code, &rest)));
        Diagnostics { list }
    }
}

/// How many more there are, and where.
fn summary(code: Code, rest: &[Diagnostic]) -> Diagnostic {
    let mut folders: BTreeMap<String, usize> = BTreeMap::new();
    for at in rest.iter().filter_map(|d| d.at.as_ref()) {
        let folder = Path::new(&at.position.file).parent();
        let folder = folder.map_or(String::new(), |f| f.display().to_string());
        let folder = match folder.as_str() {
            "" => ".".to_string(),
            _ => folder,
        };
        *folders.entry(folder).or_default() += 1;
    }
    let mut list: Vec<(String, usize)> = folders.into_iter().collect();
    list.sort_by(|a, b| (b.1, &a.0).cmp(&(a.1, &b.0)));
    let more = list.len().saturating_sub(FOLDERS);
    let named = list
        .iter()
        .take(FOLDERS)
        .map(|(f, n)| format!("{n} in {f}"));
    let mut named: Vec<String> = named.collect();
    if more > 0 {
        named.push(format!("others in {more} more folders"));
    }
    let what = format!("{} more of these: {}", rest.len(), named.join(", "));
    Diagnostic::warning(code, what).help("--warnings=all shows each of them")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::SourceText;
    use crate::preprocess::Position;

    fn warning(file: &str, line: u32) -> Diagnostic {
        let mut d = Diagnostic::warning(Code::UntypedAllocation, "m");
        d.at = Some(SourceText {
            position: Position {
                file: file.into(),
                line,
                column: 1,
                system: false,
            },
            text: String::new(),
        });
        d
    }

    #[test]
    fn the_users_own_come_first_and_the_rest_is_counted() {
        let mut all = Diagnostics::default();
        (0..30).for_each(|k| all.push(warning("lib/a.c", k)));
        (0..5).for_each(|k| all.push(warning("main.c", k)));
        all.push(Diagnostic::error(Code::Main, "e"));
        let shown = all.fewer(&|file| file == "main.c").list;
        assert_eq!(shown.len(), 22);
        let own = |d: &&Diagnostic| d.at.as_ref().is_some_and(|at| at.position.file == "main.c");
        assert_eq!(shown[..6].iter().filter(own).count(), 5);
        assert_eq!(shown[21].message, "15 more of these: 15 in lib");
    }

    #[test]
    fn few_are_shown_as_they_are() {
        let mut all = Diagnostics::default();
        (0..20).for_each(|k| all.push(warning("a.c", k)));
        assert_eq!(all.clone().fewer(&|_| false).list, all.list);
    }
}

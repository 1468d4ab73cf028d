//! Directives of OpenMP that change what declarations mean.
//!
//! `begin declare variant` ... `end declare variant`: what stands there are other functions under known names, of which
//! the compiler takes one where it suits the call.  A library's stay in the text as they are, and the tree has only the
//! functions themselves.

use crate::diag::{Code, Diagnostic};
use crate::lower::Lower;
use crate::prefilter::{openmp_words, Prepared};
use crate::tree::{Span, Storage, SymId, SymKind};

impl Lower {
    /// The parser's copy no longer has them; the program's own are refused.
    pub(in crate::lower) fn leave_out_variants(&mut self) {
        if !self.unit.target.openmp {
            return;
        }
        for region in regions(&self.p) {
            let first = self.p.lines.line_range(region.start, &self.p.text);
            if !is_of_library(&self.p, region.start) {
                let d = Diagnostic::error(
                    Code::Variant,
                    "functions between `begin declare variant` and `end declare variant` are not supported",
                )
                .help("give each a name of its own, and name it in a `#pragma omp declare variant(NAME)` before the function that it is for");
                self.diags
                    .push(d.at_text(&self.p.lines, &self.p.text, &(region.start..first.end)));
            }
            leave_out(&mut self.p, &region);
            self.unit.openmp.retain(|o| !within(&region, o.start));
        }
    }

    /// `threadprivate` makes variables as thread-local as `__thread` does.
    pub(in crate::lower) fn note_threadprivate(&mut self) {
        for pragma in &self.unit.openmp {
            let words = openmp_words(&self.p.text[pragma.start as usize..pragma.end as usize]);
            let Some((&"threadprivate", names)) = words.split_first() else {
                continue;
            };
            let inside = |s: &Span| s.start < pragma.start && pragma.end < s.end;
            let meant: Vec<SymId> = match self.unit.functions.iter().find(|f| inside(&f.span)) {
                Some(f) => f.locals.clone(),
                None => names
                    .iter()
                    .filter_map(|n| self.globals.get(*n).copied())
                    .collect(),
            };
            for s in meant {
                let s = &mut self.unit.symbols[s.index()];
                let of_program = !matches!(s.storage, Storage::Auto | Storage::Register);
                s.thread_local |= s.kind == SymKind::Var && of_program && names.contains(&&*s.name);
            }
        }
    }
}

fn within(region: &Span, at: u32) -> bool {
    region.start <= at && at < region.end
}

/// From the outermost pragmas to those that belong to them.
fn regions(p: &Prepared) -> Vec<Span> {
    let mut list = Vec::new();
    let mut begun = Vec::new();
    for d in &p.tokens.directives {
        let words = openmp_words(&p.text[d.start as usize..d.end as usize]);
        match words[..] {
            ["begin", "declare", "variant", ..] => begun.push(d.start),
            ["end", "declare", "variant", ..] => {
                let start = begun.pop();
                list.extend(start.filter(|_| begun.is_empty()).map(|s| s..d.end));
            }
            _ => {}
        }
    }
    list
}

/// Libraries' omp.h have some, also where `-I` finds them.
fn is_of_library(p: &Prepared, at: u32) -> bool {
    !p.lines.is_users_file(at) || p.lines.position(at).file.ends_with("/omp.h")
}

fn leave_out(p: &mut Prepared, region: &Span) {
    let list = &p.tokens.list;
    let tokens = p.tokens.at_or_after(region.start)..p.tokens.at_or_after(region.end);
    let Some(last) = tokens.clone().next_back() else {
        return;
    };
    let text = list[tokens.start].start as usize..list[last].end as usize;
    p.marks.gone[tokens.clone()].fill(true);
    p.marks.soft[tokens].fill(false);
    p.marks.texts.retain(|t| !within(region, t.start));
    p.marks.attributes.retain(|a| !within(region, a.span.start));
    // The parser's copy is ASCII.
    p.masked
        .replace_range(text.clone(), &" ".repeat(text.len()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Diagnostics;
    use crate::prefilter::prepare;

    #[test]
    fn the_outermost_regions() {
        let text = "int a;\n#pragma omp begin declare variant match(x)\nint b;\n  # pragma omp begin declare variant\nint c;\n\
            #pragma omp end declare variant\n#pragma omp begin declare target\n#pragma omp end declare variant \nint d;\n\
            #pragma omp end declare target\n#pragma omp end declare variant\n#pragma omp begin declare variant\nint e;\n";
        let p = prepare(
            text.into(),
            &Default::default(),
            &mut Diagnostics::default(),
        );
        let found = regions(&p);
        let found: Vec<&str> = (found.iter())
            .map(|r| &text[r.start as usize..r.end as usize])
            .collect();
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("#pragma omp begin declare variant match"));
        assert!(found[0].ends_with("target\n#pragma omp end declare variant "));
    }
}

//! Warnings that the author has looked at: `accept size-kept`, above the statement or declaration that is warned of.

use super::{wrong, AnnotationSource, Problem};
use pc3_syntax::diag::{Code, Diagnostic, Severity};
use pc3_syntax::tree::*;
use std::ops::RangeInclusive;

#[derive(Clone, Debug)]
pub struct Accepted {
    code: Code,
    file: String,
    lines: RangeInclusive<u32>,
}

impl Accepted {
    pub fn covers(&self, d: &Diagnostic) -> bool {
        let Some(at) = d.at.as_ref().filter(|_| d.code == self.code) else {
            return false;
        };
        at.position.file == self.file && self.lines.contains(&at.position.line)
    }
}

/// `size-kept`, or in a file `size-kept at a.c:12`.
pub(super) fn read(
    units: &[Unit],
    from: &AnnotationSource,
    rest: &str,
) -> Result<Accepted, Problem> {
    let (name, place) = match rest.split_once(" at ") {
        Some((name, place)) => (name.trim(), Some(place.trim())),
        None => (rest, None),
    };
    let known = Code::find(name).filter(|c| c.severity() == Severity::Warning);
    let Some(code) = known else {
        return wrong(format!("there is no warning `{name}`"));
    };
    let (file, lines) = match (place, from) {
        (Some(place), _) => at(place)?,
        (None, AnnotationSource::Pragma(unit, span)) => match below(&units[*unit], span.end) {
            Some(found) => found,
            None => return Err(Problem::Absent("nothing stands below it".into())),
        },
        (None, AnnotationSource::File(_)) => {
            return wrong("in a file, say where: `accept NAME at FILE:LINE`")
        }
    };
    Ok(Accepted { code, file, lines })
}

fn at(place: &str) -> Result<(String, RangeInclusive<u32>), Problem> {
    let parts = place.rsplit_once(':');
    match parts.and_then(|(file, line)| Some((file, line.parse().ok()?))) {
        Some((file, line)) => Ok((file.to_owned(), line..=line)),
        None => wrong(format!("`{place}` is not FILE:LINE")),
    }
}

/// The file and the lines of what begins behind a place; of what has statements in it, the first line.
fn below(u: &Unit, place: u32) -> Option<(String, RangeInclusive<u32>)> {
    let stmts = u.stmts.iter().filter_map(|s| match s.kind {
        StmtKind::Block(_) => None,
        StmtKind::Expr(_) | StmtKind::Decl(_) | StmtKind::Return(_) => Some(s.span.clone()),
        _ => Some(s.span.start..s.span.start),
    });
    let items = u.items.iter().filter_map(|i| match i {
        TopItem::Decl(d) => Some(d.span.clone()),
        _ => None,
    });
    let behind = stmts.chain(items).filter(|s| s.start >= place);
    let span = behind.min_by_key(|s| (s.start, std::cmp::Reverse(s.end)))?;
    let (first, last) = (u.lines.position(span.start), u.lines.position(span.end));
    let lines = first.line..=last.line.max(first.line);
    Some((u.lines.seen(&first.file), lines))
}

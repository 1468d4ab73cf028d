//! Lengths and columns of documents.

use std::fs;

use anyhow::{Context, Result};

use super::Figure;
use crate::env;

const COLUMNS: usize = 100;

/// How many lines each may have; others are not measured.
const LENGTHS: [(&str, usize); 5] = [
    ("ARCHITECTURE.md", 250),
    ("docs/guide.md", 250),
    ("docs/reference.md", 250),
    ("docs/limitations.md", 150),
    ("docs/benchmarks.md", 150),
];
const INTERNALS: (&str, usize) = ("docs/internals", 200);

pub fn measure() -> Result<Vec<Figure>> {
    let mut documents: Vec<(String, usize)> = LENGTHS.map(|(d, n)| (d.to_owned(), n)).to_vec();
    for entry in fs::read_dir(env::root().join(INTERNALS.0))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        documents.push((format!("{}/{name}", INTERNALS.0), INTERNALS.1));
    }
    let mut all = Vec::new();
    for (of, most) in documents {
        let text = fs::read_to_string(env::root().join(&of)).with_context(|| of.clone())?;
        let lines = text.lines().count();
        let over = lines.saturating_sub(most);
        all.push(Figure::new("lines of a document", &of, over));
        all.push(Figure::new("wide lines of a document", &of, wide(&text)));
    }
    Ok(all)
}

/// Tables have no other way.
fn wide(text: &str) -> usize {
    let is = |l: &&str| l.chars().count() > COLUMNS && !l.starts_with('|');
    text.lines().filter(is).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_lines_are_counted() {
        let wide_line = "x".repeat(COLUMNS + 1);
        let text = format!("{wide_line}\n|{wide_line}\n{}\n", "ä".repeat(COLUMNS));
        assert_eq!(wide(&text), 1);
    }
}

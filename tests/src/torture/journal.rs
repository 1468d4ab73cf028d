//! Verdicts on disk, one JSON object per line, so that a run can be continued.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{json, Value};

use super::{Kind, Verdict};

pub struct Journal {
    file: File,
}

impl Journal {
    /// Verdicts of earlier runs by name of the program, the latest of each, and the journal to go on with.
    pub fn open(path: &Path, fresh: bool) -> Result<(BTreeMap<String, Verdict>, Journal)> {
        let mut known = BTreeMap::new();
        if let Some(dir) = path.parent() {
            std::fs::create_dir_all(dir)?;
        }
        if !fresh {
            let text = std::fs::read_to_string(path).unwrap_or_default();
            known.extend(text.lines().filter_map(parse));
        }
        let file = OpenOptions::new()
            .create(true)
            .append(!fresh)
            .write(true)
            .truncate(fresh)
            .open(path)
            .with_context(|| path.display().to_string())?;
        Ok((known, Journal { file }))
    }

    pub fn note(&mut self, name: &str, v: &Verdict) -> Result<()> {
        let line = json!({"program": name, "kind": v.kind.name(), "why": v.why, "moves": v.moves,
            "stayed": v.stayed, "seconds": v.seconds, "detail": v.detail});
        writeln!(self.file, "{line}")?;
        Ok(())
    }
}

/// A line that was cut off counts as not written.
fn parse(line: &str) -> Option<(String, Verdict)> {
    let v: Value = serde_json::from_str(line).ok()?;
    let text = |key: &str| Some(v.get(key)?.as_str()?.to_owned());
    let verdict = Verdict {
        kind: Kind::of(&text("kind")?)?,
        why: text("why")?,
        detail: text("detail")?,
        moves: v.get("moves")?.as_u64()?,
        stayed: v.get("stayed")?.as_bool()?,
        seconds: v.get("seconds")?.as_f64()?,
    };
    Some((text("program")?, verdict))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_survive() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("sub/journal");
        let first = Verdict::new(Kind::Hang, "a\nb");
        let later = Verdict::new(Kind::Refused, "").because("E0305");
        let (known, mut j) = Journal::open(&path, false).unwrap();
        assert!(known.is_empty());
        j.note("x", &first).unwrap();
        j.note("x", &later).unwrap();
        j.note("y", &first).unwrap();
        drop(j);
        let mut f = OpenOptions::new().append(true).open(&path).unwrap();
        f.write_all(b"{\"program\": \"z\", \"ki").unwrap();
        let (known, _) = Journal::open(&path, false).unwrap();
        assert_eq!(
            known,
            BTreeMap::from([("x".into(), later), ("y".into(), first)])
        );
        assert!(Journal::open(&path, true).unwrap().0.is_empty());
    }
}

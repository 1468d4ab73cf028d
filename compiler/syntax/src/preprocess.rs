//! Runs `CC -E` and says which user line each byte of its output comes from.
//!
//! The command is prepared by the driver (the user's options, `-E`, the source); its output is
//! kept as text.  Bytes that are not UTF-8 are legal C inside string literals only: they become
//! octal escapes, so that the rest of the compiler can work on `str`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[derive(Debug, thiserror::Error)]
pub enum PreprocessError {
    #[error("cannot run the C compiler `{command}`: {source}")]
    Spawn {
        command: String,
        source: std::io::Error,
    },
    #[error("the C preprocessor failed ({status})")]
    Failed { status: std::process::ExitStatus },
    #[error("the preprocessed source is larger than 4 GiB")]
    TooLarge,
}

/// Runs the prepared preprocessor command; its own messages go to the terminal as they are.
pub fn run(command: &mut Command) -> Result<String, PreprocessError> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|source| PreprocessError::Spawn {
            command: name,
            source,
        })?;
    if !output.status.success() {
        return Err(PreprocessError::Failed {
            status: output.status,
        });
    }
    checked_text(output.stdout)
}

/// Compiler output as text that spans can address.
pub fn checked_text(bytes: Vec<u8>) -> Result<String, PreprocessError> {
    let text = crate::embed::expanded(to_text(bytes));
    if text.len() >= u32::MAX as usize / 2 {
        return Err(PreprocessError::TooLarge);
    }
    Ok(text)
}

/// Predefined macros of a compiler, from the output of `CC -dM -E`.
pub fn parse_macros(listing: &str) -> HashMap<String, String> {
    listing
        .lines()
        .filter_map(|l| l.strip_prefix("#define "))
        .map(|l| l.split_once(' ').unwrap_or((l, "")))
        .map(|(n, v)| (n.to_string(), v.to_string()))
        .collect()
}

/// Compiler output as text: foreign bytes become octal escapes.
pub fn to_text(bytes: Vec<u8>) -> String {
    let mut rest = match String::from_utf8(bytes) {
        Ok(s) => return s,
        Err(e) => e.into_bytes(),
    };
    let mut out = String::with_capacity(rest.len() + 64);
    loop {
        match std::str::from_utf8(&rest) {
            Ok(s) => {
                out.push_str(s);
                return out;
            }
            Err(e) => {
                let good = e.valid_up_to();
                out.push_str(&String::from_utf8_lossy(&rest[..good]));
                out.push_str(&format!("\\{:03o}", rest[good]));
                rest.drain(..=good);
            }
        }
    }
}

/// A place in the user's files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Position {
    pub file: String,
    pub line: u32,
    /// 1-based, in the preprocessed line: close to, not always equal to, the user's column.
    pub column: u32,
    /// In a system header.
    pub system: bool,
}

/// Byte offset in preprocessed text → user's file and line.
#[derive(Clone, Debug, Default)]
pub struct LineMap {
    files: Vec<String>,
    /// One per line marker, by offset.
    segments: Vec<Segment>,
    line_starts: Vec<u32>,
    /// From where users look to where the names of files are relative to.
    base: PathBuf,
}

#[derive(Clone, Debug)]
struct Segment {
    /// First byte after the marker's line, and the index of the line that starts there.
    start: u32,
    index: u32,
    file: u32,
    line: u32,
    system: bool,
}

impl LineMap {
    pub fn new(text: &str) -> LineMap {
        let mut map = LineMap::default();
        let mut known: HashMap<String, u32> = HashMap::new();
        let mut offset = 0u32;
        for line in text.split_inclusive('\n') {
            let index = map.line_starts.len() as u32;
            map.line_starts.push(offset);
            offset += line.len() as u32;
            if let Some((number, file, system)) = parse_marker(line) {
                let id = *known.entry(file).or_insert_with_key(|f| {
                    map.files.push(f.clone());
                    map.files.len() as u32 - 1
                });
                map.segments.push(Segment {
                    start: offset,
                    index: index + 1,
                    file: id,
                    line: number,
                    system,
                });
            }
        }
        map
    }

    pub fn position(&self, offset: u32) -> Position {
        let index = self
            .line_starts
            .partition_point(|&s| s <= offset)
            .saturating_sub(1) as u32;
        let column = offset - self.line_starts.get(index as usize).copied().unwrap_or(0) + 1;
        match self.segment(offset) {
            Some(s) => Position {
                file: self.files[s.file as usize].clone(),
                line: s.line + (index - s.index),
                column,
                system: s.system,
            },
            None => Position {
                file: String::new(),
                line: index + 1,
                column,
                system: false,
            },
        }
    }

    pub(crate) fn set_base(&mut self, base: &Path) {
        self.base = base.to_path_buf();
    }

    pub fn base(&self) -> &Path {
        &self.base
    }

    /// The name of a file as users find it.
    pub fn seen(&self, file: &str) -> String {
        if self.base.as_os_str().is_empty() || file.starts_with(['/', '<']) || file.is_empty() {
            return file.to_string();
        }
        let path = crate::paths::plain(&self.base.join(file));
        path.display().to_string()
    }

    pub fn is_system(&self, offset: u32) -> bool {
        self.segment(offset).is_some_and(|s| s.system)
    }

    /// Is it in a file of the user's, whoever's macro made it?
    pub fn is_users_file(&self, offset: u32) -> bool {
        self.segment(offset).is_some_and(|here| {
            let mut all = self.segments.iter();
            !here.system || all.any(|s| s.file == here.file && !s.system)
        })
    }

    /// Files that were read, in the order of their first appearance.
    pub fn files(&self) -> &[String] {
        &self.files
    }

    /// Byte range of the preprocessed line that holds `offset`, without the newline.
    pub(crate) fn line_range(&self, offset: u32, text: &str) -> std::ops::Range<u32> {
        let index = self
            .line_starts
            .partition_point(|&s| s <= offset)
            .saturating_sub(1);
        let start = self.line_starts.get(index).copied().unwrap_or(0);
        let end = self
            .line_starts
            .get(index + 1)
            .map_or(text.len() as u32, |e| e - 1);
        start..end
    }

    fn segment(&self, offset: u32) -> Option<&Segment> {
        let n = self.segments.partition_point(|s| s.start <= offset);
        n.checked_sub(1).map(|i| &self.segments[i])
    }
}

/// `# 12 "file.h" 1 3` or `#line 12 "file.h"`.
pub(crate) fn parse_marker(line: &str) -> Option<(u32, String, bool)> {
    let rest = line.strip_prefix('#')?.trim_start_matches([' ', '\t']);
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start();
    let digits = rest.find(|c: char| !c.is_ascii_digit())?;
    let number = rest[..digits].parse().ok()?;
    let rest = rest[digits..].trim_start().strip_prefix('"')?;
    let mut file = String::new();
    let mut chars = rest.char_indices();
    let end = loop {
        match chars.next()? {
            (i, '"') => break i,
            (_, '\\') => file.push(chars.next()?.1),
            (_, c) => file.push(c),
        }
    };
    let system = rest[end + 1..].split_whitespace().any(|f| f == "3");
    Some((number, file, system))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_follow_markers() {
        let text =
            "# 0 \"a.c\"\n# 1 \"/usr/x.h\" 1 3 4\nint s;\n# 3 \"a \\\"q.c\" 2\nint a;\n  int b;\n";
        let map = LineMap::new(text);
        let at = |s: &str| {
            let p = map.position(text.find(s).unwrap() as u32);
            (p.file, p.line, p.column, p.system)
        };
        assert_eq!(at("int s"), ("/usr/x.h".into(), 1, 1, true));
        assert_eq!(at("int a"), ("a \"q.c".into(), 3, 1, false));
        assert_eq!(at("int b"), ("a \"q.c".into(), 4, 3, false));
    }

    #[test]
    fn foreign_bytes_become_octal_escapes() {
        assert_eq!(
            to_text(b"\"\xe91\xc3\xa9\xff\"".to_vec()),
            "\"\\3511\u{e9}\\377\""
        );
    }
}

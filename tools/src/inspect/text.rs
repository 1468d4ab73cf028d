//! `pc3 show` for a person: a typed tree, lines of reasonable length.

use std::collections::BTreeMap;
use std::fmt::Write;

use pc3_runtime::format::library::AppendedMeta;
use pc3_runtime::format::meta::{FileKind, FileMeta};
use pc3_runtime::format::read::{Checkpoint, RankImage};
use pc3_runtime::guest::STATICS;

use super::image::{Image, Target};
use super::messages::{self, Count};
use super::value::{Reader, Value};
use crate::human;

/// Records and arrays up to this length stay on one line.
const WIDTH: usize = 100;

pub(super) fn show(checkpoint: &Checkpoint, images: &[(u64, RankImage)], limit: usize) -> String {
    let job = &checkpoint.job;
    let mut out = String::new();
    let protocol = match job.calls_mpi {
        true => format!(", protocol {}", checkpoint.protocol()),
        false => String::new(),
    };
    let _ = writeln!(
        out,
        "checkpoint {} of {}, {} UTC\n{} rank{} on {} worker{}, {}, passage {}{protocol}, {}, written by {}",
        checkpoint.id(),
        job.program,
        human::utc(job.time),
        job.ranks,
        plural(job.ranks),
        job.workers,
        plural(job.workers),
        job.abi.name,
        job.passage,
        human::written(&checkpoint.sections),
        job.writer
    );
    for (number, rank) in images {
        let image = Image::new(checkpoint, rank);
        let reader = Reader {
            image: &image,
            limit,
        };
        let passed = match job.calls_mpi {
            true => format!(", passage {}", rank.meta.passages),
            false => String::new(),
        };
        let _ = writeln!(out, "\nrank {number}{passed}");
        Printer {
            out: &mut out,
            reader,
        }
        .rank();
    }
    let left = job.ranks - images.len() as u64;
    if left > 0 && images.len() == 1 {
        let _ = writeln!(out, "\n{left} other rank{}: --rank R", plural(left));
    }
    out
}

pub(super) fn plural(n: u64) -> &'static str {
    if n == 1 {
        ""
    } else {
        "s"
    }
}

struct Printer<'a, 'o> {
    out: &'o mut String,
    reader: Reader<'a>,
}

impl Printer<'_, '_> {
    fn line(&mut self, depth: usize, text: &str) {
        let _ = writeln!(self.out, "{:width$}{text}", "", width = depth * 2);
    }

    fn rank(&mut self) {
        let image = self.reader.image;
        let meta = &image.rank.meta;
        if let Some(code) = meta.finished {
            self.line(1, &format!("finished, exit code {code}"));
        } else if image.rank.birth.is_some() {
            self.line(1, "spawned, and yet to begin");
        } else {
            self.line(1, "stack, innermost first");
        }
        self.frames();
        for s in meta.shadow.iter().filter(|s| s.frame.is_none()) {
            let value = self.reader.object(s.ty, image.bytes(s.data));
            self.variable(
                2,
                "block on the stack",
                &type_of(image, s.ty, s.data.bytes),
                &value,
            );
        }
        self.line(1, "globals");
        let writable = image
            .checkpoint
            .program
            .globals
            .iter()
            .filter(|g| !g.constant);
        for (g, span) in writable.zip(&meta.globals) {
            let value = self.reader.object(g.ty, image.bytes(*span));
            self.variable(2, &g.name, &type_of(image, g.ty, g.size), &value);
            let base = g.addr.wrapping_add(meta.delta);
            self.pieces(base, image.bytes(*span));
        }
        self.heap();
        self.files();
        if image.checkpoint.job.calls_mpi {
            self.messages();
        }
        if !meta.callbacks.is_empty() {
            self.line(1, &format!("callbacks: {}", meta.callbacks.len()));
        }
    }

    fn frames(&mut self) {
        let image = self.reader.image;
        let meta = &image.rank.meta;
        for (n, frame) in meta.frames.iter().enumerate() {
            let func = &image.checkpoint.program.funcs[frame.func as usize];
            let point = &func.points[frame.point as usize];
            let doing = if point.what == "checkpoint" {
                "checkpoint".to_owned()
            } else {
                format!("calls {}", point.what)
            };
            let whose = match point.label {
                0 if func.name == STATICS => func.name.clone(),
                _ => format!(
                    "#{n} {} at {}:{}, {doing}",
                    func.name, point.file, point.line
                ),
            };
            self.line(2, &whose);
            if let Some(ty) = point.live {
                self.variables(ty, image.bytes(frame.live));
            }
            for s in meta.shadow.iter().filter(|s| s.frame == Some(n as u64)) {
                if func.shadow == Some(s.ty) {
                    self.variables(s.ty, image.bytes(s.data));
                } else {
                    let value = self.reader.object(s.ty, image.bytes(s.data));
                    self.variable(3, "block", &type_of(image, s.ty, s.data.bytes), &value);
                }
            }
        }
    }

    /// Members of a struct that stands for local variables.
    fn variables(&mut self, ty: pc3_typemetric::types::TypeId, bytes: &[u8]) {
        let types = self.reader.image.types();
        if let Value::Record(values) = self.reader.value(ty, bytes) {
            let members = &types.get(ty).members;
            for (name, value) in &values {
                let member = members.iter().find(|m| m.name == *name);
                let ty = member.map_or(String::new(), |m| types.describe(m.ty));
                self.variable(3, name, &ty, value);
            }
        }
    }

    fn heap(&mut self) {
        let image = self.reader.image;
        let mut kinds: BTreeMap<String, (u64, u64)> = BTreeMap::new();
        let (mut count, mut bytes) = (0, 0);
        for o in image.heap() {
            let kind = kinds.entry(image.types().describe(o.ty)).or_default();
            kind.0 += 1;
            kind.1 += o.bytes.len() as u64;
            count += 1;
            bytes += o.bytes.len() as u64;
        }
        self.line(
            1,
            &format!(
                "heap: {count} object{}, {}",
                plural(count),
                human::bytes(bytes)
            ),
        );
        for (ty, (n, bytes)) in &kinds {
            self.line(
                2,
                &format!("{ty}: {n} object{}, {}", plural(*n), human::bytes(*bytes)),
            );
        }
        for o in image.heap().take(self.reader.limit) {
            let value = self.reader.object(o.ty, o.bytes);
            self.variable(
                2,
                &o.name,
                &type_of(image, o.ty, o.bytes.len() as u64),
                &value,
            );
            self.pieces(o.base, o.bytes);
        }
        let more = count.saturating_sub(self.reader.limit as u64);
        if more > 0 {
            self.line(2, &format!("… {more} more (--limit)"));
        }
    }

    /// What the program has handed out of a block.
    fn pieces(&mut self, base: u64, bytes: &[u8]) {
        let image = self.reader.image;
        let list = image.pieces(base, bytes);
        for p in list.iter().take(self.reader.limit) {
            let name = format!("@{}", p.at);
            match p.ty.filter(|_| !p.free) {
                Some(ty) => {
                    let value = self.reader.object(ty, p.bytes);
                    let ty = type_of(image, ty, p.bytes.len() as u64);
                    self.variable(3, &name, &ty, &value);
                }
                None => self.line(3, &format!("{name}: free")),
            }
        }
        let more = list.len().saturating_sub(self.reader.limit);
        if more > 0 {
            self.line(3, &format!("… {more} more (--limit)"));
        }
    }

    fn files(&mut self) {
        let files = &self.reader.image.rank.meta.files;
        let files: Vec<&FileMeta> = files
            .iter()
            .filter(|f| f.kind != FileKind::Closed)
            .collect();
        let written = &self.reader.image.rank.meta.library.appended;
        if !files.is_empty() || !written.is_empty() {
            self.line(1, "files");
        }
        for f in files {
            self.line(2, &file(f));
        }
        for f in written {
            self.line(2, &closed(f));
        }
    }

    /// What the virtual MPI has of it, where there is anything.
    fn messages(&mut self) {
        let image = self.reader.image.rank;
        let some = |n: u64, what: &str| format!("{n} {what}{}", plural(n));
        let sized =
            |c: Count, what: &str| format!("{}, {}", some(c.number, what), human::bytes(c.bytes));
        if let Some(kept) = messages::kept(image) {
            if kept.waiting.number > 0 {
                self.line(
                    1,
                    &format!("not received: {}", sized(kept.waiting, "message")),
                );
            }
            if kept.requests > 0 {
                let all = some(kept.requests, "request");
                self.line(1, &format!("{all}, {} pending", kept.pending));
            }
        }
        let Some(line) = messages::line(image) else {
            return;
        };
        self.line(1, "across its line");
        self.line(
            2,
            &format!(
                "sent before it, and came behind it: {}",
                sized(line.late, "message")
            ),
        );
        self.line(
            2,
            &format!(
                "sent behind it, and received before it: {}",
                some(line.early, "message")
            ),
        );
        let bytes = human::bytes(line.log.bytes);
        let log = match line.log.number {
            0 => "empty".to_owned(),
            1 => format!("1 entry, {bytes}"),
            n => format!("{n} entries, {bytes}"),
        };
        self.line(2, &format!("log: {log}"));
    }

    fn variable(&mut self, depth: usize, name: &str, ty: &str, value: &Value) {
        let head = if ty.is_empty() {
            format!("{name} = ")
        } else {
            format!("{name}: {ty} = ")
        };
        self.tree(depth, &head, value);
    }

    fn tree(&mut self, depth: usize, head: &str, value: &Value) {
        let flat = inline(value);
        let fits = head.chars().count() + flat.chars().count() + depth * 2 <= WIDTH;
        match value {
            Value::Record(members) | Value::Union(members) if !fits => {
                self.line(depth, &format!("{head}{{"));
                for (name, value) in members {
                    self.tree(depth + 1, &format!("{name} = "), value);
                }
                self.line(depth, "}");
            }
            Value::Variant(name, members) if !fits => {
                self.line(depth, &format!("{head}{name} {{"));
                for (name, value) in members {
                    self.tree(depth + 1, &format!("{name} = "), value);
                }
                self.line(depth, "}");
            }
            Value::List(items, more)
                if !fits
                    && items.iter().any(|i| {
                        matches!(
                            i,
                            Value::Record(_)
                                | Value::Union(_)
                                | Value::Variant(..)
                                | Value::List(..)
                        )
                    }) =>
            {
                self.line(depth, &format!("{head}{{"));
                for (i, item) in items.iter().enumerate() {
                    self.tree(depth + 1, &format!("[{i}] = "), item);
                }
                if *more > 0 {
                    self.line(depth + 1, &format!("… {more} more"));
                }
                self.line(depth, "}");
            }
            _ => self.line(depth, &format!("{head}{flat}")),
        }
    }
}

/// `double[5]` for an object of five doubles.
pub(super) fn type_of(image: &Image, ty: pc3_typemetric::types::TypeId, bytes: u64) -> String {
    let types = image.types();
    let (name, size) = (types.describe(ty), types.size(ty));
    if bytes == size || types.trailing_array(ty).is_some() {
        name
    } else if ty.0 == 0 || size == 0 {
        format!("{bytes} {name}")
    } else {
        format!("{name}[{}]", bytes / size)
    }
}

/// Written before the checkpoint, and no longer open: what is appended later is cut at a restart.
fn closed(f: &AppendedMeta) -> String {
    let path = String::from_utf8_lossy(&f.path);
    format!("\"{}\" (closed) {} bytes", path.escape_debug(), f.length)
}

fn file(f: &FileMeta) -> String {
    let name = match f.kind {
        FileKind::Stdin => "stdin".to_owned(),
        FileKind::Stdout => "stdout".to_owned(),
        FileKind::Stderr => "stderr".to_owned(),
        FileKind::Temporary => "temporary file".to_owned(),
        FileKind::Closed => "closed".to_owned(),
        FileKind::Opened => format!("\"{}\" ({})", f.path.escape_debug(), f.mode),
    };
    match f.reached() {
        Some(at) => format!("{name} at byte {at} of {}", f.length),
        None => name,
    }
}

pub(super) fn target(t: &Target) -> String {
    match t {
        Target::Null => "null".to_owned(),
        Target::Function(name) => format!("&{name}"),
        // A literal stands for its first element.
        Target::Object { name, path }
            if name.starts_with('"') && matches!(path.as_str(), "" | "[0]") =>
        {
            name.clone()
        }
        Target::Object { name, path } => format!("&{name}{path}"),
        Target::Nothing(addr) => format!("0x{addr:x} (no object)"),
    }
}

fn number(text: String) -> String {
    // A float that looks like an integer should still look like a float.
    if text.bytes().all(|b| b.is_ascii_digit() || b == b'-') {
        text + ".0"
    } else {
        text
    }
}

fn inline_members(members: &[(String, Value)]) -> String {
    let list: Vec<_> = members
        .iter()
        .map(|(name, v)| format!("{name} = {}", inline(v)))
        .collect();
    format!("{{{}}}", list.join(", "))
}

pub(super) fn inline(value: &Value) -> String {
    match value {
        Value::Bool(b) => b.to_string(),
        Value::Int(n) => n.to_string(),
        Value::Char(c) if c.is_ascii_graphic() || *c == b' ' => {
            format!("{c} '{}'", c.escape_ascii())
        }
        Value::Char(c) => c.to_string(),
        Value::Float(x) => number(format!("{x:?}")),
        Value::Single(x) => number(format!("{x:?}")),
        Value::Number(text) => text.clone(),
        Value::Complex(parts) => format!("{} + {}i", inline(&parts.0), inline(&parts.1)),
        Value::Pointer(t) => target(t),
        Value::Token(n) => format!("0x{n:x}"),
        Value::Text(bytes) => format!("\"{}\"", bytes.escape_ascii()),
        Value::Bytes(bytes) => bytes
            .iter()
            .map(|b| format!("{b:02x}"))
            .collect::<Vec<_>>()
            .join(" "),
        Value::Record(members) | Value::Union(members) => inline_members(members),
        Value::Variant(name, members) if members.is_empty() => name.clone(),
        Value::Variant(name, members) => format!("{name} {}", inline_members(members)),
        Value::List(items, more) => {
            if let ([Value::Text(_) | Value::Bytes(_)], 1..) = (&items[..], *more) {
                return format!("{} … {more} more", inline(&items[0]));
            }
            let mut list: Vec<_> = items.iter().map(inline).collect();
            if *more > 0 {
                list.push(format!("… {more} more"));
            }
            format!("{{{}}}", list.join(", "))
        }
    }
}

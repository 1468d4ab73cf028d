//! `pc3 show --json`: the same tree for programs. Numbers that JSON has no form for are strings; a pointer is null or
//! an object with `to` and `path`, with `function`, or with the `address` of nothing known.

use pc3_runtime::format::read::{Checkpoint, RankImage};
use pc3_typemetric::types::TypeId;
use serde_json::{json, Map, Value as Json};

use super::image::{Image, Piece, Target};
use super::messages::{self, Count};
use super::text::type_of;
use super::value::{Reader, Value};
use crate::human;

pub(super) fn show(checkpoint: &Checkpoint, images: &[(u64, RankImage)], limit: usize) -> String {
    let job = &checkpoint.job;
    let ranks: Vec<Json> = images
        .iter()
        .map(|(n, image)| rank(*n, &Image::new(checkpoint, image), limit))
        .collect();
    let all = json!({
        "checkpoint": checkpoint.id(),
        "program": job.program,
        "writer": job.writer,
        "time": human::utc(job.time),
        "time_ns": job.time,
        "ranks": job.ranks,
        "workers": job.workers,
        "passage": job.passage,
        "protocol": job.calls_mpi.then(|| checkpoint.protocol()),
        "abi": job.abi.name,
        "bytes": checkpoint.sections.size(),
        "data_bytes": checkpoint.sections.data().ok(),
        "rank": ranks,
    });
    format!("{all:#}\n")
}

fn rank(number: u64, image: &Image, limit: usize) -> Json {
    let meta = &image.rank.meta;
    let reader = Reader { image, limit };
    let program = &image.checkpoint.program;
    let object = |ty: TypeId, bytes: &[u8]| json!({ "type": type_of(image, ty, bytes.len() as u64), "value": value(&reader.object(ty, bytes)) });
    let frames: Vec<Json> = meta
        .frames
        .iter()
        .enumerate()
        .map(|(n, frame)| {
            let func = &program.funcs[frame.func as usize];
            let point = &func.points[frame.point as usize];
            let mut variables = Map::new();
            let mut blocks = Vec::new();
            if let Some(ty) = point.live {
                locals(&reader, ty, image.bytes(frame.live), &mut variables);
            }
            for s in meta.shadow.iter().filter(|s| s.frame == Some(n as u64)) {
                if func.shadow == Some(s.ty) {
                    locals(&reader, s.ty, image.bytes(s.data), &mut variables);
                } else {
                    blocks.push(object(s.ty, image.bytes(s.data)));
                }
            }
            json!({
                "function": func.name, "file": point.file, "line": point.line, "point": point.label,
                "what": point.what, "variables": variables, "blocks": blocks,
            })
        })
        .collect();
    let loose = meta.shadow.iter().filter(|s| s.frame.is_none());
    let writable = program.globals.iter().filter(|g| !g.constant);
    let globals: Map<String, Json> = writable
        .zip(&meta.globals)
        .map(|(g, span)| (g.name.clone(), object(g.ty, image.bytes(*span))))
        .collect();
    let heap: Vec<Json> = image
        .heap()
        .take(limit)
        .map(|o| {
            let mut all = json!({ "name": o.name, "bytes": o.bytes.len(), "type": type_of(image, o.ty, o.bytes.len() as u64), "value": value(&reader.object(o.ty, o.bytes)) });
            let pieces = pieces(&reader, o.base, o.bytes);
            if !pieces.is_empty() {
                all["pieces"] = Json::Array(pieces);
            }
            all
        })
        .collect();
    json!({
        "rank": number,
        "passage": meta.passages,
        "finished": meta.finished,
        "to_begin": image.rank.birth.is_some(),
        "frames": frames,
        "blocks": loose.map(|s| object(s.ty, image.bytes(s.data))).collect::<Vec<_>>(),
        "globals": globals,
        "heap": { "objects": image.heap().count(), "bytes": image.heap().map(|o| o.bytes.len() as u64).sum::<u64>(), "object": heap },
        "files": meta.files.iter().map(|f| json!({
            "kind": format!("{:?}", f.kind).to_lowercase(), "path": f.path, "mode": f.mode,
            "position": f.reached(), "length": f.length,
        })).collect::<Vec<_>>(),
        "closed": meta.library.appended.iter().map(|f| json!({
            "path": String::from_utf8_lossy(&f.path), "length": f.length,
        })).collect::<Vec<_>>(),
        "messages": image.checkpoint.job.calls_mpi.then(|| messages(image)),
    })
}

/// What the virtual MPI has of the rank; null where that cannot be read.
fn messages(image: &Image) -> Json {
    let count = |c: Count| json!({ "number": c.number, "bytes": c.bytes });
    let kept = messages::kept(image.rank).map(
        |k| json!({ "waiting": count(k.waiting), "requests": k.requests, "pending": k.pending }),
    );
    let line = messages::line(image.rank)
        .map(|l| json!({ "late": count(l.late), "early": l.early, "log": count(l.log) }));
    json!({ "kept": kept, "line": line })
}

/// What the program has handed out of a block, up to a number.
fn pieces(reader: &Reader, base: u64, bytes: &[u8]) -> Vec<Json> {
    let image = reader.image;
    let list = image.pieces(base, bytes);
    let one = |p: &Piece| match p.ty.filter(|_| !p.free) {
        Some(ty) => {
            json!({ "at": p.at, "type": type_of(image, ty, p.bytes.len() as u64), "value": value(&reader.object(ty, p.bytes)) })
        }
        None => json!({ "at": p.at, "free": true }),
    };
    list.iter().take(reader.limit).map(one).collect()
}

fn locals(reader: &Reader, ty: TypeId, bytes: &[u8], into: &mut Map<String, Json>) {
    let types = reader.image.types();
    if let Value::Record(values) = reader.value(ty, bytes) {
        for (name, v) in values {
            let member = types.get(ty).members.iter().find(|m| m.name == name);
            let ty = member.map_or(String::new(), |m| types.describe(m.ty));
            into.insert(name, json!({ "type": ty, "value": value(&v) }));
        }
    }
}

fn float(x: f64, text: String) -> Json {
    serde_json::Number::from_f64(x).map_or(Json::String(text), Json::Number)
}

pub(super) fn value(v: &Value) -> Json {
    match v {
        Value::Bool(b) => json!(b),
        Value::Int(n) => match (i64::try_from(*n), u64::try_from(*n)) {
            (Ok(n), _) => json!(n),
            (_, Ok(n)) => json!(n),
            _ => json!(n.to_string()),
        },
        Value::Char(c) => json!(c),
        Value::Float(x) => float(*x, x.to_string()),
        Value::Single(x) => float(f64::from(*x), x.to_string()),
        Value::Number(text) => json!(text),
        Value::Complex(parts) => json!([value(&parts.0), value(&parts.1)]),
        Value::Pointer(Target::Null) => Json::Null,
        Value::Pointer(Target::Function(name)) => json!({ "function": name }),
        Value::Pointer(Target::Object { name, path }) => json!({ "to": name, "path": path }),
        Value::Pointer(Target::Nothing(addr)) => json!({ "address": format!("0x{addr:x}") }),
        Value::Token(n) => json!({ "token": format!("0x{n:x}") }),
        Value::Text(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => json!(text),
            Err(_) => hex(bytes),
        },
        Value::Bytes(bytes) => hex(bytes),
        Value::Record(of) | Value::Union(of) => members(of),
        Value::Variant(name, of) => json!({ "variant": name, "value": members(of) }),
        Value::List(items, 0) => Json::Array(items.iter().map(value).collect()),
        Value::List(items, more) => {
            json!({ "items": items.iter().map(value).collect::<Vec<_>>(), "more": more })
        }
    }
}

fn members(of: &[(String, Value)]) -> Json {
    let all = of.iter().map(|(name, v)| (name.clone(), value(v)));
    Json::Object(all.collect())
}

fn hex(bytes: &[u8]) -> Json {
    json!({ "bytes": bytes.iter().map(|b| format!("{b:02x}")).collect::<String>() })
}

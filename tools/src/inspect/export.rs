//! `pc3 export`: a checkpoint's variables as NumPy arrays, in one file `.npz`.
//!
//! A global is an array of its name, a local `FUNCTION.NAME`, and an object of the heap `heap.N`, unless a variable points
//! to its start: then it has that variable's name, as for C an array and the pointer to it are one. Structs become
//! structured types, with the bytes in between them; what NumPy has no type for are bytes (`V16`), and pointers
//! numbers. Bit-fields are among the bytes in between.
//! Of a job with several ranks each name begins with `rankR.`. (NumPy Enhancement Proposal 1: the format `.npy`.)

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;

use pc3_runtime::format::read::{Checkpoint, ReadError};
use pc3_typemetric::abi::Endian;
use pc3_typemetric::float::{Format, Stored};
use pc3_typemetric::types::{Kind, Type, TypeId, TypeTable};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::calls::calls;
use super::image::{Image, Object};
use super::value::Reader;

#[derive(Debug, thiserror::Error)]
pub(super) enum ExportError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error("{0}")]
    Write(#[from] io::Error),
    #[error("{0}")]
    Zip(#[from] zip::result::ZipError),
}

/// Writes the file, and returns how many arrays it has. An error leaves none behind.
pub(super) fn export(
    checkpoint: &Checkpoint,
    ranks: Range<u64>,
    to: &Path,
) -> Result<usize, ExportError> {
    let part = to.with_extension("npz.part");
    let done = write(checkpoint, ranks, &part).and_then(|n| {
        std::fs::rename(&part, to)?;
        Ok(n)
    });
    if done.is_err() {
        let _ = std::fs::remove_file(&part);
    }
    done
}

fn write(checkpoint: &Checkpoint, ranks: Range<u64>, to: &Path) -> Result<usize, ExportError> {
    let mut out = ZipWriter::new(File::create(to)?);
    // As numpy.savez does: arrays of doubles hardly shrink.
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .large_file(true);
    let mut count = 0;
    for number in ranks {
        let rank = checkpoint.rank(number)?;
        let image = Image::new(checkpoint, &rank);
        for (name, object) in named(&image) {
            let Some(header) = header(image.types(), &object) else {
                continue;
            };
            let name = match checkpoint.job.ranks {
                1 => format!("{name}.npy"),
                _ => format!("rank{number}.{name}.npy"),
            };
            out.start_file(name, options)?;
            out.write_all(&header)?;
            out.write_all(object.bytes)?;
            count += 1;
        }
    }
    out.finish()?;
    Ok(count)
}

/// Objects by the names that a person has for them.
fn named<'a>(image: &Image<'a>) -> BTreeMap<String, Object<'a>> {
    let mut variables = image.globals();
    variables.extend(locals(image));
    let mut by_pointer: BTreeMap<u64, String> = BTreeMap::new();
    let mut all = BTreeMap::new();
    for v in variables {
        match start_of_object(image, &v) {
            Some(object) if object.name.starts_with("heap[") => {
                by_pointer.entry(object.base).or_insert(v.name);
            }
            // An array of run-time length.
            Some(block) => {
                all.entry(v.name).or_insert(block);
            }
            None => {
                all.entry(v.name.clone()).or_insert(v);
            }
        }
    }
    for object in image.heap() {
        let name = match by_pointer.remove(&object.base) {
            Some(name) if !all.contains_key(&name) => name,
            _ => object.name.replace('[', ".").replace(']', ""),
        };
        all.insert(name, object);
    }
    all
}

/// Of each call what is alive in it.
fn locals<'a>(image: &Image<'a>) -> Vec<Object<'a>> {
    let mut all = Vec::new();
    let types = image.types();
    let calls = calls(image);
    let records = calls
        .iter()
        .flat_map(|c| c.records.iter().flatten().map(move |r| (&c.name, r)));
    for (call, record) in records {
        for m in &types.get(record.ty).members {
            let from = m.offset as usize;
            let size = types.size(m.ty) as usize;
            let Some(bytes) = record.bytes.get(from..from + size) else {
                continue;
            };
            // The compiler's own.
            if m.name.starts_with("pc3_") {
                continue;
            }
            all.push(Object {
                name: format!("{call}.{}", m.name),
                base: record.base.wrapping_add(m.offset),
                size: size as u64,
                ty: m.ty,
                bytes,
            });
        }
    }
    all
}

/// The object of the heap, or block on the stack, to whose start a variable points.
fn start_of_object<'a>(image: &Image<'a>, variable: &Object) -> Option<Object<'a>> {
    let t = image.types().get(variable.ty);
    if t.kind != Kind::Pointer || variable.bytes.len() as u64 != t.size {
        return None;
    }
    let reader = Reader { image, limit: 0 };
    let addr = reader.address(t, variable.bytes)?;
    let object = image.pointed(addr, t.elem)?;
    let named = image.is_named(&object);
    Some(object).filter(|o| o.base == addr && !named)
}

/// Magic, version 1.0, length, and a Python literal that ends at a multiple of 64 bytes.
fn header(types: &TypeTable, object: &Object) -> Option<Vec<u8>> {
    let (ty, size) = (object.ty, types.size(object.ty));
    let known = ty != TypeId::UNKNOWN && size > 0 && object.size % size == 0;
    let (descr, mut shape) = match known {
        true => described(types, ty),
        false => ("'|u1'".to_owned(), Vec::new()),
    };
    let each = if known { size } else { 1 };
    if object.bytes.is_empty() {
        return None;
    }
    let count = object.size / each;
    if count != 1 || !known {
        shape.insert(0, count);
    }
    let text = format!(
        "{{'descr': {descr}, 'fortran_order': False, 'shape': {}, }}",
        tuple(&shape)
    );
    let whole = (10 + text.len() + 1).next_multiple_of(64);
    let (long, start) = match whole - 10 <= usize::from(u16::MAX) {
        true => (false, 10),
        false => (true, 12),
    };
    let whole = (start + text.len() + 1).next_multiple_of(64);
    let mut out = b"\x93NUMPY".to_vec();
    out.extend([if long { 2 } else { 1 }, 0]);
    let length = (whole - start) as u32;
    match long {
        true => out.extend(length.to_le_bytes()),
        false => out.extend((length as u16).to_le_bytes()),
    }
    out.extend(text.bytes());
    out.resize(whole - 1, b' ');
    out.push(b'\n');
    Some(out)
}

fn tuple(numbers: &[u64]) -> String {
    let mut out = String::from("(");
    for n in numbers {
        let _ = write!(out, "{n}, ");
    }
    let out = out.trim_end_matches(' ');
    match numbers.len() {
        0 => "()".to_owned(),
        1 => format!("{out})"),
        _ => format!("{})", out.trim_end_matches(',')),
    }
}

/// NumPy's type of the elements, as a Python literal, and the dimensions of an array.
fn described(types: &TypeTable, ty: TypeId) -> (String, Vec<u64>) {
    let t = types.get(ty);
    match t.kind {
        Kind::Array if types.get(t.elem).kind == Kind::Char && types.size(t.elem) == 1 => {
            (format!("'|S{}'", t.size), Vec::new())
        }
        Kind::Array if t.count > 0 => {
            let (of, mut shape) = described(types, t.elem);
            shape.insert(0, t.count);
            (of, shape)
        }
        Kind::Struct => (record(types, ty), Vec::new()),
        _ => (format!("'{}'", scalar(types, ty)), Vec::new()),
    }
}

fn scalar(types: &TypeTable, ty: TypeId) -> String {
    let t = types.get(ty);
    let order = match types.abi().endian {
        _ if t.size == 1 => '|',
        Endian::Little => '<',
        Endian::Big => '>',
    };
    let is_ieee = |t: &Type| {
        let format = Stored::of(types.abi(), t).map(|s| s.format);
        matches!(format, Some(Format::Binary32 | Format::Binary64))
    };
    let letter = match (t.kind, t.size) {
        (Kind::Bool, 1) => 'b',
        (Kind::Char, 1) => return "|S1".to_owned(),
        (Kind::Char | Kind::SInt | Kind::UInt | Kind::Enum, 1 | 2 | 4 | 8) => {
            match t.is_signed(types.abi()) {
                true => 'i',
                false => 'u',
            }
        }
        (Kind::Pointer | Kind::Address | Kind::Handle | Kind::File, 4 | 8) => 'u',
        (Kind::Float, _) if is_ieee(t) => 'f',
        (Kind::Complex, 8 | 16) if is_ieee(t) => 'c',
        _ => return format!("|V{}", t.size),
    };
    format!("{order}{letter}{}", t.size)
}

/// A list of members; those without a name stand for bytes in between.
fn record(types: &TypeTable, ty: TypeId) -> String {
    let t = types.get(ty);
    let mut out = String::from("[");
    let mut at = 0;
    let fill = |out: &mut String, from: u64, to: u64| {
        if to > from {
            let _ = write!(out, "('', '|V{}'), ", to - from);
        }
    };
    let mut seen: Vec<&str> = Vec::new();
    for m in &t.members {
        let size = types.size(m.ty);
        let whole = m.bits.is_none() && m.offset >= at && size > 0;
        if !whole || m.name.is_empty() || seen.contains(&m.name.as_str()) {
            continue;
        }
        seen.push(&m.name);
        fill(&mut out, at, m.offset);
        let (of, shape) = described(types, m.ty);
        let name = m.name.escape_default();
        match shape.is_empty() {
            true => {
                let _ = write!(out, "('{name}', {of}), ");
            }
            false => {
                let _ = write!(out, "('{name}', {of}, {}), ", tuple(&shape));
            }
        }
        at = m.offset + size;
    }
    fill(&mut out, at, t.size);
    let mut out = out.trim_end_matches([',', ' ']).to_owned();
    out.push(']');
    out
}

//! Which unions of an object an initialiser gives a member.

use crate::rewrite::collected::{Mark, Row};
use pc3_program::initialiser::{leaves, parts};
use pc3_syntax::tree::*;
use pc3_unions::tracking::leaf;
use std::collections::HashSet;

/// The unions in an object that an initialiser gives a member.
pub fn marks(u: &Unit, noted: &HashSet<RecordId>, q: QualType, init: &Init) -> Vec<Mark> {
    let mut out: Vec<Mark> = Vec::new();
    for l in leaves(u, q, init) {
        let mut at = q.ty;
        let mut named = q.ty;
        let mut text = String::new();
        let mut unnamed = false;
        for step in &l.path {
            match u.ty(at) {
                Type::Array { elem, .. } => {
                    text += &format!("[{step}]");
                    at = elem.ty;
                    named = at;
                    unnamed = false;
                }
                Type::Record(r) => {
                    let d = &u.records[r.index()];
                    let Some(f) = parts(d).nth(*step as usize) else {
                        break;
                    };
                    if noted.contains(r) {
                        let row = match unnamed {
                            true => Row::In(named, *r),
                            false => Row::Of(at),
                        };
                        let place = match leaf(u, d).filter(|_| unnamed) {
                            Some(leaf) => format!("{text}.{leaf}"),
                            None => text.clone(),
                        };
                        let mark = (place, row, *step as usize);
                        match out.iter_mut().find(|m| (&m.0, m.1) == (&mark.0, row)) {
                            Some(m) => m.2 = mark.2,
                            None => out.push(mark),
                        }
                    }
                    match &f.name {
                        Some(n) => {
                            text += &format!(".{n}");
                            named = f.ty.ty;
                            unnamed = false;
                        }
                        None => unnamed = true,
                    }
                    at = f.ty.ty;
                }
                _ => break,
            }
        }
    }
    out
}

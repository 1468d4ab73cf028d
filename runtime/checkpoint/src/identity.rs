//! Is a checkpoint of this program?  Compares functions, points and globals by name and says
//! readably what differs.  Types are compared where they are converted.

use std::collections::BTreeMap;

use pc3_format::meta::{FuncMeta, ProgramMeta};

/// Differences, in words; none: the checkpoint can be continued as far as names go.
pub fn differences(saved: &ProgramMeta, here: &ProgramMeta) -> Vec<String> {
    let mut out = Vec::new();
    names(
        "function",
        saved.funcs.iter().map(|f| &f.name),
        here.funcs.iter().map(|f| &f.name),
        &mut out,
    );
    names(
        "global",
        saved.globals.iter().map(|g| &g.name),
        here.globals.iter().map(|g| &g.name),
        &mut out,
    );
    if !out.is_empty() {
        return out;
    }
    for (a, b) in saved.funcs.iter().zip(&here.funcs) {
        points(a, b, &mut out);
    }
    for (a, b) in saved
        .globals
        .iter()
        .zip(&here.globals)
        .filter(|(a, b)| a.constant != b.constant)
    {
        let word = |constant| if constant { "constant" } else { "a variable" };
        out.push(format!(
            "global {} was {}, and is {} here",
            a.name,
            word(a.constant),
            word(b.constant)
        ));
    }
    out
}

fn names<'a>(
    what: &str,
    saved: impl Iterator<Item = &'a String>,
    here: impl Iterator<Item = &'a String>,
    out: &mut Vec<String>,
) {
    let mut count: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    saved.for_each(|n| count.entry(n).or_default().0 += 1);
    here.for_each(|n| count.entry(n).or_default().1 += 1);
    for (name, n) in count {
        match n {
            (a, b) if a == b => {}
            (_, 0) => out.push(format!("{what} {name} exists only in the checkpoint")),
            (0, _) => out.push(format!("{what} {name} exists only in this program")),
            (a, b) => out.push(format!(
                "{what} {name} exists {a} times in the checkpoint and {b} times here"
            )),
        }
    }
}

fn points(saved: &FuncMeta, here: &FuncMeta, out: &mut Vec<String>) {
    let name = &saved.name;
    if saved.points.len() != here.points.len() {
        out.push(format!(
            "function {name} has {} checkpoint locations and calls that reach one in the checkpoint, {} here",
            saved.points.len(),
            here.points.len()
        ));
        return;
    }
    for (a, b) in saved.points.iter().zip(&here.points) {
        if (a.label, &a.what) != (b.label, &b.what) {
            out.push(format!(
                "function {name}: point {} is {} ({}:{}) in the checkpoint and {} ({}:{}) here",
                a.label, a.what, a.file, a.line, b.what, b.file, b.line
            ));
            return;
        }
        if a.live.is_some() != b.live.is_some() {
            out.push(format!(
                "function {name}: point {} ({}) has other live variables",
                a.label, a.what
            ));
        }
    }
    if saved.shadow.is_some() != here.shadow.is_some() {
        out.push(format!(
            "function {name}: other locals have their address taken"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pc3_format::meta::{GlobalMeta, PointMeta};
    use pc3_typemetric::types::TypeId;

    fn program(func: &str, what: &str, global: &str) -> ProgramMeta {
        let point = PointMeta {
            label: 1,
            line: 3,
            file: "a.c".into(),
            what: what.into(),
            live: None,
        };
        ProgramMeta {
            funcs: vec![FuncMeta {
                name: func.into(),
                shadow: None,
                points: vec![point],
            }],
            globals: vec![GlobalMeta {
                name: global.into(),
                addr: 0,
                ty: TypeId(0),
                size: 1,
                constant: false,
            }],
            literals: vec![],
            fnrefs: vec![],
            orders: vec![],
        }
    }

    #[test]
    fn differences_are_named() {
        let a = program("f", "g", "x");
        assert_eq!(differences(&a, &a), Vec::<String>::new());
        assert_eq!(
            differences(&a, &program("h", "g", "x")),
            [
                "function f exists only in the checkpoint",
                "function h exists only in this program"
            ]
        );
        assert_eq!(
            differences(&a, &program("f", "checkpoint", "x")),
            ["function f: point 1 is g (a.c:3) in the checkpoint and checkpoint (a.c:3) here"]
        );
        assert_eq!(differences(&a, &program("f", "g", "y")).len(), 2);
    }
}

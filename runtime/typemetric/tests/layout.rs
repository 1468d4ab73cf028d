//! The layout rules and the ABI presets against real compilers, where they are installed.

#![allow(clippy::unwrap_used)]

mod support;

use pc3_typemetric::abi::Abi;
use pc3_typemetric::types::{Kind, TypeId, TypeTable};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use std::fmt::Write as _;
use std::process::Command;
use support::{build, spec};

/// A C declaration of `declarator` with the type.
fn declare(t: &TypeTable, id: TypeId, declarator: &str) -> String {
    let ty = t.get(id);
    match ty.kind {
        Kind::Array => declare(t, ty.elem, &format!("{declarator}[{}]", ty.count)),
        Kind::Pointer => format!("void *{declarator}"),
        Kind::Enum => format!("enum color {declarator}"),
        Kind::Struct => format!("struct s{} {declarator}", id.0),
        _ => format!("{} {declarator}", ty.name),
    }
}

fn structs(t: &TypeTable, c: &mut String) {
    for (id, ty) in t.iter().filter(|(_, ty)| ty.kind == Kind::Struct) {
        let mut body = format!("struct s{} {{ ", id.0);
        for m in &ty.members {
            let width = m.bits.map_or(String::new(), |b| format!(" : {}", b.width));
            let _ = write!(body, "{}{width}; ", declare(t, m.ty, &m.name));
        }
        let _ = writeln!(c, "{body}}};");
        let _ = writeln!(
            c,
            "_Static_assert(sizeof(struct s{0}) == {1} && _Alignof(struct s{0}) == {2}, \"\");",
            id.0, ty.size, ty.align
        );
        for m in ty.members.iter().filter(|m| m.bits.is_none()) {
            let _ = writeln!(
                c,
                "_Static_assert(__builtin_offsetof(struct s{}, {}) == {}, \"\");",
                id.0, m.name, m.offset
            );
        }
    }
}

fn compiler(abi: &Abi) -> Option<&'static str> {
    let cc = match &*abi.name {
        "x86_64" => "x86_64-linux-gnu-gcc",
        "i686" => "i686-linux-gnu-gcc",
        "s390x" => "s390x-linux-gnu-gcc",
        "aarch64" => "aarch64-linux-gnu-gcc",
        "armhf" => "arm-linux-gnueabihf-gcc",
        _ => return None,
    };
    Command::new(cc).arg("--version").output().ok().map(|_| cc)
}

#[test]
fn layouts_are_those_of_gcc() {
    let mut runner = TestRunner::deterministic();
    let specs: Vec<_> = (0..300)
        .map(|_| spec().new_tree(&mut runner).unwrap().current())
        .collect();
    let dir = tempfile::tempdir().unwrap();
    let mut tried = 0;
    for abi in Abi::PRESETS {
        let Some(cc) = compiler(&abi) else {
            eprintln!("no compiler for {}: skipped", abi.name);
            continue;
        };
        let mut table = TypeTable::new(abi.clone());
        for spec in &specs {
            build(&mut table, spec);
        }
        let mut c = String::from("enum color { RED };\n");
        let sign = if abi.char_signed { "< 0" } else { "> 0" };
        let _ = writeln!(c, "_Static_assert((char)-1 {sign}, \"\");");
        structs(&table, &mut c);
        let file = dir.path().join(format!("{}.c", abi.name));
        std::fs::write(&file, &c).unwrap();
        let out = Command::new(cc)
            .args(["-std=gnu11", "-fsyntax-only"])
            .arg(&file)
            .output()
            .unwrap();
        assert!(
            out.status.success(),
            "{cc}: {}",
            String::from_utf8_lossy(&out.stderr)
        );
        tried += 1;
    }
    assert!(
        tried > 0 || cfg!(not(target_os = "linux")),
        "no compiler at all"
    );
}

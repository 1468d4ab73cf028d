//! A byte behind every object of static storage, put in between compiling and assembling.
//!
//! One past the end of `a` must not be the start of `b`: a saved pointer has one owner.  C cannot say
//! so (the compiler orders objects as it likes), assembly can: a definition is a label that `.type`
//! calls an object, followed by data directives; the byte goes behind the last of them.  Only in the
//! ordinary sections: what a user puts into one of his own may have to be contiguous.
//!
//! Arrays get more, where their size is known: programs that count from one keep pointers in front of the next object.

use crate::driver::build::BuildError;
use std::collections::{HashMap, HashSet};
use std::path::Path;

const DATA: &[&str] = &[
    ".zero",
    ".skip",
    ".space",
    ".byte",
    ".2byte",
    ".4byte",
    ".8byte",
    ".short",
    ".hword",
    ".value",
    ".half",
    ".word",
    ".int",
    ".long",
    ".quad",
    ".octa",
    ".xword",
    ".dword",
    ".ascii",
    ".asciz",
    ".string",
    ".string8",
    ".string16",
    ".string32",
    ".string64",
    ".base64",
    ".float",
    ".single",
    ".double",
    ".fill",
];
const ORDINARY: &[&str] = &[".data", ".bss", ".rodata", ".sdata", ".sbss"];

/// The assembly with its objects apart.
pub fn separate(asm: &str) -> String {
    let mut out = String::with_capacity(asm.len() + asm.len() / 16);
    let mut objects: HashSet<&str> = HashSet::new();
    let mut sizes: HashMap<&str, u64> = HashMap::new();
    let (mut ordinary, mut inside, mut users) = (false, false, false);
    let mut gap = 1;
    for line in asm.split_inclusive('\n') {
        let text = line.trim();
        if users {
            users = text != "#NO_APP" && text != "//NO_APP";
            out.push_str(line);
            continue;
        }
        let (word, rest) = match text.split_once([' ', '\t']) {
            Some((w, r)) => (w, r.trim()),
            None => (text, ""),
        };
        if inside && !DATA.contains(&word) && !text.is_empty() {
            out.push_str(&format!("\t.skip\t{gap}\n"));
            inside = false;
        }
        match word {
            ".type" => {
                if let Some((name, kind)) = rest.split_once(',') {
                    if matches!(kind.split_whitespace().next(), Some("@object" | "%object")) {
                        objects.insert(name.trim());
                    }
                }
            }
            ".size" => {
                let size = rest.split_once(',');
                if let Some((name, Ok(n))) = size.map(|(l, n)| (l.trim(), n.trim().parse())) {
                    sizes.insert(name, n);
                }
            }
            ".comm" | ".lcomm" => {
                out.push_str(&grown(line, word, rest).unwrap_or_else(|| line.to_string()));
                continue;
            }
            ".section" => ordinary = is_ordinary(rest),
            ".data" | ".bss" => ordinary = true,
            ".text" | ".previous" | ".pushsection" | ".popsection" => ordinary = false,
            "#APP" | "//APP" => users = true,
            _ => {
                let label = word
                    .strip_suffix(':')
                    .filter(|_| rest.is_empty() || rest.starts_with(['#', '/', '@']));
                if let Some(l) = label.filter(|l| ordinary && objects.contains(l)) {
                    gap = behind(sizes.get(l).copied().unwrap_or(0));
                    inside = true;
                }
            }
        }
        out.push_str(line);
    }
    if inside {
        out.push_str(&format!("\t.skip\t{gap}\n"));
    }
    out
}

/// The bytes behind an object of this size.
fn behind(size: u64) -> u64 {
    match size {
        ..16 => 1,
        _ => 17,
    }
}

/// [`separate`] for a file.
pub(crate) fn separate_file(path: &Path) -> Result<(), BuildError> {
    // As Latin-1 every byte is kept: names and literals need not be UTF-8.
    let bytes = std::fs::read(path).map_err(|e| BuildError::Read(path.into(), e))?;
    let text: String = bytes.iter().map(|&b| char::from(b)).collect();
    let apart: Vec<u8> = separate(&text).chars().map(|c| c as u8).collect();
    std::fs::write(path, apart).map_err(|e| BuildError::Write(path.into(), e))
}

/// `.data.rel.ro`, `.bss`, `.rodata`; not mergeable ones, whose entries are the linker's to place.
fn is_ordinary(section: &str) -> bool {
    let (name, flags) = section.split_once(',').unwrap_or((section, ""));
    let ordinary = ORDINARY
        .iter()
        .filter_map(|o| name.strip_prefix(o))
        .any(|rest| rest.is_empty() || rest.starts_with('.'));
    let mergeable = flags.split(',').next().is_some_and(|f| f.contains('M'));
    ordinary && !mergeable
}

/// `.comm name,size,align` with one byte more.
fn grown(line: &str, word: &str, rest: &str) -> Option<String> {
    let mut parts = rest.splitn(3, ',');
    let (name, size) = (parts.next()?, parts.next()?.trim().parse::<u64>().ok()?);
    let align = parts.next().map(|a| format!(",{a}")).unwrap_or_default();
    let end = if line.ends_with('\n') { "\n" } else { "" };
    Some(format!(
        "\t{word}\t{name},{}{align}{end}",
        size + behind(size)
    ))
}

#[cfg(test)]
mod tests {
    use super::separate;
    use std::process::Command;

    #[test]
    fn objects_get_a_byte_and_nothing_else_does() {
        let asm = "\t.text\nf:\n\tret\n\t.type\ta, @object\n\t.data\na:\n\t.long 1\n\t.zero 4\n\t.comm\tc,80,32\n\
            \t.type\tb, %object\n\t.section\t.bss.b,\"aw\"\nb:\n\t.base64 \"Mf8K\"\n\t.zero 5\n\t.size b, 8\n\
            \t.type\td, @object\n\t.data\n\t.size\td, 24\nd:\n\t.zero 24\n\
            \t.type\tset, @object\n\t.section\tset_of_mine,\"aw\"\nset:\n\t.quad 0\n\
            \t.section\t.rodata.str1.1,\"aMS\",@progbits,1\n.LC0:\n\t.string \"x\"\n";
        let want = "\t.text\nf:\n\tret\n\t.type\ta, @object\n\t.data\na:\n\t.long 1\n\t.zero 4\n\t.skip\t1\n\t.comm\tc,97,32\n\
            \t.type\tb, %object\n\t.section\t.bss.b,\"aw\"\nb:\n\t.base64 \"Mf8K\"\n\t.zero 5\n\t.skip\t1\n\t.size b, 8\n\
            \t.type\td, @object\n\t.data\n\t.size\td, 24\nd:\n\t.zero 24\n\t.skip\t17\n\
            \t.type\tset, @object\n\t.section\tset_of_mine,\"aw\"\nset:\n\t.quad 0\n\
            \t.section\t.rodata.str1.1,\"aMS\",@progbits,1\n.LC0:\n\t.string \"x\"\n";
        assert_eq!(separate(asm), want);
    }

    /// What the compilers of this machine print: no two of a program's objects touch.
    #[test]
    fn no_two_objects_touch() {
        let source = "double a[10], b[10]; static int s[4]; int init[3] = {1, 2, 3}; char str[] = \"abc\", t[1], u[2] = {1, 2};\n\
            int common[7]; float f = 1.5f; const double tab[2] = {1, 2}; void *p = b, *q[2] = {a, init};\n\
            int *use(int i) { return s + i; }\n";
        let dir = tempfile::tempdir().unwrap();
        let path = |n: &str| dir.path().join(n);
        std::fs::write(path("x.c"), source).unwrap();
        let run = |c: &mut Command| c.output().unwrap();
        for (cc, options) in [
            ("gcc", &["-fno-section-anchors", "-O2"][..]),
            ("gcc", &["-fno-section-anchors", "-fcommon", "-g"]),
            ("clang", &["-O2"]),
            ("s390x-linux-gnu-gcc", &["-fno-section-anchors", "-O2"]),
            ("aarch64-linux-gnu-gcc", &["-fno-section-anchors", "-O2"]),
            ("arm-linux-gnueabihf-gcc", &["-fno-section-anchors", "-O2"]),
            ("i686-linux-gnu-gcc", &["-fno-section-anchors", "-O2"]),
        ] {
            if Command::new(cc).arg("--version").output().is_err() {
                println!("skipped: no {cc}");
                continue;
            }
            let cc = || Command::new(cc);
            let out = run(cc()
                .args(options)
                .arg("-S")
                .arg(path("x.c"))
                .arg("-o")
                .arg(path("x.s")));
            assert!(
                out.status.success(),
                "{}",
                String::from_utf8_lossy(&out.stderr)
            );
            let asm = std::fs::read_to_string(path("x.s")).unwrap();
            std::fs::write(path("x.s"), separate(&asm)).unwrap();
            let out = run(cc().arg("-c").arg(path("x.s")).arg("-o").arg(path("x.o")));
            assert!(
                out.status.success(),
                "{}",
                String::from_utf8_lossy(&out.stderr)
            );
            let out = run(Command::new("readelf").arg("-sW").arg(path("x.o")));
            let table = String::from_utf8_lossy(&out.stdout).into_owned();
            let mut objects: Vec<(String, u64, u64, String)> = table
                .lines()
                .map(|l| l.split_whitespace().map(String::from).collect::<Vec<_>>())
                .filter(|w| w.len() == 8 && w[3] == "OBJECT" && w[6] != "COM")
                .map(|w| {
                    // A common block's recorded size has the byte in it.
                    let size: u64 = if w[7] == "s" {
                        16
                    } else {
                        w[2].parse().unwrap()
                    };
                    let at = u64::from_str_radix(&w[1], 16).unwrap();
                    (w[6].clone(), at, size, w[7].clone())
                })
                .collect();
            assert!(objects.len() >= 6, "{table}");
            objects.sort();
            for w in objects.windows(2) {
                assert!(
                    w[0].0 != w[1].0 || w[0].1 + w[0].2 < w[1].1,
                    "{} touches {}",
                    w[0].3,
                    w[1].3
                );
            }
        }
    }
}

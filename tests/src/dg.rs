//! What the files of compilers' own tests ask for, as those of gcc's `gcc.dg` and of clang's `test/C`.

/// The options of a file that can be tried by itself; None for those of other targets and languages, and of several files.
pub fn options(text: &str) -> Option<Vec<String>> {
    let mut out: Vec<String> = Vec::new();
    let mut run = false;
    for line in text.lines() {
        if line.contains("dg-additional-sources") || line.contains("dg-do preprocess") {
            return None;
        }
        let of_dg = line.contains("dg-options") || line.contains("dg-additional-options");
        let of_run = !run && line.contains("RUN: %clang");
        let given = match (of_dg, of_run) {
            (true, _) if line.contains("{ dg-") || line.contains("{dg-") => {
                line.split('"').nth(1).unwrap_or("")
            }
            (_, true) => line,
            _ => continue,
        };
        if of_dg && line.contains("target") {
            continue;
        }
        run |= of_run;
        out.extend(simple(given));
    }
    Some(out)
}

/// Those that any compiler of the kind knows, and that leave no files.
fn simple(given: &str) -> impl Iterator<Item = String> + use<'_> {
    let known = |w: &&str| {
        let begins = |list: &[&str]| list.iter().any(|k| w.starts_with(k));
        begins(&["-std=", "-ansi", "-f", "-O", "-D", "-U", "-include", "-I"])
            && !begins(&["-fdump", "-fplugin", "-fsyntax", "-ffreestanding"])
    };
    given.split_whitespace().filter(known).map(str::to_string)
}

//! Options in other spellings than those that the rest of the driver looks for: `--output=p` and `--output p` for `-o p`,
//! `-includefile.h` and `-MFfile.d` for two words, `-Xlinker a` for `-Wl,a`.

/// Long names of options with a value, which is the next word or stands behind `=`.
const VALUED: &[(&str, &str)] = &[
    ("--define-macro", "-D"),
    ("--entry", "-e"),
    ("--for-linker", "-Xlinker"),
    ("--imacros", "-imacros"),
    ("--include", "-include"),
    ("--include-directory", "-I"),
    ("--include-directory-after", "-idirafter"),
    ("--language", "-x"),
    ("--library-directory", "-L"),
    ("--output", "-o"),
    ("--undefine-macro", "-U"),
];

/// Long names of options without one, or whose value belongs to the word.
const PLAIN: &[(&str, &str)] = &[
    ("--ansi", "-ansi"),
    ("--assemble", "-S"),
    ("--compile", "-c"),
    ("--debug", "-g"),
    ("--dependencies", "-M"),
    ("--machine", "-m"),
    ("--no-standard-includes", "-nostdinc"),
    ("--no-standard-libraries", "-nostdlib"),
    ("--no-warnings", "-w"),
    ("--optimize", "-O"),
    ("--pie", "-pie"),
    ("--preprocess", "-E"),
    ("--shared", "-shared"),
    ("--static", "-static"),
    ("--user-dependencies", "-MM"),
    ("--write-dependencies", "-MD"),
    ("--write-user-dependencies", "-MMD"),
];

/// Options whose value may follow without a space, in an order that finds the longest.
const ATTACHED: &[&str] = &[
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-isysroot",
    "-iprefix",
    "-iwithprefixbefore",
    "-iwithprefix",
    "-imultilib",
    "-MF",
    "-MT",
    "-MQ",
];

/// The words with each option in its usual spelling; `valued`: is the next word this one's value?
pub fn usual(words: Vec<String>, valued: impl Fn(&str) -> bool) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut value = false;
    for w in words {
        if !std::mem::replace(&mut value, false) {
            let spelt = word(w);
            value = spelt.len() == 1 && valued(&spelt[0]);
            all.extend(spelt);
            continue;
        }
        // `-Wl,` divides at commas.
        if all.last().is_some_and(|o| o == "-Xlinker") && !w.contains(',') {
            all.pop();
            all.push(format!("-Wl,{w}"));
        } else {
            all.push(w);
        }
    }
    all
}

fn word(w: String) -> Vec<String> {
    if let Some(rest) = w.strip_prefix("--std=") {
        return vec![format!("-std={rest}")];
    }
    let (name, value) = match w.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (w.as_str(), None),
    };
    let of = |table: &[(&str, &'static str)]| table.iter().find(|o| o.0 == name).map(|o| o.1);
    if let Some(usual) = of(VALUED) {
        return [Some(usual), value]
            .into_iter()
            .flatten()
            .map(String::from)
            .collect();
    }
    if let Some(usual) = of(PLAIN) {
        return vec![format!("{usual}{}", value.unwrap_or_default())];
    }
    for option in ATTACHED {
        match w.strip_prefix(option) {
            // clang's `-include-pch` is another option.
            Some(value) if !value.is_empty() && !value.starts_with('-') => {
                return vec![option.to_string(), value.to_string()];
            }
            _ => {}
        }
    }
    vec![w]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings() {
        let check = |given: &str, expected: &str| {
            let words = given.split(' ').map(String::from).collect();
            let valued = |w: &str| matches!(w, "-o" | "-Xlinker");
            assert_eq!(usual(words, valued).join(" "), expected);
        };
        check("--output=p --output p -op", "-o p -o p -op");
        check(
            "--define-macro=X=1 --std=c99 --optimize=2",
            "-D X=1 -std=c99 -O2",
        );
        check(
            "-includea.h -MFx.d -isystem/i -isystem /i",
            "-include a.h -MF x.d -isystem /i -isystem /i",
        );
        check(
            "-iwithprefixbeforea -iwithprefixb",
            "-iwithprefixbefore a -iwithprefix b",
        );
        check(
            "-Xlinker --pie --for-linker --output=x -Xlinker a.o",
            "-Wl,--pie -Wl,--output=x -Wl,a.o",
        );
        for other in [
            "-include-pch f",
            "--param x=1",
            "-M -MMD -MP",
            "--target=a --sysroot=/",
            "-O2 a.c",
            "-Xlinker a,b",
        ] {
            check(other, other);
        }
    }
}

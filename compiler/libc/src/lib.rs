//! Library functions that keep something from call to call: a position, a seed, a result's memory.
//!
//! With several ranks in a process the library's own would be shared by all of them, and no checkpoint could
//! hold it.  So a program that uses one of these gets it as one more unit, instrumented like its own: what
//! it keeps are globals like any others.  There they have the library's names in C, so that the analyses see
//! ordinary functions and variables, and the linker's name `pc3_NAME`, which the program's units use instead.
//!
//! `library/` has these functions in C; [`state`] the table of all that the C library exports: what each keeps, and
//! how that is saved or why it is refused.

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod state;

use pc3_syntax::diag::Diagnostics;
use pc3_syntax::lower;
use pc3_syntax::tree::{ExprId, ExprKind, Storage, SymId, SymKind, Symbol, Unit};
use pc3_syntax::types::Target;
use std::collections::{HashMap, HashSet};

pub struct Library {
    /// The unit's name.
    pub file: &'static str,
    text: &'static str,
    names: &'static [&'static str],
}

/// What such a unit means the C library's by, whatever the program has under these names.
pub fn natives(path: &str) -> Vec<&'static str> {
    let text = all().find(|l| l.file == path).map_or("", |l| l.text);
    let named = text.split("__asm__(\"").skip(1);
    let names = named.filter_map(|rest| rest.split('"').next());
    names.filter(|n| !n.starts_with("pc3_")).collect()
}

/// What there are units for.
pub fn names() -> impl Iterator<Item = &'static str> {
    all().flat_map(|l| l.names.iter().copied())
}

/// Is it one of these units?
pub fn is_own(path: &str) -> bool {
    all().any(|l| l.file == path)
}

fn all() -> impl Iterator<Item = &'static Library> {
    ALL.iter().chain(CALLING).chain(OF_MUSL)
}

/// What musl remembers otherwise.
const OF_MUSL: &[Library] = &[Library {
    file: "pc3-multibyte-musl.c",
    text: include_str!("../library/pc3-multibyte-musl.c"),
    names: &["mbrtowc", "mbrlen", "mbsrtowcs", "mbsnrtowcs"],
}];

const ALL: &[Library] = &[
    Library {
        file: "pc3-getopt.c",
        text: include_str!("../library/pc3-getopt.c"),
        names: &[
            "getopt",
            "getopt_long",
            "getopt_long_only",
            "optarg",
            "optind",
            "opterr",
            "optopt",
        ],
    },
    Library {
        file: "pc3-random.c",
        text: include_str!("../library/pc3-random.c"),
        names: &[
            "rand",
            "srand",
            "random",
            "srandom",
            "initstate",
            "setstate",
        ],
    },
    Library {
        file: "pc3-rand48.c",
        text: include_str!("../library/pc3-rand48.c"),
        names: &[
            "drand48", "erand48", "lrand48", "nrand48", "mrand48", "jrand48", "srand48", "seed48",
            "lcong48",
        ],
    },
    Library {
        file: "pc3-strtok.c",
        text: include_str!("../library/pc3-strtok.c"),
        names: &["strtok"],
    },
    Library {
        file: "pc3-calendar.c",
        text: include_str!("../library/pc3-calendar.c"),
        names: &["localtime", "gmtime", "asctime", "ctime"],
    },
    Library {
        file: "pc3-dates.c",
        text: include_str!("../library/pc3-dates.c"),
        names: &["localtime_r", "gmtime_r", "mktime", "timegm", "strptime"],
    },
    Library {
        file: "pc3-getenv.c",
        text: include_str!("../library/pc3-getenv.c"),
        names: &["getenv", "secure_getenv"],
    },
    Library {
        file: "pc3-environment.c",
        text: include_str!("../library/pc3-environment.c"),
        names: &[
            "getenv",
            "secure_getenv",
            "setenv",
            "unsetenv",
            "putenv",
            "clearenv",
        ],
    },
    Library {
        file: "pc3-messages.c",
        text: include_str!("../library/pc3-messages.c"),
        names: &["strerror", "strsignal"],
    },
    Library {
        file: "pc3-tmpnam.c",
        text: include_str!("../library/pc3-tmpnam.c"),
        names: &["tmpnam"],
    },
    Library {
        file: "pc3-directory.c",
        text: include_str!("../library/pc3-directory.c"),
        names: &[
            "opendir",
            "fdopendir",
            "readdir",
            "readdir64",
            "readdir_r",
            "readdir64_r",
            "closedir",
            "rewinddir",
            "telldir",
            "seekdir",
            "dirfd",
            "scandir",
            "scandir64",
        ],
    },
    Library {
        file: "pc3-texts.c",
        text: include_str!("../library/pc3-texts.c"),
        names: &[
            "setlocale",
            "nl_langinfo",
            "ctermid",
            "ttyname",
            "getlogin",
            "ptsname",
            "inet_ntoa",
        ],
    },
    Library {
        file: "pc3-paths.c",
        text: include_str!("../library/pc3-paths.c"),
        names: &[
            "getcwd",
            "realpath",
            "canonicalize_file_name",
            "get_current_dir_name",
            "wcsdup",
        ],
    },
    Library {
        file: "pc3-tempnam.c",
        text: include_str!("../library/pc3-tempnam.c"),
        names: &["tempnam"],
    },
    Library {
        file: "pc3-conventions.c",
        text: include_str!("../library/pc3-conventions.c"),
        names: &["localeconv"],
    },
    Library {
        file: "pc3-digits.c",
        text: include_str!("../library/pc3-digits.c"),
        names: &["ecvt", "fcvt", "qecvt", "qfcvt", "l64a"],
    },
    Library {
        file: "pc3-search.c",
        text: include_str!("../library/pc3-search.c"),
        names: &[
            "tsearch",
            "tfind",
            "tdelete",
            "twalk",
            "twalk_r",
            "tdestroy",
            "hcreate",
            "hsearch",
            "hdestroy",
            "hcreate_r",
            "hsearch_r",
            "hdestroy_r",
        ],
    },
    Library {
        file: "pc3-expansions.c",
        text: include_str!("../library/pc3-expansions.c"),
        names: &["glob", "globfree", "wordexp", "wordfree"],
    },
    Library {
        file: "pc3-patterns.c",
        text: include_str!("../library/pc3-patterns.c"),
        names: &[
            "regcomp",
            "regexec",
            "regfree",
            "regerror",
            "re_set_syntax",
            "re_syntax_options",
            "re_compile_pattern",
            "re_compile_fastmap",
            "re_search",
            "re_search_2",
            "re_match",
            "re_match_2",
            "re_set_registers",
            "re_comp",
            "re_exec",
        ],
    },
    Library {
        file: "pc3-encodings.c",
        text: include_str!("../library/pc3-encodings.c"),
        names: &["iconv_open", "iconv", "iconv_close"],
    },
    Library {
        file: "pc3-keys.c",
        text: include_str!("../library/pc3-keys.c"),
        names: &[
            "pthread_key_create",
            "pthread_key_delete",
            "pthread_setspecific",
            "pthread_getspecific",
            "tss_create",
            "tss_delete",
            "tss_set",
            "tss_get",
        ],
    },
    Library {
        file: "pc3-spin.c",
        text: include_str!("../library/pc3-spin.c"),
        names: &[
            "pthread_spin_init",
            "pthread_spin_destroy",
            "pthread_spin_lock",
            "pthread_spin_trylock",
            "pthread_spin_unlock",
        ],
    },
    Library {
        file: "pc3-formats.c",
        text: include_str!("../library/pc3-formats.c"),
        names: &[
            "register_printf_specifier",
            "register_printf_function",
            "register_printf_modifier",
            "register_printf_type",
        ],
    },
    Library {
        file: "pc3-domains.c",
        text: include_str!("../library/pc3-domains.c"),
        names: &["textdomain", "bindtextdomain", "bind_textdomain_codeset"],
    },
    Library {
        file: "pc3-log.c",
        text: include_str!("../library/pc3-log.c"),
        names: &["openlog", "setlogmask"],
    },
    Library {
        file: "pc3-quick.c",
        text: include_str!("../library/pc3-quick.c"),
        names: &["at_quick_exit", "quick_exit"],
    },
    Library {
        file: "pc3-multibyte.c",
        text: include_str!("../library/pc3-multibyte.c"),
        names: &["mbrtowc", "mbrlen", "mbsrtowcs", "mbsnrtowcs", "mbtowc"],
    },
    Library {
        file: "pc3-copies.c",
        text: include_str!("../library/pc3-copies.c"),
        names: &[
            "strdup",
            "strndup",
            "asprintf",
            "vasprintf",
            "getline",
            "getdelim",
            "__getdelim",
        ],
    },
    Library {
        file: "pc3-lists.c",
        text: include_str!("../library/pc3-lists.c"),
        names: &[
            "argz_create",
            "argz_create_sep",
            "argz_append",
            "argz_add",
            "argz_add_sep",
            "argz_delete",
            "argz_insert",
            "argz_replace",
            "envz_add",
            "envz_merge",
            "envz_remove",
        ],
    },
    Library {
        file: "pc3-scan.c",
        text: include_str!("../library/pc3-scan.c"),
        names: SCANS,
    },
    Library {
        file: "pc3-teams.c",
        text: include_str!("../library/pc3-teams.c"),
        names: &[
            "omp_set_num_threads",
            "omp_set_dynamic",
            "omp_set_nested",
            "omp_set_max_active_levels",
            "omp_set_schedule",
        ],
    },
    Library {
        file: "pc3-checked.c",
        text: include_str!("../library/pc3-checked.c"),
        names: &["__asprintf_chk"],
    },
    Library {
        file: "pc3-checked-prints.c",
        text: include_str!("../library/pc3-checked-prints.c"),
        names: CHECKED_PRINTS,
    },
    Library {
        file: "pc3-error.c",
        text: include_str!("../library/pc3-error.c"),
        names: &["error_at_line"],
    },
    Library {
        file: "pc3-fork.c",
        text: include_str!("../library/pc3-fork.c"),
        names: &["pthread_atfork", "fork"],
    },
    Library {
        file: "pc3-accounts.c",
        text: include_str!("../library/pc3-accounts.c"),
        names: &["getpwnam", "getpwuid", "getgrnam", "getgrgid"],
    },
];

const CHECKED_PRINTS: &[&str] = &[
    "__printf_chk",
    "__fprintf_chk",
    "__dprintf_chk",
    "__vprintf_chk",
    "__vfprintf_chk",
    "__vdprintf_chk",
];
const SCANS: &[&str] = &["scanf", "fscanf", "sscanf", "vscanf", "vfscanf", "vsscanf"];

/// Functions that call back: the program's own only where what they call can reach a location.
const CALLING: &[Library] = &[
    Library {
        file: "pc3-qsort.c",
        text: include_str!("../library/pc3-qsort.c"),
        names: &["qsort"],
    },
    Library {
        file: "pc3-bsearch.c",
        text: include_str!("../library/pc3-bsearch.c"),
        names: &["bsearch"],
    },
];

impl Library {
    /// Beside the program's own units.
    pub fn unit(&self, units: &[Unit], target: &Target) -> (Unit, Diagnostics) {
        let mut text = format!("# 1 \"{}\"\n{}", self.file, self.text);
        // The C library has what its headers name: a static link finds nothing for a weak name.
        if units.iter().any(|u| u.text.contains("\"__isoc23_")) {
            text = text.replace(" __attribute__((weak))", "");
        }
        lower::build(self.file, text, target)
    }
}

/// What a unit of the program calls the functions and variables of the libraries that are among the units.
pub fn renamed(units: &[Unit], unit: usize) -> HashMap<SymId, String> {
    let u = &units[unit];
    let mut map = HashMap::new();
    for l in all().filter(|l| l.file != u.path) {
        if !units.iter().any(|x| x.path == l.file) {
            continue;
        }
        for (i, s) in u.symbols.iter().enumerate() {
            if s.is_global && l.names.contains(&s.name.as_str()) {
                map.extend(linked_as(u, &s.name).map(|name| (SymId(i as u32), name)));
            }
        }
    }
    map
}

/// Headers say by another name for the linker that they mean strict POSIX, large files, or which standard's numbers.
/// None: what was meant before there were such.
fn linked_as(u: &Unit, name: &str) -> Option<String> {
    let says = |other: &str| u.text.contains(&format!("\"{other}\""));
    Some(match name {
        _ if SCANS.contains(&name) => {
            let mut known = ["isoc23", "isoc99"].into_iter();
            let standard = known.find(|s| says(&format!("__{s}_{name}")))?;
            format!("pc3_{standard}_{name}")
        }
        "getopt" if says("__posix_getopt") => "pc3_posix_getopt".into(),
        "readdir" | "scandir" if says(&format!("{name}64")) => format!("pc3_{name}64"),
        // The runtime has these for other programs.
        "strdup" | "strndup" | "asprintf" | "vasprintf" | "getline" | "getdelim" | "__getdelim" => {
            format!("pc3_copied_{name}")
        }
        _ => format!("pc3_{name}"),
    })
}

/// Does the unit call MPI?
pub fn calls_mpi(u: &Unit) -> bool {
    u.exprs.iter().any(|e| match e.kind {
        ExprKind::Ident(s) => {
            let s = u.sym(s);
            s.kind == SymKind::Func && s.is_global && pc3_syntax::names::is_mpi(&s.name)
        }
        _ => false,
    })
}

/// Calls of `scanf` and its like that have the library allocate (`%ms`, `%m[`, `%mc`): what is called there.  `unknown`: do
/// formats that are put together at run time count?
pub fn scans_to_memory(u: &Unit, unknown: bool) -> HashSet<ExprId> {
    let allocates = |a: &ExprId| {
        let ExprKind::Str { .. } = u.expr(*a).kind else {
            return None;
        };
        let text = u.slice(&u.expr(*a).span);
        Some(text.split('%').skip(1).any(|rest| {
            let rest =
                rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '$' || c == '\'');
            let kind = rest.strip_prefix('m').map(|r| r.trim_start_matches('l'));
            kind.is_some_and(|k| k.starts_with(['s', 'c', 'S', 'C', '[']))
        }))
    };
    let format = |name: &str| {
        name.ends_with("scanf")
            .then(|| usize::from(!matches!(name, "scanf" | "wscanf" | "vscanf" | "vwscanf")))
    };
    let calls = u.exprs.iter().filter_map(|x| {
        let ExprKind::Call { callee, args } = &x.kind else {
            return None;
        };
        let ExprKind::Ident(s) = u.expr(*callee).kind else {
            return None;
        };
        let format = args.get(format(&u.sym(s).name)?)?;
        allocates(format).unwrap_or(unknown).then_some(*callee)
    });
    calls.collect()
}

/// What the program uses and does not define itself; `elsewhere`: in objects that are no units.
pub fn used(units: &[Unit], elsewhere: &HashSet<String>) -> Vec<&'static Library> {
    among(units, elsewhere, ALL)
}

/// Those of them that may call functions of the program: they are needed where these can reach a location.
pub fn calling(units: &[Unit], elsewhere: &HashSet<String>) -> Vec<&'static Library> {
    among(units, elsewhere, CALLING)
}

impl Library {
    /// Does it do what C and POSIX say of its functions, or what the C library's own do below it? Others are the GNU C
    /// library's in all details.
    pub fn is_any(&self) -> bool {
        matches!(
            self.file,
            "pc3-rand48.c"
                | "pc3-strtok.c"
                | "pc3-calendar.c"
                | "pc3-getenv.c"
                | "pc3-environment.c"
                | "pc3-texts.c"
                | "pc3-spin.c"
                | "pc3-multibyte-musl.c"
                | "pc3-copies.c"
                | "pc3-checked.c"
                | "pc3-scan.c"
                | "pc3-teams.c"
                | "pc3-fork.c"
        )
    }

    /// What takes its place in a program that is linked with musl.
    pub fn with_musl(&'static self) -> &'static Library {
        match (self.file, OF_MUSL) {
            ("pc3-multibyte.c", [multibyte, ..]) => multibyte,
            _ => self,
        }
    }

    /// Of the functions that it provides, some that these units call.
    pub fn called(&self, units: &[Unit]) -> Vec<&'static str> {
        let names = |s: &Symbol| (self.names.iter().copied()).find(|n| *n == s.name);
        let all = units.iter().flat_map(|u| &u.symbols);
        let mut called: Vec<&str> = all
            .filter(|s| s.kind == SymKind::Func)
            .filter_map(names)
            .collect();
        called.sort_unstable();
        called.dedup();
        called
    }

    pub fn provides(&self, name: &str) -> bool {
        self.names.contains(&name)
    }
}

fn among(
    units: &[Unit],
    elsewhere: &HashSet<String>,
    libraries: &'static [Library],
) -> Vec<&'static Library> {
    let mpi = units.iter().any(calls_mpi);
    let mut used = HashSet::new();
    let mut own: HashSet<&str> = elsewhere.iter().map(String::as_str).collect();
    for u in units {
        let linked = |name: &str| libraries.iter().any(|l| l.names.contains(&name));
        for s in u.symbols.iter().filter(|s| s.is_global && linked(&s.name)) {
            if (s.initialised && s.kind != SymKind::Func) || (s.kind == SymKind::Var && s.defined) {
                own.insert(s.name.as_str());
            }
        }
        // Inline definitions of the library's headers are not the program's.
        let bodies = u
            .functions
            .iter()
            .filter(|f| !u.lines.is_system(f.span.start));
        own.extend(bodies.map(|f| u.sym(f.sym).name.as_str()));
        for e in &u.exprs {
            if let ExprKind::Ident(s) = e.kind {
                let s = u.sym(s);
                if s.is_global && linked(&s.name) {
                    used.insert(s.name.as_str());
                }
            }
        }
    }
    let allocates = units.iter().any(|u| {
        let own = |s: &Symbol| s.is_global && s.storage != Storage::Static && s.initialised;
        let is = |s: &Symbol| own(s) && s.name == "malloc";
        u.symbols.iter().any(is)
    });
    // Bodies in headers that gcc reads call it, too, and nobody calls those.
    let checked = |names: &[&str]| units.iter().any(|u| calls_checked(u, names));
    let called_by_own = ["__asprintf_chk", "error_at_line"];
    if called_by_own.iter().any(|n| used.contains(n)) {
        used.insert("vasprintf");
    }
    let any = |l: &Library, set: &HashSet<&str>| l.names.iter().any(|n| set.contains(n));
    libraries
        .iter()
        .filter(|l| any(l, &used) && !any(l, &own))
        .filter(|l| match l.file {
            // Where ranks share a process, each has an environment.
            "pc3-environment.c" => mpi,
            "pc3-getenv.c" => !mpi,
            "pc3-copies.c" => allocates,
            "pc3-checked.c" => checked(l.names),
            "pc3-checked-prints.c" => mpi && checked(l.names),
            "pc3-fork.c" => used.contains("pthread_atfork"),
            "pc3-scan.c" => units.iter().any(|u| !scans_to_memory(u, true).is_empty()),
            _ => true,
        })
        .collect()
}

fn calls_checked(u: &Unit, names: &[&str]) -> bool {
    u.exprs.iter().any(|e| match e.kind {
        ExprKind::Ident(s) => {
            names.contains(&u.sym(s).name.as_str()) && !u.lines.is_system(e.span.start)
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, files: &[&str]) {
        let (unit, _) = lower::build("a.c", source.into(), &Target::default());
        let found: Vec<&str> = used(&[unit], &HashSet::new())
            .iter()
            .map(|l| l.file)
            .collect();
        assert_eq!(found, files, "{source}");
    }

    #[test]
    fn checked_functions_call_the_copies() {
        let used = "int __asprintf_chk(char **, int, const char *, ...);\n\
                    int main(void) { char *p; return __asprintf_chk(&p, 1, \"\"); }\n";
        check(used, &["pc3-checked.c"]);
        let own = "void *malloc(unsigned long n) { return (void *)n; }\n";
        check(&(own.to_owned() + used), &["pc3-copies.c", "pc3-checked.c"]);
        let header = "# 1 \"stdio.h\" 1 3\n\
                      int __asprintf_chk(char **, int, const char *, ...);\n\
                      static inline int f(char **p) { return __asprintf_chk(p, 1, \"\"); }\n\
                      # 1 \"a.c\" 2\nint main(void) { return 0; }\n";
        check(header, &[]);
        let prints = "int __printf_chk(int, const char *, ...);\n\
                      int main(int n, char **v) { BEGIN; return __printf_chk(1, \"\"); }\n";
        check(&prints.replace("BEGIN", ""), &[]);
        let begin = "int MPI_Init(int *, char ***);\n".to_owned();
        let ranks = begin + &prints.replace("BEGIN", "MPI_Init(&n, &v)");
        check(&ranks, &["pc3-checked-prints.c"]);
    }

    #[test]
    fn only_what_is_used_and_not_the_programs_own() {
        check("int rand(void); int main(void) { return 0; }", &[]);
        check(
            "int rand(void); int main(void) { return rand(); }",
            &["pc3-random.c"],
        );
        check(
            "extern int optind; int main(void) { return optind; }",
            &["pc3-getopt.c"],
        );
        check(
            "static int rand(void) { return 4; } int main(void) { return rand(); }",
            &[],
        );
        check("int main(void) { int random = 1; return random; }", &[]);
        check(
            "char *getenv(const char *); int main(void) { return !getenv(0); }",
            &["pc3-getenv.c"],
        );
        check(
            "char *secure_getenv(const char *); int main(void) { return !secure_getenv(0); }",
            &["pc3-getenv.c"],
        );
        check(
            "char *strdup(const char *); int main(void) { return !strdup(\"\"); }",
            &[],
        );
        check(
            "char *strdup(const char *); void *malloc(unsigned long n) { return (void *)n; } int main(void) { return !strdup(\"\"); }",
            &["pc3-copies.c"],
        );
        check(
            "char *getenv(const char *); int MPI_Finalize(void); int main(void) { return !getenv(0) + MPI_Finalize(); }",
            &["pc3-environment.c"],
        );
    }

    #[test]
    fn every_unit_is_understood() {
        for l in all() {
            let (unit, diags) = l.unit(&[], &Target::default());
            assert!(
                diags.list.is_empty(),
                "{}",
                diags.render(pc3_syntax::diag::Format::Plain)
            );
            for n in l.names {
                assert!(
                    unit.symbols
                        .iter()
                        .any(|s| s.name == *n && (s.initialised || s.defined)),
                    "{n} in {}",
                    l.file
                );
            }
        }
    }
}

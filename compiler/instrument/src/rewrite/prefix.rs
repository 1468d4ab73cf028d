//! Names of the program's own that begin as those in generated code do.

use pc3_program::program::Program;
use pc3_syntax::diag::{Code, Diagnostic, Diagnostics};
use pc3_syntax::tree::*;

const PREFIX: &str = "pc3_";

/// What `pc3.h` declares, which sources may declare themselves.
const DECLARED: &[&str] = &[
    "pc3_checkpoint",
    "pc3_critical_begin",
    "pc3_critical_end",
    "pc3_on",
];

pub fn check(p: &Program, out: &mut Diagnostics) {
    for u in p.units.iter().filter(|u| !pc3_libc::is_own(&u.path)) {
        let symbols = u.symbols.iter().filter(|s| !s.system);
        let named = symbols.filter_map(|s| Some((s.name.as_str(), s.decls.first()?)));
        let tags = u.records.iter();
        let tags = tags.filter_map(|r| Some((r.tag.as_deref()?, r.tag_span.as_ref()?)));
        for (name, span) in named.chain(tags) {
            let own = name.starts_with(PREFIX) && !DECLARED.contains(&name);
            if own && !u.lines.is_system(span.start) && !of_pc3(u, span) {
                out.push(Diagnostic::refusal(
                    u,
                    span,
                    Code::Prefix,
                    format!("`{name}`: names that begin with `{PREFIX}` are pc3's own"),
                    format!("call it otherwise, or compile with -D{name}=my_{name}"),
                ));
            }
        }
    }
}

/// In a header of pc3's?
fn of_pc3(u: &Unit, span: &Span) -> bool {
    let file = u.lines.position(span.start).file;
    let name = file.rsplit('/').next().unwrap_or_default();
    ["pc3.h", "mpi.h"].contains(&name)
}

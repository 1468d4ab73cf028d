//! Why each function is or is not instrumented, and what each point saves.

use crate::rewrite::ProgramFacts;
use pc3_program::program::FnId;

pub(crate) fn explain(w: &ProgramFacts) -> String {
    let mut out = String::new();
    let mut file = "";
    // Headers' functions are in every unit.
    let users = |f: &FnId| {
        let (start, lines) = (w.p.func(*f).span.start, &w.p.unit(*f).lines);
        !lines.is_system(start) || lines.is_users_file(start)
    };
    for f in w.p.ids().filter(users) {
        let u = w.p.unit(f);
        if w.p.units.len() > 1 && file != u.path {
            file = &u.path;
            out += &format!("{file}:\n");
        }
        let plan = &w.plans[f.index()];
        let name = w.p.name(f);
        if plan.points.is_empty() {
            let why = if w.graph.reaches[f.index()] {
                "reaches a location only by tail calls: no frame to save"
            } else if w.graph.passing.contains(&f) {
                "passes locations by, as an annotation says"
            } else {
                "not instrumented"
            };
            out += &format!("{name}: {why}\n");
            continue;
        }
        out += &format!("{name}: instrumented\n");
        if !plan.shadow.is_empty() {
            let names: Vec<&str> = plan
                .shadow
                .iter()
                .map(|s| u.sym(*s).name.as_str())
                .collect();
            out += &format!("  shadow stack: {}\n", names.join(" "));
        }
        for (p, l) in plan.points.list.iter().zip(&plan.live) {
            let at = u.lines.position(p.span.start);
            let names: Vec<&str> = l.vars.iter().map(|s| u.sym(*s).name.as_str()).collect();
            let temps = if l.temps.is_empty() {
                String::new()
            } else {
                format!(" +{} intermediate", l.temps.len())
            };
            out += &format!(
                "  {}: line {} {}: saves {}{temps}\n",
                p.label,
                at.line,
                p.what,
                names.join(" ")
            );
        }
    }
    for line in &w.tags.told {
        out += &format!("union: {line}\n");
    }
    out
}

//! Prints the instrumented C of preprocessed sources: `instrument [--everywhere] a.i b.i`.

use pc3_instrument::rewrite::{instrument, Options};
use pc3_syntax::types::Target;

fn main() {
    let mut units = Vec::new();
    let macros = std::process::Command::new("gcc")
        .args(["-dM", "-E", "-x", "c", "/dev/null"])
        .output()
        .expect("gcc");
    let macros = pc3_syntax::preprocess::parse_macros(&String::from_utf8_lossy(&macros.stdout));
    let target = Target::from_macros(&macros);
    let everywhere = std::env::args().any(|a| a == "--everywhere");
    for path in std::env::args().skip(1).filter(|a| !a.starts_with("--")) {
        let text = std::fs::read_to_string(&path).expect("readable source");
        let (unit, diagnostics) = pc3_syntax::lower::build(&path, text, &target);
        eprint!("{}", diagnostics.render(pc3_syntax::diag::Format::Plain));
        units.push(unit);
    }
    if everywhere {
        let wanted = pc3_syntax::locations::Locations {
            at: Vec::new(),
            everywhere,
        };
        let (placed, diagnostics) = pc3_syntax::front::place(units, &wanted, &[], true);
        eprint!("{}", diagnostics.render(pc3_syntax::diag::Format::Plain));
        units = placed;
    }
    let out = instrument(
        &units,
        &Options {
            everywhere,
            ..Options::default()
        },
    );
    eprint!(
        "{}",
        out.diagnostics.render(pc3_syntax::diag::Format::Plain)
    );
    eprint!("{}", out.explain);
    for t in &out.texts {
        println!("{t}");
    }
}

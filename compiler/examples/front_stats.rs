//! Parses and lowers preprocessed files given on the command line; for trying real code by hand.
//!
//! `-d` prints the tree, `-e` the text with locations everywhere, `-t` the text with an
//! assertion about the type of each expression (to be compiled: it fails where we are wrong). `--cc=CC` says
//! for which compiler the files were preprocessed.

use pc3_syntax::locations::{apply, Locations};
use pc3_syntax::{dump, lower, types::Target};
use std::process::Command;
use std::time::Instant;

fn main() {
    let mut mode = String::new();
    let mut target = Target::default();
    let (mut files, mut clean, mut bytes, mut seconds) = (0, 0, 0, 0.0);
    for path in std::env::args().skip(1) {
        if let Some(cc) = path.strip_prefix("--cc=") {
            let mut macros = Command::new(cc);
            macros.args(["-dM", "-E", "-x", "c", "/dev/null"]);
            match pc3_syntax::front::target(&mut macros) {
                Ok(t) => target = t,
                Err(e) => eprintln!("{e}"),
            }
            continue;
        }
        if path.starts_with('-') {
            mode = path;
            continue;
        }
        let raw = match std::fs::read(&path) {
            Ok(raw) => raw,
            Err(e) => {
                eprintln!("{path}: {e}");
                continue;
            }
        };
        let text = pc3_syntax::preprocess::to_text(raw);
        let start = Instant::now();
        let (unit, diags) = lower::build(&path, text, &target);
        seconds += start.elapsed().as_secs_f64();
        files += 1;
        bytes += unit.text.len();
        let spans = dump::check_spans(&unit);
        clean += (diags.list.is_empty() && spans.is_empty()) as usize;
        eprint!("{}", diags.render(pc3_syntax::diag::Format::Plain));
        for s in spans.iter().take(5) {
            eprintln!("{path}: span: {s}");
        }
        match mode.as_str() {
            "-d" => print!("{}", dump::dump(&unit)),
            "-e" => {
                let all = Locations {
                    everywhere: true,
                    ..Locations::default()
                };
                print!("{}", apply(&unit, &all).text.unwrap_or(unit.text));
            }
            "-t" => print!("{}", dump::with_type_assertions(&unit)),
            _ => {}
        }
    }
    eprintln!("{clean} of {files} files clean, {bytes} bytes in {seconds:.2} s");
}

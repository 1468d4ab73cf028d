//! Parses and lowers preprocessed files given on the command line; for trying real code by hand.
//! `-d` prints the tree.

use pc3cc::{dump, lower, types::Target};
use std::time::Instant;

fn main() {
    let mut show = false;
    let (mut files, mut clean, mut bytes, mut seconds) = (0, 0, 0, 0.0);
    for path in std::env::args().skip(1) {
        if path == "-d" {
            show = true;
            continue;
        }
        let raw = match std::fs::read(&path) {
            Ok(raw) => raw,
            Err(e) => {
                eprintln!("{path}: {e}");
                continue;
            }
        };
        let text = String::from_utf8_lossy(&raw).into_owned();
        let start = Instant::now();
        let (unit, diags) = lower::build(&path, text, &Target::default());
        seconds += start.elapsed().as_secs_f64();
        files += 1;
        bytes += unit.text.len();
        let spans = dump::check_spans(&unit);
        clean += (diags.list.is_empty() && spans.is_empty()) as usize;
        print!("{}", diags.render(false));
        for s in spans.iter().take(5) {
            println!("{path}: span: {s}");
        }
        if show {
            print!("{}", dump::dump(&unit));
        }
    }
    println!("{clean} of {files} files clean, {bytes} bytes in {seconds:.2} s");
}

//! The manual page of `pc3cc`, made of what its `--help` says.

use super::VERSION;

/// `help` is pc3cc's part up to an empty line, then that of the compiler below.
pub(super) fn pc3cc(help: &str) -> String {
    let own = help.split("\n\n").next().unwrap_or(help);
    let mut page = format!(
        ".TH pc3cc 1 \"\" \"pc3 {VERSION}\"\n.SH NAME\npc3cc \\- compiles C and MPI programs that save their state in a portable form\n\
         .SH SYNOPSIS\n.B pc3cc\n[options] file...\n.SH DESCRIPTION\n\
         Takes the options of cc, and links pc3's runtime. Where the program says so, a checkpoint can be taken; \\fBpc3run\\fR(1) says when.\n\
         .SH OPTIONS\n"
    );
    for line in own.lines().filter(|l| l.starts_with("  ")) {
        let line = escaped(line.trim_end());
        match line[2..].split_once("  ") {
            Some((option, text)) if !line.starts_with("   ") => {
                page += &format!(".TP\n.B {option}\n{}\n", text.trim_start());
            }
            _ if line.starts_with("   ") => page += &format!("{}\n", line.trim_start()),
            _ => page += &format!(".TP\n.B {}\n", line.trim_start()),
        }
    }
    page +=
        "All other options go to the compiler below.\n.SH SEE ALSO\n.BR pc3run (1),\n.BR pc3 (1)\n";
    page
}

/// As roff reads it: a hyphen that can be copied, no request at the beginning of a line.
fn escaped(line: &str) -> String {
    line.replace('\\', "\\e")
        .replace('-', "\\-")
        .replace('\'', "\\(aq")
        .replace("...", "\\&...")
}

//! Standard output and error that are files: processes behind the launcher of a native MPI are told where they lie.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, MetadataExt};

const OUTPUTS: [(i32, &str); 2] = [(1, "PC3_STDOUT"), (2, "PC3_STDERR")];

/// Sets `MACHINE:PROCESS DEVICE INODE PATH` for each that is one.  Launchers write to them, too, and so at their ends from now on.
pub(super) fn offer() {
    for (fd, name) in OUTPUTS {
        std::env::remove_var(name);
        if let Some(text) = described(fd) {
            std::env::set_var(name, text);
            append(fd);
            share();
        }
    }
}

/// Processes of this user may have what is open here, though the system lets only those above do that by itself.
fn share() {
    // SAFETY: a plain system call; where there is no such restriction it fails.
    unsafe { libc::prctl(libc::PR_SET_PTRACER, libc::PR_SET_PTRACER_ANY, 0, 0, 0) };
}

fn described(fd: i32) -> Option<String> {
    let own = format!("/proc/self/fd/{fd}");
    let file = fs::metadata(&own).ok().filter(fs::Metadata::is_file)?;
    let path = fs::read_link(own).ok()?;
    let read = |name: &str| fs::read_to_string(format!("/proc/sys/kernel/{name}")).ok();
    let (boot, name) = (read("random/boot_id")?, read("hostname")?);
    let (device, inode) = (file.dev(), file.ino());
    // What cannot be told in a variable stays the launcher's.
    let path = path.to_str().filter(|p| !p.contains('\n'))?;
    let (boot, name) = (boot.trim(), name.trim());
    let process = std::process::id();
    Some(format!("{boot}:{name}:{process} {device} {inode} {path}"))
}

fn append(fd: i32) {
    // SAFETY: plain system calls.
    unsafe {
        let flags = libc::fcntl(fd, libc::F_GETFL);
        if flags >= 0 {
            libc::fcntl(fd, libc::F_SETFL, flags | libc::O_APPEND);
        }
    }
}

/// Does what is written there go to the end, wherever that is by then?
fn appends(fd: i32) -> bool {
    // SAFETY: a plain system call.
    let flags = unsafe { libc::fcntl(fd, libc::F_GETFL) };
    flags >= 0 && flags & libc::O_APPEND != 0
}

/// MPICH's launcher writes some lines on standard output when a process has ended badly. Where that is a file they would stand in the
/// program's results: they go to standard error, as those of others.
pub(super) fn take_out_banner(before: Option<u64>) {
    let Some(before) = before else { return };
    let moved = || -> io::Result<()> {
        let file = File::options()
            .read(true)
            .write(true)
            .open("/proc/self/fd/1")?;
        let length = file.metadata()?.len();
        let from = before.max(length.saturating_sub(MOST));
        let mut text = vec![0; length.saturating_sub(from) as usize];
        file.read_exact_at(&mut text, from)?;
        if let Some(at) = banner(&text).filter(|_| appends(1)) {
            // First: standard error may lead there, too.
            file.set_len(from + at as u64)?;
            io::stderr().write_all(&text[at..])?;
        }
        Ok(())
    };
    // Then they stay.
    let _ = moved();
}

/// How long standard output is, if it is a file.
pub(super) fn length() -> Option<u64> {
    let file = fs::metadata("/proc/self/fd/1").ok()?;
    file.is_file().then_some(file.len())
}

/// The launcher's last words are not longer.
const MOST: u64 = 1 << 16;

/// Where those of MPICH's begin, if nothing follows them.
fn banner(text: &[u8]) -> Option<usize> {
    const TITLE: &[u8] = b"=\n=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n";
    const CLOSES: &[u8] = b"\n=   YOU CAN IGNORE THE BELOW CLEANUP MESSAGES\n=";
    const SIGNAL: &[u8] = b"YOUR APPLICATION TERMINATED WITH THE EXIT STRING: ";
    let last = |of: &[u8], what: &[u8]| of.windows(what.len()).rposition(|w| w == what);
    let title = last(text, TITLE)?;
    let closes = title + last(&text[title..], CLOSES)? + CLOSES.len();
    let behind = text[closes..].split_inclusive(|b| *b == b'\n').skip(1);
    let behind: Vec<&[u8]> = behind.collect();
    let is_all = behind.first().is_none_or(|l| l.starts_with(SIGNAL)) && behind.len() <= 3;
    // In front of its bar it has an empty line.
    let bar = text[..title].iter().rposition(|b| *b != b'=')?;
    (is_all && text[bar] == b'\n').then_some(bar)
}

#[cfg(test)]
mod tests {
    use super::banner;

    #[test]
    fn last_words_of_a_launcher_are_known() {
        let bar = "=".repeat(83);
        let words = format!(
            "\n{bar}\n=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n=   EXIT CODE: 9\n\
             =   YOU CAN IGNORE THE BELOW CLEANUP MESSAGES\n{bar}\n"
        );
        let signal =
            "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)\nThis\nPlease\n";
        let at = |text: &str| banner(text.as_bytes());
        assert_eq!(at(&words), Some(0));
        assert_eq!(at(&format!("sum 4\n{words}")), Some(6));
        assert_eq!(at(&format!("sum 4\n{words}{signal}")), Some(6));
        assert_eq!(at(&format!("{words}sum 4\n")), None);
        assert_eq!(at("sum 4\n"), None);
        assert_eq!(at(&words[..150]), None);
    }
}

//! Standard output and error that are files: processes behind the launcher of a native MPI are told where they lie.

use std::fs;
use std::os::unix::fs::MetadataExt;

const OUTPUTS: [(i32, &str); 2] = [(1, "PC3_STDOUT"), (2, "PC3_STDERR")];

/// Sets `MACHINE DEVICE INODE PATH` for each that is one.  Launchers write to them, too, and so at their ends from now on.
pub(super) fn offer() {
    for (fd, name) in OUTPUTS {
        std::env::remove_var(name);
        if let Some(text) = described(fd) {
            std::env::set_var(name, text);
            append(fd);
        }
    }
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
    Some(format!("{boot}:{name} {device} {inode} {path}"))
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

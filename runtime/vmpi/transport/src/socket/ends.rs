//! The sockets that the launcher has made: `PC3_LINK=socket:INDEX:FD,FD,...`, `-` for oneself.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use pc3_os::files;
use pc3_runtime::own_file;

/// What `pc3run` tells a process that it is one of several: `socket:INDEX:FD,FD,...`, or `mpi:` and the shared object
/// of a transport over the MPI that has started it.
pub(crate) const LINK: &str = "PC3_LINK";

fn parse(text: &str) -> Option<(u32, Vec<Option<RawFd>>)> {
    let (index, list) = text.strip_prefix("socket:")?.split_once(':')?;
    let one = |w: &str| match w {
        "-" => Some(None),
        w => w.parse().ok().filter(|fd| *fd > 2).map(Some),
    };
    let list: Vec<Option<RawFd>> = list.split(',').map(one).collect::<Option<_>>()?;
    let index: u32 = index.parse().ok()?;
    let own = |(i, fd): (usize, &Option<RawFd>)| fd.is_none() == (i == index as usize);
    ((index as usize) < list.len() && list.iter().enumerate().all(own)).then_some((index, list))
}

/// This process's index, and its ends of the connections, by process.
pub(super) fn take() -> Result<(u32, Vec<Option<OwnedFd>>), String> {
    let text = std::env::var(LINK).ok().unwrap_or_default();
    let wrong = || format!("{LINK}={text} is not what pc3run sets");
    let (index, list) = parse(&text).ok_or_else(wrong)?;
    // The program's own children are no part of the job.
    std::env::remove_var(LINK);
    let end = |fd: RawFd| -> io::Result<OwnedFd> {
        if !files::is_open(fd) {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the launcher made it for us alone.
        let fd: OwnedFd = own_file(unsafe { File::from_raw_fd(fd) }).into();
        files::set_nonblocking(fd.as_raw_fd());
        Ok(fd)
    };
    let ends: io::Result<Vec<_>> = list.into_iter().map(|fd| fd.map(end).transpose()).collect();
    Ok((index, ends.map_err(|e| format!("{}: {e}", wrong()))?))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn only_what_the_launcher_writes_is_read() {
        assert_eq!(
            parse("socket:1:7,-,9"),
            Some((1, vec![Some(7), None, Some(9)]))
        );
        for bad in [
            "",
            "socket:0:7,-",
            "socket:2:-,5",
            "socket:0:-,2",
            "mpi:0:-,5",
            "socket:0:-,x",
        ] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }
}

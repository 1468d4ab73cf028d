//! Why a file that exists cannot be executed: reads the head of an executable.

use std::fs::File;
use std::io::Read;
use std::path::Path;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Executable {
    pub machine: u16,
    pub bits: u8,
    pub big_endian: bool,
    /// The dynamic loader it asks for.
    pub loader: Option<String>,
}

pub(super) fn read(path: &Path) -> Option<Executable> {
    let mut head = Vec::new();
    File::open(path)
        .ok()?
        .take(64 << 10)
        .read_to_end(&mut head)
        .ok()?;
    parse(&head)
}

fn parse(head: &[u8]) -> Option<Executable> {
    if head.get(..4)? != b"\x7fELF" {
        return None;
    }
    let (wide, big) = (*head.get(4)? == 2, *head.get(5)? == 2);
    let number = |at: usize, len: usize| -> Option<u64> {
        let bytes = head.get(at..at.checked_add(len)?)?;
        let fold = |n: u64, b: &u8| n << 8 | u64::from(*b);
        Some(if big {
            bytes.iter().fold(0, fold)
        } else {
            bytes.iter().rev().fold(0, fold)
        })
    };
    let word = if wide { 8 } else { 4 };
    let table = usize::try_from(number(if wide { 32 } else { 28 }, word)?).ok()?;
    let size = number(if wide { 54 } else { 42 }, 2)? as usize;
    let count = number(if wide { 56 } else { 44 }, 2)? as usize;
    const INTERP: u64 = 3;
    let loader = (0..count).find_map(|i| {
        let entry = table.checked_add(i * size)?;
        if number(entry, 4)? != INTERP {
            return None;
        }
        let at = usize::try_from(number(entry + if wide { 8 } else { 4 }, word)?).ok()?;
        let text = head.get(at..)?.split(|&b| b == 0).next()?;
        Some(String::from_utf8_lossy(text).into_owned())
    });
    Some(Executable {
        machine: number(18, 2)? as u16,
        bits: if wide { 64 } else { 32 },
        big_endian: big,
        loader,
    })
}

impl Executable {
    /// Name of the architecture, as in `qemu-NAME`.
    pub fn arch(&self) -> Option<&'static str> {
        Some(match (self.machine, self.bits, self.big_endian) {
            (3, 32, _) => "i386",
            (62, ..) => "x86_64",
            (22, 64, _) => "s390x",
            (183, _, false) => "aarch64",
            (40, _, false) => "arm",
            (20, ..) => "ppc",
            (21, _, true) => "ppc64",
            (21, _, false) => "ppc64le",
            (243, 64, _) => "riscv64",
            (258, 64, _) => "loongarch64",
            (8, 64, true) => "mips64",
            (8, 64, false) => "mips64el",
            _ => return None,
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn this_test_is_an_executable() {
        let me = read(&std::env::current_exe().unwrap()).unwrap();
        assert_eq!(u32::from(me.bits), usize::BITS);
        assert_eq!(me.big_endian, cfg!(target_endian = "big"));
        let host = std::env::consts::ARCH;
        assert_eq!(me.arch(), Some(if host == "x86" { "i386" } else { host }));
        assert!(me.loader.is_none_or(|l| l.starts_with('/')));
    }

    #[test]
    fn no_head_is_trusted() {
        let whole = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        for n in 0..200 {
            let _ = parse(&whole[..n]);
            let mut bad = whole[..4096].to_vec();
            bad[n] ^= 0xff;
            let _ = parse(&bad);
        }
        assert_eq!(parse(b"#!/bin/sh\n"), None);
    }
}

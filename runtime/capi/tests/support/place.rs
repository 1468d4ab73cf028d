//! Where one job runs, and what is left there.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use crate::targets::Built;

/// Of a walk.
const STEPS: &str = "120";

/// A place where one job runs, its output going to a file that grows from run to run.
pub struct Place {
    pub dir: TempDir,
    /// Runs `library` or `ring` with these arguments instead of `walk`.
    pub library: Option<&'static [&'static str]>,
    pub ring: bool,
    /// These arguments, but for `walk`.
    pub walk: bool,
}

pub struct Ran {
    pub status: Option<i32>,
    pub stderr: String,
}

impl Place {
    pub fn new() -> Place {
        Place {
            dir: tempfile::tempdir().unwrap(),
            library: None,
            ring: false,
            walk: false,
        }
    }

    /// For `library`, with its inputs.
    pub fn library(args: &'static [&'static str]) -> Place {
        let place = Place {
            library: Some(args),
            ..Place::new()
        };
        let lines = |name: &str, n: u32| {
            let text: String = (0..n).map(|i| format!("{name} {i}\n")).collect();
            fs::write(place.path(name), text).unwrap();
        };
        lines("in", 9);
        lines("stdin", 40);
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn command(&self, on: &Built, vars: &[(&str, &str)]) -> Command {
        let (source, args) = match self.library {
            Some(args) if self.ring => ("ring", args),
            Some(args) if self.walk => ("walk", args),
            Some(args) => ("library", args),
            None => ("walk", &[STEPS, "log"][..]),
        };
        let mut command = on.command(source);
        let out = fs::OpenOptions::new()
            .append(true)
            .create(true)
            .open(self.path("out"))
            .unwrap();
        command
            .args(args)
            .current_dir(self.dir.path())
            .stdout(out)
            .stdin(fs::File::open(self.path("stdin")).map_or(Stdio::null(), Stdio::from));
        command
            .env("PC3_DIR", self.path("ckpt"))
            .envs(vars.iter().copied());
        command
    }

    pub fn run(&self, on: &Built, vars: &[(&str, &str)]) -> Ran {
        let Output { status, stderr, .. } = self
            .command(on, vars)
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        Ran {
            status: status.code(),
            stderr: String::from_utf8_lossy(&stderr).into_owned(),
        }
    }

    pub fn outputs(&self) -> (String, String) {
        (
            fs::read_to_string(self.path("out")).unwrap(),
            fs::read_to_string(self.path("log")).unwrap(),
        )
    }

    pub fn checkpoints(&self) -> Vec<PathBuf> {
        let mut all: Vec<_> = fs::read_dir(self.path("ckpt"))
            .unwrap()
            .map(|e| e.unwrap().path())
            .filter(|p| p.extension().is_some_and(|e| e == "pc3c"))
            .collect();
        all.sort();
        all
    }

    pub fn leftovers(&self) -> Vec<String> {
        fs::read_dir(self.path("ckpt"))
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .filter(|n| !n.ends_with(".pc3c"))
            .collect()
    }
}

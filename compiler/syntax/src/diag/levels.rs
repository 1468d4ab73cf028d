//! Which warnings are shown, and which count as errors: `-w`, `-Werror`, `-Wno-pc3-NAME`, `-Werror=pc3-NAME` and their like.

use super::{Code, Diagnostic, Diagnostics, Severity};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Level {
    Off,
    On,
    Error,
}

/// What the command line says of warnings; the last switch for a code counts, as in gcc.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Levels {
    /// `-w`
    pub silent: bool,
    /// `-Werror`
    pub all_errors: bool,
    chosen: Vec<(Code, Level)>,
}

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unknown warning '-Wpc3-{0}' (known: {1})")]
pub struct BadSwitch(String, String);

impl Levels {
    /// Takes a switch if it is one of pc3's warnings'.
    pub fn take(&mut self, a: &str) -> Result<bool, BadSwitch> {
        let forms = [
            ("-Wno-error=pc3", Level::On),
            ("-Wno-pc3", Level::Off),
            ("-Werror=pc3", Level::Error),
            ("-Wpc3", Level::On),
        ];
        for (prefix, level) in forms {
            match a.strip_prefix(prefix) {
                Some("" | "-all") => self.set(level, |_| true),
                Some(name) if name.starts_with('-') => {
                    let name = &name[1..];
                    match Code::find(name).filter(|c| c.severity() == Severity::Warning) {
                        Some(code) => self.set(level, |c| c == code),
                        // As gcc does for what it is told not to warn of.
                        None if level == Level::Off => {}
                        None => return Err(BadSwitch(name.to_string(), known())),
                    }
                }
                _ => continue,
            }
            return Ok(true);
        }
        Ok(false)
    }

    /// No warnings at all.
    pub fn none(&mut self) {
        self.set(Level::Off, |_| true);
    }

    fn set(&mut self, level: Level, which: impl Fn(Code) -> bool) {
        let warnings = Code::ALL
            .iter()
            .filter(|c| c.severity() == Severity::Warning);
        self.chosen
            .extend(warnings.filter(|c| which(**c)).map(|c| (*c, level)));
    }

    fn of(&self, code: Code) -> Level {
        let chosen = self
            .chosen
            .iter()
            .rev()
            .find(|(c, _)| *c == code)
            .map(|(_, l)| *l);
        match chosen {
            Some(l) => l,
            // -Werror is about C, and whoever sets it wants his programs built; these two say that one is left as it is.
            None if matches!(code, Code::NoLocation | Code::LocationElsewhere) => Level::On,
            None if code == Code::LongRange => Level::Off,
            None if self.all_errors => Level::Error,
            None => Level::On,
        }
    }

    /// The diagnostics that are shown, at the severity that counts.
    pub fn apply(&self, found: &Diagnostics) -> Diagnostics {
        let keep = |d: &Diagnostic| {
            let mut d = d.clone();
            if d.severity == Severity::Warning {
                match self.of(d.code) {
                    Level::Off => return None,
                    Level::On if self.silent => return None,
                    Level::On => {}
                    Level::Error => d.severity = Severity::Error,
                }
            }
            Some(d)
        };
        Diagnostics {
            list: found.list.iter().filter_map(keep).collect(),
        }
    }
}

fn known() -> String {
    let names: Vec<&str> = Code::ALL
        .iter()
        .map(|c| c.switch())
        .filter(|s| !s.is_empty())
        .collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_switch_counts() {
        let check = |args: &[&str], expected: Option<Severity>| {
            let mut levels = Levels::default();
            for a in args {
                match *a {
                    "-w" => levels.silent = true,
                    "-Werror" => levels.all_errors = true,
                    a => assert_eq!(levels.take(a), Ok(true), "{a}"),
                }
            }
            let mut list = Diagnostics::default();
            list.push(Diagnostic::warning(Code::UntypedAllocation, "m"));
            let shown = levels.apply(&list);
            assert_eq!(shown.list.first().map(|d| d.severity), expected, "{args:?}");
        };
        let (warning, error) = (Some(Severity::Warning), Some(Severity::Error));
        check(&[], warning);
        check(&["-w"], None);
        check(&["-Werror"], error);
        check(&["-Wno-pc3"], None);
        check(&["-Wno-pc3-all"], None);
        check(&["-Wno-pc3", "-Wpc3-untyped-allocation"], warning);
        check(&["-Wno-pc3-W0301"], None);
        check(
            &["-Wno-pc3-no-location", "-Wno-pc3-never-heard-of"],
            warning,
        );
        check(&["-Werror=pc3-untyped-allocation"], error);
        check(&["-Werror", "-Wno-error=pc3-untyped-allocation"], warning);
        assert!(Levels::default().take("-Wpc3-untyped").is_err());
        assert_eq!(Levels::default().take("-Wall"), Ok(false));
    }
}

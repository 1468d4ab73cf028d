//! What can come of a tortured program.

use std::fmt;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// Did what the plain build does, wherever it was stopped and moved.
    Pass,
    /// As above; it ends before it comes to a location.
    Unstopped,
    /// pc3cc says why not, with code and line.
    Refused,
    /// The restart says why not.
    RefusedRestart,
    /// The plain build fails, hangs, or does something else in each run: nothing to compare with.
    NoReference,
    /// A machine of the plain build's opinion is not here; passes at home.
    Disagree,
    /// No wonder: run on one machine only the program holds other values than on another, although it ends alike on
    /// each (byte order, sizes); or the plain build, too, does something else once the compiler inlines less.
    Depends,
    /// Without a location pc3cc does not make of it what the plain compiler does.
    Front,
    /// pc3cc wrote what the compiler does not take.
    Uncompilable,
    /// pc3cc itself ended badly.
    Broken,
    Wrong,
    Crash,
    Hang,
}

impl Kind {
    pub const ALL: [Kind; 13] = [
        Kind::Pass,
        Kind::Unstopped,
        Kind::Disagree,
        Kind::Refused,
        Kind::RefusedRestart,
        Kind::NoReference,
        Kind::Depends,
        Kind::Front,
        Kind::Uncompilable,
        Kind::Broken,
        Kind::Wrong,
        Kind::Crash,
        Kind::Hang,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Kind::Pass => "pass",
            Kind::Unstopped => "no-location",
            Kind::Refused => "refused",
            Kind::RefusedRestart => "refused-restart",
            Kind::NoReference => "no-reference",
            Kind::Disagree => "plain-disagree",
            Kind::Depends => "dependent",
            Kind::Front => "front",
            Kind::Uncompilable => "uncompilable",
            Kind::Broken => "broken",
            Kind::Wrong => "wrong",
            Kind::Crash => "crash",
            Kind::Hang => "hang",
        }
    }

    pub fn of(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|k| k.name() == name)
    }

    /// Must never happen.
    pub fn is_bad(self) -> bool {
        self >= Kind::Front
    }

    pub fn is_pass(self) -> bool {
        matches!(self, Kind::Pass | Kind::Unstopped | Kind::Disagree)
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verdict {
    pub kind: Kind,
    /// Of a refusal: the code, `E0305`, or the restart's message without names and numbers.
    pub why: String,
    /// For a person.
    pub detail: String,
    /// Restarts survived.
    pub moves: u64,
}

impl Verdict {
    pub fn new(kind: Kind, detail: impl Into<String>) -> Verdict {
        Verdict {
            kind,
            why: String::new(),
            detail: detail.into(),
            moves: 0,
        }
    }

    pub fn because(mut self, why: impl Into<String>) -> Verdict {
        self.why = why.into();
        self
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.kind.name())?;
        if !self.why.is_empty() {
            write!(f, " {}", self.why)?;
        }
        Ok(())
    }
}

/// The codes of pc3cc's errors in what it said: `a.c:3:1: error[pc3::E0305]: ...`.
pub fn codes(said: &str) -> Vec<String> {
    let mut codes: Vec<String> = said
        .lines()
        .filter_map(|l| {
            let (_, rest) = l.split_once(": error[pc3::")?;
            Some(rest.split(']').next()?.to_owned())
        })
        .collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

/// The restart's reason, so that like ones count together: the last part of its message, without names and numbers.
pub fn reason(stderr: &str) -> String {
    let Some(line) = stderr
        .lines()
        .rfind(|l| l.contains("cannot be continued here"))
    else {
        return "not told".into();
    };
    let text = line
        .split_once("here: ")
        .map_or(line, |(_, rest)| rest)
        .rsplit(": ")
        .next()
        .unwrap_or(line);
    let mut out = String::new();
    let mut quoted = false;
    for c in text.chars() {
        match c {
            '\'' | '`' => {
                quoted = !quoted;
                if quoted {
                    out.push('…');
                }
            }
            _ if quoted => {}
            '0'..='9' => {
                if !out.ends_with('#') {
                    out.push('#');
                }
            }
            _ => out.push(c),
        }
    }
    out.truncate(out.char_indices().nth(90).map_or(out.len(), |(i, _)| i));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_grouped() {
        let said = "a.c:1:2: error[pc3::E0305]: x\n 1 | a\na.c:3:2: error[pc3::E0301]: y\nb.c:3:2: error[pc3::E0305]: y\n";
        assert_eq!(codes(said), ["E0301", "E0305"]);
        assert_eq!(codes("a.c:1:2: error: expected ';'\n"), [""; 0]);
        let a = "pc3: checkpoint 2 cannot be continued here: rank 0: global 'x': 12 does not fit 'long'";
        assert_eq!(reason(a), "# does not fit …");
    }
}

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
    /// No wonder: one of [`super::dependent`], whose result is the machine's or the optimiser's by its own making.
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

#[derive(Clone, PartialEq, Debug)]
pub struct Verdict {
    pub kind: Kind,
    /// Of a refusal: the code, `E0305`, or the restart's message without names and numbers.
    pub why: String,
    /// For a person.
    pub detail: String,
    /// Restarts survived.
    pub moves: u64,
    /// It has passed everything that was asked of it on its own machine.
    pub stayed: bool,
    pub seconds: f64,
}

impl Verdict {
    pub fn new(kind: Kind, detail: impl Into<String>) -> Verdict {
        Verdict {
            kind,
            why: String::new(),
            detail: detail.into(),
            moves: 0,
            stayed: false,
            seconds: 0.0,
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

/// What restarts say, by a part of it, and what like ones count under.
const REASONS: [(&str, &str); 8] = [
    (
        "does not fit the target's",
        "a value does not fit the target's type",
    ),
    (
        "no exact representation",
        "a floating-point value has no exact representation there",
    ),
    (
        "which of the members",
        "which member of a union is in use is not known",
    ),
    ("vector cannot move", "vectors stay on their ABI"),
    (
        "of unknown type cannot move",
        "memory of unknown type stays on its ABI",
    ),
    ("an array of", "an array has another length there"),
    (
        "whose bytes differ in the target",
        "a pointer into bytes that differ there",
    ),
    ("in the checkpoint, ", "a variable has another type there"),
];

/// The restart's reason, so that like ones count together: the last part of its message, without names and numbers.
pub fn reason(stderr: &str) -> String {
    let said = stderr
        .lines()
        .rfind(|l| l.contains("cannot be continued here"));
    let Some(line) = said else {
        let said = stderr.lines().rfind(|l| l.starts_with("pc3: "));
        return said.map_or("not told".into(), anonymous);
    };
    let known = REASONS.iter().find(|(part, _)| line.contains(part));
    known.map_or_else(|| anonymous(line), |(_, name)| (*name).to_owned())
}

fn anonymous(line: &str) -> String {
    let text = line.rsplit(": ").next().unwrap_or(line);
    let mut out = String::new();
    let mut quoted = false;
    for c in text.chars() {
        match c {
            '\'' | '`' | '"' => {
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
        let at = "pc3: error[pc3::E0505]: checkpoint 2 cannot be continued here: rank 0: ";
        let check =
            |said: &str, expected: &str| assert_eq!(reason(&format!("{at}{said}")), expected);
        check("global 'x': 12 is not 'y'", "# is not …");
        check(
            "f.x: vector cannot move from i686 to s390x",
            "vectors stay on their ABI",
        );
        assert_eq!(reason("pc3: something else"), "something else");
        assert_eq!(reason(""), "not told");
    }
}

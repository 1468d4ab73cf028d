//! The environment variables that control a run, read once and checked whole.

use std::collections::BTreeMap;
use std::ffi::c_int;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use pc3_os::signals;
use thiserror::Error;

use crate::placement::Map;

/// `PC3_EVERY`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Every {
    Never,
    Time(Duration),
    Passages(u64),
}

/// What a signal does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    Checkpoint,
    Stop,
}

/// `PC3_PATIENCE`, unless given.
pub const PATIENCE: Duration = Duration::from_secs(60);
/// `PC3_POLLING`, unless given.
pub const POLLING: Duration = Duration::from_secs(10);

/// Variables that mean something to a program, its launcher or the compiler.
const NAMES: [&str; 33] = [
    "PC3_ADDRESSES",
    "PC3_BYTE_ORDER",
    "PC3_CACHE",
    "PC3_CC",
    "PC3_COMMIT",
    "PC3_COMPRESS",
    "PC3_DETERMINISTIC",
    "PC3_DIR",
    "PC3_EVERY",
    "PC3_FAIL",
    "PC3_GUARDS",
    "PC3_INCREMENTS",
    "PC3_KEEP",
    "PC3_LINK",
    "PC3_MAP",
    "PC3_ON_SIGNAL",
    "PC3_OUTCOME",
    "PC3_PATIENCE",
    "PC3_POLLING",
    "PC3_PROTOCOL",
    "PC3_RANKS",
    "PC3_RESTART",
    "PC3_ROOT",
    "PC3_SCHED",
    "PC3_SHADOW",
    "PC3_SHM",
    "PC3_SILENCE",
    "PC3_STACK",
    "PC3_STATS",
    "PC3_STDERR",
    "PC3_STDOUT",
    "PC3_STOP_AFTER",
    "PC3_WORKERS",
];

/// What people set for all that they build and run, and not for one job.
const EVERYBODYS: [&str; 4] = ["PC3_CACHE", "PC3_CC", "PC3_GUARDS", "PC3_ROOT"];

/// Is it a setting of a job, which is not meant for programs that it starts?
pub(crate) fn is_of_a_job(name: &str) -> bool {
    NAMES.contains(&name) && !EVERYBODYS.contains(&name)
}

/// `PC3_RESTART`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Restart {
    No,
    /// The newest good checkpoint; an error if there is none.
    Latest,
    /// The newest good checkpoint, or a fresh start.
    Auto,
    Id(u64),
}

/// `PC3_COMMIT`: who waits until a checkpoint is durable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Commit {
    /// The ranks.
    Sync,
    /// Nobody: it is written behind them, from a copy.  How large that may be, if it was said.
    Async(Option<usize>),
}

impl Commit {
    fn parse(text: &str) -> Result<Commit, String> {
        match text.split_once(':') {
            None if text == "sync" => Ok(Commit::Sync),
            None if text == "async" => Ok(Commit::Async(None)),
            Some(("async", size)) => bytes(size).map(|n| Commit::Async(Some(n))),
            _ => Err("expected sync, async, or async:SIZE such as async:2G".to_owned()),
        }
    }
}

/// Numbers that are the address of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Addresses {
    /// A restart stops at them, if the object has moved.
    Refuse,
    /// They are numbers.
    Ignore,
    /// As `Refuse`, and objects do move: to test programs with.
    Elsewhere,
}

#[derive(Clone, Debug)]
pub struct Settings {
    pub ranks: Option<usize>,
    pub workers: Option<usize>,
    pub dir: PathBuf,
    /// `PC3_DIR` was given.
    pub(crate) dir_given: bool,
    pub every: Every,
    pub keep: usize,
    pub stop_after: Option<u64>,
    pub restart: Restart,
    pub protocol: Option<String>,
    pub commit: Commit,
    /// Checkpoints hold what has changed since the last one.
    pub increments: bool,
    /// What of that is compressed: all that shrinks, nothing, or, if not said, where that is quicker.
    pub compress: Option<bool>,
    pub signals: BTreeMap<c_int, Action>,
    pub shadow: usize,
    /// Numbers that look like addresses are numbers.
    pub addresses: Addresses,
    /// Restarts stop where the order of bytes is another and the program keeps what it gave.
    pub byte_order: bool,
    /// How long ranks may take to come to a location after a checkpoint was begun.
    pub patience: Duration,
    pub polling: Duration,
    pub map: Map,
    pub stats: Option<Stats>,
    /// Ranks of one worker run in an order that depends on nothing but this.
    pub seed: Option<u64>,
}

/// `PC3_STATS`: what ranks do is counted, and told at the end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stats {
    Told,
    /// And all of it is written to a file, as JSON.
    Written(PathBuf),
}

#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{name}={value}: {why}")]
pub struct BadSetting {
    pub name: String,
    pub value: String,
    pub why: String,
}

const SHADOW: usize = if size_of::<usize>() >= 8 {
    64 << 20
} else {
    4 << 20
};

impl Settings {
    /// Is there to be a directory for checkpoints from the beginning?  `points`: the program has locations.
    pub fn wants_checkpoints(&self, points: bool) -> bool {
        let asked = self.every != Every::Never || self.stop_after.is_some() || self.dir_given;
        (asked && points) || self.restart != Restart::No
    }

    /// Reads the variables through `get`; `program` is argv[0].  Returns every mistake.
    pub fn read(
        program: &str,
        get: impl Fn(&str) -> Option<String>,
    ) -> Result<Settings, Vec<BadSetting>> {
        let mut bad = Vec::new();
        let ranks = parsed(&get, "PC3_RANKS", &mut bad, |s| count(s, 1 << 20));
        let workers = parsed(&get, "PC3_WORKERS", &mut bad, |s| count(s, 1 << 16));
        let keep = parsed(&get, "PC3_KEEP", &mut bad, |s| count(s, usize::MAX));
        let stop_after = parsed(&get, "PC3_STOP_AFTER", &mut bad, |s| count(s, usize::MAX));
        let every = parsed(&get, "PC3_EVERY", &mut bad, every);
        let restart = parsed(&get, "PC3_RESTART", &mut bad, restart);
        let shadow = parsed(&get, "PC3_SHADOW", &mut bad, bytes);
        let protocol = parsed(&get, "PC3_PROTOCOL", &mut bad, |s| match s {
            "barrier" | "nonblocking" => Ok(s.to_owned()),
            _ => Err("expected barrier or nonblocking".to_owned()),
        });
        let commit = parsed(&get, "PC3_COMMIT", &mut bad, Commit::parse);
        let increments = parsed(&get, "PC3_INCREMENTS", &mut bad, |s| match s {
            "on" => Ok(true),
            "off" => Ok(false),
            _ => Err("expected on or off".to_owned()),
        });
        let compress = parsed(&get, "PC3_COMPRESS", &mut bad, |s| match s {
            "on" if increments == Some(true) => Ok(Some(true)),
            "on" => Err("only increments are compressed (PC3_INCREMENTS=on)".to_owned()),
            "off" => Ok(Some(false)),
            "auto" => Ok(None),
            _ => Err("expected auto, on or off".to_owned()),
        });
        let signals = parsed(&get, "PC3_ON_SIGNAL", &mut bad, on_signal).unwrap_or_default();
        let addresses = parsed(&get, "PC3_ADDRESSES", &mut bad, |s| match s {
            "refuse" => Ok(Addresses::Refuse),
            "ignore" => Ok(Addresses::Ignore),
            "elsewhere" => Ok(Addresses::Elsewhere),
            _ => Err("expected refuse, ignore or elsewhere".to_owned()),
        });
        let patience = parsed(&get, "PC3_PATIENCE", &mut bad, time);
        let polling = parsed(&get, "PC3_POLLING", &mut bad, time);
        let _ = parsed(&get, "PC3_SILENCE", &mut bad, silent);
        let _ = parsed(&get, "PC3_SHM", &mut bad, |s| match s {
            "on" | "off" => Ok(()),
            _ => Err("expected on or off".to_owned()),
        });
        let byte_order = parsed(&get, "PC3_BYTE_ORDER", &mut bad, |s| match s {
            "refuse" => Ok(true),
            "ignore" => Ok(false),
            _ => Err("expected refuse or ignore".to_owned()),
        });
        let map = parsed(&get, "PC3_MAP", &mut bad, Map::parse);
        let stats = parsed(&get, "PC3_STATS", &mut bad, |s| {
            Ok(match s {
                "on" => Stats::Told,
                file => Stats::Written(file.into()),
            })
        });
        let seed = parsed(&get, "PC3_DETERMINISTIC", &mut bad, |s| {
            if workers.is_some_and(|w| w > 1) {
                return Err(
                    "the order is fixed on one worker only: leave out the number of workers"
                        .to_owned(),
                );
            }
            s.parse()
                .map_err(|_| "expected a whole number, the seed".to_owned())
        });
        if !bad.is_empty() {
            return Err(bad);
        }
        let workers = workers.or(seed.map(|_| 1));
        let dir = get("PC3_DIR").filter(|d| !d.is_empty());
        Ok(Settings {
            ranks,
            workers,
            dir_given: dir.is_some(),
            dir: dir.map_or_else(|| default_dir(program), PathBuf::from),
            every: every.unwrap_or(Every::Never),
            keep: keep.unwrap_or(2),
            stop_after: stop_after.map(|n| n as u64),
            restart: restart.unwrap_or(Restart::No),
            protocol,
            commit: commit.unwrap_or(Commit::Async(None)),
            increments: increments.unwrap_or(false),
            compress: compress.flatten(),
            signals: actions(signals),
            shadow: shadow.unwrap_or(SHADOW),
            addresses: addresses.unwrap_or(Addresses::Refuse),
            byte_order: byte_order.unwrap_or(true),
            patience: patience.unwrap_or(PATIENCE),
            polling: polling.unwrap_or(POLLING),
            map: map.unwrap_or_default(),
            stats,
            seed,
        })
    }
}

/// Variables whose names are nearly those of settings: a job that runs for days must not find out at its
/// end that `PC3_EVRY` meant nothing.
pub fn misspelt(environment: impl IntoIterator<Item = (OsString, OsString)>) -> Vec<BadSetting> {
    environment
        .into_iter()
        .filter_map(|(name, value)| {
            let name = name.into_string().ok()?;
            let rest = name.strip_prefix("PC3_")?;
            if NAMES.contains(&&*name) {
                return None;
            }
            let near = |known: &&&str| {
                let known = known.trim_start_matches("PC3_");
                let distance = strsim::osa_distance(rest, known);
                distance <= if known.len() < 5 { 1 } else { 2 }
                    || rest.len() > 3 && known.starts_with(rest)
            };
            let meant = NAMES.iter().find(near)?;
            Some(BadSetting {
                value: value.to_string_lossy().into_owned(),
                why: format!("there is no such setting; {meant} is meant?"),
                name,
            })
        })
        .collect()
}

/// `PC3_SILENCE`, unless given.
const SILENCE: Duration = Duration::from_secs(60);

fn silent(text: &str) -> Result<Option<Duration>, String> {
    match (text, every(text)) {
        ("off", _) => Ok(None),
        (_, Ok(Every::Time(t))) => Ok(Some(t)),
        _ => Err("expected off, or a time such as 30s, 10m, 2h".to_owned()),
    }
}

/// How long another process may be silent, as far as the variable makes sense: what is wrong is said when the program starts.
pub fn silence(get: impl Fn(&str) -> Option<String>) -> Option<Duration> {
    let text = get("PC3_SILENCE").filter(|t| !t.is_empty());
    text.and_then(|t| silent(&t).ok()).unwrap_or(Some(SILENCE))
}

/// What signals do, as far as the variable makes sense: for the time before everything is read.
pub fn signals(get: impl Fn(&str) -> Option<String>) -> BTreeMap<c_int, Action> {
    actions(parsed(&get, "PC3_ON_SIGNAL", &mut Vec::new(), on_signal).unwrap_or_default())
}

fn actions(changes: Vec<(c_int, Option<Action>)>) -> BTreeMap<c_int, Action> {
    let mut all = BTreeMap::from([
        (signals::SIGUSR1, Action::Checkpoint),
        (signals::SIGUSR2, Action::Stop),
    ]);
    for (signal, action) in changes {
        match action {
            Some(action) => all.insert(signal, action),
            None => all.remove(&signal),
        };
    }
    all
}

impl Settings {
    /// The signal by which others ask for a checkpoint.
    pub fn request_signal(&self) -> Option<c_int> {
        self.signals
            .iter()
            .find(|(_, action)| **action == Action::Checkpoint)
            .map(|(signal, _)| *signal)
    }
}

fn default_dir(program: &str) -> PathBuf {
    let base = Path::new(program)
        .file_name()
        .map_or("a.out".into(), |n| n.to_string_lossy());
    PathBuf::from(format!("./{base}.pc3"))
}

/// An unset or empty variable is absent; a bad one is noted.
fn parsed<T>(
    get: &impl Fn(&str) -> Option<String>,
    name: &'static str,
    bad: &mut Vec<BadSetting>,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Option<T> {
    let value = get(name).filter(|v| !v.is_empty())?;
    match parse(value.trim()) {
        Ok(parsed) => Some(parsed),
        Err(why) => {
            let name = name.to_owned();
            bad.push(BadSetting { name, value, why });
            None
        }
    }
}

fn count(s: &str, max: usize) -> Result<usize, String> {
    match s.parse() {
        Ok(0) => Err("must be at least 1".to_owned()),
        Ok(n) if n <= max => Ok(n),
        Ok(_) => Err(format!("must be at most {max}")),
        Err(_) => Err("expected a whole number".to_owned()),
    }
}

fn time(s: &str) -> Result<Duration, String> {
    match every(s) {
        Ok(Every::Time(t)) => Ok(t),
        _ => Err("expected a time such as 30s, 500ms, 10m, 2h".to_owned()),
    }
}

fn every(s: &str) -> Result<Every, String> {
    let why = || {
        "expected a time such as 30s, 500ms, 10m, 2h or a number of passages such as 5x".to_owned()
    };
    let digits = s.find(|c: char| !c.is_ascii_digit()).unwrap_or(s.len());
    let n: u64 = s[..digits].parse().map_err(|_| why())?;
    if n == 0 {
        return Err("must be at least 1".to_owned());
    }
    let seconds = |each: u64| {
        n.checked_mul(each)
            .map(Duration::from_secs)
            .map(Every::Time)
            .ok_or_else(why)
    };
    match &s[digits..] {
        "x" => Ok(Every::Passages(n)),
        "ms" => Ok(Every::Time(Duration::from_millis(n))),
        "s" => seconds(1),
        "m" | "min" => seconds(60),
        "h" => seconds(3600),
        _ => Err(why()),
    }
}

fn restart(s: &str) -> Result<Restart, String> {
    match s {
        "latest" => Ok(Restart::Latest),
        "auto" => Ok(Restart::Auto),
        _ => s
            .parse()
            .map(Restart::Id)
            .map_err(|_| "expected latest, auto or a checkpoint's id".to_owned()),
    }
}

fn bytes(s: &str) -> Result<usize, String> {
    let digits = s.find(|c: char| !c.is_ascii_digit()).unwrap_or(s.len());
    let shift = match &s[digits..] {
        "" => 0,
        "k" | "K" => 10,
        "m" | "M" => 20,
        "g" | "G" => 30,
        _ => return Err("expected bytes such as 64M".to_owned()),
    };
    let n: usize = s[..digits]
        .parse()
        .map_err(|_| "expected bytes such as 64M".to_owned())?;
    match n.checked_mul(1 << shift) {
        Some(n) if (1 << 16..=usize::MAX / 4).contains(&n) => Ok(n),
        _ => Err("must be at least 64K and fit the address space".to_owned()),
    }
}

const SIGNALS: [(&str, c_int); 15] = [
    ("HUP", signals::SIGHUP),
    ("INT", signals::SIGINT),
    ("QUIT", signals::SIGQUIT),
    ("USR1", signals::SIGUSR1),
    ("USR2", signals::SIGUSR2),
    ("PIPE", signals::SIGPIPE),
    ("ALRM", signals::SIGALRM),
    ("TERM", signals::SIGTERM),
    ("CONT", signals::SIGCONT),
    ("TSTP", signals::SIGTSTP),
    ("URG", signals::SIGURG),
    ("XCPU", signals::SIGXCPU),
    ("XFSZ", signals::SIGXFSZ),
    ("VTALRM", signals::SIGVTALRM),
    ("WINCH", signals::SIGWINCH),
];

fn on_signal(s: &str) -> Result<Vec<(c_int, Option<Action>)>, String> {
    s.split(',').map(|item| one_signal(item.trim())).collect()
}

fn one_signal(item: &str) -> Result<(c_int, Option<Action>), String> {
    let (name, action) = item
        .split_once('=')
        .ok_or("expected SIGNAL=checkpoint, SIGNAL=stop or SIGNAL=none")?;
    let short = name.strip_prefix("SIG").unwrap_or(name);
    let signal = SIGNALS
        .iter()
        .find(|(n, _)| *n == short)
        .map(|&(_, number)| number)
        .ok_or_else(|| format!("unknown signal {name}"))?;
    match action {
        "checkpoint" => Ok((signal, Some(Action::Checkpoint))),
        "stop" => Ok((signal, Some(Action::Stop))),
        "none" => Ok((signal, None)),
        _ => Err(format!(
            "unknown action {action}: expected checkpoint, stop or none"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(vars: &[(&str, &str)]) -> Result<Settings, Vec<BadSetting>> {
        Settings::read("/bin/heat", |n| {
            vars.iter().find(|v| v.0 == n).map(|v| v.1.to_owned())
        })
    }

    #[test]
    fn good_values() {
        let s = read(&[
            ("PC3_EVERY", "5x"),
            ("PC3_RESTART", "7"),
            ("PC3_ON_SIGNAL", "TERM=stop,USR1=none"),
            ("PC3_COMMIT", "async:2G"),
        ])
        .unwrap();
        assert_eq!(s.dir, PathBuf::from("./heat.pc3"));
        assert_eq!(s.every, Every::Passages(5));
        assert_eq!(s.commit, Commit::Async(Some(2 << 30)));
        assert_eq!(s.restart, Restart::Id(7));
        assert_eq!(
            s.signals,
            BTreeMap::from([
                (signals::SIGTERM, Action::Stop),
                (signals::SIGUSR2, Action::Stop)
            ])
        );
        assert_eq!(
            read(&[("PC3_EVERY", "2m")]).unwrap().every,
            Every::Time(Duration::from_secs(120))
        );
    }

    #[test]
    fn misspelt_names_are_noticed() {
        let meant = |name: &str| {
            let bad = misspelt([(OsString::from(name), OsString::from("1"))]);
            bad.first().map(|b| b.why.clone()).unwrap_or_default()
        };
        for (name, known) in [
            ("PC3_RANK", "PC3_RANKS"),
            ("PC3_EVRY", "PC3_EVERY"),
            ("PC3_DRI", "PC3_DIR"),
            ("PC3_STOP", "PC3_STOP_AFTER"),
            ("PC3_ONSIGNAL", "PC3_ON_SIGNAL"),
        ] {
            assert!(meant(name).contains(known), "{name}: {}", meant(name));
        }
        for name in NAMES.iter().chain(&["PC3_HOME", "PC3_BUILD", "RANKS"]) {
            assert_eq!(meant(name), "", "{name}");
        }
    }

    #[test]
    fn bad_values_are_all_named() {
        let vars = [
            ("PC3_RANKS", "0"),
            ("PC3_WORKERS", "x"),
            ("PC3_KEEP", "-1"),
            ("PC3_STOP_AFTER", "0"),
            ("PC3_EVERY", "5"),
            ("PC3_RESTART", "newest"),
            ("PC3_SHADOW", "1k"),
            ("PC3_ADDRESSES", "maybe"),
            ("PC3_BYTE_ORDER", "big"),
            ("PC3_MAP", "heap"),
            ("PC3_DETERMINISTIC", "yes"),
            ("PC3_PROTOCOL", "magic"),
            ("PC3_COMMIT", "async:2"),
            ("PC3_INCREMENTS", "yes"),
            ("PC3_COMPRESS", "on"),
            ("PC3_ON_SIGNAL", "KILL=stop"),
        ];
        let bad = read(&vars).unwrap_err();
        let names: Vec<&str> = bad.iter().map(|b| &*b.name).collect();
        let mut expected: Vec<_> = vars.iter().map(|v| v.0).collect();
        let mut got = names.clone();
        expected.sort_unstable();
        got.sort_unstable();
        assert_eq!(got, expected);
    }
}

//! The progress line: what runs, and the last checkpoint. It is drawn only between whole lines of the program's
//! output.

use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use pc3_runtime::format::sections;
use pc3_runtime::settings::Settings;
use pc3_runtime::store::{self, Stalls};

use crate::human;

/// Shorter runs show nothing.
const PATIENCE: Duration = Duration::from_secs(1);
const INTERVAL: Duration = Duration::from_millis(500);

pub(super) struct Progress {
    bar: ProgressBar,
    what: String,
    dir: PathBuf,
    started: Instant,
    updated: Option<Instant>,
    /// The program's last byte ended a line.
    whole: bool,
    shown: bool,
}

impl Progress {
    pub fn new(settings: &Settings) -> Progress {
        let ranks = settings.ranks.unwrap_or(1);
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let workers = settings.workers.unwrap_or(cores.min(ranks));
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
            bar.set_style(style);
        }
        Progress {
            bar,
            what: format!("{}, {}", counted(ranks, "rank"), counted(workers, "worker")),
            dir: settings.dir.clone(),
            started: Instant::now(),
            updated: None,
            whole: true,
            shown: false,
        }
    }

    /// Passes the program's output on, in place of our line; that comes back with the next tick.
    pub fn output(&mut self, bytes: &[u8], to: &mut dyn Write) {
        self.hide();
        // A terminal that is gone cannot be told so.
        let _ = to.write_all(bytes).and_then(|()| to.flush());
        self.whole = bytes.last().map_or(self.whole, |&b| b == b'\n');
    }

    pub fn tick(&mut self) {
        let recent = self.updated.is_some_and(|at| at.elapsed() < INTERVAL);
        if self.started.elapsed() < PATIENCE || recent || !self.whole {
            return;
        }
        self.updated = Some(Instant::now());
        self.shown = true;
        self.bar.set_draw_target(ProgressDrawTarget::stderr());
        self.bar.set_message(self.line());
        self.bar.tick();
    }

    fn hide(&mut self) {
        if self.shown {
            self.bar.set_draw_target(ProgressDrawTarget::hidden());
            let _ = std::io::stderr().write_all(b"\r\x1b[2K");
            self.shown = false;
        }
    }

    fn line(&self) -> String {
        let mut line = format!(
            "{}, running {}",
            self.what,
            human::duration(self.started.elapsed())
        );
        let newest = store::list(&self.dir)
            .ok()
            .and_then(|all| all.last().cloned());
        match newest.and_then(|(id, path)| Some((id, sections::size(&path), path.metadata().ok()?)))
        {
            None => line.push_str(", no checkpoint yet"),
            Some((id, size, file)) => {
                line.push_str(&format!(", checkpoint {id}: {}", human::bytes(size)));
                if let Some(age) = file
                    .modified()
                    .ok()
                    .and_then(|t| SystemTime::now().duration_since(t).ok())
                {
                    line.push_str(&format!(", {} ago", human::duration(age)));
                }
                let longest = Stalls::read(&self.dir, id).and_then(|s| s.longest());
                if let Some((_, stall)) = longest {
                    line.push_str(&format!(", stalled {}", human::duration(stall)));
                }
            }
        }
        line
    }

    pub fn clear(&mut self) {
        self.hide();
    }
}

fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

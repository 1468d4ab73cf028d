//! Checkpoints that are not what was written, and still have right checksums: whatever reads them says what is wrong, or shows
//! what is there.  It does not crash, run for ever, or take memory that the file does not have.
//!
//! * `frame`: a file as sections, and back; written anew here, by docs/format.md.
//! * `damage`: what becomes of bytes.

mod damage;
mod frame;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{ensure, Context, Result};
use fastrand::Rng;
use pc3_runtime::format::read::Checkpoint;

use frame::Frame;

/// Checkpoints to begin with, and their packs.
pub struct Corpus {
    files: Vec<(PathBuf, Vec<u8>)>,
    packs: Vec<(String, Vec<u8>)>,
}

impl Corpus {
    /// All samples of the repository.
    pub fn load() -> Result<Corpus> {
        let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let (mut files, mut packs) = (Vec::new(), Vec::new());
        for folder in ["samples", "released"] {
            for version in fs::read_dir(tests.join(folder))?.flatten() {
                let inside = fs::read_dir(version.path()).into_iter().flatten();
                for path in inside.flatten().map(|e| e.path()) {
                    let name = path.file_name().unwrap_or_default();
                    let name = name.to_string_lossy().into_owned();
                    match path.extension().and_then(|e| e.to_str()) {
                        Some("pc3c") => files.push((path.clone(), fs::read(&path)?)),
                        Some("pc3p") => packs.push((name, fs::read(&path)?)),
                        _ => {}
                    }
                }
            }
        }
        files.sort();
        packs.sort();
        ensure!(files.len() > 10 && !packs.is_empty(), "no samples");
        Ok(Corpus { files, packs })
    }
}

/// A folder with what is read, which the next case writes anew.
pub struct Place<'a> {
    corpus: &'a Corpus,
    dir: PathBuf,
}

impl<'a> Place<'a> {
    pub fn new(corpus: &'a Corpus, dir: &Path) -> Result<Place<'a>> {
        let place = Place {
            corpus,
            dir: dir.to_owned(),
        };
        for (name, bytes) in &corpus.packs {
            fs::write(dir.join(name), bytes)?;
        }
        Ok(place)
    }

    /// The case of that number.
    pub fn run(&self, seed: u64, number: u64) -> Result<()> {
        let rng =
            &mut Rng::with_seed(seed.wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        let (sample, bytes) = &self.corpus.files[rng.usize(..self.corpus.files.len())];
        let mut bytes = bytes.clone();
        let mut pack = None;
        match rng.u8(..10) {
            0 => damage::bytes(&mut bytes, rng),
            1 if sample.to_string_lossy().contains("v3") => {
                let (name, whole) = &self.corpus.packs[rng.usize(..self.corpus.packs.len())];
                let mut bad = whole.clone();
                damage::bytes(&mut bad, rng);
                fs::write(self.dir.join(name), bad)?;
                pack = Some((name, whole));
            }
            kind => {
                let mut frame = Frame::of(&bytes).context("a sample")?;
                let some = rng.usize(..frame.sections.len());
                match kind {
                    2 => frame.disturb(some, rng),
                    _ => damage::bytes(&mut frame.sections[some].bytes, rng),
                }
                bytes = frame.file();
            }
        }
        let path = self.dir.join("ckpt-000002.pc3c");
        fs::write(&path, bytes)?;
        look(&path, sample);
        if let Some((name, whole)) = pack {
            fs::write(self.dir.join(name), whole)?;
        }
        Ok(())
    }
}

/// Reads all of it, in each way that there is.
fn look(path: &Path, sample: &Path) {
    if let Ok(checkpoint) = Checkpoint::open(path) {
        let good = checkpoint.verify();
        for rank in 0..checkpoint.job.ranks.min(4) {
            let _ = (checkpoint.rank(rank), checkpoint.lost(rank));
        }
        let _ = (good, checkpoint.engine_job(), checkpoint.protocol());
    }
    let [path, dir, sample] = [path, path.parent().unwrap_or(path), sample];
    let [path, dir, sample] = [path, dir, sample].map(|p| p.display().to_string());
    for command in [
        &["verify", &path][..],
        &["show", &path],
        &["show", &path, "--json"],
        &["show", &path, "--types"],
        &["diff", &path, &sample],
        &["stat", &dir],
        &["ls", &dir],
    ] {
        let words = std::iter::once("pc3").chain(command.iter().copied());
        let _ = pc3_tools::inspect::said(words.map(Into::into));
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Frames are written as they were read: what is damaged is what was meant to be.
    #[test]
    fn samples_are_written_as_they_are() {
        for (path, bytes) in Corpus::load().unwrap().files {
            assert!(
                Frame::of(&bytes).unwrap().file() == bytes,
                "{}",
                path.display()
            );
        }
    }

    #[test]
    fn damage_is_told() {
        let corpus = Corpus::load().unwrap();
        let dir = tempfile::tempdir().unwrap();
        let place = Place::new(&corpus, dir.path()).unwrap();
        for number in 0..250 {
            place.run(1, number).unwrap();
        }
    }
}

//! Checkpoints of a state that changes, in a directory, without a program.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::chunker::{Chunker, Known};
use super::pack::Pack;
use crate::file::{FileError, Section, Writer};
use crate::sections::{self, Sections};

const LARGE: usize = 320 << 10;

/// A rank has some small things, then large objects, with an odd number of bytes.
struct Series {
    dir: tempfile::TempDir,
    id: u64,
    known: Arc<Known>,
    compress: Option<bool>,
    small: Vec<u8>,
    objects: Vec<Vec<u8>>,
    random: u64,
}

impl Series {
    fn new(objects: usize) -> Series {
        let mut series = Series {
            dir: tempfile::tempdir().unwrap(),
            id: 0,
            known: Arc::default(),
            compress: Some(false),
            small: b"some globals".repeat(100),
            objects: vec![vec![0; LARGE + 100]; objects],
            random: 88172645463325252,
        };
        for i in 0..objects {
            for at in 0..LARGE / 8 {
                let value = series.random();
                series.objects[i][8 * at..][..8].copy_from_slice(&value.to_le_bytes());
            }
        }
        series
    }

    fn random(&mut self) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random
    }

    fn path(&self, id: u64) -> PathBuf {
        self.dir.path().join(format!("ckpt-{id:06}.pc3c"))
    }

    fn data(&self) -> Vec<u8> {
        let mut all = self.small.clone();
        self.objects.iter().for_each(|o| all.extend_from_slice(o));
        all
    }

    /// Writes the next one; how many bytes its pack has.
    fn write(&mut self) -> u64 {
        self.id += 1;
        let pack = Pack::new(self.id, 0);
        let at = self.dir.path().join(pack.file_name());
        let file = File::create(&at).unwrap();
        let chunker = Chunker::new(self.dir.path(), Arc::clone(&self.known), pack, file)
            .compressing(self.compress);
        let mut table = File::create(self.path(self.id)).unwrap();
        let mut out = Writer::increments(&mut table, self.id, chunker).unwrap();
        out.section(Section::Job, 0, b"a job").unwrap();
        for rank in 0..2 {
            out.begin(Section::Data, rank);
            out.put(&self.small).unwrap();
            for (i, object) in self.objects.iter().enumerate() {
                let key = 0x1000 * (i as u64 + 1);
                out.object(key, object.len()).unwrap();
                object.chunks(300_000).for_each(|c| out.put(c).unwrap());
            }
            out.end().unwrap();
            out.section(Section::Rank, rank, b"its directory").unwrap();
        }
        out.begin(Section::Data, 2);
        out.put(&self.small).unwrap();
        out.end().unwrap();
        let ready = out.finish().unwrap().unwrap();
        self.known = Arc::new(ready.known);
        match ready.pack {
            Some(_) => at.metadata().unwrap().len(),
            None => {
                fs::remove_file(at).unwrap();
                0
            }
        }
    }

    fn open(&self, id: u64) -> Sections {
        Sections::open(&self.path(id)).unwrap()
    }

    /// The last one is all there.
    fn check(&self) {
        let sections = self.open(self.id);
        sections.verify().unwrap();
        let data = self.data();
        for rank in 0..2 {
            assert!(*sections.load(Section::Data, rank).unwrap() == data);
            let length = sections.length_of(Section::Data, rank).unwrap();
            assert_eq!(length, data.len() as u64);
        }
        assert_eq!(*sections.load(Section::Data, 2).unwrap(), self.small);
    }

    fn packs(&self) -> Vec<Pack> {
        self.open(self.id).packs().unwrap()
    }
}

#[test]
fn only_what_has_changed_is_written() {
    let mut series = Series::new(4);
    // Both ranks have the same.
    let whole = series.write();
    assert!((4 * LARGE..4 * LARGE + LARGE / 4).contains(&(whole as usize)));
    series.check();
    assert_eq!(series.write(), 0);
    series.check();
    series.objects[2][5000] ^= 1;
    assert_eq!(series.write(), 2 * 4096, "one page");
    series.check();
    series.objects[2][5001] ^= 1;
    series.objects[2][40_000] ^= 1;
    assert_eq!(series.write(), 3 * 4096, "two pages");
    series.check();
    series.objects[2][40_000] ^= 1;
    assert_eq!(series.write(), 0, "a page as it was");
    series.check();
    for page in 0..5 {
        series.objects[2][4096 * page] ^= 1;
    }
    assert_eq!(series.write(), 17 * 4096, "the chunk is written anew");
    series.check();
    // What lies in front of an object moves nothing.
    series.small.extend_from_slice(&[7; 4444]);
    series.objects.insert(0, vec![1; 50_000]);
    assert!(series.write() < 80_000);
    series.check();
    // Content counts, wherever it is.
    series.objects.swap(1, 3);
    assert_eq!(series.write(), 0);
    series.check();
    let whole = sections::size(&series.path(1));
    let last = sections::size(&series.path(series.id));
    assert!(
        whole > 4 * LARGE as u64 && last < 16 << 10,
        "{whole} {last}"
    );
}

/// As [`only_what_has_changed_is_written`]; pages of a chunk that is compressed are not.
#[test]
fn chunks_are_compressed() {
    let mut series = Series::new(3);
    series.compress = Some(true);
    for object in &mut series.objects {
        for (i, word) in object.chunks_exact_mut(8).enumerate() {
            word.copy_from_slice(&(i as f64).sqrt().to_le_bytes());
        }
    }
    // They are equal.
    let whole = series.write();
    assert!((whole as usize) < LARGE * 4 / 5, "{whole}");
    series.check();
    assert_eq!(series.write(), 0);
    series.objects[1][5000] ^= 1;
    assert_eq!(series.write(), 2 * 4096, "one page");
    series.check();
    for page in 0..5 {
        series.objects[2][4096 * page] ^= 1;
    }
    let anew = series.write();
    assert!((2 * 4096..14 * 4096).contains(&anew), "{anew}");
    series.check();
    // What takes no more than a page is written anew.
    series.objects[0].fill(0);
    series.write();
    series.objects[0][9000] = 1;
    series.objects[0][90_000] = 1;
    assert_eq!(series.write(), 3 * 4096);
    let tables = series.open(series.id).chunks(0).unwrap().unwrap();
    let patches: usize = tables.chunks().map(|c| c.patches.len()).sum();
    assert_eq!(patches, 1, "of the page of before");
    series.check();
    // A restart has none of it in memory.
    let mut known = Known::default();
    for rank in 0..2 {
        let table = series.open(series.id).chunks(rank).unwrap().unwrap();
        known.take_over(series.dir.path(), rank, &table);
    }
    series.known = Arc::new(known);
    assert_eq!(series.write(), 0);
    series.check();
    // All bytes of a chunk matter, and those behind it.
    let first = of_id(&series, 1);
    let length = first.metadata().unwrap().len();
    let unused = |at| at == length - 1 || at == length - 4097;
    for at in (0..length).filter(|at| at % 19_997 == 0 || unused(*at)) {
        flip(&first, at);
        let found = series.open(1).verify();
        flip(&first, at);
        let told = found.unwrap_err().to_string();
        assert!(
            told.contains("pack-000001-0.pc3p is damaged"),
            "{at}: {told}"
        );
    }
    series.check();
}

/// The part of another process than the first waits in memory, but for ranks' data.
#[test]
fn a_part_that_waits_has_all_data_in_its_pack() {
    let dir = tempfile::tempdir().unwrap();
    let [first, second] = [Pack::new(1, 0), Pack::new(1, 1)];
    let chunker = |pack: Pack| {
        let file = File::create(dir.path().join(pack.file_name())).unwrap();
        Chunker::new(dir.path(), Arc::default(), pack, file)
    };
    let data = [&b"little"[..], b"", &[5; 100_000]];
    let mut part = Writer::keeping_chunks(chunker(second));
    for (rank, data) in data.iter().enumerate() {
        part.section(Section::Data, rank as u64, data).unwrap();
        part.section(Section::Rank, rank as u64, b"its directory")
            .unwrap();
    }
    let part = part.into_part().unwrap();
    let (kept, mut entries, packs) = (part.kept, part.entries, part.packs);
    assert!(kept.length() < 2000 && packs == [second] && part.ready.unwrap().pack.is_some());
    let path = dir.path().join("ckpt-000001.pc3c");
    let mut file = File::create(&path).unwrap();
    let mut out = Writer::increments(&mut file, 1, chunker(first)).unwrap();
    out.section(Section::Job, 0, b"a job").unwrap();
    let at = out.offset();
    let other = OpenOptions::new().write(true).open(&path).unwrap();
    let bytes: Vec<u8> = kept.pieces(0, kept.length()).flatten().copied().collect();
    entries.iter_mut().for_each(|e| e.offset += at);
    out.skip(entries, packs, at + bytes.len() as u64).unwrap();
    other.write_all_at(&bytes, at).unwrap();
    assert!(out.finish().unwrap().unwrap().pack.is_none());
    let sections = Sections::open(&path).unwrap();
    sections.verify().unwrap();
    assert_eq!(sections.packs().unwrap(), [second]);
    for (rank, data) in data.iter().enumerate() {
        assert!(*sections.load(Section::Data, rank as u64).unwrap() == **data);
    }
}

#[test]
fn packs_are_few_and_mostly_in_use() {
    let mut series = Series::new(4);
    for _ in 0..80 {
        for _ in 0..2 {
            let (object, at) = (
                series.random() % 4,
                series.random() as usize % (LARGE - 30_000),
            );
            let changed = &mut series.objects[object as usize][at..at + 30_000];
            changed.iter_mut().for_each(|b| *b = b.wrapping_add(1));
        }
        series.write();
        let packs = series.packs();
        assert!(packs.len() <= 16, "{} packs", packs.len());
        let length = |p: &Pack| {
            let path = series.dir.path().join(p.file_name());
            path.metadata().unwrap().len()
        };
        let bytes: u64 = packs.iter().map(length).sum();
        assert!(bytes < 4 * 5 * LARGE as u64, "{bytes} bytes");
        let named: BTreeSet<String> = packs.iter().map(Pack::file_name).collect();
        for entry in fs::read_dir(series.dir.path()).unwrap().flatten() {
            let name = entry.file_name().into_string().unwrap();
            if name.starts_with("pack-") && !named.contains(&name) {
                fs::remove_file(entry.path()).unwrap();
            }
        }
        if series.id % 20 == 0 {
            series.check();
        }
    }
}

#[test]
fn a_restart_goes_on_with_increments() {
    let mut series = Series::new(3);
    series.write();
    series.objects[1][70_000] ^= 1;
    series.write();
    let mut known = Known::default();
    for rank in 0..2 {
        let table = series.open(2).chunks(rank).unwrap().unwrap();
        known.take_over(series.dir.path(), rank, &table);
    }
    series.known = Arc::new(known);
    assert_eq!(series.write(), 0);
    series.check();
    series.objects[1][70_000] ^= 1;
    assert_eq!(
        series.write(),
        17 * 4096,
        "what its pages were is not known"
    );
    series.check();
}

#[test]
fn a_pack_that_has_gone_is_not_relied_on() {
    let mut series = Series::new(2);
    series.write();
    series.objects[0][0] ^= 1;
    series.write();
    let of = |id: u64| {
        let pack = series.packs().into_iter().find(|p| p.checkpoint == id);
        series.dir.path().join(pack.unwrap().file_name())
    };
    fs::remove_file(of(1)).unwrap();
    let whole = series.write();
    assert!(whole as usize > 2 * LARGE);
    series.check();
    let pack = of_id(&series, 3);
    OpenOptions::new()
        .write(true)
        .open(&pack)
        .unwrap()
        .set_len(whole - 1)
        .unwrap();
    assert!(series.write() as usize > 2 * LARGE);
    series.check();
}

fn of_id(series: &Series, id: u64) -> PathBuf {
    let pack = series.packs().into_iter().find(|p| p.checkpoint == id);
    series.dir.path().join(pack.unwrap().file_name())
}

fn flip(path: &Path, at: u64) {
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .open(path)
        .unwrap();
    let mut byte = [0];
    file.read_exact_at(&mut byte, at).unwrap();
    file.write_all_at(&[byte[0] ^ 1 << (at % 8)], at).unwrap();
}

#[test]
fn every_byte_is_covered() {
    let mut series = Series::new(1);
    series.write();
    series.objects[0][70_000] ^= 1;
    series.write();
    let verify = || {
        let sections = Sections::open(&series.path(2))?;
        sections.verify()?;
        for rank in 0..2 {
            sections.load(Section::Data, rank)?;
        }
        Ok::<(), FileError>(())
    };
    verify().unwrap();
    for path in [series.path(2), of_id(&series, 1), of_id(&series, 2)] {
        let length = path.metadata().unwrap().len();
        let table = length < 20_000 && path == series.path(2);
        // One chunk of the first pack has a page in the second, and both are of both ranks.
        let replaced = 4096 + 4096 * 18..4096 + 4096 * 19;
        for at in (0..length).filter(|at| table || at % 4999 == 0 || at % 4096 < 1) {
            flip(&path, at);
            let found = verify();
            flip(&path, at);
            let unused = path == of_id(&series, 1) && replaced.contains(&at);
            assert!(found.is_err() || unused, "{} byte {at}", path.display());
        }
        for cut in (0..length).filter(|at| at % 49_999 == 0 || length - at < 3) {
            let whole = fs::read(&path).unwrap();
            fs::write(&path, &whole[..cut as usize]).unwrap();
            assert!(verify().is_err(), "{} cut at {cut}", path.display());
            fs::write(&path, whole).unwrap();
        }
        let whole = fs::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        assert!(verify().is_err());
        fs::write(&path, whole).unwrap();
    }
    verify().unwrap();
}

#[test]
fn what_is_lost_is_told() {
    let mut series = Series::new(1);
    series.write();
    let first = of_id(&series, 1);
    let start = series.small.len() as u64;
    let told = || series.open(1).verify().unwrap_err().to_string();
    // In the object's second chunk: the small things have one of a page.
    flip(&first, 4096 * 2 + 65_536 + 9);
    let (from, to) = (start + 65_536, start + 2 * 65_536);
    let expected = format!(
        "damaged: bytes {from} to {to} of the data of rank 0: pack-000001-0.pc3p is damaged"
    );
    assert_eq!(told(), expected);
    let lost = series.open(1).lost(1).unwrap();
    assert_eq!(lost.len(), 1, "the other rank has the same chunk");
    fs::write(&first, b"PC3").unwrap();
    assert!(told().ends_with("pack-000001-0.pc3p is incomplete"));
    fs::remove_file(&first).unwrap();
    let all = series.data().len();
    let expected =
        format!("damaged: bytes 0 to {all} of the data of rank 0: pack-000001-0.pc3p is missing");
    assert_eq!(told(), expected);
    // A pack of another series that has the name.
    let mut other = Series::new(1);
    other.write();
    fs::copy(of_id(&other, 1), &first).unwrap();
    assert!(told().contains("of another series"));
}

//! Numbers through a socket that each process makes anew.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;

use pc3::prelude::*;

fn pair() -> (UnixStream, UnixStream) {
    UnixStream::pair().expect("two ends")
}

#[derive(Checkpointable)]
struct Counter {
    counted: u64,
    #[pc3(transient = pair())]
    ends: (UnixStream, UnixStream),
}

impl Counter {
    #[checkpointable]
    fn count(&mut self, upto: u64) -> std::io::Result<u64> {
        for n in 1..=upto {
            checkpoint!();
            self.ends.0.write_all(&n.to_le_bytes())?;
            let mut got = [0; 8];
            self.ends.1.read_exact(&mut got)?;
            self.counted += u64::from_le_bytes(got);
        }
        Ok(self.counted)
    }
}

#[checkpointable]
fn echo(words: &[String]) -> std::io::Result<String> {
    #[transient(pair())]
    let mut ends = pair();
    let mut all = String::new();
    for word in words {
        ends.0.write_all(word.as_bytes())?;
        let mut got = vec![0; word.len()];
        ends.1.read_exact(&mut got)?;
        all.push_str(&String::from_utf8_lossy(&got));
        checkpoint!();
    }
    Ok(all)
}

#[pc3::main]
fn main() -> std::io::Result<()> {
    let mut counter = Counter {
        counted: 0,
        ends: pair(),
    };
    let counted = ck!(counter.count(10))?;
    println!("counted {counted}");
    let words: Vec<String> = ["wires ", "are ", "made ", "again"]
        .map(String::from)
        .to_vec();
    println!("{}", ck!(echo(&words))?);
    println!("{}", counter.counted);
    Ok(())
}

//! Bookings are read from one file and written to others while the program may be stopped and moved: a journal that is
//! appended to, balances that are updated in place, a scratch file without a name; and a file of the standard library's,
//! which is opened again by what the program says.

#![forbid(unsafe_code)]

use std::io::{self, BufRead, Read, Seek, SeekFrom, Write};

use pc3::prelude::*;
use pc3::{BufReader, BufWriter, File};

const ACCOUNTS: u64 = 7;

fn bookings(path: &str) -> io::Result<()> {
    let mut to = BufWriter::new(File::create(path)?);
    for i in 0..40_u64 {
        let (from, into) = (i * i % ACCOUNTS, (i * 3 + 1) % ACCOUNTS);
        writeln!(to, "{from} {into} {}", i * 17 % 101)?;
    }
    to.flush()
}

/// Adds to a balance in place.
fn book(balances: &mut File, account: u64, amount: i64) -> io::Result<()> {
    let mut bytes = [0; 8];
    balances.seek(SeekFrom::Start(account * 8))?;
    balances.read_exact(&mut bytes)?;
    let new = i64::from_le_bytes(bytes) + amount;
    balances.seek(SeekFrom::Start(account * 8))?;
    balances.write_all(&new.to_le_bytes())
}

/// Opened, appended to and closed again.
fn remark(path: &str, text: &str) -> io::Result<()> {
    let mut file = File::options().append(true).open(path)?;
    writeln!(file, "{text}")
}

/// Whose accounts these are, from a position on.
fn owners(from: u64) -> io::Result<io::BufReader<std::fs::File>> {
    let mut file = std::fs::File::open("owners")?;
    file.seek(SeekFrom::Start(from))?;
    Ok(io::BufReader::new(file))
}

#[checkpointable]
fn keep_books() -> io::Result<String> {
    let mut journal = BufWriter::new(File::options().append(true).create(true).open("journal")?);
    let mut balances = File::create_new("balances")?;
    balances.write_all(&[0; 8 * ACCOUNTS as usize])?;
    let mut scratch = File::create_new("scratch")?;
    std::fs::remove_file("scratch")?;
    let mut lines = BufReader::new(File::open("bookings")?);
    let mut seen = 0;
    #[transient(owners(seen).expect("the owners are known"))]
    let mut names = owners(0)?;
    let (mut line, mut owner) = (String::new(), String::new());
    let mut n = 0;
    while lines.read_line(&mut line)? > 0 {
        let numbers: Vec<i64> = line.split_whitespace().flat_map(str::parse).collect();
        let [from, into, amount] = numbers[..] else {
            return Err(io::Error::other(format!("line {n}: {line}")));
        };
        book(&mut balances, from as u64, -amount)?;
        checkpoint!();
        book(&mut balances, into as u64, amount)?;
        writeln!(journal, "{n}: {amount} from {from} to {into}")?;
        scratch.write_all(&[amount as u8])?;
        if n % 6 == 0 {
            journal.flush()?;
            remark("remarks", &format!("{n} bookings"))?;
        }
        if n % 5 == 2 {
            owner.clear();
            seen += names.read_line(&mut owner)? as u64;
            remark("remarks", &format!("{n}: {}", owner.trim()))?;
        }
        line.clear();
        n += 1;
        checkpoint!();
    }
    journal.flush()?;
    let mut amounts = Vec::new();
    scratch.rewind()?;
    scratch.read_to_end(&mut amounts)?;
    let total: u64 = amounts.iter().map(|a| u64::from(*a)).sum();
    Ok(format!("{n} bookings of {total}"))
}

#[pc3::main]
fn main() -> io::Result<()> {
    bookings("bookings")?;
    File::create("remarks")?;
    std::fs::write("owners", "Ada\nBo\nCleo\nDana\nEmil\nFay\nGus\nHal\n")?;
    let said = ck!(keep_books())?;
    println!("{said}");
    let balances = std::fs::read("balances")?;
    for (account, bytes) in balances.chunks_exact(8).enumerate() {
        let bytes = bytes.try_into().unwrap_or_default();
        println!("account {account}: {}", i64::from_le_bytes(bytes));
    }
    let journal = std::fs::read_to_string("journal")?;
    println!(
        "{} lines in the journal, the last is {:?}",
        journal.lines().count(),
        journal.lines().last()
    );
    print!("{}", std::fs::read_to_string("remarks")?);
    Ok(())
}

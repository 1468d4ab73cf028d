//! `cargo xtask types`: random types, against the compiler and on the move.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Mutex;
use std::time::Instant;

use anyhow::{ensure, Result};
use pc3_tests::arch;
use pc3_tests::types::kinds::Flavour;
use pc3_tests::types::TypesPlan;

use crate::{dist, env};

#[derive(clap::Args)]
pub struct TypesOptions {
    /// Types, in programs of so many
    #[arg(long, default_value_t = 2000)]
    count: u64,
    #[arg(long, default_value_t = 200)]
    each: usize,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Which program of the seed's to begin with
    #[arg(long, default_value_t = 0)]
    from: u64,
    /// Another compiler (clang: for all ABIs; others: for this machine's), with types that all compilers have
    #[arg(long)]
    cc: Option<String>,
    /// Programs at a time [default: one for each processor]
    #[arg(long)]
    jobs: Option<usize>,
    /// Take target/dist as it is
    #[arg(long)]
    no_build: bool,
}

pub fn run(o: &TypesOptions) -> Result<()> {
    if !o.no_build {
        dist::run(&env::tried_targets())?;
    }
    let start = Instant::now();
    let folder = arch::target_dir().join("types");
    let programs = o.count.div_ceil(o.each as u64);
    let (next, failed) = (AtomicU64::new(o.from), Mutex::new(Vec::new()));
    let (types, layouts) = (AtomicU64::new(0), AtomicU64::new(0));
    let work = || loop {
        let n = next.fetch_add(1, Ordering::Relaxed);
        if n >= o.from + programs {
            return;
        }
        let mut plan = TypesPlan::nth(o.seed, n, o.each, &folder);
        if o.cc.is_some() {
            (plan.flavour, plan.cc) = (Flavour::All, o.cc.clone());
        }
        match plan.check() {
            Ok((t, abis)) => {
                types.fetch_add(t as u64, Ordering::Relaxed);
                layouts.fetch_add((t * abis) as u64, Ordering::Relaxed);
            }
            Err(e) => {
                println!("{e:#}");
                failed.lock().unwrap_or_else(|e| e.into_inner()).push(n);
            }
        }
    };
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|s| {
        for _ in 0..o.jobs.unwrap_or(processors) {
            s.spawn(work);
        }
    });
    let failed = failed.into_inner().unwrap_or_else(|e| e.into_inner());
    println!(
        "{} types, {} layouts compared, {} of {programs} programs failed, {} s",
        types.into_inner(),
        layouts.into_inner(),
        failed.len(),
        start.elapsed().as_secs()
    );
    ensure!(
        failed.is_empty(),
        "programs {failed:?} of seed {} failed",
        o.seed
    );
    Ok(())
}

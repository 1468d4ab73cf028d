use pc3_simulate::run::{run, Options};

#[test]
fn random() {
    let options = Options::default();
    let n: u64 = std::env::var("N").ok().and_then(|s| s.parse().ok()).unwrap_or(2000);
    let parts = 3;
    std::thread::scope(|s| {
        for p in 0..parts {
            s.spawn(move || {
    let mut bad = 0;
    let mut c = [0u64; 8];
    for seed in (0..n).filter(|k| k % parts == p) {
        match run(seed, &options) {
            Err(e) => {
            println!("seed {seed}: {e}");
            bad += 1;
            if bad > 5 { break; } }
            Ok(k) => for (a, b) in c.iter_mut().zip([k.commits, k.given_up, k.recoveries, k.late, k.early, k.logged, k.suppressed, k.control]) { *a += b as u64; }
        }
    }
    println!("{c:?}");
            });
        }
    });
}

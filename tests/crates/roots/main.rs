//! What rates make loans worth their price, by two methods of the package roots.
use pc3::prelude::*;
use roots::{find_root_brent, find_root_secant, SimpleConvergency};

// By products: `powi` rounds otherwise elsewhere.
fn worth(payment: f64, years: u32, rate: f64) -> f64 {
    let (mut sum, mut factor) = (0.0, 1.0);
    for _ in 0..years {
        factor *= 1.0 + rate;
        sum += payment / factor;
    }
    sum
}

#[pc3::main]
fn main() -> Result<(), String> {
    let mut converges = SimpleConvergency {
        eps: 1e-12,
        max_iter: 60,
    };
    let mut sum = 0.0;
    for years in [2, 7, 15, 30] {
        let price = 1000.0;
        let payment = price / f64::from(years) * 1.3;
        let away = |rate: f64| worth(payment, years, rate) - price;
        let brent = ck!(find_root_brent(-0.5, 4.0, &away, &mut converges));
        let secant = ck!(find_root_secant(0.01, 0.1, &away, &mut converges));
        println!("{years}: {brent:?} {secant:?}");
        sum += brent.map_err(|e| format!("{e:?}"))?;
    }
    let none = ck!(find_root_brent(1.0, 2.0, |x: f64| x, &mut 1e-9f64));
    println!("{sum} {none:?}");
    Ok(())
}

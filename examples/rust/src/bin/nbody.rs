//! Planets around a sun, by a symplectic integrator; prints the energy now and then: `nbody STEPS` (1000).
//!
//! `cargo run --release -p pc3-examples --bin nbody`; with `PC3_EVERY=1s` it saves itself every second, and
//! `PC3_RESTART=latest` goes on.

#![forbid(unsafe_code)]

use pc3::prelude::*;

#[derive(Checkpointable, Clone, Copy)]
struct Body {
    at: [f64; 3],
    speed: [f64; 3],
    mass: f64,
}

fn system() -> Vec<Body> {
    let mut state = 12_345_u64;
    let mut random = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / (1u64 << 31) as f64 - 0.5
    };
    let mut bodies = vec![Body {
        at: [0.0; 3],
        speed: [0.0; 3],
        mass: 40.0,
    }];
    for i in 1..6 {
        let r = f64::from(i) * 1.7;
        let v = (40.0 / r).sqrt();
        bodies.push(Body {
            at: [r, random() * 0.1, random() * 0.1],
            speed: [0.0, v, random() * 0.2],
            mass: 0.01 * f64::from(i),
        });
    }
    bodies
}

fn energy(bodies: &[Body]) -> f64 {
    let mut e = 0.0;
    for (i, a) in bodies.iter().enumerate() {
        e += 0.5 * a.mass * a.speed.iter().map(|v| v * v).sum::<f64>();
        for b in &bodies[i + 1..] {
            e -= a.mass * b.mass / distance(a, b).sqrt();
        }
    }
    e
}

fn distance(a: &Body, b: &Body) -> f64 {
    (0..3).map(|k| (a.at[k] - b.at[k]).powi(2)).sum()
}

#[inline(always)]
fn step(bodies: &mut [Body], dt: f64) {
    for i in 0..bodies.len() {
        for j in i + 1..bodies.len() {
            let (a, b) = (bodies[i], bodies[j]);
            let d2 = distance(&a, &b);
            let pull = dt / (d2 * d2.sqrt());
            for k in 0..3 {
                let d = a.at[k] - b.at[k];
                bodies[i].speed[k] -= d * b.mass * pull;
                bodies[j].speed[k] += d * a.mass * pull;
            }
        }
    }
    for b in bodies {
        for k in 0..3 {
            b.at[k] += dt * b.speed[k];
        }
    }
}

#[checkpointable]
fn simulate(bodies: &mut [Body], steps: u32) -> f64 {
    let mut worst: f64 = 0.0;
    let start = energy(bodies);
    for n in 1..=steps {
        step(bodies, 1e-3);
        checkpoint!();
        if n % 200 == 0 {
            let now = energy(bodies);
            worst = worst.max((now - start).abs());
            println!("step {n:5}  energy {now:.12}");
        }
    }
    worst
}

#[pc3::main]
fn main() {
    let steps = std::env::args().nth(1);
    let steps = steps.map_or(1000, |a| a.parse().expect("a number"));
    let mut bodies = system();
    let worst = ck!(simulate(&mut bodies, steps));
    println!("energy stayed within {worst:.3e}");
}

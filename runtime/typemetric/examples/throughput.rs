//! How fast plans run: one line per kind of conversion.  `cargo run --release --example throughput`

use pc3_typemetric::abi::Abi;
use pc3_typemetric::layout::Arith;
use pc3_typemetric::plan::{Plan, Resolver, Unresolved};
use pc3_typemetric::types::{Kind, TypeError, TypeId, TypeTable};
use std::hint::black_box;
use std::time::Instant;

struct Same;
impl Resolver for Same {
    fn pointer(&mut self, raw: u64, _: TypeId) -> Result<u64, Unresolved> {
        Ok(raw)
    }
    fn function(&mut self, raw: u64) -> Result<u64, Unresolved> {
        Ok(raw)
    }
    fn handle(&mut self, raw: u64, _: TypeId) -> Result<u64, Unresolved> {
        Ok(raw)
    }
    fn file(&mut self, raw: u64) -> Result<u64, Unresolved> {
        Ok(raw)
    }
}

const BYTES: usize = 64 << 20;

type Make = fn(&mut TypeTable) -> Result<TypeId, TypeError>;

fn measure(name: &str, from: &Abi, to: &Abi, make: Make) -> Result<(), TypeError> {
    let (mut src, mut dst) = (TypeTable::new(from.clone()), TypeTable::new(to.clone()));
    let (s, d) = (make(&mut src)?, make(&mut dst)?);
    let plan = match Plan::compile(&src, s, &dst, d) {
        Ok(plan) => plan,
        Err(all) => {
            println!("{name}: {all:?}");
            return Ok(());
        }
    };
    let count = BYTES as u64 / plan.src_size();
    // Small values that fit everywhere: the high half of each word is zero on either byte order.
    let bytes = vec![0; BYTES];
    let mut out = vec![0; (count * plan.dst_elem_size()) as usize];
    let mut best = f64::MAX;
    for _ in 0..5 {
        let start = Instant::now();
        if let Err(e) = plan.run(black_box(&bytes), black_box(&mut out), count, &mut Same) {
            println!("{name}: {e}");
        }
        best = best.min(start.elapsed().as_secs_f64());
    }
    let mut sum = 0;
    let start = Instant::now();
    let size = plan.src_size();
    for i in 0..1_000_000u64 {
        sum += plan
            .map_offset(BYTES as u64, black_box(i % count * size), TypeId::UNKNOWN)
            .unwrap_or(0);
    }
    black_box(sum);
    let path = start.elapsed().as_secs_f64() * 1e3;
    let gib = BYTES as f64 / best / (1u64 << 30) as f64;
    println!(
        "{name:30} {:>7} -> {:7} {gib:6.2} GiB/s   path {path:5.1} ns",
        from.name, to.name
    );
    Ok(())
}

fn main() -> Result<(), TypeError> {
    let doubles: Make = |t| t.arith(Arith::Double);
    let longs: Make = |t| t.arith(Arith::Long);
    let node: Make = |t| {
        let (d, i) = (t.arith(Arith::Double)?, t.arith(Arith::Int)?);
        let p = t.pointer_to(i)?;
        t.record(
            Kind::Struct,
            "node",
            &[
                ("i", i, None),
                ("x", d, None),
                ("y", d, None),
                ("next", p, None),
            ],
        )
    };
    let plain: Make = |t| {
        let (d, i) = (t.arith(Arith::Double)?, t.arith(Arith::Int)?);
        t.record(
            Kind::Struct,
            "plain",
            &[
                ("i", i, None),
                ("x", d, None),
                ("y", d, None),
                ("j", i, None),
            ],
        )
    };
    for to in [Abi::AARCH64, Abi::S390X, Abi::I686] {
        measure("double", &Abi::X86_64, &to, doubles)?;
        measure("long", &Abi::X86_64, &to, longs)?;
        measure("struct of int and double", &Abi::X86_64, &to, plain)?;
        measure("struct with a (null) pointer", &Abi::X86_64, &to, node)?;
    }
    measure("long", &Abi::I686, &Abi::S390X, longs)?;
    measure("long double", &Abi::X86_64, &Abi::S390X, |t| {
        t.arith(Arith::LongDouble)
    })
}

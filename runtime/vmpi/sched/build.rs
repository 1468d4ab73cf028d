//! `cfg(pc3_coroutines)`: the target has stackful coroutines. 32-bit ARM without NEON has not: `corosensei` says by the names of
//! vector registers that a switch loses d8 to d15, and where there are no such registers Rust drops that without a word.

fn main() {
    println!("cargo:rustc-check-cfg=cfg(pc3_coroutines)");
    println!("cargo:rerun-if-changed=build.rs");
    let arch = std::env::var("CARGO_CFG_TARGET_ARCH").unwrap_or_default();
    if matches!(arch.as_str(), "x86_64" | "x86" | "aarch64" | "riscv64")
        && std::env::var("CARGO_CFG_UNIX").is_ok()
    {
        println!("cargo:rustc-cfg=pc3_coroutines");
    }
}

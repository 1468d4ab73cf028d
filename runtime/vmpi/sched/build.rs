//! `cfg(pc3_coroutines)`: the target has stackful coroutines.

fn main() {
    println!("cargo:rustc-check-cfg=cfg(pc3_coroutines)");
    println!("cargo:rerun-if-changed=build.rs");
    let arch = std::env::var("CARGO_CFG_TARGET_ARCH").unwrap_or_default();
    if matches!(
        arch.as_str(),
        "x86_64" | "x86" | "aarch64" | "arm" | "riscv64"
    ) && std::env::var("CARGO_CFG_UNIX").is_ok()
    {
        println!("cargo:rustc-cfg=pc3_coroutines");
    }
}

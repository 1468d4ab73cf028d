#!/bin/sh
# Makes the emulator of the package mos6502 checkpointable: `changes.sh FOLDER PC3`, PC3 being this crate's folder.
# Ten lines of its source are new, and its dependencies.
set -e
cd "$1"
sed -i "s|^\[dependencies.bitflags\]|[dependencies.pc3]\npath = \"$2\"\nfeatures = [\"serde\"]\n\n[dependencies.serde]\nversion = \"1\"\nfeatures = [\"derive\"]\n\n&\nfeatures = [\"serde\"]|" Cargo.toml
sed -i 's/^#!\[no_std\]/&\nextern crate std;/' src/lib.rs
sed -i 's/^pub struct Nmos6502/#[derive(pc3::Checkpointable)]\n&/' src/instruction.rs
sed -i 's/^pub struct Memory/#[derive(pc3::Checkpointable)]\n&/' src/memory.rs
sed -i 's/^pub struct StackPointer/#[derive(pc3::Checkpointable)]\n&/' src/registers.rs
sed -i 's/^pub struct Registers/#[derive(pc3::Checkpointable)]\n&/' src/registers.rs
sed -i 's/^    pub struct Status/    #[derive(serde::Serialize, serde::Deserialize)]\n&/' src/registers.rs
sed -i 's/^    pub status: Status/    #[pc3(with = "serde")]\n&/' src/registers.rs
sed -i 's/^pub struct CPU/#[derive(pc3::Checkpointable)]\n&/' src/cpu.rs
sed -i 's/^    pub fn run(/    #[pc3::checkpointable]\n&/' src/cpu.rs
sed -i '/pub fn run(/,/^    }/s/^            self.execute_instruction(decoded_instr);/&\n            pc3::checkpoint!();/' src/cpu.rs

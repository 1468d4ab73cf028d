//! A program for the 6502, run by the package mos6502: sums, until an instruction that does not exist.

use mos6502::cpu::CPU;
use mos6502::instruction::Nmos6502;
use mos6502::memory::{Bus, Memory};
use pc3::prelude::*;

const START: u16 = 0x400;
/// CLC; LDA $10; ADC $11; EOR $12; STA $10; INC $11; BNE START; INC $12; LDA $12; CMP #$14; BNE START
const CODE: &[u8] = &[
    0x18, 0xa5, 0x10, 0x65, 0x11, 0x45, 0x12, 0x85, 0x10, 0xe6, 0x11, 0xd0, 0xf3, 0xe6, 0x12, 0xa5,
    0x12, 0xc9, 0x14, 0xd0, 0xeb, 0x02,
];

#[pc3::main]
fn main() {
    let mut cpu = CPU::new(Memory::new(), Nmos6502);
    cpu.memory.set_bytes(START, CODE);
    cpu.registers.program_counter = START;
    ck!(cpu.run());
    println!("{:?} {:02x}", cpu.registers, cpu.memory.get_byte(0x10));
}

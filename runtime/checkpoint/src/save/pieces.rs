//! What is known of blocks that the program hands out in pieces.

use pc3_typemetric::types::TypeId;

use pc3_format::meta::ShadowMeta;
use pc3_format::pieces::{Extent, PieceMeta};
use pc3_state::pieces::bytes_around;
use pc3_state::rank::Rank;

/// For a checkpoint. Of the stack, notes count in what `main` has there, which is there all the time; elsewhere there may be
/// something else by now, of which nobody knows.
pub(super) fn list(rank: &Rank, shadow: &[ShadowMeta]) -> Vec<PieceMeta> {
    let mut all = rank.pieces.list();
    let types = &rank.job().program.types;
    for p in all.iter_mut().filter(|p| p.extent == Extent::Elements) {
        let one = p.ty.map_or(1, |t| types.size(t)).max(1);
        // SAFETY: a block's memory, which is all there as long as there are notes of it.
        let room = unsafe { std::slice::from_raw_parts(p.addr as *const u8, p.room as usize) };
        let used = room.iter().rposition(|b| *b != 0).map_or(0, |at| at + 1) as u64;
        p.bytes = (used.div_ceil(one).max(1) * one).min(p.room / one * one);
    }
    let stack = rank.shadow.start() as u64..rank.shadow.end() as u64;
    let program = &rank.job().program;
    all.retain_mut(|p| {
        if !stack.contains(&p.addr) {
            return true;
        }
        let k = shadow.partition_point(|s| s.addr <= p.addr);
        let Some(object) = k.checked_sub(1).map(|k| &shadow[k]) else {
            return false;
        };
        let offset = p.addr - object.addr;
        let held = bytes_around(&program.types, object.ty, object.data.bytes, offset);
        if held.is_none_or(|(_, to)| offset + p.room > to) {
            return false;
        }
        let outermost = rank.frames.list().len() as u64;
        let lasting = k == 1 && object.frame.is_some_and(|f| f + 1 == outermost);
        if !lasting {
            (p.ty, p.link, p.extent) = (Some(TypeId::UNKNOWN), None, Extent::One);
        }
        true
    });
    all
}

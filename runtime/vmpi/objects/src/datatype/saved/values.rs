//! Messages of a checkpoint that hold values of the program's types, sent as MPI_BYTE.
//!
//! Their bytes are in the checkpoint as the saved program had them; here they become what those values are on this machine.

use pc3_runtime::transfer::{LoadCtx, LoadError};

use super::written::of_signature;
use crate::datatype::basic::Basic;
use crate::datatype::bytes;
use crate::datatype::signature::{Item, Signature};
use crate::datatype::TypeRef;
use crate::pack;
use crate::wire::{bad, Read, Reader};

/// A message's type and the number of its elements here; `whole`: all of it, with the saved program's types.
pub fn here(whole: &Signature, ctx: &dyn LoadCtx) -> Read<(TypeRef, usize)> {
    let here = translated(whole, ctx)?;
    if let [Item::Values(of, n)] = here.items() {
        let n = usize::try_from(*n).or_else(|_| bad("a message is too long for this machine"))?;
        return match bytes::of(*of) {
            Some(ty) => Ok((ty, n)),
            None => bad("the type of a message's bytes"),
        };
    }
    Ok((of_signature(&here)?, 1))
}

fn translated(s: &Signature, ctx: &dyn LoadCtx) -> Read<Signature> {
    let items = s.items().iter().map(|item| {
        Ok(match item {
            Item::Run(..) => item.clone(),
            Item::Values(of, n) => Item::Values(ctx.partner(*of)?, ctx.room(*of, *n, false)?),
            Item::Repeat(n, inner) => Item::Repeat(*n, translated(inner, ctx)?),
        })
    });
    Ok(Signature::from_items(items.collect::<Read<_>>()?))
}

/// Its data here, of data in the portable format.
pub fn data(whole: &Signature, portable: &[u8], ctx: &dyn LoadCtx) -> Read<Vec<u8>> {
    let (mut r, mut out) = (Reader(portable), Vec::new());
    convert(whole, &mut r, ctx, &mut out)?;
    if !r.0.is_empty() {
        return bad("a message is longer than its type");
    }
    Ok(out)
}

fn convert(s: &Signature, r: &mut Reader, ctx: &dyn LoadCtx, out: &mut Vec<u8>) -> Read<()> {
    for item in s.items() {
        match item {
            Item::Run(b, n) => {
                let part = r.next(n.saturating_mul(Basic::portable_size(*b) as u64))?;
                let run = Signature::run(*b, *n);
                pack::from_portable(&run, part, out)
                    .map_err(|e| LoadError(e.detail.into_owned()))?;
            }
            Item::Values(of, n) => out.extend(ctx.values(*of, r.next(*n)?)?),
            Item::Repeat(n, inner) => {
                for _ in 0..*n {
                    convert(inner, r, ctx, out)?;
                }
            }
        }
    }
    Ok(())
}

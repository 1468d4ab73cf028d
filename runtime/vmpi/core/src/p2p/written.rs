//! An inbound message as bytes, in a checkpoint: its key, its type as a signature, its data in the portable packed
//! format.  A message that is still held by a synchronous sender is a reference to the sender's request.

use pc3_runtime::transfer::{LoadCtx, LoadError};

use crate::mail::mailbox::{Data, Message};
use crate::mail::queue::Key;
use crate::mail::request::Request;
use crate::mail::room::MessageRoom;
use pc3_vmpi_objects::datatype::saved::values;
use pc3_vmpi_objects::datatype::saved::written::{of_signature, read_signature, write_signature};
use pc3_vmpi_objects::pack;
use pc3_vmpi_objects::wire::{bad, Read, Reader, Writer};

/// The ranks that messages come from.
pub struct Senders<'a> {
    pub count: u32,
    /// So many bytes of a rank's attached buffer are in use again; false: it is in another process.
    pub restore: Box<dyn Fn(u32, usize) -> bool + 'a>,
}

pub fn write_key(w: &mut Writer, k: &Key) {
    w.u32(k.ctx);
    w.i32(k.src);
    w.i32(k.tag);
}

pub fn read_key(r: &mut Reader) -> Read<Key> {
    Ok(Key {
        ctx: r.u32()?,
        src: r.i32()?,
        tag: r.i32()?,
    })
}

/// `sender_index`: the place of a pending request among those its owner saves; none: it will be complete in what is saved of its owner.
pub fn write(
    w: &mut Writer,
    key: &Key,
    m: &Message,
    sender_index: impl Fn(&Request) -> Option<u64>,
) {
    write_key(w, key);
    let early = m.mark.as_ref().is_some_and(|k| k.early);
    let attached = match m.buffered_by {
        Some(MessageRoom::Attached(rank)) if !early => Some(rank),
        _ => None,
    };
    w.u32(attached.map_or(0, |r| r + 1));
    write_signature(w, &m.ty.signature);
    w.size(m.count);
    match &m.data {
        Data::Held(r) => {
            // SAFETY: a held message's request is pending and its buffer readable.
            let r = unsafe { &**r };
            let Some(index) = sender_index(r) else {
                // SAFETY: as above.
                let native = unsafe { r.ty.pack_vec(r.addr, r.count) };
                return content(w, m, &native);
            };
            w.u8(1);
            w.u32(r.owner);
            w.u64(index);
        }
        Data::Remote { owner, index, .. } => {
            w.u8(1);
            w.u32(*owner);
            w.u64(*index);
        }
        _ => content(w, m, m.bytes().unwrap_or(&[])),
    }
}

fn content(w: &mut Writer, m: &Message, native: &[u8]) {
    w.u8(0);
    let mut out = Vec::new();
    let whole = m.ty.signature.repeat(m.count as u64);
    match pack::to_portable(&whole, native, &mut out) {
        Ok(()) => w.u8(1),
        // Not representable in the portable format: kept as it is, for the same ABI only.
        Err(_) => {
            out = native.to_vec();
            w.u8(0);
        }
    }
    w.size(out.len());
    w.0.extend_from_slice(&out);
}

pub fn read(r: &mut Reader, from: &Senders, ctx: &dyn LoadCtx) -> Read<(Key, Message)> {
    let key = read_key(r)?;
    let buffered_by = r.u32()?.checked_sub(1);
    let signature = read_signature(r)?;
    let (mut ty, mut count) = (of_signature(&signature)?, r.size()?);
    let unreceived = |e: LoadError| {
        let (src, tag) = (key.src, key.tag);
        LoadError(format!(
            "MPI state: an unreceived message from {src} with tag {tag}: {e}"
        ))
    };
    if ty.bytes(count).is_none() {
        return bad("a message is too long for this machine");
    }
    let whole = signature.repeat(count as u64);
    let of_values = whole.has_values();
    if of_values {
        (ty, count) = values::here(&whole, ctx).map_err(unreceived)?;
    }
    if buffered_by.is_some_and(|b| b >= from.count) {
        return bad("a message from a rank that does not exist");
    }
    if r.u8()? == 1 {
        let data = Data::Awaited {
            owner: r.u32()?,
            index: r.u64()?,
        };
        return Ok((
            key,
            Message {
                data,
                ty,
                count,
                buffered_by: buffered_by.map(MessageRoom::Attached),
                mark: None,
            },
        ));
    }
    let portable = r.u8()? == 1;
    let bytes = r.list(Reader::u8)?;
    let Some(len) = ty.bytes(count) else {
        return bad("a message is too long for this machine");
    };
    let mut native = Vec::new();
    if portable && of_values {
        native = values::data(&whole, &bytes, ctx).map_err(unreceived)?;
    } else if portable {
        let read = pack::from_portable(&whole, &bytes, &mut native);
        read.map_err(|e| unreceived(LoadError(e.detail.into_owned())))?;
    } else {
        native = bytes;
    }
    if native.len() != len {
        return bad("an unreceived message that this ABI cannot represent");
    }
    // In another process it has had the room back since it was sent.
    let buffered_by = buffered_by.filter(|b| (from.restore)(*b, len));
    let buffered_by = buffered_by.map(MessageRoom::Attached);
    let data = Data::of(native);
    Ok((
        key,
        Message {
            data,
            ty,
            count,
            buffered_by,
            mark: None,
        },
    ))
}

//! Heads of frames with messages.

use pc3_transport::Head;

use crate::frame::{Frame, FrameBody};
use pc3_vmpi_core::mail::mailbox::{Data, Message};
use pc3_vmpi_core::p2p::Key;
use pc3_vmpi_objects::datatype::saved::written::{read_type, write_signature};
use pc3_vmpi_objects::datatype::{by_handle, TypeRef};
use pc3_vmpi_objects::wire::{Reader, Writer};

/// Of a `Take`: the receiver has read the message itself.
pub const READ: u32 = u32::MAX;

/// How a message's type travels: handle, count, signature.
pub(crate) fn type_to_wire(ty: &TypeRef, count: usize) -> (u32, u64, Vec<u8>) {
    if ty.predefined != 0 {
        return (ty.known_as() as u32, count as u64, Vec::new());
    }
    if let Some(unit) = ty.unit().filter(|_| !ty.is_packed()) {
        let count = count * ty.size / unit.size;
        return (unit.known_as() as u32, count as u64, Vec::new());
    }
    let mut w = Writer::default();
    write_signature(&mut w, &ty.signature);
    (0, count as u64, w.0)
}

/// The type, the number of elements, and where the data begin.
pub(crate) fn type_from_wire(head: &Head, body: &[u8]) -> Option<(TypeRef, usize, usize)> {
    let count = usize::try_from(head.count).ok()?;
    if head.ty != 0 {
        return Some((by_handle(head.ty as usize)?, count, 0));
    }
    let at = head.extra as usize;
    let ty = read_type(&mut Reader(body.get(..at)?)).ok()?;
    Some((ty, count, at))
}

pub(crate) fn key_of(head: &Head) -> Key {
    Key {
        ctx: head.ctx,
        src: head.from,
        tag: head.tag,
    }
}

pub(crate) fn head_of(me: u32, dest: u32, key: &Key, ty: u32, count: u64, extra: usize) -> Head {
    Head {
        src: me,
        dst: dest,
        ctx: key.ctx,
        from: key.src,
        tag: key.tag,
        ty,
        extra: extra as u32,
        count,
        ..Head::default()
    }
}

/// The message of a frame that has all of it.
pub fn whole(frame: Frame) -> Option<Message> {
    let (ty, count, at) = type_from_wire(&frame.head, frame.bytes())?;
    let data = match frame.body {
        FrameBody::Own(b) if at == 0 && b.len() > Data::SHORT => Data::Long(b),
        _ => Data::copy(frame.bytes().get(at..)?),
    };
    let m = Message {
        data,
        ty,
        count,
        buffered_by: None,
        mark: None,
    };
    (m.bytes()?.len() == m.len()).then_some(m)
}

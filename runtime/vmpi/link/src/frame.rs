//! Frames that have arrived, until somebody handles them.

use std::cell::Cell;

use pc3_transport::Head;
use pc3_vmpi_core::mail::mailbox::Data;

pub enum FrameBody {
    Short {
        len: u8,
        bytes: [u8; Data::SHORT],
    },
    Own(Box<[u8]>),
    /// In the buffer of the receive that the head names.
    Placed,
}

pub struct Frame {
    pub peer: u32,
    pub head: Head,
    pub body: FrameBody,
}

impl Frame {
    pub fn bytes(&self) -> &[u8] {
        match &self.body {
            FrameBody::Short { len, bytes } => &bytes[..usize::from(*len)],
            FrameBody::Own(b) => b,
            FrameBody::Placed => &[],
        }
    }
}

/// Filled by the transport while it makes progress.
#[derive(Default)]
pub(crate) struct Arrivals {
    /// The body that is being received, by peer.
    pub open: Vec<Option<FrameBody>>,
    pub frames: Vec<Frame>,
    pub sent: Vec<u64>,
    pub pulled: Vec<(u32, u64)>,
    pub lost: Vec<(u32, String)>,
}

/// Who handles what arrives.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Handler {
    /// Not this thread.
    Nobody,
    /// This thread, which looks again when it has done something.
    This,
    /// The only worker, so that no rank here runs beside it.
    Worker,
}

thread_local! {
    pub static HANDLES: Cell<Handler> = const { Cell::new(Handler::Nobody) };
}

//! What is said about windows, as frames.

use pc3_transport::Head;

use crate::frame::Frame;
use crate::kind::Kind;
use crate::post::{fail, Post};
use pc3_vmpi_core::above::Letter;
use pc3_vmpi_rma::remote::serve;

pub(crate) fn send(post: &Post, process: u32, letter: &Letter) {
    let kind = match letter.quiet {
        true => Kind::QuietWindow,
        false => Kind::Window,
    };
    let head = Head {
        ctx: letter.window.0,
        id: letter.window.1,
        tag: letter.verb,
        token: letter.token,
        ..Head::default()
    };
    post.send_bytes(process, kind, head, letter.bytes);
}

pub(crate) fn hear(post: &Post, kind: Kind, frame: &Frame) {
    let Some(world) = post.world() else {
        fail("internal error: a window before the ranks were known")
    };
    let head = &frame.head;
    let letter = Letter {
        window: (head.ctx, head.id),
        verb: head.tag,
        token: head.token,
        quiet: kind == Kind::QuietWindow,
        bytes: frame.bytes(),
    };
    serve::hear(world, frame.peer, &letter);
}

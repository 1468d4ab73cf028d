//! Kinds of frames.

/// What a frame is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Kind {
    /// A whole message.
    Eager = 1,
    /// A message that its sender holds: `id`.
    Offer,
    /// The receive `token` takes the message `id`.
    Take,
    /// The body of such a message, for the receive `token`.
    Data,
    /// The body of a held message that nobody has taken.
    Hand,
    /// The held message `id` is at `count` among its sender's saved requests.
    Place,
    /// A whole message that counts: its `token` tells of its sender.  With an `id`, who receives it says so by a `Take`.
    Counted,
    /// The body of the message offered as `id`, which its sender keeps until it hears of it.
    Give,
    /// A process's part of a collective.
    Collective,
    /// The same in a few words: see `coll::inline_collective`.
    InlineCollective,
    /// Of a shared file pointer: `src` moves it on by `count`; where it was goes to `dst`.
    Pointer,
    Pointed,
    /// See `total_order`.
    Turn,
    /// The sender has received `count` bytes of what was sent unasked: see `credit`.
    Credit,
    /// See `node`.
    Control,
    /// See `nonblocking::remote_epochs`.
    Nonblocking,
    /// See `desk`.
    Desk,
    /// See `windows`.
    Window,
    /// The same of ranks that have polled in vain for a while.
    QuietWindow,
    /// The sender ends, with status `count`; so does the job.
    Abort,
    /// The sender will send nothing more.
    Bye,
    /// The sender is there.
    Heartbeat,
}

const KINDS: [Kind; 22] = [
    Kind::Eager,
    Kind::Offer,
    Kind::Take,
    Kind::Data,
    Kind::Hand,
    Kind::Place,
    Kind::Counted,
    Kind::Give,
    Kind::Collective,
    Kind::InlineCollective,
    Kind::Pointer,
    Kind::Pointed,
    Kind::Turn,
    Kind::Credit,
    Kind::Control,
    Kind::Nonblocking,
    Kind::Desk,
    Kind::Window,
    Kind::QuietWindow,
    Kind::Abort,
    Kind::Bye,
    Kind::Heartbeat,
];

impl Kind {
    pub fn of(n: u32) -> Option<Kind> {
        KINDS.into_iter().find(|k| *k as u32 == n)
    }

    /// Do programs wait for such frames, so that they count when it is asked whether anything is under way?
    pub fn counts(self) -> bool {
        !matches!(
            self,
            Kind::Credit
                | Kind::Control
                | Kind::Nonblocking
                | Kind::Desk
                | Kind::QuietWindow
                | Kind::Abort
                | Kind::Bye
                | Kind::Heartbeat
        )
    }
}

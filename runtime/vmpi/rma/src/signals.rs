//! Posts and completions that have come to a member.

/// What other members have told one.
#[derive(Default, Clone, PartialEq, Eq, Debug)]
pub struct Signals {
    /// How often each has posted to it, if it has not started since.
    pub posts: Vec<(u32, u32)>,
    /// How many have completed their access.
    pub completed: u32,
}

impl Signals {
    pub(crate) fn posted(&mut self, by: u32) {
        match self.posts.iter_mut().find(|p| p.0 == by) {
            Some(p) => p.1 += 1,
            None => self.posts.push((by, 1)),
        }
    }

    pub(crate) fn take_post(&mut self, by: u32) -> bool {
        let Some(at) = self.posts.iter().position(|p| p.0 == by) else {
            return false;
        };
        self.posts[at].1 -= 1;
        if self.posts[at].1 == 0 {
            self.posts.swap_remove(at);
        }
        true
    }
}

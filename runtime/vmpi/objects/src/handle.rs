//! Handles: the numbers a program holds in place of MPI objects.
//!
//! A handle is a token, never an address.  Predefined objects have the constants of the MPI
//! standard's ABI (all below [`FIRST_DYNAMIC`]); an object made at run time gets a small number
//! that says its kind and its slot in the rank's table.  It fits 32 bits, so a program that
//! continues under another ABI still holds a valid handle.

/// The standard reserves the values below for predefined handles.
pub const FIRST_DYNAMIC: usize = 0x1000;

/// What a dynamic handle names; kept in its low four bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Kind {
    Comm = 1,
    Group = 2,
    Datatype = 3,
    Op = 4,
    Errhandler = 5,
    Request = 6,
    Message = 7,
    Info = 8,
    File = 9,
    Win = 10,
    Session = 11,
}

/// All sends that were complete when they had begun: nothing is to be remembered of one, so none has a slot.  No kind is 0, so
/// it is no slot's handle (checkpoints may hold any of those); like them it is too small to be an address, as programs keep
/// handles in pointers, too.
pub const SENT: usize = FIRST_DYNAMIC;

/// A slot number as a handle of `kind`.
#[inline]
pub fn encode(kind: Kind, slot: usize) -> usize {
    FIRST_DYNAMIC + ((slot << 4) | kind as usize)
}

/// The slot behind a dynamic handle of `kind`; `None` for anything else.
#[inline]
pub fn decode(kind: Kind, handle: usize) -> Option<usize> {
    let n = handle.checked_sub(FIRST_DYNAMIC)?;
    (n & 15 == kind as usize).then_some(n >> 4)
}

/// One rank's objects of one kind.
#[derive(Debug, Clone)]
pub struct Table<T> {
    kind: Kind,
    slots: Vec<Option<T>>,
    free: Vec<usize>,
}

impl<T> Table<T> {
    #[inline]
    pub fn new(kind: Kind) -> Self {
        Table {
            kind,
            slots: Vec::new(),
            free: Vec::new(),
        }
    }

    pub fn insert(&mut self, value: T) -> usize {
        let slot = match self.free.pop() {
            Some(s) => {
                self.slots[s] = Some(value);
                s
            }
            None => {
                self.slots.push(Some(value));
                self.slots.len() - 1
            }
        };
        encode(self.kind, slot)
    }

    #[inline]
    pub fn get(&self, handle: usize) -> Option<&T> {
        self.slots.get(decode(self.kind, handle)?)?.as_ref()
    }

    #[inline]
    pub fn get_mut(&mut self, handle: usize) -> Option<&mut T> {
        self.slots.get_mut(decode(self.kind, handle)?)?.as_mut()
    }

    #[inline]
    pub fn remove(&mut self, handle: usize) -> Option<T> {
        let slot = decode(self.kind, handle)?;
        let value = self.slots.get_mut(slot)?.take()?;
        self.free.push(slot);
        Some(value)
    }

    /// Live objects with their handles, in slot order.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (usize, &T)> {
        let kind = self.kind;
        self.slots
            .iter()
            .enumerate()
            .filter_map(move |(i, s)| s.as_ref().map(|v| (encode(kind, i), v)))
    }

    #[inline]
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.slots.iter_mut().flatten()
    }

    /// Puts an object under the handle it had before a restart.
    pub fn restore(&mut self, handle: usize, value: T) -> bool {
        let Some(slot) = decode(self.kind, handle) else {
            return false;
        };
        // A handle in a damaged file must not make the table huge.
        if slot > (1 << 27) {
            return false;
        }
        while self.slots.len() <= slot {
            self.free.push(self.slots.len());
            self.slots.push(None);
        }
        self.free.retain(|&s| s != slot);
        self.slots[slot].replace(value).is_none()
    }

    #[inline]
    pub fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Values of the predefined handles in the standard's ABI.
pub mod abi {
    pub const COMM_NULL: usize = 0x100;
    pub const COMM_WORLD: usize = 0x101;
    pub const COMM_SELF: usize = 0x102;
    pub const GROUP_NULL: usize = 0x108;
    pub const GROUP_EMPTY: usize = 0x109;
    pub const SESSION_NULL: usize = 0x120;
    pub const MESSAGE_NULL: usize = 0x128;
    pub const MESSAGE_NO_PROC: usize = 0x129;
    pub const WIN_NULL: usize = 0x110;
    pub const FILE_NULL: usize = 0x118;
    pub const INFO_NULL: usize = 0x130;
    pub const INFO_ENV: usize = 0x131;
    pub const ERRHANDLER_NULL: usize = 0x140;
    pub const ERRORS_ARE_FATAL: usize = 0x141;
    pub const ERRORS_ABORT: usize = 0x142;
    pub const ERRORS_RETURN: usize = 0x143;
    pub const REQUEST_NULL: usize = 0x180;
    pub const DATATYPE_NULL: usize = 0x200;

    pub const IN_PLACE: usize = 1;
    pub const ANY_SOURCE: i32 = -1;
    pub const ANY_TAG: i32 = -2;
    pub const PROC_NULL: i32 = -3;
    pub const ROOT: i32 = -4;
    pub const UNDEFINED: i32 = -32766;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_reused_and_restored() {
        let mut t = Table::new(Kind::Comm);
        let a = t.insert('a');
        let b = t.insert('b');
        assert!(a >= FIRST_DYNAMIC && decode(Kind::Group, a).is_none());
        assert_eq!(t.remove(a), Some('a'));
        assert_eq!((t.get(a).copied(), t.remove(a)), (None, None));
        let mut u = Table::new(Kind::Comm);
        for (h, v) in t.iter() {
            assert!(u.restore(h, *v));
        }
        assert!(!u.restore(b, 'x'));
        assert_eq!(u.insert('c'), a);
        assert_eq!(u.len(), 2);
        let mut requests = Table::new(Kind::Request);
        assert_eq!(requests.get(SENT), None::<&char>);
        assert!(requests.restore(encode(Kind::Request, 0), 'r') && !requests.restore(SENT, 's'));
    }
}

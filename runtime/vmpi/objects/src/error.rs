//! Error classes of the standard (MPI 3.1 section 8.4, values of the standard's ABI).
//!
//! The code that a call returns is its class; classes and codes that a program adds follow
//! [`Class::LASTCODE`].

use std::borrow::Cow;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Class(pub i32);

macro_rules! classes { ($($name:ident = $v:literal $text:literal,)*) => {
    impl Class { $(pub const $name: Class = Class($v);)* }
    /// The standard's name and our description of a class.
    pub fn describe(code: i32) -> Option<(&'static str, &'static str)> {
        match code { $($v => Some((concat!("MPI_", stringify!($name)), $text)),)* _ => None }
    }
} }
classes! {
    SUCCESS = 0 "no error",
    ERR_BUFFER = 1 "invalid buffer pointer",
    ERR_COUNT = 2 "invalid count",
    ERR_TYPE = 3 "invalid datatype",
    ERR_TAG = 4 "invalid tag",
    ERR_COMM = 5 "invalid communicator",
    ERR_RANK = 6 "invalid rank",
    ERR_REQUEST = 7 "invalid request",
    ERR_ROOT = 8 "invalid root",
    ERR_GROUP = 9 "invalid group",
    ERR_OP = 10 "invalid reduction operation",
    ERR_TOPOLOGY = 11 "invalid topology",
    ERR_DIMS = 12 "invalid dimensions",
    ERR_ARG = 13 "invalid argument",
    ERR_UNKNOWN = 14 "unknown error",
    ERR_TRUNCATE = 15 "message longer than the receive buffer",
    ERR_OTHER = 16 "other error",
    ERR_INTERN = 17 "internal error",
    ERR_PENDING = 18 "pending request",
    ERR_IN_STATUS = 19 "the error code is in the status",
    ERR_ACCESS = 20 "permission denied",
    ERR_AMODE = 21 "invalid file access mode",
    ERR_ASSERT = 22 "invalid assertion",
    ERR_BAD_FILE = 23 "invalid file name",
    ERR_BASE = 24 "invalid base address",
    ERR_CONVERSION = 25 "data that cannot be converted",
    ERR_DISP = 26 "invalid displacement",
    ERR_DUP_DATAREP = 27 "data representation exists already",
    ERR_FILE_EXISTS = 28 "file exists",
    ERR_FILE_IN_USE = 29 "file is in use",
    ERR_FILE = 30 "invalid file handle",
    ERR_INFO_KEY = 31 "info key too long",
    ERR_INFO_NOKEY = 32 "no such info key",
    ERR_INFO_VALUE = 33 "info value too long",
    ERR_INFO = 34 "invalid info object",
    ERR_IO = 35 "input or output failed",
    ERR_KEYVAL = 36 "invalid attribute key",
    ERR_LOCKTYPE = 37 "invalid lock type",
    ERR_NAME = 38 "unknown name",
    ERR_NO_MEM = 39 "out of memory",
    ERR_NOT_SAME = 40 "arguments differ between processes",
    ERR_NO_SPACE = 41 "no space left",
    ERR_NO_SUCH_FILE = 42 "no such file",
    ERR_PORT = 43 "invalid port name",
    ERR_QUOTA = 44 "quota exceeded",
    ERR_READ_ONLY = 45 "read-only file or file system",
    ERR_RMA_ATTACH = 46 "memory that cannot be attached",
    ERR_RMA_CONFLICT = 47 "conflicting accesses to a window",
    ERR_RMA_RANGE = 48 "memory outside of the window",
    ERR_RMA_SHARED = 49 "memory that cannot be shared",
    ERR_RMA_SYNC = 50 "wrong synchronization of a window",
    ERR_SERVICE = 51 "invalid service name",
    ERR_SIZE = 52 "invalid size",
    ERR_SPAWN = 53 "ranks cannot be spawned",
    ERR_UNSUPPORTED_DATAREP = 54 "unsupported data representation",
    ERR_UNSUPPORTED_OPERATION = 55 "unsupported operation",
    ERR_WIN = 56 "invalid window",
    ERR_RMA_FLAVOR = 57 "wrong kind of window",
    ERR_PROC_ABORTED = 58 "a rank has ended",
    ERR_VALUE_TOO_LARGE = 59 "value too large to store",
    ERR_SESSION = 60 "invalid session",
    ERR_ERRHANDLER = 61 "invalid error handler",
    ERR_ABI = 62 "wrong use of what the ABI leaves open",
}
impl Class {
    pub(crate) const LASTCODE: Class = Class(16383);
}

/// What went wrong in an MPI call: the class the program sees and a sentence for a person.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}: {detail}", describe(class.0).map_or("MPI error", |d| d.0))]
pub struct MpiError {
    pub class: Class,
    pub detail: Cow<'static, str>,
}

pub type Result<T> = std::result::Result<T, MpiError>;

impl MpiError {
    pub fn new(class: Class, detail: impl Into<Cow<'static, str>>) -> Self {
        MpiError {
            class,
            detail: detail.into(),
        }
    }
}

/// `Err` of `class` with a sentence.
#[cold]
#[inline(never)]
pub fn fail<T>(class: Class, detail: impl Into<Cow<'static, str>>) -> Result<T> {
    Err(MpiError::new(class, detail))
}

/// Classes and codes that the program added (MPI 3.1 section 8.5).
#[derive(Clone, Debug, Default)]
pub struct UserCodes {
    /// From `LASTCODE + 1`: the class of each code, itself for a class, and its text.
    pub list: Vec<(i32, String)>,
}

/// In the place of a class: what was there has been removed.
const REMOVED: i32 = -1;

impl UserCodes {
    fn index(&self, code: i32) -> Option<usize> {
        let i = usize::try_from(code.checked_sub(Class::LASTCODE.0 + 1)?).ok()?;
        self.list.get(i).filter(|e| e.0 != REMOVED)?;
        Some(i)
    }

    pub fn last(&self) -> i32 {
        Class::LASTCODE.0 + self.list.len() as i32
    }

    pub fn add_class(&mut self) -> i32 {
        let code = self.last() + 1;
        self.list.push((code, String::new()));
        code
    }

    pub fn add_code(&mut self, class: i32) -> Result<i32> {
        if self.class_of(class)? != class {
            return fail(Class::ERR_ARG, format!("{class} is not an error class"));
        }
        self.list.push((class, String::new()));
        Ok(self.last())
    }

    pub fn class_of(&self, code: i32) -> Result<i32> {
        match self.index(code) {
            Some(i) => Ok(self.list[i].0),
            None if describe(code).is_some() => Ok(code),
            None => fail(Class::ERR_ARG, format!("{code} is not an error code")),
        }
    }

    pub fn text(&self, code: i32) -> Result<String> {
        match (self.index(code), describe(code)) {
            (Some(i), _) => Ok(self.list[i].1.clone()),
            (None, Some((name, text))) => Ok(format!("{name}: {text}")),
            (None, None) => fail(Class::ERR_ARG, format!("{code} is not an error code")),
        }
    }

    pub fn set_text(&mut self, code: i32, text: String) -> Result<()> {
        match self.index(code) {
            Some(i) => {
                self.list[i].1 = text;
                Ok(())
            }
            None => self.not_added(code),
        }
    }

    fn not_added<T>(&self, code: i32) -> Result<T> {
        fail(
            Class::ERR_ARG,
            format!("{code} is not an error code that the program added"),
        )
    }

    /// A class without codes (MPI 4.1 section 9.5).
    pub fn remove_class(&mut self, class: i32) -> Result<()> {
        match self.index(class) {
            Some(i) if self.list[i].0 == class => {}
            _ => return self.not_added(class),
        }
        if self.list.iter().filter(|e| e.0 == class).count() > 1 {
            let why = format!("the error class {class} still has error codes");
            return fail(Class::ERR_OTHER, why);
        }
        self.remove(class)
    }

    /// A code that is no class (MPI 4.1 section 9.5).
    pub fn remove_code(&mut self, code: i32) -> Result<()> {
        match self.index(code) {
            Some(i) if self.list[i].0 == code => fail(
                Class::ERR_ARG,
                format!("{code} is an error class: MPI_Remove_error_class removes it"),
            ),
            _ => self.remove(code),
        }
    }

    fn remove(&mut self, code: i32) -> Result<()> {
        let Some(i) = self.index(code) else {
            return self.not_added(code);
        };
        self.list[i] = (REMOVED, String::new());
        while self.list.last().is_some_and(|e| e.0 == REMOVED) {
            self.list.pop();
        }
        Ok(())
    }
}

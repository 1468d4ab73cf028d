//! Words to the person: a reader who has gone (`2>&1 | head`) does not stop a build,
//! and of one that is interrupted nothing more is said.

/// To standard error.
macro_rules! tell {
    ($($words:tt)*) => {{
        use std::io::Write;
        $crate::driver::temporary::wait_if_interrupted();
        let _ = write!(std::io::stderr(), $($words)*);
    }};
}

/// To standard output.
macro_rules! show {
    ($($words:tt)*) => {{
        use std::io::Write;
        $crate::driver::temporary::wait_if_interrupted();
        let _ = write!(std::io::stdout(), $($words)*);
    }};
}

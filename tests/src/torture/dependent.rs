//! Programs of gcc's suite whose plain builds agree on all machines, and which nevertheless compute what depends on the
//! machine or the optimiser: each has been read by a person.  Nothing else may come out differently.

const KNOWN: [(&str, &str); 15] = [
    ("20000603-1", "asks for what aliases"),
    ("20001228-1", "looks at byte order"),
    ("20020508-3", "constants that a 32-bit long cannot hold"),
    ("900409-1", "constants that a 32-bit long cannot hold"),
    ("930930-2", "looks at byte order"),
    ("950221-1", "constants that a 32-bit long cannot hold"),
    ("990208-1", "asks what the compiler inlines"),
    ("builtin-constant", "asks what the compiler can fold"),
    ("ieee/cdivchkld", "asks for the range of long double"),
    ("pr39240", "constants that a 32-bit long cannot hold"),
    ("pr40386", "constants that a 32-bit long cannot hold"),
    ("pr42691", "looks at byte order"),
    ("printf-chk-1", "asks what the compiler can fold"),
    ("pr86844", "looks at byte order"),
    ("simd-4", "looks at byte order"),
];

/// Why the program may do something else when moved.
pub fn reason(name: &str) -> Option<&'static str> {
    KNOWN.iter().find(|(n, _)| *n == name).map(|(_, why)| *why)
}

//! Programs of gcc's suite whose plain builds agree on all machines, and which nevertheless compute what depends on the
//! optimiser, or go on by what they asked of the machine: each has been read by a person.  Nothing else may come out differently.

const KNOWN: [(&str, &str); 6] = [
    ("20000603-1", "asks for what aliases"),
    ("990208-1", "asks what the compiler inlines"),
    ("builtin-constant", "asks what the compiler can fold"),
    ("printf-chk-1", "asks what the compiler can fold"),
    (
        "va-arg-6",
        "keeps a long double of one machine, and compares it with another's constant",
    ),
    ("pr38051", "asks for the order of bytes, and goes on by it"),
];

/// Why the program may do something else when moved.
pub fn reason(name: &str) -> Option<&'static str> {
    KNOWN.iter().find(|(n, _)| *n == name).map(|(_, why)| *why)
}

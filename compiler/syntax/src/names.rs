//! Names that say what they are.

/// A function of MPI, by its own name or the profiling interface's (MPI 4.1, 15.2).
pub fn is_mpi(name: &str) -> bool {
    name.starts_with("MPI_") || name.starts_with("PMPI_")
}

/// Pragmas behind `pc3` that are annotations, and how each is written.
pub const ANNOTATIONS: &[(&str, &str)] = &[
    ("union", "union STRUCT.MEMBER by TAG: MEMBER = VALUE, ..."),
    ("pointer", "pointer STRUCT.MEMBER, or of a variable"),
    (
        "bytes",
        "bytes STRUCT.MEMBER of TYPE, or of a variable; of anything",
    ),
    ("type", "type TYPE, or type FUNCTION: TYPE"),
    ("unsaved", "unsaved VARIABLE by FUNCTION"),
    ("call", "call FUNCTION at before | continue | restart"),
    (
        "accept",
        "accept WARNING, in a file: accept WARNING at FILE:LINE",
    ),
    ("no", "no checkpoint below FUNCTION"),
];

/// Their first words, in a row.
pub fn annotations() -> String {
    let words: Vec<&str> = ANNOTATIONS.iter().map(|(w, _)| *w).collect();
    words.join(", ")
}

/// The first word of annotations.
pub fn is_annotation(word: &str) -> bool {
    ANNOTATIONS.iter().any(|(w, _)| *w == word)
}

//! Words that other terms have taken the place of: no module and no public type has them as its name.

use super::rust::Source;

/// The word, and the term.
const ENDED: &[(&str, &str)] = &[
    ("measured", "size_derived"),
    ("dealer", "arena_function"),
    ("travels", "void_pointer_flow"),
    ("noted", "union_tracking"),
    ("twins", "function_copies"),
    ("tongue", "locale"),
    ("tell", "report"),
    ("holders", "lock_owners"),
    ("partner", "type_matching"),
    ("untaken", "skipped_checkpoint"),
    ("lists", "va_list"),
    ("crossing", "nonblocking"),
    ("pulse", "heartbeat"),
];

/// The modules and public types of a crate that are called so, with the terms.
pub fn ended(sources: &[Source]) -> Vec<String> {
    let modules = sources.iter().filter_map(|s| s.module.last());
    let types = sources.iter().flat_map(|s| &s.public);
    let term = |name: &String| {
        let (_, term) = ENDED
            .iter()
            .find(|(word, _)| name.to_lowercase() == *word)?;
        Some(format!("{name} ({term})"))
    };
    modules.chain(types).filter_map(term).collect()
}

//! What well-known methods do with what they are called on, whatever type that is of.

/// It is used up, or a number.
pub fn takes(name: &str) -> bool {
    ["into_", "wrapping_", "checked_", "saturating_"]
        .iter()
        .any(|p| name.starts_with(p))
        || matches!(
            name,
            "abs"
                | "expect"
                | "max"
                | "min"
                | "ok_or"
                | "pow"
                | "powi"
                | "sqrt"
                | "unwrap"
                | "unwrap_or"
                | "unwrap_or_default"
                | "unwrap_or_else"
        )
}

/// It stays as it is.
pub fn looks(name: &str) -> bool {
    let asks = name.starts_with("is_") && !name.ends_with("_and") && !name.ends_with("_or");
    asks || name.starts_with("to_")
        || matches!(
            name,
            "as_bytes"
                | "as_deref"
                | "as_path"
                | "as_ptr"
                | "as_ref"
                | "as_slice"
                | "as_str"
                | "back"
                | "binary_search"
                | "borrow"
                | "capacity"
                | "char_indices"
                | "chars"
                | "chunks"
                | "chunks_exact"
                | "clone"
                | "contains"
                | "contains_key"
                | "ends_with"
                | "first"
                | "first_key_value"
                | "front"
                | "get"
                | "get_key_value"
                | "iter"
                | "keys"
                | "last"
                | "last_key_value"
                | "len"
                | "lock"
                | "range"
                | "rchunks"
                | "rsplit_once"
                | "split_at"
                | "split_first"
                | "split_last"
                | "split_once"
                | "split_whitespace"
                | "starts_with"
                | "strip_prefix"
                | "strip_suffix"
                | "trim"
                | "trim_end"
                | "trim_end_matches"
                | "trim_matches"
                | "trim_start"
                | "trim_start_matches"
                | "values"
                | "windows"
        )
}

/// It is there afterwards, with another value.
pub fn changes(name: &str) -> bool {
    name.ends_with("_mut")
        || matches!(
            name,
            "append"
                | "clear"
                | "dedup"
                | "drain"
                | "entry"
                | "extend"
                | "extend_from_slice"
                | "fill"
                | "insert"
                | "next"
                | "pop"
                | "pop_back"
                | "pop_front"
                | "push"
                | "push_back"
                | "push_front"
                | "push_str"
                | "remove"
                | "replace"
                | "reserve"
                | "resize"
                | "retain"
                | "reverse"
                | "sort"
                | "sort_by"
                | "sort_by_key"
                | "sort_unstable"
                | "swap"
                | "swap_remove"
                | "truncate"
        )
}

/// What it is called on is moved into it, or is a number: of values that are made for it.
pub(crate) fn consumes(name: &str, arguments: usize) -> bool {
    takes(name)
        || matches!(
            name,
            "and"
                | "and_then"
                | "chain"
                | "cloned"
                | "collect"
                | "copied"
                | "count"
                | "enumerate"
                | "err"
                | "expect_err"
                | "filter"
                | "filter_map"
                | "flat_map"
                | "flatten"
                | "fold"
                | "for_each"
                | "fuse"
                | "inspect"
                | "inspect_err"
                | "last"
                | "map"
                | "map_err"
                | "map_or"
                | "map_or_else"
                | "map_while"
                | "max_by"
                | "max_by_key"
                | "min_by"
                | "min_by_key"
                | "ok"
                | "ok_or_else"
                | "or"
                | "or_else"
                | "partition"
                | "peekable"
                | "product"
                | "rev"
                | "scan"
                | "skip_while"
                | "step_by"
                | "sum"
                | "take_while"
                | "then"
                | "then_some"
                | "transpose"
                | "unwrap_err"
                | "unzip"
                | "xor"
                | "zip"
        )
        || (arguments == 1 && matches!(name, "skip" | "take"))
}

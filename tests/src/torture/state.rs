//! What a checkpoint holds, in the program's own terms: names and values, where pointers lead; no addresses, no sizes.

use std::path::Path;
use std::process::Command;

use anyhow::{ensure, Context, Result};
use serde_json::Value;

use crate::arch;

/// The latest checkpoint of a folder, as `pc3 show --json` tells it.
pub fn of(checkpoints: &Path) -> Result<Value> {
    let done = Command::new(arch::dist().join("bin/pc3"))
        .args(["show", "--json"])
        .arg(checkpoints)
        .output()
        .context("pc3 show")?;
    ensure!(
        done.status.success(),
        "pc3 show: {}",
        String::from_utf8_lossy(&done.stderr)
    );
    Ok(serde_json::from_slice(&done.stdout)?)
}

/// Members that differ by nature: how types are spelt, where pointers lead (objects are numbered in memory's order).
const APART: [&str; 4] = ["type", "to", "path", "address"];

/// The first number or text in variables that differs, with its place.
pub fn difference(a: &Value, b: &Value) -> Option<String> {
    let parts = ["frames", "blocks", "globals"];
    let ranks = |v: &Value| v.get("rank").and_then(Value::as_array).cloned();
    let (a, b) = (ranks(a)?, ranks(b)?);
    let mut pairs = a.iter().zip(&b);
    pairs.find_map(|(x, y)| parts.iter().find_map(|p| compare(p, x.get(p)?, y.get(p)?)))
}

fn compare(at: &str, a: &Value, b: &Value) -> Option<String> {
    match (a, b) {
        (Value::Object(x), Value::Object(y)) => x
            .iter()
            .filter(|(k, _)| !APART.contains(&k.as_str()))
            .find_map(|(k, v)| compare(&format!("{at}.{k}"), v, y.get(k).unwrap_or(&Value::Null))),
        (Value::Array(x), Value::Array(y)) if x.len() == y.len() => {
            let mut pairs = x.iter().zip(y).enumerate();
            pairs.find_map(|(i, (v, w))| compare(&format!("{at}[{i}]"), v, w))
        }
        _ if a == b => None,
        _ => Some(format!("{at}: {} and {}", short(a), short(b))),
    }
}

fn short(v: &Value) -> String {
    let text = v.to_string();
    match text.char_indices().nth(60) {
        Some((i, _)) => format!("{}…", &text[..i]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_the_value() {
        let check = |a: Value, b: Value, expected: Option<&str>| {
            assert_eq!(difference(&a, &b).as_deref(), expected);
        };
        let state = |x: i64, abi: &str| json!({"abi": abi, "rank": [{"globals": {"l": {"type": "long", "value": x}}}]});
        check(state(1, "i686"), state(1, "s390x"), None);
        let told = "globals.l.value: 1 and 2";
        check(state(1, "i686"), state(2, "i686"), Some(told));
    }
}

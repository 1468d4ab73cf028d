//! Comments that the preprocessor was asked to keep (`-C`): blanked, except that one which says that
//! a case falls through becomes the attribute that says so, as compilers read it from comments
//! only in sources that they preprocess themselves.

const ATTRIBUTE: &str = "__attribute__((__fallthrough__));";

pub fn strip(text: String) -> String {
    if !text.contains("/*") && !text.contains("//") {
        return text;
    }
    let b = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    let (mut i, mut done) = (0, 0);
    while i < b.len() {
        let end = match (b[i], b.get(i + 1)) {
            (b'"' | b'\'', _) => {
                i = literal_end(b, i);
                continue;
            }
            (b'/', Some(b'*')) => text[i + 2..].find("*/").map_or(b.len(), |n| i + n + 4),
            (b'/', Some(b'/')) => text[i..].find('\n').map_or(b.len(), |n| i + n),
            _ => {
                i += 1;
                continue;
            }
        };
        let comment = &text[i..end];
        let inner = comment[2..].trim_end_matches("*/");
        out += &text[done..i];
        if falls_through(inner) && before_case(&text[end..]) {
            out += ATTRIBUTE;
        }
        out.extend(comment.bytes().map(|c| if c == b'\n' { '\n' } else { ' ' }));
        (i, done) = (end, end);
    }
    out + &text[done..]
}

fn literal_end(b: &[u8], start: usize) -> usize {
    let mut i = start + 1;
    while i < b.len() && b[i] != b'\n' {
        match b[i] {
            b'\\' => i += 1,
            c if c == b[start] => return i + 1,
            _ => {}
        }
        i += 1;
    }
    i.min(b.len())
}

/// What `-Wimplicit-fallthrough=3` takes for it.
fn falls_through(comment: &str) -> bool {
    let blank = |c: char| c.is_ascii_whitespace() || c == '.' || c == '!';
    let text = comment.to_ascii_lowercase();
    let text = text.trim_start_matches(blank);
    if matches!(
        text.trim_end(),
        "-fallthrough" | "@fallthrough@" | "lint -fallthrough"
    ) {
        return true;
    }
    let without = |t: &'_ str, heads: &[&str]| -> String {
        let head = heads.iter().find_map(|h| t.strip_prefix(h));
        head.unwrap_or(t).to_string()
    };
    let text = without(text, &["else, ", "else ", "intentionally ", "intentional "]);
    let Some(text) = text.strip_prefix("fall") else {
        return false;
    };
    let text = without(text, &["s ", " ", "-"]);
    let Some(text) = text.strip_prefix("through").or(text.strip_prefix("thru")) else {
        return false;
    };
    let rest = text.trim_start_matches(blank);
    rest.is_empty() || rest.starts_with('-')
}

fn before_case(mut rest: &str) -> bool {
    loop {
        rest = rest.trim_start();
        let skip = if rest.starts_with("/*") {
            rest.find("*/").map(|n| n + 2)
        } else if rest.starts_with("//") || rest.starts_with('#') {
            rest.find('\n')
        } else {
            let word = |w: &str| {
                rest.strip_prefix(w).is_some_and(|r| {
                    !r.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
                })
            };
            return word("case") || word("default");
        };
        match skip {
            Some(n) => rest = &rest[n..],
            None => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::strip;

    #[test]
    fn comments() {
        let check = |text: &str, expect: &str| assert_eq!(strip(text.into()), expect);
        check("a /* b\nc */ d", "a     \n     d");
        check(
            "a // b\n\"/* c */\" '\"' '//'",
            "a     \n\"/* c */\" '\"' '//'",
        );
        let attribute = "__attribute__((__fallthrough__));";
        check(
            "f(); /* FALLTHRU */ case 1:",
            &format!("f(); {attribute}               case 1:"),
        );
        check(
            "f(); // falls through.\n\ndefault:",
            &format!("f(); {attribute}                 \n\ndefault:"),
        );
        check(
            "f(); /* else, fall through - why */\n# 3 \"a\"\ncase 1:",
            &format!("f(); {attribute}{}\n# 3 \"a\"\ncase 1:", " ".repeat(30)),
        );
        check("/* fallthrough */ casement;", "                  casement;");
        check(
            "/* we fall through */ case 1:",
            "                      case 1:",
        );
    }
}

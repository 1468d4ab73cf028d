//! Response files on the command line.

use crate::driver::options::OptionError;

/// Expands `@file` as gcc does: white space separates, quotes and backslashes protect.
pub fn expand(a: String, depth: u32, out: &mut Vec<String>) -> Result<(), OptionError> {
    let Some(path) = a.strip_prefix('@') else {
        out.push(a);
        return Ok(());
    };
    if depth > 64 {
        return Err(OptionError::ResponseDepth(a));
    }
    match std::fs::read_to_string(path) {
        Ok(text) => {
            for word in split_words(&text) {
                expand(word, depth + 1, out)?;
            }
            Ok(())
        }
        // gcc passes the argument on when there is no such file.
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            out.push(a);
            Ok(())
        }
        Err(e) => Err(OptionError::Response(path.to_string(), e.to_string())),
    }
}

fn split_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (_, '\\') => word.get_or_insert_with(String::new).extend(chars.next()),
            (Some(q), c) if c == q => quote = None,
            (Some(_), c) => word.get_or_insert_with(String::new).push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_with(String::new);
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, c) => word.get_or_insert_with(String::new).push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn response_words() {
        assert_eq!(
            split_words("a 'b c' \"d\\\"e\" f\\ g\n''"),
            ["a", "b c", "d\"e", "f g", ""]
        );
    }
}

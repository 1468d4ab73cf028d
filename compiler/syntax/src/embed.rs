//! `#embed` in preprocessed text. gcc 15 and later leave the directive there, with the bytes of the file in base64; the numbers
//! that it stands for take its place.

const HEAD: &str = "#embed \".\" __gnu__::__base64__(";

/// The text with numbers instead of directives. What is not of this form stays, and is not read.
pub(crate) fn expanded(text: String) -> String {
    if !text.contains(HEAD) {
        return text;
    }
    let mut out = String::with_capacity(text.len() * 3);
    let mut rest = text.as_str();
    while let Some(at) = rest.find(HEAD) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let own_line = before.is_empty() || before.ends_with('\n');
        match directive(&from[HEAD.len()..]).filter(|_| own_line) {
            Some((numbers, behind)) => {
                out.push_str(&numbers);
                rest = behind;
            }
            None => {
                out.push_str(HEAD);
                rest = &from[HEAD.len()..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// The numbers, and what follows the `)`: ` \`, `"..." \`, ..., `"...")`.
fn directive(text: &str) -> Option<(String, &str)> {
    let end = text.find(')')?;
    let mut numbers = String::new();
    let (mut bits, mut held) = (0u32, 0u32);
    let digits = text[..end]
        .bytes()
        .filter(|b| !matches!(b, b' ' | b'\\' | b'\n' | b'"' | b'='));
    for digit in digits {
        bits = bits << 6 | value(digit)?;
        held += 6;
        if held >= 8 {
            held -= 8;
            let byte = bits >> held & 0xff;
            if !numbers.is_empty() {
                numbers.push(',');
            }
            numbers.push_str(&byte.to_string());
        }
    }
    Some((numbers, &text[end + 1..]))
}

fn value(digit: u8) -> Option<u32> {
    let value = match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(value.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_become_numbers() {
        let text = "char a[] = {\n35,\n# 2 \"a.c\"\n#embed \".\" __gnu__::__base64__( \\\n\"aW5j\" \\\n\"/w==\")\n# 2 \"a.c\"\n,10\n};\n";
        let got = expanded(text.to_owned());
        assert_eq!(
            got,
            "char a[] = {\n35,\n# 2 \"a.c\"\n105,110,99,255\n# 2 \"a.c\"\n,10\n};\n"
        );
    }

    #[test]
    fn other_text_stays() {
        for text in [
            "char *s = \"#embed \\\".\\\" __gnu__::__base64__(\";\n",
            "#embed \".\" __gnu__::__base64__( \\\n\"a*\")\n",
            "#embed \".\" __gnu__::__base64__( \\\n",
        ] {
            assert_eq!(expanded(text.to_owned()), text);
        }
    }
}

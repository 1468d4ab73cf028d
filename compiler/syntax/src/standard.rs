//! The standard of C in force, as the compiler tells by its predefined macros.

use std::collections::HashMap;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Standard {
    /// C23: `bool`, `true`, `nullptr`, `constexpr` and their like are words, `auto` infers types, `f()` has no parameters.
    pub c23: bool,
    /// Characters of `u8` literals are `unsigned char`.
    pub utf8_unsigned: bool,
    /// If one enumerator is no `int`, all have the type of their enumeration.
    pub wide_enumerators: bool,
    /// Structs, unions and enumerations of one tag with the same members are one type.
    pub same_tags: bool,
    /// `typeof` and `asm` are names.
    pub strict: bool,
}

impl Standard {
    pub fn from_macros(macros: &HashMap<String, String>) -> Standard {
        let number = |name: &str| -> Option<u64> {
            let digits = macros.get(name)?.trim_end_matches(['L', 'l']);
            digits.parse().ok()
        };
        let clang = number("__clang_major__");
        let gnu = number("__GNUC__").filter(|_| clang.is_none());
        // Earlier ones have the number of the draft, but not its words.
        let knows = clang.is_none_or(|v| v >= 15) && gnu.is_none_or(|v| v >= 13);
        let c23 = knows && number("__STDC_VERSION__").is_some_and(|v| v > 201_710);
        Standard {
            c23,
            utf8_unsigned: c23 && (clang.is_none() || macros.contains_key("__CHAR8_TYPE__")),
            wide_enumerators: c23 && clang.is_none_or(|v| v >= 20),
            same_tags: c23 && clang.is_none_or(|v| v >= 21) && gnu.is_none_or(|v| v >= 15),
            strict: !c23 && macros.contains_key("__STRICT_ANSI__"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Standard;
    use std::collections::HashMap;

    #[test]
    fn of_compilers() {
        let check = |macros: &[(&str, &str)], c23: bool| {
            let list = macros.iter().map(|(n, v)| (n.to_string(), v.to_string()));
            let macros: HashMap<String, String> = list.collect();
            assert_eq!(Standard::from_macros(&macros).c23, c23, "{macros:?}");
        };
        let draft = ("__STDC_VERSION__", "202000L");
        let final_ = ("__STDC_VERSION__", "202311L");
        check(&[("__GNUC__", "12"), draft], false);
        check(&[("__GNUC__", "13"), draft], true);
        check(&[("__GNUC__", "15"), final_], true);
        check(
            &[("__GNUC__", "15"), ("__STDC_VERSION__", "201710L")],
            false,
        );
        check(
            &[("__GNUC__", "4"), ("__clang_major__", "14"), draft],
            false,
        );
        check(
            &[("__GNUC__", "4"), ("__clang_major__", "19"), final_],
            true,
        );
        check(&[final_], true);
        check(&[], false);
    }
}

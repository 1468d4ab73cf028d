//! Values of many types that live across other statements, and loops over them.

use super::{Generator, Kind, Local};

/// A type, a value made of two numbers, and the number that is left of it in the end.
const VALUES: &[(&str, &str, &str)] = &[
    (
        "(i64, String)",
        "(A, format!(\"{}\", B))",
        "T.0 ^ T.1.len() as i64",
    ),
    (
        "[u8; 4]",
        "[A as u8, 2, B as u8, 9]",
        "T.iter().map(|x| i64::from(*x)).sum::<i64>()",
    ),
    (
        "Vec<String>",
        "vec![format!(\"{}\", A), format!(\"<{}>\", B)]",
        "T.concat().len() as i64",
    ),
    (
        "std::collections::VecDeque<i64>",
        "[A, B].into_iter().collect()",
        "T.iter().fold(1, |a, x| mix(a, *x))",
    ),
    (
        "std::collections::BTreeMap<i64, String>",
        "[(A, String::from(\"a\")), (B, String::new())].into_iter().collect()",
        "T.iter().fold(7, |a, (k, v)| mix(a, *k) ^ v.len() as i64)",
    ),
    (
        "std::collections::HashMap<String, i64>",
        "[(format!(\"{}\", A), B)].into_iter().collect()",
        "T.values().sum::<i64>()",
    ),
    (
        "std::collections::BTreeSet<char>",
        "format!(\"{}{}\", A, B).chars().collect()",
        "T.iter().fold(3, |a, c| mix(a, i64::from(u32::from(*c))))",
    ),
    (
        "std::collections::BinaryHeap<i64>",
        "[A, B, 4].into_iter().collect()",
        "T.into_sorted_vec().iter().fold(3, |a, c| mix(a, *c))",
    ),
    (
        "Box<Shape>",
        "Box::new(shape(mix(A, B)))",
        "match *T { Shape::Dot => 1, Shape::Line(n) => n, Shape::Named { n, .. } => n ^ 2 }",
    ),
    (
        "Option<Result<i64, String>>",
        "if A > B { Some(Err(format!(\"{}\", A))) } else { Some(Ok(B)) }",
        "match T { Some(Ok(n)) => n, Some(Err(e)) => e.len() as i64, None => 0 }",
    ),
    (
        "f64",
        "(A as f64) / 3.0 - B as f64",
        "T.to_bits() as i64 % 1000",
    ),
    (
        "char",
        "if A > B { 'ä' } else { '\\u{1F600}' }",
        "i64::from(u32::from(T))",
    ),
    (
        "u128",
        "(A as u128) << 70 | B as u128",
        "(T >> 68) as i64 % 1000 ^ (T % 97) as i64",
    ),
    (
        "(u8, i16, bool)",
        "(A as u8, B as i16, A < B)",
        "i64::from(T.0) ^ i64::from(T.1) ^ i64::from(T.2)",
    ),
    (
        "Rc<std::cell::RefCell<Vec<i64>>>",
        "Rc::new(std::cell::RefCell::new(vec![A, B]))",
        "{ let n = T.borrow().iter().sum::<i64>(); drop(T); n }",
    ),
    (
        "std::cell::Cell<i64>",
        "std::cell::Cell::new(mix(A, B))",
        "T.replace(4)",
    ),
    (
        "std::num::Wrapping<i32>",
        "std::num::Wrapping(A as i32) * std::num::Wrapping(B as i32)",
        "i64::from(T.0 % 1000)",
    ),
    (
        "Vec<Option<(i64, char)>>",
        "vec![Some((A, 'x')), None, Some((B, 'y'))]",
        "T.iter().flatten().map(|(n, c)| n ^ i64::from(u32::from(*c))).sum::<i64>()",
    ),
    (
        "Result<Vec<u16>, ()>",
        "Ok(vec![A as u16, B as u16])",
        "T.map_or(0, |v| v.len() as i64 + i64::from(v[0]))",
    ),
    (
        "std::ops::Range<i64>",
        "A..A.wrapping_add(3)",
        "T.map(|x| mix(x, 1)).sum::<i64>()",
    ),
    (
        "&'static str",
        "[\"one\", \"three\", \"\"][(A.rem_euclid(2) + B.rem_euclid(2)) as usize]",
        "T.len() as i64",
    ),
];

/// Loops of a few rounds, with the number that they bind.
const LOOPS: &[(&str, &str, &str)] = &[
    (
        "let T = [(A, B), (B, 3)].into_iter().collect::<std::collections::BTreeMap<i64, i64>>();",
        "for (k, item) in T.iter()",
        "*k ^ *item",
    ),
    (
        "let T = format!(\"{}é{}\", A % 10, B % 10);",
        "for item in T.chars().rev()",
        "i64::from(u32::from(item))",
    ),
    (
        "let T = vec![A, B, 5];",
        "for (a, b) in T.iter().zip(T.iter().skip(1))",
        "a ^ b",
    ),
    (
        "let T = vec![A, B, 5, 6];",
        "for w in T.windows(2)",
        "w[0].wrapping_sub(w[1])",
    ),
    (
        "let T = 4 + (A & 3);",
        "for item in (0..T).step_by(2)",
        "item",
    ),
    (
        "let T = vec![format!(\"{}\", A), String::from(\"b\"), format!(\"{}\", B)];",
        "for (i, w) in T.iter().enumerate().filter(|(i, _)| i % 2 == 0)",
        "(i as i64) ^ w.len() as i64",
    ),
    (
        "let mut T = vec![A, B];",
        "for item in T.iter_mut()",
        "{ *item = mix(*item, 3); *item }",
    ),
    (
        "let T = format!(\"{} {} c\", A, B);",
        "for w in T.split_whitespace()",
        "w.len() as i64",
    ),
    (
        "let T = [A, B, A].into_iter().collect::<std::collections::VecDeque<i64>>();",
        "for item in Vec::from(T)",
        "item",
    ),
    (
        "let T = vec![(A, format!(\"{}\", B)), (B, String::new())];",
        "for (item, w) in T",
        "item ^ w.len() as i64",
    ),
    (
        "let T = [[A, 1], [B, 2]];",
        "for item in T.iter().flat_map(|r| r.iter())",
        "*item",
    ),
    (
        "let T = vec![A, B, 3, 4, 5];",
        "for item in T.chunks(2).map(|c| c.iter().sum::<i64>())",
        "item",
    ),
];

impl Generator {
    fn filled(&mut self, text: &str, name: &str, a: &str, b: &str) -> String {
        let mut out = String::new();
        let mut word = String::new();
        for c in text.chars().chain([' ']) {
            if c.is_alphanumeric() || c == '_' {
                word.push(c);
                continue;
            }
            match word.as_str() {
                "A" => out.push_str(a),
                "B" => out.push_str(b),
                "T" => out.push_str(name),
                w => out.push_str(w),
            }
            word.clear();
            out.push(c);
        }
        out.pop();
        out
    }

    /// A value of some type, others' statements, and what is left of it.
    pub(super) fn typed(&mut self) {
        let (ty, make, left) = VALUES[self.rng.usize(..VALUES.len())];
        let (t, a, b, n) = (
            self.fresh("t"),
            self.fresh("n"),
            self.fresh("n"),
            self.name(),
        );
        let (va, vb) = (self.int(1), self.int(1));
        let (make, left) = (self.filled(make, &t, &a, &b), self.filled(left, &t, &a, &b));
        self.put(&format!("let {n}: i64 = {{"));
        self.depth += 1;
        self.put(&format!("let ({a}, {b}): (i64, i64) = ({va}, {vb});"));
        self.put(&format!("let {t}: {ty} = {make};"));
        self.put("{");
        self.block(2, Vec::new());
        self.put("}");
        self.put("checkpoint!();");
        if self.rng.bool() {
            // It goes through a call, or changes its place.
            let word = self.pick(&["handed", "kept"]);
            self.put(&format!("let {t}: {ty} = ck!({word}({t}));"));
        }
        self.put(&left);
        self.depth -= 1;
        self.put("};");
        self.declare(&n, Kind::Int, false);
    }

    /// A loop over a value of some type; a value is given back around a location in it.
    pub(super) fn over(&mut self) {
        let (make, head, item) = LOOPS[self.rng.usize(..LOOPS.len())];
        let (t, a, b, n) = (
            self.fresh("t"),
            self.fresh("n"),
            self.fresh("n"),
            self.fresh("n"),
        );
        let (va, vb) = (self.int(1), self.int(1));
        let [make, head, item] = [make, head, item].map(|s| self.filled(s, &t, &a, &b));
        let (sum, bag, x) = (self.fresh("s"), self.fresh("g"), self.fresh("x"));
        self.put(&format!("let ({a}, {b}): (i64, i64) = ({va}, {vb});"));
        self.put(&make);
        self.put(&format!("let (mut {sum}, mut {bag}) = (0i64, vec![{a}]);"));
        self.put(&format!("{head} {{"));
        self.depth += 1;
        self.put(&format!("let {x}: i64 = {item};"));
        self.put(&format!("let mut {n} = std::mem::take(&mut {bag});"));
        self.put("checkpoint!();");
        self.put(&format!("{n}.push({x});"));
        self.put(&format!("{sum} = mix({sum}, {x});"));
        let outer = std::mem::take(&mut self.labels);
        self.labels.push("'none".to_owned());
        self.labels.clear();
        let here = Local {
            name: x.clone(),
            kind: Kind::Int,
            mutable: false,
        };
        self.put("{");
        self.block(1, vec![here]);
        self.put("}");
        self.labels = outer;
        let c = self.pick(&["== 3", "> 900", "< -900"]);
        self.put(&format!("if {x} {c} {{ {bag} = {n}; continue; }}"));
        self.put(&format!("{bag} = {n};"));
        self.put("checkpoint!();");
        self.depth -= 1;
        self.put("}");
        let v = self.name();
        self.put(&format!("let {v} = {sum} ^ {bag}.len() as i64;"));
        self.declare(&v, Kind::Int, false);
    }

    /// A labelled loop that is left with a value from within another, and a `match` with ranges, guards and names.
    pub(super) fn left_with(&mut self) {
        let (label, i, n, v) = (self.fresh("'o"), self.fresh("i"), self.name(), self.int(1));
        let (k, c, w) = (self.fresh("k"), self.condition(), self.int(1));
        self.put(&format!("let mut {i} = 0i64;"));
        self.put(&format!("let {n}: i64 = {label}: loop {{"));
        self.depth += 1;
        self.put(&format!("{i} += 1;"));
        self.put(&format!("for {k} in 0..3i64 {{"));
        self.depth += 1;
        self.put("checkpoint!();");
        self.put(&format!("match mix({i}, {k}).rem_euclid(7) {{"));
        self.put(&format!("    0 | 1 if {c} => break {label} {w},"));
        self.put(&format!(
            "    {v}_ @ 2..=3 => {{ checkpoint!(); list.push({v}_); list.truncate(30); }}",
            v = k
        ));
        self.put("    4 => continue,");
        self.put("    _ => {}");
        self.put("}");
        self.depth -= 1;
        self.put("}");
        self.put(&format!("if {i} > 2 {{ break {v}; }}"));
        self.depth -= 1;
        self.put("};");
        self.declare(&n, Kind::Int, false);
    }
}

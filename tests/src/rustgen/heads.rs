//! Values without a name: what is not bound, what is made in heads and last expressions, cells and maps in loops.

use super::{Generator, Kind, Local};

/// Statements; `A` and `B` are numbers, `D` and `E` names of values that say when they end, `N` and `M` of numbers.
const UNBOUND: &[(&str, &[char])] = &[
    ("let _ = ck!(pair(A, B));", &[]),
    ("_ = ck!(pair(A, B));", &[]),
    ("ck!(duo(A, B));", &[]),
    ("let (_, D) = ck!(pair(A, B));", &['D']),
    ("let (D, E) = ck!(pair(A, B));", &['D', 'E']),
    ("let Duo { left: D, n: N, .. } = ck!(duo(A, B));", &['D', 'N']),
    ("let Duo { right: D, left: _, n: _ } = ck!(duo(A, B));", &['D']),
    ("let D; (D, _) = ck!(pair(A, B));", &['D']),
    ("let D; let N; Duo { right: D, n: N, .. } = ck!(duo(A, B));", &['D', 'N']),
    ("let _: (Loud, Loud) = ck!(pair(A, B));", &[]),
    ("let N = ck!(unused(Loud(A), B));", &['N']),
    ("let N = ck!(pair(A, B)).0.n();", &['N']),
    ("let Some(D) = Some(ck!(pair(A, B)).1) else { unreachable!() };", &['D']),
    ("if let (D, _) = ck!(pair(A, B)) { println!(\"has {}\", D.n()); }", &[]),
    (
        "match ck!(pair(A, B)) { (D, E) => { checkpoint!(); list.push(D.n()); drop(E); } }",
        &[],
    ),
    (
        "if let Some(N) = Loud(A).half() { println!(\"half {N}\"); } else { println!(\"odd\"); }",
        &[],
    ),
    (
        "match Loud(A).half() { Some(N) => println!(\"half {N}\"), None => println!(\"odd\") }",
        &[],
    ),
    ("let N: i64 = { let D = Loud(A); checkpoint!(); Loud(B).n() ^ D.n() };", &['N']),
    (
        "let N: i64 = if A > B { let D = Loud(A); checkpoint!(); Loud(B).n() ^ D.n() } else { checkpoint!(); Loud(3).n() };",
        &['N'],
    ),
    (
        "for N in 0..2i64 { let D = Loud(A); checkpoint!(); println!(\"{N} {}\", D.n()); Loud(N).say() }",
        &[],
    ),
    (
        "let D = std::cell::RefCell::new(vec![A, B, 4]); \
         loop { let E = D.borrow_mut().pop(); let Some(N) = E else { break }; checkpoint!(); list.push(N ^ D.borrow().len() as i64); }",
        &[],
    ),
    (
        "let D = std::cell::RefCell::new(vec![A, B, 4]); \
         while let Some(N) = D.borrow_mut().pop() { checkpoint!(); list.push(N ^ i64::from(D.try_borrow().is_err())); }",
        &[],
    ),
    (
        "let D = std::cell::RefCell::new(vec![A, B]); \
         if let Some(N) = D.borrow_mut().pop() { checkpoint!(); list.push(N ^ i64::from(D.try_borrow().is_err())); } else { list.push(1); } \
         match D.borrow().len() { 1 => { checkpoint!(); list.push(i64::from(D.try_borrow_mut().is_err())); } _ => {} } \
         D.borrow_mut().push(A);",
        &[],
    ),
    (
        "let D = std::cell::Cell::new(A); for N in [B, 2, 3] { D.set(D.get() ^ N); checkpoint!(); list.push(D.get()); }",
        &[],
    ),
    (
        "let D: std::collections::HashMap<i64, i64> = [(A, B), (B, 5), (3, A)].into_iter().collect(); \
         let E: Vec<i64> = D.keys().copied().collect(); let mut N = 0i64; for M in E { checkpoint!(); N = N.wrapping_add(M ^ D[&M]); } list.push(N % 1000);",
        &[],
    ),
    (
        "let D: std::collections::BTreeMap<i64, i64> = [(A, B), (B, 5), (3, A)].into_iter().collect(); \
         for (N, M) in D.range(A.min(B) - 1..) { checkpoint!(); list.push(N ^ M); }",
        &[],
    ),
    (
        "let D: std::collections::BTreeMap<String, i64> = [(format!(\"{}\", A), B), (String::from(\"4\"), 5)].into_iter().collect(); \
         for (N, M) in D.range(format!(\"{}\", B)..) { checkpoint!(); list.push(N.len() as i64 ^ M); }",
        &[],
    ),
    (
        "for N in (0..5i64).filter(|q| q % 2 != (A & 1)).map(|q| q ^ B) { checkpoint!(); list.push(N); }",
        &[],
    ),
];

/// Of edition 2024.
const CHAINS: &[&str] = &[
    "if let Some(N) = Some(A) && N > B && let Some(M) = (N != 3).then_some(B) { checkpoint!(); list.push(N ^ M); } else { checkpoint!(); list.push(1); }",
    "let mut N = vec![A, B, 3]; while let Some(M) = N.pop() && M != B { checkpoint!(); list.push(M); }",
    "if let (D, E) = (Loud(A), Loud(B)) && D.n() > E.n() { checkpoint!(); list.push(D.n()); drop(E); drop(D); } else { checkpoint!(); println!(\"less\"); }",
];

impl Generator {
    pub(super) fn unbound(&mut self) {
        let (text, names) = match self.chains && self.rng.u8(..4) == 0 {
            true => (self.pick(CHAINS), &[][..]),
            false => self.pick(UNBOUND),
        };
        let own = self.unnamed(text);
        for (c, name) in &own {
            if names.contains(c) {
                let kind = match c {
                    'N' | 'M' => Kind::Int,
                    _ => Kind::Loud,
                };
                self.scopes.last_mut().into_iter().for_each(|s| {
                    s.push(Local {
                        name: name.clone(),
                        kind,
                        mutable: false,
                    });
                });
            }
        }
        self.put("if list.len() > 40 { list.truncate(5); }");
    }

    /// A statement, with names that nothing else has.
    pub(super) fn unnamed(&mut self, text: &str) -> [(char, String); 4] {
        let (a, b) = (self.fresh("n"), self.fresh("n"));
        let (va, vb) = (self.int(1), self.int(1));
        self.put(&format!(
            "let ({a}, {b}): (i64, i64) = ({va} % 1000, {vb} % 1000);"
        ));
        let own = ['D', 'E', 'N', 'M'].map(|c| (c, self.fresh("u")));
        let mut out = String::new();
        let mut word = String::new();
        for c in text.chars().chain([' ']) {
            if c.is_alphanumeric() || c == '_' {
                word.push(c);
                continue;
            }
            let name = own.iter().find(|(c, _)| word == c.to_string());
            out.push_str(match (&word[..], name) {
                ("A", _) => &a,
                ("B", _) => &b,
                (_, Some((_, name))) => name,
                (w, None) => w,
            });
            word.clear();
            out.push(c);
        }
        self.put(out.trim_end());
        own
    }
}

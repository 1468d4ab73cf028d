//! Values that say what is done with them: closures, operators, `Index`, `Deref`, `Clone`, `Borrow` and iterators of the program's.
//! What a checkpoint would call again would be said twice.  (`Hash` and `Ord` say nothing: maps that are put back call them.)

use super::Generator;

/// What such functions use.
pub const TEXT: &str = r#"
/// Says that it was called.
fn see(q: i64) -> i64 { println!("see {q}"); q }
fn odd(q: &&i64) -> bool { see(**q) % 2 != 0 }
#[derive(Checkpointable)]
struct Num(i64);
impl std::ops::Add<&Num> for &Num { type Output = Num; fn add(self, o: &Num) -> Num { Num(see(self.0) ^ o.0) } }
impl std::ops::Neg for &Num { type Output = Num; fn neg(self) -> Num { Num(see(!self.0)) } }
impl PartialEq for Num { fn eq(&self, o: &Num) -> bool { see(self.0) == o.0 } }
impl std::ops::AddAssign<i64> for Num { fn add_assign(&mut self, o: i64) { self.0 ^= see(o); } }
#[derive(Checkpointable)]
struct Dup(i64);
impl Clone for Dup { fn clone(&self) -> Dup { Dup(see(self.0)) } }
#[derive(Checkpointable)]
struct Grid { cells: Vec<i64>, wiped: i64 }
impl std::ops::Index<usize> for Grid { type Output = i64; fn index(&self, i: usize) -> &i64 { see(i as i64); &self.cells[i % self.cells.len()] } }
impl std::ops::IndexMut<usize> for Grid {
    fn index_mut(&mut self, i: usize) -> &mut i64 {
        self.wiped += 1;
        let i = see(i as i64) as usize % self.cells.len();
        self.cells[i] = self.wiped;
        &mut self.cells[i]
    }
}
#[derive(Checkpointable)]
struct Spot { x: i64, y: i64 }
impl Spot { fn sum(&self) -> i64 { self.x ^ self.y } }
#[derive(Checkpointable)]
struct Wrap { spot: Spot, times: std::cell::Cell<i64> }
impl std::ops::Deref for Wrap { type Target = Spot; fn deref(&self) -> &Spot { self.times.set(see(self.times.get() + 1)); &self.spot } }
impl std::ops::DerefMut for Wrap { fn deref_mut(&mut self) -> &mut Spot { self.times.set(see(self.times.get() + 2)); &mut self.spot } }
fn wrap(x: i64, y: i64) -> Wrap { Wrap { spot: Spot { x, y }, times: std::cell::Cell::new(0) } }
#[derive(Checkpointable)]
struct Steps { n: i64, end: i64 }
impl Steps { fn new(end: i64) -> Steps { Steps { n: 0, end } } }
impl Iterator for Steps {
    type Item = i64;
    fn next(&mut self) -> Option<i64> {
        see(self.n);
        self.n += 1;
        (self.n <= self.end).then_some(self.n)
    }
}
#[derive(Checkpointable)]
#[derive(PartialEq, Eq, Hash)]
struct Key(String);
impl std::borrow::Borrow<str> for Key { fn borrow(&self) -> &str { see(self.0.len() as i64); &self.0 } }
#[checkpointable]
fn by_value(q: i64, w: i64) -> i64 { checkpoint!(); q ^ w }
"#;

/// Statements, as those of `heads`.
const STATEMENTS: &[&str] = &[
    "let D = Num(A); let E = &D + &Num(B); checkpoint!(); let N = (&E + &D).0; checkpoint!(); list.push(N ^ i64::from(D == E));",
    "let mut D = Num(A); D += B; checkpoint!(); D += 3; checkpoint!(); list.push((-&D).0);",
    "let D = Grid { cells: vec![A, B], wiped: 0 }; let N = D[1]; checkpoint!(); let M = mix(D[0], N); checkpoint!(); list.push(D[1] ^ M);",
    "let mut D = Grid { cells: vec![A, B, 4], wiped: 0 }; D[0] = 3; checkpoint!(); D[1] ^= B; checkpoint!(); let N = D[0]; list.push(N ^ D.wiped);",
    "let D = Grid { cells: vec![A, B, 4], wiped: 0 }; let N = ck!(by_value(D[1], D[2])); list.push(N ^ D[0]);",
    "let D = wrap(A, B); let N = D.x ^ 3; checkpoint!(); let M = D.sum(); checkpoint!(); list.push(D.y ^ M ^ N ^ D.times.get());",
    "let mut D = wrap(A, B); D.x ^= 3; checkpoint!(); D.y += 1; let N = ck!(by_value(D.x, D.y)); list.push(N ^ D.times.get());",
    "for N in Steps::new(3) { checkpoint!(); list.push(N ^ A); }",
    "for (M, N) in Steps::new(A.rem_euclid(3) + 1).enumerate() { checkpoint!(); list.push(N ^ M as i64); }",
    "for N in Steps::new(5).skip(1).take(2) { checkpoint!(); list.push(N ^ B); }",
    "let mut D = Steps::new(3); while let Some(N) = D.next() { checkpoint!(); list.push(N); }",
    "let mut D = Steps::new(4); for N in D.by_ref() { checkpoint!(); list.push(N); if N == 2 { break; } } list.push(D.n);",
    "let D = vec![Dup(A), Dup(B)]; for E in D.iter().cloned() { checkpoint!(); list.push(E.0); }",
    "let D = vec![Dup(A), Dup(B)]; for E in D.iter().map(|q| q.clone()).filter(|q| see(q.0) != 3) { checkpoint!(); list.push(E.0); }",
    "let D = [Num(A), Num(B), Num(4)]; for N in D.iter().filter(|q| **q != D[0]).map(|q| (&Num(1) + q).0) { checkpoint!(); list.push(N); }",
    "let mut D = std::collections::HashMap::new(); D.insert(Key(String::from(\"k\")), A); checkpoint!(); \
     let N = match D.get(\"k\") { Some(q) => *q, None => 1 }; checkpoint!(); list.push(N ^ D[\"k\"]);",
    "let D = list.clone(); let mut N = D.iter().map(|q| q ^ A).filter(|q| q % 3 != 0); while let Some(M) = N.next() { checkpoint!(); list.push(M); if list.len() > 50 { break; } }",
    "let mut N = 0i64; for M in list.clone().iter().map(|q| { N += 1; see(*q ^ N) }).take(3) { checkpoint!(); list.push(M); } list.push(N);",
    "let D = list.clone(); for N in D.iter().filter(odd).take(2) { checkpoint!(); list.push(*N); }",
    "let D = [String::from(\"ab\"), String::from(\"c\")]; for E in D.iter().map(|q| { see(q.len() as i64); q.as_str() }) { checkpoint!(); list.push(E.len() as i64); }",
    "let mut D = vec![A, B, 4]; for N in D.iter_mut().filter(|q| see(**q) != 4) { *N ^= 1; checkpoint!(); *N ^= 6; } list.push(D[0] ^ D[1]);",
    "let D = vec![vec![A, B], vec![3]]; for N in D.iter().flat_map(|q| { see(q.len() as i64); q.iter() }) { checkpoint!(); if *N == 3 { continue; } list.push(*N); }",
    "let D = list.clone(); let mut N = D.iter().map(|q| { let w = q ^ A; match w % 3 { 0 => 1, r => r ^ w } }).filter(|q| if let Some(w) = Some(q) { *w != B } else { true }); \
     while let Some(M) = N.next() { checkpoint!(); list.push(M); if list.len() > 50 { break; } }",
    "let D = format!(\"{},{};\", A, B); for E in D.split(|c: char| c == ',' || !c.is_alphanumeric()) { checkpoint!(); list.push(E.len() as i64); }",
    "let D = format!(\"{},{}\", A, B); let E = D.trim_start_matches(|c: char| c == '-' || c.is_numeric()); checkpoint!(); list.push(E.len() as i64);",
    "for N in (Steps { n: 0, end: A.rem_euclid(4) }).skip(1) { checkpoint!(); list.push(N); }",
    "for N in [1i64, 2].iter().flat_map(|q| Steps { n: 0, end: *q }) { checkpoint!(); list.push(N ^ A); }",
    "let D = [String::from(\"ab\"), A.to_string()]; for (N, E) in D.iter().enumerate().zip(D.iter().cloned().rev()) { checkpoint!(); list.push(N.0 as i64 ^ E.len() as i64); }",
    "let D = vec![Dup(A), Dup(B)]; let E: &[Dup] = &D; checkpoint!(); for N in E.iter().cloned().map(|q| see(q.0)) { checkpoint!(); list.push(N); }",
    "'D: for N in [1i64, 2].iter().flat_map(|q| [see(*q), A]) { checkpoint!(); if N == B { break; } for M in 0..2 { if M == N { continue 'D; } } list.push(N); }",
];

/// What an iterator's items are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Item {
    /// `&i64`
    Borrowed,
    /// `i64`
    Value,
}

impl Generator {
    pub(super) fn observed(&mut self) {
        match self.rng.bool() {
            true => {
                let text = self.pick(STATEMENTS);
                self.unnamed(text);
            }
            false => {
                let text = self.chained();
                self.unnamed(&text);
            }
        }
        self.put("if list.len() > 40 { list.truncate(5); }");
    }

    /// A loop over an iterator with closures.
    fn chained(&mut self) -> String {
        let (base, mut item, owned) = self.pick(&[
            ("D.iter()", Item::Borrowed, false),
            ("D.iter().rev()", Item::Borrowed, false),
            ("D[1..].iter()", Item::Borrowed, false),
            ("(0..5i64)", Item::Value, false),
            ("(1..=4i64).rev()", Item::Value, false),
            ("D.clone().into_iter()", Item::Value, true),
        ]);
        let mut text = base.to_owned();
        // From behind as long as no step counts.
        let mut turns = true;
        for _ in 0..1 + self.rng.usize(..4) {
            let see = match item {
                Item::Borrowed => "see(*q)",
                Item::Value => "see(q)",
            };
            let looked = match item {
                Item::Borrowed => "see(**q)",
                Item::Value => "see(*q)",
            };
            // A borrow that a closure gives has to show as one.
            let given = match item {
                Item::Borrowed => "*q",
                Item::Value => "q",
            };
            let step = self.rng.u8(..13);
            let added = match step {
                0 | 1 => format!(".filter(|q| {looked} % 3 != 0)"),
                2 | 3 => {
                    item = Item::Value;
                    format!(".map(|q| {see} ^ A)").replace("see(q) ^ A", "see(q) ^ B")
                }
                4 => {
                    item = Item::Value;
                    format!(".filter_map(|q| if {see} != 4 {{ Some({given}) }} else {{ None }})")
                }
                5 => format!(".inspect(|q| {{ {looked}; }})"),
                6 => ".skip(1)".to_owned(),
                7 => ".step_by(2)".to_owned(),
                8 if !owned => ".take(2)".to_owned(),
                9 => format!(".take_while(|q| {looked} < 500)"),
                10 => format!(".skip_while(|q| {looked} < 2)"),
                11 => {
                    item = Item::Value;
                    format!(".scan(B, |w, q| {{ *w ^= {see}; Some(*w) }})")
                }
                12 if item == Item::Borrowed => {
                    item = Item::Value;
                    ".cloned()".to_owned()
                }
                _ => {
                    item = Item::Value;
                    format!(".map_while(|q| ({see} != 999).then_some({given}))")
                }
            };
            turns &= (step < 6 || step == 12) && !added.starts_with(".map_while");
            text += &added;
            if turns && self.rng.u8(..6) == 0 {
                text += ".rev()";
            }
        }
        let value = match item {
            Item::Borrowed => "*N",
            Item::Value => "N",
        };
        let leave = self.pick(&[
            "",
            "if V == 2 { continue; } ",
            "if V == B { break; } ",
            "checkpoint!(); ",
        ]);
        let (head, count) = match self.rng.u8(..4) {
            0 => ("(M, N)", ".enumerate()"),
            _ => ("N", ""),
        };
        let number = if count.is_empty() { "" } else { " ^ M as i64" };
        format!(
            "let D = [A, B, 2, 3, 4]; for {head} in {text}{count} {{ checkpoint!(); {}list.push(V{number}); }}",
            leave
        )
        .replace('V', value)
    }
}

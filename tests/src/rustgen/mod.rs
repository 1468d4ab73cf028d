//! Random programs with `#[checkpointable]` functions: nested control flow, locals of several types, shadowing, calls,
//! `?`, values that say when they end (`fixed`), borrows, methods (`more`), many types and loops over them (`types`),
//! values without a name (`heads`), and ones that say what is done with them (`observers`).  Every value is a wrapping number in the end, so nothing panics, and loops are short.

mod fixed;
mod heads;
mod more;
mod observers;
mod types;

use std::fmt::Write;

use fastrand::Rng;

/// Functions of a group call only those in front of them in it.
const GROUP: usize = 4;

/// The edition of the program.
pub fn edition(seed: u64) -> u32 {
    match seed % 2 {
        0 => 2024,
        _ => 2021,
    }
}

/// The text of a program with `n` functions of up to so many statements.
pub fn program(seed: u64, n: usize, statements: usize) -> String {
    let mut g = Generator {
        rng: Rng::with_seed(seed),
        out: String::new(),
        depth: 1,
        names: 0,
        scopes: Vec::new(),
        labels: Vec::new(),
        fallible: false,
        callees: Vec::new(),
        most: statements,
        budget: 0,
        chains: edition(seed) == 2024,
    };
    g.out.push_str(fixed::TEXT);
    g.out.push_str(observers::TEXT);
    let fallible: Vec<bool> = (0..n).map(|_| g.rng.bool()).collect();
    for i in 0..n {
        g.callees = (i / GROUP * GROUP..i).map(|k| (k, fallible[k])).collect();
        g.function(i, fallible[i]);
    }
    g.line("#[pc3::main]");
    g.line("fn main() {");
    for (i, f) in fallible.iter().enumerate() {
        g.line(&format!("    let mut list = vec![{i}i64, 3, 1];"));
        let show = if *f { "{r:?}" } else { "{r}" };
        g.line(&format!(
            "    let r = ck!(work{i}(&mut list, {}, String::from(\"s{i}\")));",
            i * 7 % 11
        ));
        g.line(&format!("    println!(\"f{i} {show} {{list:?}}\");"));
    }
    g.line("}");
    g.out
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Int,
    Text,
    Maybe,
    List,
    Loud,
}

struct Local {
    name: String,
    kind: Kind,
    mutable: bool,
}

struct Generator {
    rng: Rng,
    out: String,
    depth: usize,
    names: usize,
    scopes: Vec<Vec<Local>>,
    /// Loops around, with whether they are labelled.
    labels: Vec<String>,
    fallible: bool,
    callees: Vec<(usize, bool)>,
    /// Statements that a function may have, and those that this one may still get.
    most: usize,
    budget: usize,
    /// May conditions be chained?
    chains: bool,
}

impl Generator {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{text}");
    }

    fn put(&mut self, text: &str) {
        let _ = writeln!(self.out, "{:width$}{text}", "", width = self.depth * 4);
    }

    fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.rng.usize(..list.len())]
    }

    fn function(&mut self, i: usize, fallible: bool) {
        self.fallible = fallible;
        self.budget = self.most;
        let result = if fallible {
            "Result<i64, String>"
        } else {
            "i64"
        };
        self.line("#[checkpointable]");
        self.line(&format!(
            "fn work{i}(list: &mut Vec<i64>, n: i64, word: String) -> {result} {{"
        ));
        let local = |name: &str, kind, mutable| Local {
            name: name.to_owned(),
            kind,
            mutable,
        };
        self.scopes = vec![vec![
            local("n", Kind::Int, false),
            local("word", Kind::Text, false),
        ]];
        self.statements(9);
        let value = self.int(2);
        let name = "pc_result";
        self.put(&format!("let {name} = {value};"));
        self.end_louds();
        let value = name.to_owned();
        self.put(&match fallible {
            true => format!("Ok({value})"),
            false => value,
        });
        self.line("}");
    }

    /// A name, often one that exists already.
    fn name(&mut self) -> String {
        if self.rng.u8(..3) == 0 {
            return self.pick(&["x", "y", "z"]).to_owned();
        }
        self.names += 1;
        format!("v{}", self.names)
    }

    fn declare(&mut self, name: &str, kind: Kind, mutable: bool) {
        let local = Local {
            name: name.to_owned(),
            kind,
            mutable,
        };
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(local);
        }
    }

    /// A local that can be seen.
    fn find(&mut self, kind: Kind, mutable: bool) -> Option<String> {
        let mut seen: Vec<&str> = Vec::new();
        let mut fit = Vec::new();
        for l in self.scopes.iter().rev().flat_map(|s| s.iter().rev()) {
            if !seen.contains(&l.name.as_str()) {
                seen.push(&l.name);
                if l.kind == kind && (l.mutable || !mutable) {
                    fit.push(l.name.clone());
                }
            }
        }
        (!fit.is_empty()).then(|| fit[self.rng.usize(..fit.len())].clone())
    }

    fn int(&mut self, depth: u32) -> String {
        let inner = |g: &mut Self| g.int(depth.saturating_sub(1));
        match self.rng.u8(..if depth == 0 { 3 } else { 9 }) {
            0 => format!("{}i64", self.rng.i64(-9..10)),
            1 | 2 => self
                .find(Kind::Int, false)
                .unwrap_or_else(|| "n".to_owned()),
            3 => match self.find(Kind::Text, false) {
                Some(s) => format!("({s}.len() as i64)"),
                None => "2i64".to_owned(),
            },
            4 => match self.find(Kind::Maybe, false) {
                Some(o) => format!("{o}.unwrap_or({})", inner(self)),
                None => "3i64".to_owned(),
            },
            5 => match self.find(Kind::List, false) {
                Some(v) => format!("{v}.iter().sum::<i64>()"),
                None => "(list.len() as i64)".to_owned(),
            },
            6 => format!("mix({}, {})", inner(self), inner(self)),
            7 => format!(
                "(if {} {{ {} }} else {{ {} }})",
                self.condition(),
                inner(self),
                inner(self)
            ),
            _ => format!("({}).wrapping_sub({})", inner(self), inner(self)),
        }
    }

    fn condition(&mut self) -> String {
        let op = self.pick(&["<", ">", "==", "!="]);
        format!(
            "{} {op} {}",
            self.find(Kind::Int, false)
                .unwrap_or_else(|| "n".to_owned()),
            self.rng.i64(-3..9)
        )
    }

    fn block(&mut self, n: usize, first: Vec<Local>) {
        self.scopes.push(first);
        self.depth += 1;
        self.statements(n);
        self.end_louds();
        self.depth -= 1;
        self.scopes.pop();
    }

    fn statements(&mut self, n: usize) {
        for _ in 0..1 + self.rng.usize(..n.max(1)) {
            if self.budget == 0 {
                return;
            }
            self.budget -= 1;
            self.statement();
        }
    }

    fn statement(&mut self) {
        let inner = |g: &Self| 2 + usize::from(g.depth < 3);
        match self.rng.u8(..40) {
            0..=2 => self.put("checkpoint!();"),
            3 | 4 => self.number(),
            5 => {
                if let Some(name) = self.find(Kind::Int, true) {
                    let (op, value) = (self.pick(&["=", "^=", "|="]), self.int(2));
                    self.put(&format!("{name} {op} {value};"));
                }
            }
            6 => self.text(),
            7 => {
                if let Some(name) = self.find(Kind::Text, true) {
                    self.put(&format!("{name}.push('!');"));
                }
            }
            8 => {
                let (name, c, v) = (self.name(), self.condition(), self.int(1));
                self.put(&format!(
                    "let {name}: Option<i64> = if {c} {{ Some({v}) }} else {{ None }};"
                ));
                self.declare(&name, Kind::Maybe, false);
            }
            9 => {
                let (name, a, b) = (self.name(), self.int(1), self.int(1));
                self.put(&format!("let mut {name}: Vec<i64> = vec![{a}, {b}];"));
                self.declare(&name, Kind::List, true);
            }
            10 => {
                let v = self.int(1);
                self.put(&format!("list.push({v});"));
                self.put("if list.len() > 40 { list.truncate(5); }");
            }
            11 | 12 => self.two_ways(inner(self)),
            13 => self.if_there(inner(self)),
            14 => self.matched(inner(self)),
            15..=17 => self.looped(),
            18 if !self.labels.is_empty() => self.jump(),
            19 => self.left(),
            20 => self.block_value(inner(self)),
            21 => self.closure(),
            22 | 23 => self.call(),
            // Calls in loops would multiply.
            24..=27 if self.labels.is_empty() => self.unbound(),
            28..=31 if self.labels.is_empty() => self.observed(),
            _ => self.more(),
        }
    }

    /// A local of integer type.
    fn number(&mut self) {
        let (name, value, mutable) = (self.name(), self.int(2), self.rng.bool());
        let word = if mutable { "mut " } else { "" };
        self.put(&format!("let {word}{name}: i64 = {value};"));
        self.declare(&name, Kind::Int, mutable);
    }

    /// A text that is made of a number.
    fn text(&mut self) {
        let (name, from) = (
            self.name(),
            self.find(Kind::Int, false)
                .unwrap_or_else(|| "n".to_owned()),
        );
        let number = self.rng.u8(..);
        self.put(&format!(
            "let mut {name} = format!(\"{{{from}}}-{{:03}}\", {number});"
        ));
        self.declare(&name, Kind::Text, true);
    }

    /// Both ways of an `if`.
    fn two_ways(&mut self, n: usize) {
        let c = self.condition();
        self.put(&format!("if {c} {{"));
        self.block(n, Vec::new());
        self.put("} else {");
        self.block(n, Vec::new());
        self.put("}");
    }

    /// What an `Option` holds.
    fn if_there(&mut self, n: usize) {
        if let Some(o) = self.find(Kind::Maybe, false) {
            let x = self.name();
            self.put(&format!("if let Some({x}) = {o} {{"));
            let first = Local {
                name: x,
                kind: Kind::Int,
                mutable: false,
            };
            self.block(n, vec![first]);
            self.put("}");
        }
    }

    /// A match of a range and of a condition.
    fn matched(&mut self, n: usize) {
        let (e, x) = (self.int(1), self.name());
        self.put(&format!("match {e} {{"));
        self.depth += 1;
        self.put("-2..=1 => {");
        self.block(n, Vec::new());
        self.put("}");
        self.put(&format!("{x} if {x} % 2 == 0 => {{"));
        let first = Local {
            name: x,
            kind: Kind::Int,
            mutable: false,
        };
        self.block(n, vec![first]);
        self.put("}");
        self.put("_ => {}");
        self.depth -= 1;
        self.put("}");
    }

    /// Out of a loop around, or on with it.
    fn jump(&mut self) {
        let (label, c) = (
            self.labels[self.rng.usize(..self.labels.len())].clone(),
            self.condition(),
        );
        let word = self.pick(&["break", "continue"]);
        self.put(&format!("if {c} {{ {word} {label}; }}"));
    }

    /// Out of the function.
    fn left(&mut self) {
        let (c, v) = (self.condition(), self.int(1));
        let e = match (self.fallible, self.rng.bool()) {
            (true, true) => format!("Err(format!(\"left with {{}}\", {v}))"),
            (true, false) => format!("Ok({v})"),
            (false, _) => v,
        };
        self.put(&format!("if {c} {{ return {e}; }}"));
    }

    /// The value of a block.
    fn block_value(&mut self, n: usize) {
        let name = self.name();
        self.put(&format!("let {name}: i64 = {{"));
        self.scopes.push(Vec::new());
        self.depth += 1;
        self.statements(n);
        let v = self.int(1);
        self.end_louds();
        self.put(&v);
        self.depth -= 1;
        self.scopes.pop();
        self.put("};");
        self.declare(&name, Kind::Int, false);
    }

    /// A closure that is called where it is.
    fn closure(&mut self) {
        let (name, x, v) = (
            self.name(),
            self.find(Kind::Int, false)
                .unwrap_or_else(|| "n".to_owned()),
            self.int(1),
        );
        self.put(&format!(
            "let {name} = {{ let add = |q: i64| q.wrapping_add({x}); add({v}) }};"
        ));
        self.declare(&name, Kind::Int, false);
    }

    fn looped(&mut self) {
        let n = 2;
        let label = format!("'l{}", self.names);
        self.names += 1;
        let x = self.name();
        let int = |name: &str| Local {
            name: name.to_owned(),
            kind: Kind::Int,
            mutable: false,
        };
        let (head, first, end) = match self.rng.u8(..8) {
            // Items that change.
            6 => {
                let changing = Local { mutable: true, ..int(&x) };
                (format!("for (_i, mut {x}) in list.clone().iter().take(3).map(|q| q ^ 1).enumerate()"), vec![changing], None)
            }
            7 => {
                // It hides no number that the block may use.
                let x = format!("p{}", self.names);
                let change = format!("{x}.0 ^= 3; {x}.1.push('k'); checkpoint!(); list.push({x}.0 ^ {x}.1.len() as i64);");
                (format!("for mut {x} in list.clone().iter().take(2).map(|q| (q ^ 2, q.to_string()))"), Vec::new(), Some(change))
            }
            0 => (format!("for {x} in 0..{}i64", self.rng.u8(1..4)), vec![int(&x)], None),
            1 => (format!("for {x} in (1..={}i64).rev()", self.rng.u8(1..4)), vec![int(&x)], None),
            2 => match self.find(Kind::List, false) {
                Some(v) => (format!("for (i, {x}) in {v}.clone().into_iter().take(3).collect::<Vec<i64>>().iter().map(|q| q ^ 1).enumerate()"), vec![int(&x)], None),
                None => (format!("for {x} in [4i64, 5]"), vec![int(&x)], None),
            },
            3 => (format!("for {x} in list.clone().into_iter().take(3).collect::<Vec<_>>()"), vec![int(&x)], None),
            4 => {
                let c = format!("c{}", self.names);
                self.put(&format!("let mut {c} = 0i64;"));
                (format!("while {c} < 3"), vec![int(&c)], Some(format!("{c} += 1;")))
            }
            _ => {
                let c = format!("c{}", self.names);
                self.put(&format!("let mut {c} = 0i64;"));
                ("loop".to_owned(), vec![int(&c)], Some(format!("{c} += 1; if {c} > 2 {{ break; }}")))
            }
        };
        self.put(&format!("{label}: {head} {{"));
        self.labels.push(label);
        self.depth += 1;
        if let Some(end) = end {
            self.put(&end);
        }
        self.depth -= 1;
        self.block(n, first);
        self.labels.pop();
        self.put("}");
    }

    fn call(&mut self) {
        let Some(&(k, fallible)) = (!self.callees.is_empty())
            .then(|| self.rng.usize(..self.callees.len()))
            .and_then(|i| self.callees.get(i))
        else {
            self.put("checkpoint!();");
            return;
        };
        // Calls in loops would multiply.
        if !self.labels.is_empty() {
            self.put("checkpoint!();");
            return;
        }
        let (name, v) = (self.name(), self.int(1));
        let word = match self.find(Kind::Text, false) {
            Some(s) => format!("{s}.clone()"),
            None => "String::new()".to_owned(),
        };
        let call = format!("ck!(work{k}(list, {v}, {word}))");
        let value = match (fallible, self.fallible) {
            (false, _) => call,
            (true, true) => format!("{call}?"),
            (true, false) => format!("{call}.unwrap_or(-1)"),
        };
        self.put(&format!("let {name} = {value};"));
        self.declare(&name, Kind::Int, false);
    }
}

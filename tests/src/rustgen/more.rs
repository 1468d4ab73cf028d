//! Statements of several lines: drops, borrows, values of blocks and loops, methods.

use super::{Generator, Kind, Local};

fn int(name: &str) -> Local {
    Local {
        name: name.to_owned(),
        kind: Kind::Int,
        mutable: false,
    }
}

impl Generator {
    /// A name that no other local has.
    pub(super) fn fresh(&mut self, what: &str) -> String {
        self.names += 1;
        format!("{what}{}", self.names)
    }

    fn result(&mut self, value: String) -> String {
        match self.fallible {
            true => format!("return Ok({value});"),
            false => format!("return {value};"),
        }
    }

    /// Values with a `Drop` end at the end of their block.
    pub(super) fn end_louds(&mut self) {
        let louds: Vec<String> = self
            .scopes
            .last()
            .into_iter()
            .flatten()
            .filter(|l| l.kind == Kind::Loud)
            .map(|l| l.name.clone())
            .collect();
        for name in louds {
            match self.rng.u8(..3) {
                0 => self.put(&format!("drop({name});")),
                _ => self.put(&format!("let _ = &{name};")),
            }
        }
    }

    pub(super) fn more(&mut self) {
        match self.rng.u8(..23) {
            0..=2 => self.dropped(),
            3 => self.moved_on_all_ways(),
            4 => self.drops_gone_over(),
            5 => self.maybe_dropped(),
            6 => self.shapes(),
            7 => self.labelled(),
            8 => self.loop_value(),
            9 => self.let_else(),
            10 => self.popped(),
            11 => self.row(),
            12 => self.pair(),
            13 => self.counted(),
            17 | 18 => self.over(),
            _ if !self.labels.is_empty() => self.put("checkpoint!();"),
            19 | 20 => self.typed(),
            21 => self.left_with(),
            14 | 15 => self.fixed_call(),
            _ => self.summed(),
        }
    }

    /// A value with a `Drop`.
    fn dropped(&mut self) {
        let (name, k) = (self.fresh("d"), self.rng.u16(..));
        self.put(&format!("let {name} = Loud({k});"));
        self.declare(&name, Kind::Loud, false);
    }

    /// A loop over such.
    fn drops_gone_over(&mut self) {
        let (name, a, b) = (self.fresh("d"), self.rng.u16(..), self.rng.u16(..));
        self.put(&format!("for {name} in vec![Loud({a}), Loud({b})] {{"));
        let label = self.fresh("'k");
        self.labels.push(label.clone());
        self.out.truncate(self.out.trim_end().len());
        let at = self.out.rfind("for ").unwrap_or(0);
        self.out.insert_str(at, &format!("{label}: "));
        self.out.push('\n');
        self.block(
            2,
            vec![Local {
                name,
                kind: Kind::Loud,
                mutable: false,
            }],
        );
        self.labels.pop();
        self.put("}");
    }

    /// One that is there on one way.
    fn maybe_dropped(&mut self) {
        let (name, k) = (self.fresh("d"), self.rng.u16(..));
        let c = self.condition();
        self.put(&format!(
            "if let Some({name}) = if {c} {{ Some(Loud({k})) }} else {{ None }} {{"
        ));
        self.block(
            2,
            vec![Local {
                name,
                kind: Kind::Loud,
                mutable: false,
            }],
        );
        self.put("} else {");
        self.block(2, Vec::new());
        self.put("}");
    }

    /// A match of an enum, by value or borrowed.
    fn shapes(&mut self) {
        let (s, v, x, w) = (
            self.fresh("s"),
            self.int(1),
            self.fresh("q"),
            self.fresh("w"),
        );
        let by = self.pick(&["&", ""]);
        self.put(&format!("let {s} = shape({v});"));
        self.put(&format!("match {by}{s} {{"));
        self.depth += 1;
        self.put("Shape::Dot => {");
        self.block(2, Vec::new());
        self.put("}");
        self.put(&format!("Shape::Line({x}) => {{"));
        self.depth += 1;
        self.put("checkpoint!();");
        self.put(&format!("list.push({x} ^ 1);"));
        self.depth -= 1;
        self.put("}");
        self.put(&format!("Shape::Named {{ name: {w}, n: {x} }} => {{"));
        self.block(2, Vec::new());
        self.depth += 1;
        self.put(&format!("list.push({x} ^ {w}.len() as i64);"));
        self.depth -= 1;
        self.put("}");
        self.depth -= 1;
        self.put("}");
    }

    /// The value of a block that is left by its label.
    fn labelled(&mut self) {
        let (name, label) = (self.name(), self.fresh("'b"));
        self.put(&format!("let {name}: i64 = {label}: {{"));
        self.scopes.push(Vec::new());
        self.depth += 1;
        self.statements(2);
        let (c, v) = (self.condition(), self.int(1));
        self.put(&format!("if {c} {{ break {label} {v}; }}"));
        self.statements(2);
        let v = self.int(1);
        self.end_louds();
        self.put(&v);
        self.depth -= 1;
        self.scopes.pop();
        self.put("};");
        self.declare(&name, Kind::Int, false);
    }

    /// The value of a loop.
    fn loop_value(&mut self) {
        let (name, c) = (self.name(), self.fresh("c"));
        self.put(&format!("let mut {c} = 0i64;"));
        self.put(&format!("let {name}: i64 = loop {{"));
        self.scopes.push(vec![int(&c)]);
        self.depth += 1;
        self.put(&format!("{c} += 1;"));
        let outer = std::mem::take(&mut self.labels);
        self.statements(2);
        self.labels = outer;
        let v = self.int(1);
        self.put(&format!("if {c} > 2 {{ break {v}; }}"));
        self.end_louds();
        self.depth -= 1;
        self.scopes.pop();
        self.put("};");
        self.declare(&name, Kind::Int, false);
    }

    /// A `let` that may leave the function.
    fn let_else(&mut self) {
        if let Some(o) = self.find(Kind::Maybe, false) {
            let (x, v) = (self.name(), self.int(1));
            let leave = self.result(v);
            self.put(&format!("let Some({x}) = {o} else {{ {leave} }};"));
            self.declare(&x, Kind::Int, false);
        }
    }

    /// A list that is emptied.
    fn popped(&mut self) {
        let (q, x, a) = (self.fresh("q"), self.name(), self.int(1));
        self.put(&format!("let mut {q} = vec![{a}, 7];"));
        self.put(&format!("while let Some({x}) = {q}.pop() {{"));
        let outer = std::mem::take(&mut self.labels);
        self.labels = vec!["'none".to_owned()];
        self.labels.clear();
        self.block(2, vec![int(&x)]);
        self.labels = outer;
        self.put("}");
    }

    /// A borrow of an element whose index changes.
    fn row(&mut self) {
        let (g, i, r, a) = (
            self.fresh("g"),
            self.fresh("i"),
            self.fresh("r"),
            self.int(1),
        );
        self.put(&format!("let mut {g} = vec![vec![{a}], vec![2, 3]];"));
        self.put(&format!("let mut {i} = 0usize;"));
        self.put(&format!("let {r} = &mut {g}[{i}];"));
        self.put(&format!("{i} += 1;"));
        self.put("{");
        self.block(2, Vec::new());
        self.put("}");
        self.put(&format!("{r}.push({i} as i64);"));
        self.put("checkpoint!();");
        self.put(&format!("{r}.push(5);"));
        let v = self.name();
        self.put(&format!("let {v} = {g}.iter().flatten().sum::<i64>();"));
        self.declare(&v, Kind::Int, false);
    }

    /// Two names in one `let`.
    fn pair(&mut self) {
        let (x, t, v, w) = (self.fresh("x"), self.fresh("t"), self.int(1), self.int(1));
        self.put(&format!(
            "let ({x}, mut {t}) = ({v}, format!(\"{{}}\", {w}));"
        ));
        self.declare(&x, Kind::Int, false);
        self.declare(&t, Kind::Text, true);
    }

    /// Two owners of one value.
    fn counted(&mut self) {
        let (a, b, v, n) = (self.fresh("a"), self.fresh("a"), self.int(1), self.name());
        self.put(&format!("let {a} = Rc::new({v});"));
        self.put(&format!("let {b} = Rc::clone(&{a});"));
        self.put("{");
        self.block(2, Vec::new());
        self.put("}");
        self.put(&format!("let {n} = Rc::strong_count(&{a}) as i64 + *{a};"));
        // They end here, or with the block.
        for owner in [b, a] {
            if self.rng.bool() {
                self.put(&format!("drop({owner});"));
            }
        }
        self.declare(&n, Kind::Int, false);
    }

    /// Methods by borrow and by value.
    fn summed(&mut self) {
        let (s, v, n) = (self.fresh("s"), self.int(1), self.name());
        self.put(&format!("let mut {s} = ck!(Sum::new({v}));"));
        self.put(&format!("ck!({s}.add({}));", 3));
        self.put("{");
        self.block(2, Vec::new());
        self.put("}");
        let v = self.int(1);
        self.put(&format!("ck!({s}.add({v}));"));
        let end = match self.rng.bool() {
            true => format!("{s}.total"),
            false => format!("ck!(Sum::finish({s}, list))"),
        };
        self.put(&format!("let {n} = {end};"));
        self.declare(&n, Kind::Int, false);
    }

    /// A value that each branch ends in its own way.
    fn moved_on_all_ways(&mut self) {
        let (name, k, c) = (self.fresh("d"), self.rng.u16(..), self.condition());
        self.put(&format!("let {name} = Loud({k});"));
        self.put("checkpoint!();");
        self.put(&format!("if {c} {{"));
        self.depth += 1;
        self.put(&format!("drop({name});"));
        self.depth -= 1;
        self.block(2, Vec::new());
        self.put("} else {");
        self.depth += 1;
        self.put("{");
        self.block(2, Vec::new());
        self.put("}");
        self.put(&format!("let {name} = Some({name});"));
        self.put("checkpoint!();");
        self.put(&format!("drop({name});"));
        self.depth -= 1;
        self.put("}");
    }

    fn fixed_call(&mut self) {
        let (n, v, k) = (self.name(), self.int(1), self.rng.u8(..5));
        let x = self
            .find(Kind::Int, false)
            .unwrap_or_else(|| "n".to_owned());
        let call = match self.rng.u8(..9) {
            0 => format!("ck!(generic(&Plus({k}), list, {v}))"),
            1 => format!("ck!(generic(&Times({k}, Loud({k})), list, {v}))"),
            2 => format!("ck!(dynamic(&Times({k}, Loud(-1)), list, {v}))"),
            3 => format!("ck!(apply(|q| q.wrapping_add({x}), {v}))"),
            4 => format!("ck!(peek(&mix({v}, {x}), &[format!(\"{{}}\", {x}), String::new()]))"),
            5 => format!("ck!(rec({k} % 4, list))"),
            6 => format!("ck!(Plus({k}).twice(list, {v}))"),
            7 => format!("(ck!(eat(Loud({k}), {v})).is_some() as i64)"),
            _ => format!("(ck!(rec({k} % 3, list)) ^ ck!(peek(&{x}, &[])))"),
        };
        self.put(&format!("let {n}: i64 = {call};"));
        self.declare(&n, Kind::Int, false);
    }
}

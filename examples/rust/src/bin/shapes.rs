//! Marked methods of values behind `dyn Trait`: in boxes, shared ones, borrowed ones, by `&self` and `&mut self`.

#![forbid(unsafe_code)]

use std::rc::Rc;

use pc3::prelude::*;

trait Shape: pc3::Dynamic {
    #[checkpointable]
    fn area(&self) -> f64;
    #[checkpointable]
    fn grow(&mut self, by: f64) -> f64;
    fn name(&self) -> String;
    /// All shapes do that in the same way.
    #[checkpointable]
    fn twice(&mut self, by: f64) -> f64 {
        let first = ck!(self.grow(by));
        checkpoint!();
        first + ck!(self.grow(by))
    }
}

mod round {
    use pc3::prelude::*;

    #[derive(Checkpointable)]
    pub struct Circle(pub f64);

    #[derive(Checkpointable)]
    pub struct Ring<T> {
        pub outer: T,
        pub inner: T,
    }
}

#[derive(Checkpointable)]
struct Chain {
    name: String,
    links: Vec<Box<dyn Shape>>,
}

impl Shape for round::Circle {
    #[checkpointable]
    fn area(&self) -> f64 {
        let half = self.0 * self.0;
        checkpoint!();
        half * 3.0
    }
    #[checkpointable]
    fn grow(&mut self, by: f64) -> f64 {
        let before = self.0;
        checkpoint!();
        self.0 += by;
        self.0 - before
    }
    fn name(&self) -> String {
        "a circle".to_owned()
    }
}

impl Shape for round::Ring<f64> {
    #[checkpointable]
    fn area(&self) -> f64 {
        let mut all = 0.0;
        for (by, radius) in [(3.0, self.outer), (-3.0, self.inner)] {
            checkpoint!();
            all += by * radius * radius;
        }
        all
    }
    #[checkpointable]
    fn grow(&mut self, by: f64) -> f64 {
        self.outer += by;
        checkpoint!();
        by
    }
    fn name(&self) -> String {
        "a ring".to_owned()
    }
}

impl Shape for Chain {
    #[checkpointable]
    fn area(&self) -> f64 {
        let mut all = 0.0;
        for i in 0..self.links.len() {
            all += ck!(self.links[i].area());
        }
        all
    }
    #[checkpointable]
    fn grow(&mut self, by: f64) -> f64 {
        let mut all = 0.0;
        for link in self.links.iter_mut() {
            all += ck!(link.twice(by));
            checkpoint!();
        }
        all
    }
    fn name(&self) -> String {
        format!("{} of {}", self.name, self.links.len())
    }
}

pc3::dynamic!(dyn Shape: round::Circle, round::Ring<f64>, Chain);

#[checkpointable]
fn largest(all: &[Box<dyn Shape>]) -> f64 {
    let mut most = 0.0_f64;
    for shape in all {
        most = most.max(ck!(shape.area()));
    }
    most
}

#[checkpointable]
fn borrowed(shape: &mut dyn Shape) -> f64 {
    let before = ck!(shape.area());
    ck!(shape.grow(0.5)) + before
}

#[pc3::main]
fn main() {
    let links: Vec<Box<dyn Shape>> = vec![
        Box::new(round::Circle(1.0)),
        Box::new(round::Ring {
            outer: 3.0,
            inner: 2.0,
        }),
    ];
    let chain = Chain {
        name: "a chain".to_owned(),
        links,
    };
    let mut all: Vec<Box<dyn Shape>> = vec![Box::new(round::Circle(2.0)), Box::new(chain)];
    println!("{}", ck!(largest(&all)));
    for shape in &mut all {
        let grown = ck!(shape.twice(0.25));
        println!("{} by {grown}", shape.name());
        println!("{}", ck!(borrowed(&mut **shape)));
    }
    let shared = Rc::new(round::Circle(1.5));
    let other = Rc::clone(&shared);
    println!("{}", ck!(shared.area()) + other.0);
    drop((shared, other));
}

//! A type that a trait's `dynamic!` does not name, where the trait asks for that.
use pc3::prelude::*;

trait Shape: pc3::Dynamic + pc3::Named<Shapes> {
    fn area(&self) -> f64;
}

#[derive(Checkpointable)]
struct Square(f64);

#[derive(Checkpointable)]
struct Circle(f64);

impl Shape for Square {
    fn area(&self) -> f64 {
        self.0 * self.0
    }
}

impl Shape for Circle {
    fn area(&self) -> f64 {
        3.0 * self.0 * self.0
    }
}

pc3::dynamic!(dyn Shape as Shapes: Square);

#[pc3::main]
fn main() {
    let all: Vec<Box<dyn Shape>> = vec![Box::new(Square(1.0)), Box::new(Circle(1.0))];
    checkpoint!();
    println!("{}", all[0].area());
}

//= 20:16 `Circle`: `Circle` is not among the types that `pc3::dynamic!` names as `Shapes`

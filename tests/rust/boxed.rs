//! Methods of a `dyn Trait` that take their box: after a restart nothing says which type's method it was.
use pc3::prelude::*;

trait Task: pc3::Dynamic {
    #[checkpointable]
    fn end(self: Box<Self>) -> u64;
}

#[derive(Checkpointable)]
struct Count(u64);

impl Task for Count {
    #[checkpointable]
    fn end(self: Box<Self>) -> u64 {
        checkpoint!();
        self.0
    }
}

pc3::dynamic!(dyn Task: Count);

#[pc3::main]
fn main() {
    let count = Box::new(Count(2));
    let task: Box<dyn Task> = Box::new(Count(3));
    println!("{} {}", ck!(count.end()), ck!(task.end()));
}

//= 26:50 `end`: the `pc3_way_end` method cannot be invoked on a trait object
//= 26:50 `end`: the `pc3_again_end` method cannot be invoked on a trait object

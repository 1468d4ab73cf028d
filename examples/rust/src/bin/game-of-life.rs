//! Conway's game of life on a torus; prints a picture of each tenth generation: `game-of-life GENERATIONS`
//! (40).

#![forbid(unsafe_code)]

use pc3::prelude::*;

#[derive(Checkpointable)]
struct World {
    width: usize,
    cells: Vec<bool>,
    generation: u32,
}

impl World {
    fn new(picture: &[&str], width: usize, height: usize) -> World {
        let mut cells = vec![false; width * height];
        for (y, line) in picture.iter().enumerate() {
            for (x, c) in line.chars().enumerate() {
                cells[y * width + x] = c == '#';
            }
        }
        World {
            width,
            cells,
            generation: 0,
        }
    }

    #[inline(always)]
    fn neighbours(&self, i: usize) -> usize {
        let (w, h) = (self.width, self.cells.len() / self.width);
        let (x, y) = (i % w, i / w);
        let mut n = 0;
        for dy in [h - 1, 0, 1] {
            for dx in [w - 1, 0, 1] {
                if (dx, dy) != (0, 0) {
                    n += usize::from(self.cells[(y + dy) % h * w + (x + dx) % w]);
                }
            }
        }
        n
    }

    fn show(&self) {
        println!("generation {}", self.generation);
        for line in self.cells.chunks(self.width) {
            println!(
                "{}",
                line.iter()
                    .map(|c| if *c { '#' } else { '.' })
                    .collect::<String>()
            );
        }
    }

    #[checkpointable]
    fn run(&mut self, generations: u32) {
        while self.generation < generations {
            let mut next = Vec::with_capacity(self.cells.len());
            for i in 0..self.cells.len() {
                next.push(matches!(
                    (self.cells[i], self.neighbours(i)),
                    (_, 3) | (true, 2)
                ));
                if i % 64 == 0 {
                    checkpoint!();
                }
            }
            self.cells = next;
            self.generation += 1;
            if self.generation % 10 == 0 {
                self.show();
            }
        }
    }
}

#[pc3::main]
fn main() {
    let glider_and_pentomino = [
        ".#..........",
        "..#......##.",
        "###.....##..",
        ".........#..",
    ];
    let generations = std::env::args().nth(1);
    let generations = generations.map_or(40, |a| a.parse().expect("a number"));
    let mut world = World::new(&glider_and_pentomino, 20, 14);
    ck!(world.run(generations));
    println!("{} cells live", world.cells.iter().filter(|c| **c).count());
}

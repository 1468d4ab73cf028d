//! Eight tiles in a frame for nine: the shortest ways to order, by iterative deepening.
use pathfinding::prelude::idastar;
use pc3::prelude::*;

/// Where each tile is, row by row; 0 is the hole.
#[derive(Clone, Debug, Hash, PartialEq, Eq, Checkpointable)]
struct Frame([u8; 9]);

impl Frame {
    fn hole(&self) -> usize {
        self.0.iter().position(|t| *t == 0).unwrap_or(0)
    }

    fn moves(&self) -> Vec<(Frame, u32)> {
        let hole = self.hole();
        let (row, column) = (hole / 3, hole % 3);
        let mut all = Vec::new();
        let mut slide = |from: usize| {
            let mut next = self.clone();
            next.0.swap(hole, from);
            all.push((next, 1));
        };
        if row > 0 {
            slide(hole - 3);
        }
        if row < 2 {
            slide(hole + 3);
        }
        if column > 0 {
            slide(hole - 1);
        }
        if column < 2 {
            slide(hole + 1);
        }
        all
    }

    /// How far the tiles are from their places, rows and columns together.
    fn distance(&self) -> u32 {
        let far = |(at, tile): (usize, &u8)| {
            let to = usize::from(*tile);
            (at / 3).abs_diff(to / 3) + (at % 3).abs_diff(to % 3)
        };
        let tiles = self.0.iter().enumerate().filter(|(_, t)| **t != 0);
        tiles.map(far).sum::<usize>() as u32
    }
}

#[pc3::main]
fn main() {
    for start in [[1, 4, 2, 3, 7, 5, 6, 8, 0], [7, 2, 4, 5, 0, 6, 8, 3, 1], [3, 1, 2, 6, 4, 5, 7, 8, 0]] {
        let start = Frame(start);
        let found = ck!(idastar(&start, Frame::moves, Frame::distance, |f| f.distance() == 0));
        match found {
            Some((way, length)) => {
                println!("{length} moves");
                for frame in way {
                    println!("{:?}", frame.0);
                }
            }
            None => println!("no way"),
        }
    }
}

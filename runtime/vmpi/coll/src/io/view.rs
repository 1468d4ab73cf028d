//! What a rank sees of a file: from a displacement on, the places that copies of its file type cover.

use super::representation::Representation;
use pc3_vmpi_objects::datatype::layout::{Layout, Node};
use pc3_vmpi_objects::datatype::stored::stored;
use pc3_vmpi_objects::datatype::TypeRef;
use pc3_vmpi_objects::error::{fail, Class, Result};

pub struct View {
    pub disp: i64,
    pub etype: TypeRef,
    pub filetype: TypeRef,
    pub representation: Representation,
    /// Bytes of an elementary type in the file.
    pub unit: usize,
    /// The file type as it lies there.
    there: TypeRef,
    /// Blocks of one file type: offset and length, neither overlapping nor empty.
    blocks: Vec<(i64, i64)>,
}

impl View {
    pub fn new(
        disp: i64,
        etype: TypeRef,
        filetype: TypeRef,
        representation: Representation,
    ) -> Result<View> {
        if disp < 0 {
            return fail(Class::ERR_ARG, format!("the displacement is {disp}"));
        }
        let width = |b| representation.width(b);
        let (unit, there) = (stored(&etype, &width)?.size, stored(&filetype, &width)?);
        let mut blocks = Vec::new();
        flatten(&there.layout, &mut blocks);
        if blocks.first().is_some_and(|b| b.0 < 0) || blocks.windows(2).any(|w| w[0].0 > w[1].0) {
            return fail(
                Class::ERR_TYPE,
                "the displacements of a file type must not be negative, nor decrease",
            );
        }
        if unit == 0 || there.size % unit != 0 {
            return fail(
                Class::ERR_TYPE,
                "a file type consists of whole elements of the elementary type",
            );
        }
        Ok(View {
            disp,
            etype,
            filetype,
            representation,
            unit,
            there,
            blocks,
        })
    }

    /// All bytes from `disp` on.
    pub fn plain() -> View {
        let bytes = pc3_vmpi_objects::datatype::build::bytes();
        View {
            disp: 0,
            etype: bytes.clone(),
            filetype: bytes.clone(),
            representation: Representation::Native,
            unit: 1,
            there: bytes,
            blocks: vec![(0, 1)],
        }
    }

    /// Is there nothing between its places?
    fn whole(&self) -> bool {
        self.there.contiguous
    }

    /// The place in the file of the visible byte `at`.
    pub fn offset(&self, at: i64) -> i64 {
        let size = self.there.size as i64;
        if self.whole() || size == 0 {
            let first = self.blocks.first().map_or(0, |b| b.0);
            return self.disp + first + at;
        }
        let (tile, mut rest) = (at / size, at % size);
        let base = self.disp + tile * self.there.extent as i64;
        for (start, len) in &self.blocks {
            if rest < *len {
                return base + start + rest;
            }
            rest -= len;
        }
        base
    }

    /// The runs in the file of `n` visible bytes from `at` on.
    pub fn runs(&self, at: i64, n: usize) -> Vec<(u64, usize)> {
        if n == 0 {
            return Vec::new();
        }
        let size = self.there.size as i64;
        if self.whole() || size == 0 {
            return vec![(self.offset(at) as u64, n)];
        }
        let (mut tile, mut skip) = (at / size, at % size);
        let mut left = n as i64;
        let mut runs: Vec<(u64, usize)> = Vec::new();
        while left > 0 {
            let base = self.disp + tile * self.there.extent as i64;
            for (start, len) in &self.blocks {
                if skip >= *len {
                    skip -= len;
                    continue;
                }
                let from = (base + start + skip) as u64;
                let take = (len - skip).min(left);
                skip = 0;
                match runs.last_mut() {
                    Some((a, m)) if *a + *m as u64 == from => *m += take as usize,
                    _ => runs.push((from, take as usize)),
                }
                left -= take;
                if left == 0 {
                    break;
                }
            }
            tile += 1;
        }
        runs
    }

    /// Visible bytes before the place `end` of the file.
    pub fn visible(&self, end: u64) -> i64 {
        let end = end as i64 - self.disp;
        if end <= 0 {
            return 0;
        }
        let (size, extent) = (self.there.size as i64, self.there.extent as i64);
        if self.whole() || size == 0 || extent <= 0 {
            return end;
        }
        let (tiles, rest) = (end / extent, end % extent);
        let within = |b: &(i64, i64)| (rest - b.0).clamp(0, b.1);
        tiles * size + self.blocks.iter().map(within).sum::<i64>()
    }
}

fn flatten(layout: &Layout, out: &mut Vec<(i64, i64)>) {
    node(&layout.node, layout.at as i64, out);
}

fn node(n: &Node, at: i64, out: &mut Vec<(i64, i64)>) {
    match n {
        Node::Block(0) => {}
        Node::Block(len) => match out.last_mut() {
            Some((start, have)) if *start + *have == at => *have += *len as i64,
            _ => out.push((at, *len as i64)),
        },
        Node::Rep {
            count,
            stride,
            body,
            ..
        } => (0..*count as i64).for_each(|i| node(body, at + i * *stride as i64, out)),
        Node::Seq { parts, .. } => parts
            .iter()
            .for_each(|(off, part)| node(part, at + *off as i64, out)),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use pc3_vmpi_objects::datatype::basic::Basic;
    use pc3_vmpi_objects::datatype::build::{make, Constructor};
    use pc3_vmpi_objects::datatype::of_basic;

    #[test]
    fn every_visible_byte_has_one_place() {
        let int = of_basic(Basic::Int);
        let two_of_five = make(
            Constructor::Resized {
                lb: 0,
                extent: 20,
                old: make(
                    Constructor::Hindexed {
                        blocks: vec![(1, 4), (1, 12)],
                        old: int.clone(),
                    },
                    None,
                )
                .unwrap(),
            },
            None,
        )
        .unwrap();
        let v = View::new(100, int, two_of_five, Representation::Native).unwrap();
        let place = |b: i64| 100 + (b / 8) * 20 + [4, 12][(b % 8 / 4) as usize] + b % 4;
        for at in 0..40 {
            assert_eq!(v.offset(at), place(at));
            for n in 0..30 {
                let bytes: Vec<u64> = v
                    .runs(at, n)
                    .iter()
                    .flat_map(|(a, m)| *a..*a + *m as u64)
                    .collect();
                let expect: Vec<u64> = (at..at + n as i64).map(|b| place(b) as u64).collect();
                assert_eq!(bytes, expect);
            }
            assert_eq!(v.visible(place(at) as u64), at);
        }
        assert_eq!(v.visible(50), 0);
    }
}

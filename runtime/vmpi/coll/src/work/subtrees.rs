//! Subtrees of the order of reductions.

/// The greatest subtrees that lie within `members` (ascending), which they are all in: their first members, and how many they have.
pub(crate) fn subtrees(members: &[usize]) -> impl Iterator<Item = (usize, usize)> + '_ {
    let mut i = 0;
    std::iter::from_fn(move || {
        let first = *members.get(i)?;
        let run = members[i..].iter().enumerate();
        let run = run.take_while(|(n, m)| **m == first + n).count();
        // As many as begin there, at most.
        let most = 1usize << first.trailing_zeros().min(usize::BITS - 1);
        let covers = most.min(1 << run.ilog2());
        i += covers;
        Some((first, covers))
    })
}

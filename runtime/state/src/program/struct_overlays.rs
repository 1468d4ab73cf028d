//! Memory of structs that the program also writes as others: what its units say of it.

use pc3_typemetric::types::TypeId;

/// Memory of a struct that the program also writes as another one.
#[derive(Debug)]
pub struct StructOverlay {
    pub of: TypeId,
    pub other: TypeId,
    /// Where it does.
    pub place: String,
}

/// Likewise, of a unit that may know only one of both: another unit has a row of the same place for the other one.
pub struct Half {
    pub of: Option<TypeId>,
    pub other: Option<TypeId>,
    pub place: String,
}

pub fn joined(list: &[Half]) -> Vec<StructOverlay> {
    let mut all = Vec::new();
    for a in list {
        let Some(of) = a.of else { continue };
        let there = list.iter().filter(|b| b.of.is_none() && b.place == a.place);
        let others = match a.other {
            Some(other) => vec![other],
            None => there.filter_map(|b| b.other).collect(),
        };
        all.extend(others.into_iter().map(|other| StructOverlay {
            of,
            other,
            place: a.place.clone(),
        }));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_one_place() {
        let half = |of: u32, other: u32, place: &str| Half {
            of: (of > 0).then_some(TypeId(of)),
            other: (other > 0).then_some(TypeId(other)),
            place: place.into(),
        };
        let list = [
            half(1, 2, "a.c:3"),
            half(4, 0, "b.c:9"),
            half(5, 0, "b.c:9"),
            half(0, 6, "b.c:9"),
            half(0, 7, "b.c:11"),
            half(8, 0, "b.c:12"),
        ];
        let all: Vec<_> = joined(&list).iter().map(|a| (a.of.0, a.other.0)).collect();
        assert_eq!(all, [(1, 2), (4, 6), (5, 6)]);
    }
}

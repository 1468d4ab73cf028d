//! What means something else on another architecture, and is kept: places in the sources that both builds name.

use pc3_typemetric::abi::Abi;
use pc3_typemetric::descriptor::PC3_ORDER_SIZE;

use super::RestoreError;
use pc3_format::library::{FileKind, Origin, ACCESS_DIRECTORY, ACCESS_READ};
use pc3_format::meta::RankMeta;

/// What decides on places that read numbers from files as they are in memory.
pub(crate) const OF_FILES: u32 = 5;

/// What decides on places that wrote a member of a union whose tag says another.
pub(crate) const OF_TAGS: u32 = 6;

/// Is a file open that can be read, other than what the program was started with?
pub(crate) fn reads_files(meta: &RankMeta) -> bool {
    let streams = meta.files.iter().any(|f| {
        let readable =
            f.mode.starts_with('r') || f.mode.contains('+') || f.kind == FileKind::Temporary;
        f.position.is_some() && f.kind != FileKind::Closed && readable
    });
    let others = meta.library.open.iter().any(|o| {
        let own = !matches!(o.origin, Origin::Inherited(_));
        let readable = o.access & ACCESS_READ != 0 && o.access & ACCESS_DIRECTORY == 0;
        own && readable && o.position.is_some()
    });
    streams || others
}

/// Is what an architecture gave the program at these places the same on both?  `files`: some may be read.
pub fn agree<'a>(
    [from, to]: [&Abi; 2],
    orders: impl Iterator<Item = &'a (String, u32)>,
    files: bool,
) -> Result<(), RestoreError> {
    let order = from.endian != to.endian;
    let long = from.long.size != to.long.size;
    let scalars = |a: &Abi| [a.pointer, a.long, a.long_long, a.double];
    let layout = scalars(from) != scalars(to);
    let floats = numbers_of_floats(&from.name) != numbers_of_floats(&to.name);
    let differs = |by: u32| match by {
        0 => order,
        1 => order || long,
        3 => long,
        4 => layout,
        OF_FILES => files && (order || layout),
        OF_TAGS => !from.same_layout(to),
        // Where a value is made of it.
        PC3_ORDER_SIZE.. => false,
        _ => floats,
    };
    let mut met: Vec<&(String, u32)> = orders.filter(|o| differs(o.1)).collect();
    met.sort();
    met.dedup_by(|a, b| a.0 == b.0);
    let by = |wanted: &[u32]| met.iter().any(|o| wanted.contains(&o.1));
    let what = match () {
        () if order && by(&[0, 1]) => "what the order of bytes gave",
        () if by(&[1]) => "what the width of numbers in memory gave",
        () if by(&[OF_FILES]) => "the order and layout of numbers in files that are open",
        () if by(&[4]) => "where members of structs lie",
        () if by(&[OF_TAGS]) => "a member of a union that its tag does not say",
        () if by(&[3]) => "what the width of `long` gave",
        () => "numbers of fenv.h",
    };
    let places: Vec<String> = met.iter().map(|o| o.0.clone()).collect();
    if places.is_empty() {
        return Ok(());
    }
    Err(RestoreError::Order {
        what,
        from: from.name.to_string(),
        to: to.name.to_string(),
        places,
    })
}

/// Architectures that have the same numbers for what is in `fenv.h`.
fn numbers_of_floats(name: &str) -> &str {
    match name {
        "x86_64" | "i686" => "x86",
        "aarch64" | "armhf" => "arm",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(from: &Abi, to: &Abi, by: u32) -> String {
        let places = [("a.c:3".to_string(), by)];
        match agree([from, to], places.iter(), false) {
            Err(RestoreError::Order { what, .. }) => what.to_string(),
            _ => String::new(),
        }
    }

    #[test]
    fn the_reason_is_what_differs() {
        let [x86_64, i686, s390x] = [Abi::X86_64, Abi::I686, Abi::S390X];
        assert_eq!(said(&x86_64, &s390x, 1), "what the order of bytes gave");
        assert_eq!(said(&i686, &s390x, 1), "what the order of bytes gave");
        assert_eq!(
            said(&x86_64, &i686, 1),
            "what the width of numbers in memory gave"
        );
        assert_eq!(said(&x86_64, &i686, 0), "");
        assert_eq!(said(&x86_64, &i686, 3), "what the width of `long` gave");
    }
}

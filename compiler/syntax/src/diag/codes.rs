//! The one table of what pc3cc can say: code, name of the warning's switch, one line on what it stands for.
//!
//! What running programs say has codes, too (`pc3_typemetric::codes`); they are explained in the same place.
//!
//! The text behind `--explain-code` is the code's section of `docs/diagnostics.md`.

use super::Severity;
use pc3_typemetric::codes;

const PAGE: &str = include_str!("../../../../docs/diagnostics.md");

macro_rules! codes { ($($name:ident $id:literal $switch:literal $text:literal;)*) => {
    /// Every diagnostic of pc3cc. E01: C front-end, E02: locations, E03: unsupported in
    /// instrumented functions, E04: the command line, W: warnings.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
    pub enum Code { $($name),* }
    impl Code {
        pub const ALL: &'static [Code] = &[$(Code::$name),*];
        pub fn id(self) -> &'static str { match self { $(Code::$name => $id),* } }
        /// What stands behind `-Wpc3-`; empty for an error.
        pub fn switch(self) -> &'static str { match self { $(Code::$name => $switch),* } }
        /// One line on what the code stands for.
        pub fn describe(self) -> &'static str { match self { $(Code::$name => $text),* } }
    }
} }

codes! {
    Syntax "E0101" "" "the source is not C that pc3cc can parse";
    Misparse "E0102" "" "the parser's reading of a declaration contradicts its text";
    Undeclared "E0103" "" "a name is used that no declaration in scope introduces";
    UnknownMember "E0105" "" "a struct or union has no such member";
    BadExpression "E0106" "" "an expression whose type cannot be determined";
    BadDeclaration "E0107" "" "a declaration that cannot be understood";
    BadLabel "E0108" "" "a label that is missing or defined twice";
    NestedFunction "E0109" "" "a nested function (GNU C) in a function that can reach a checkpoint location";
    PragmaPlace "E0201" "" "a checkpoint location stands where no statement can";
    CheckpointValue "E0202" "" "pc3_checkpoint() is a statement of its own, not part of an expression";
    NoSuchLocation "E0203" "" "a location asked for on the command line does not exist";
    Annotation "E0204" "" "an annotation that cannot be followed";
    Unsupported "E0301" "" "a construct that instrumented functions cannot contain yet";
    Callback "E0302" "" "a library calls back into code that reaches a checkpoint location";
    Attribute "E0303" "" "a function attribute that contradicts saving and resuming";
    Cleanup "E0304" "" "__attribute__((cleanup)) on a local of an instrumented function";
    Setjmp "E0305" "" "setjmp in an instrumented function";
    LiveValue "E0306" "" "a value is live at a point that cannot be saved";
    Arguments "E0307" "" "a variable argument that cannot be kept for a function that reads it after a point";
    OpenMp "E0308" "" "an OpenMP region around a checkpoint location";
    StatementExpression "E0310" "" "a point inside a statement expression of an unsupported form";
    CompoundLiteral "E0311" "" "a compound literal that would have to outlive a point";
    ThreadLocal "E0312" "" "a thread-local variable of which other threads have copies, too";
    Prefix "E0313" "" "a name of the program's own that begins with pc3_";
    Variant "E0314" "" "an OpenMP variant of a function that pc3cc cannot follow";
    Clause "E0315" "" "an OpenMP construct copies a variable that is not where it was";
    Representation "E0316" "" "a value whose representation pc3cc cannot describe would be saved";
    NoInput "E0401" "" "nothing to compile";
    UnitData "E0402" "" "what an object carries for pc3cc cannot be used";
    SharedObject "E0403" "" "a shared object cannot contain checkpoint locations";
    Main "E0404" "" "a program with checkpoint locations has exactly one main";
    BuildOption "E0405" "" "an option that programs with checkpoint locations cannot have";
    Installation "E0406" "" "the compiler below or a part of pc3 is missing, or of another version";
    AnotherMpi "E0407" "" "an object that was compiled for another MPI";
    UnknownPragma "W0101" "unknown-pragma" "a #pragma pc3 that pc3cc does not know";
    UnknownBuiltin "W0102" "unknown-builtin" "a compiler builtin whose type pc3cc does not know";
    NoLocation "W0201" "no-location" "the program never takes a checkpoint";
    ForeignObject "W0202" "foreign-object" "an object or archive is linked whose state pc3 does not know";
    UnsavedState "W0203" "unsaved-state" "something outside of the program's variables is changed that a checkpoint does not hold";
    LocationElsewhere "W0204" "location-elsewhere" "a location asked for on the command line is not in this program";
    AnnotationElsewhere "W0206" "annotation-elsewhere" "an annotation is about nothing in this program";
    OutsideCall "W0205" "outside-call" "an object that pc3cc did not compile could call into a checkpoint location";
    LocationPostponed "W0207" "location-postponed" "a signal handler, or a function for the end, can reach a checkpoint location";
    UntypedAllocation "W0301" "untyped-allocation" "an allocation whose type cannot be told";
    AddressAsNumber "W0302" "address-as-number" "an address is kept as a number";
    PointerAsNumber "W0304" "pointer-as-number" "an address is kept in an integer and becomes a pointer again";
    UnionBlocks "W0303" "union-blocks" "a union whose state cannot change architecture";
    SizeKept "W0305" "size-kept" "a value computed with sizeof is kept across a location";
    AddressOrder "W0306" "address-order" "an order or a choice depends on where objects lie";
    ByteOrder "W0308" "byte-order" "what the order of bytes gave is kept";
    LongWidth "W0309" "long-width" "a constant that a long of 32 bits changes is kept";
    LongRange "W0307" "long-range" "a long that 32 bits may not hold; off unless asked for";
}

impl Code {
    /// As its first letter says.
    pub fn severity(self) -> Severity {
        if self.id().starts_with('W') {
            Severity::Warning
        } else {
            Severity::Error
        }
    }

    /// Of what state a checkpoint could not move: of no use to a program that takes none.
    pub fn is_of_checkpoints(self) -> bool {
        self.id().starts_with("W03")
    }

    /// By its id, in any case, with or without `pc3::`, or by its warning's switch.
    pub fn find(text: &str) -> Option<Code> {
        let text = text.strip_prefix("pc3::").unwrap_or(text);
        let named = |c: &&Code| {
            c.id().eq_ignore_ascii_case(text) || (!c.switch().is_empty() && c.switch() == text)
        };
        Code::ALL.iter().find(named).copied()
    }

    /// The code's section of the page, heading included.
    pub fn explain(self) -> &'static str {
        section(self.id())
    }
}

fn section(id: &str) -> &'static str {
    let heading = format!("## {id}");
    let start = PAGE.find(&heading).unwrap_or(PAGE.len());
    let section = &PAGE[start..];
    let end = section
        .get(3..)
        .and_then(|s| s.find("\n## "))
        .map_or(section.len(), |e| e + 4);
    section[..end].trim_end()
}

/// What is said of a code, of pc3cc's or of running programs'.
pub fn explanation(text: &str) -> Option<&'static str> {
    let plain = text.strip_prefix("pc3::").unwrap_or(text);
    let of_runs = codes::ALL.iter().map(|c| c.0);
    let run = of_runs
        .into_iter()
        .find(|id| id.eq_ignore_ascii_case(plain));
    Code::find(text).map(Code::explain).or(run.map(section))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_described() {
        let mut ids: Vec<_> = Code::ALL.iter().map(|c| c.id()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), Code::ALL.len());
        assert!(Code::ALL.iter().all(|c| c.describe().len() > 10));
    }

    #[test]
    fn codes_of_running_programs_are_explained() {
        for (id, text) in codes::ALL {
            assert!(Code::ALL.iter().all(|c| c.id() != *id), "{id}");
            assert!(text.len() > 10);
            assert!(explanation(id).is_some_and(|t| t.len() > 90), "{id}");
        }
    }

    /// A section per code with something to read in it, a code per section, a switch per warning.
    #[test]
    fn the_page_explains_every_code() {
        for c in Code::ALL {
            assert_eq!(
                c.switch().is_empty(),
                c.severity() == Severity::Error,
                "{}",
                c.id()
            );
            assert!(
                c.explain().len() > 90,
                "docs/diagnostics.md: {} is not explained",
                c.id()
            );
            assert_eq!(Code::find(&c.id().to_lowercase()), Some(*c));
        }
        let headings = PAGE
            .lines()
            .filter_map(|l| l.strip_prefix("## "))
            .filter_map(|l| l.get(..5));
        for id in headings {
            assert!(explanation(id).is_some(), "{id} is no code");
        }
    }
}

//! The one table of what a running program can say: codes for its errors and warnings, beside those of pc3cc, which has all
//! of them explained (`pc3cc --explain-code E0505`).

macro_rules! codes { ($($name:ident $id:literal $text:literal;)*) => {
    $(#[doc = $text] pub const $name: &str = $id;)*
    /// Code and one line on what it stands for.
    pub const ALL: &[(&str, &str)] = &[$(($id, $text)),*];
} }

codes! {
    OTHER_PROGRAM "E0501" "the checkpoint is of another program, or of another version of it";
    OTHER_RANKS "E0502" "the checkpoint has another number of ranks";
    UNREADABLE "E0503" "no checkpoint here, or none that is whole";
    OTHER_TYPE "E0504" "a variable or object has a type here that its value cannot be brought into";
    NO_VALUE "E0505" "a value that cannot be represented here";
    NO_MEMORY "E0506" "no memory for what the checkpoint holds";
    NUMBERS "E0507" "an address is kept as a number, and what it leads to has moved";
    SURROUNDINGS "E0508" "a file, a folder, a locale, a lock that the program had is not here";
    MESSAGES "E0509" "a message, request or datatype of MPI cannot be continued here";
    ORDER "E0510" "what the order of bytes gave is kept, and it is another here";
    SETTINGS "E0601" "options or variables make no sense";
    DIRECTORY "E0602" "the directory for checkpoints cannot be used";
    CANNOT_GO_ON "E0603" "the run cannot go on";
    DEADLOCK "E0604" "every rank waits for another";
    NOT_TAKEN "W0601" "no checkpoint was taken, because something exists that it could not hold";
    NOT_WRITTEN "W0602" "no checkpoint was taken, because it could not be written";
}

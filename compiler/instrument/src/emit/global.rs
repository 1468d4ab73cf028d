//! An object of static storage, for the tables.

use pc3_syntax::tree::*;
use pc3_typemetric::descriptor::PC3_GLOBAL_CONST;

/// A global as the table sees it.
pub struct Global {
    pub name: String,
    pub c_name: String,
    pub ty: QualType,
    pub flags: u32,
    /// The variable, if the user named it.
    pub sym: Option<SymId>,
}

impl Global {
    pub fn is_constant(&self) -> bool {
        self.flags & PC3_GLOBAL_CONST != 0
    }
}

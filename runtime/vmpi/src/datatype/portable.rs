//! Datatypes across a restart on another ABI.
//!
//! A checkpoint keeps each datatype's constructor call.  Counts and displacements in elements mean
//! the same everywhere; displacements in bytes do not, where the layout of the program's structs
//! differs.

/// Addresses that MPI_Get_address gave to the program: displacements are mostly their differences.
#[derive(Clone, Debug, Default)]
pub struct AddressLog {
    /// Most recent last, each address once.
    pub recent: Vec<usize>,
}

/// More than any program takes before it builds its types.
const KEPT: usize = 4096;

impl AddressLog {
    pub fn record(&mut self, address: usize) {
        if self.recent.last() == Some(&address) {
            return;
        }
        if self.recent.len() >= KEPT {
            self.recent.drain(..KEPT / 2);
        }
        self.recent.push(address);
    }
}

//! Points that lie in a statement, as a condition of the clone that resumes.

use pc3_program::points::Range;

/// Is the point that is resumed one of them?
pub fn within(r: Range) -> String {
    if r.0 == r.1 {
        format!("pc3_k == {}", r.0)
    } else {
        format!("(pc3_k >= {} && pc3_k <= {})", r.0, r.1)
    }
}

pub mod preprocess;
pub mod tree;
pub mod types;

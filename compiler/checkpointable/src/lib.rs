//! How Rust functions are taken apart so that they can be left at a location and gone back into.
//!
//! A checkpointable function `f` becomes three: `hot`, the user's with a test behind each marked call, `resume`, which
//! starts where a frame was left, and `f` itself, as the user wrote it, for callers that are not checkpointable.  `hot` and
//! `resume` are one generic body, of which the compiler keeps what each needs.
//!
//! ```text
//! fn f(a: &mut Vec<f64>, n: usize) -> f64 {        fn body<M: Mode>(a: &mut Vec<f64>, pc3_n: M::By<usize>) -> Result<f64, Unwind> {
//!     let mut s = 0.0;                                 let n; let mut s; let r1; …            // what outlives a jump
//!     s += ck!(g(a, n));                               'u1: {
//!     checkpoint!();                                       'e1: {
//!     s                                                        if M::RESUME && at != 0 { break 'e1 }
//! }                                                            n = M::given(pc3_n); s = 0.0;
//!                                                              r1 = g::hot(a, n); break 'u1;
//!                                                          }
//!                                                          if at == 1 { s = frame.take("s"); r1 = g::resume(a, Kept(…)); break 'u1 }
//!                                                          …
//!                                                      }
//!                                                      s += match r1 { Ok(v) => v, Err(_) => return Err(leave(&POINT_1, || vec![keep("s", s)])) };
//! ```
//!
//! | module | what |
//! |---|---|
//! | `function` | `item`: the function around its body; `parameters`, `receivers`: how it is called; `conditions`: `#[cfg(…)]` in it |
//! | `marks` | `ck!` and `checkpoint!`, and what other macros hold |
//! | `names` | one name for each local, also in `texts`, and what is `shown` of it |
//! | `operands` | marked calls in expressions become statements; `temporaries`: values that `ref` borrows from |
//! | `fold` | closures of a loop's iterator become part of its body |
//! | `flow`, `moves` | which locals what follows a point needs; which are there and may be used, on every way to it and from it, by `methods`' names |
//! | `reevaluation`, `reeval` | how borrows are made again; `#[reeval]` locals, which are made again by what the user wrote |
//! | `transient` | `#[transient]` locals, which are not saved |
//! | `visit`, `visit_mut` | walks over syntax trees |
//! | `build`, `loops` | the body (`build::points`: what each point saves, by `flow` and `moves`); what a loop goes over |

mod build;
mod flow;
mod fold;
mod function;
mod loops;
mod marks;
mod methods;
mod moves;
mod names;
mod operands;
mod reeval;
mod reevaluation;
mod transient;
mod visit;
mod visit_mut;

use proc_macro2::TokenStream;

/// `#[checkpointable]`.
pub fn attribute(arguments: TokenStream, item: TokenStream, wanted: Wanted) -> TokenStream {
    let associated = match arguments.to_string().as_str() {
        "" => false,
        "associated" => true,
        _ => {
            let text = "#[checkpointable] takes no arguments but `associated`, for functions of an impl or trait that mention `Self` nowhere";
            return syn::Error::new_spanned(arguments, text).to_compile_error();
        }
    };
    function::item::expand(item.clone(), wanted, associated)
        .unwrap_or_else(|e| with_error(item, &e))
}

/// What cannot be taken stays as it is.
fn with_error(mut item: TokenStream, why: &syn::Error) -> TokenStream {
    item.extend(why.to_compile_error());
    item
}

/// What becomes of a function.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    All,
    /// The user's code, with what there is to say of it.
    Shown,
    /// The user's code.
    Plain,
}

/// `#[pc3::main]`, `#[pc3::main(mpi, setup = f)]`; `mpi`: has the crate `pc3` that feature?
pub fn main(arguments: TokenStream, item: TokenStream, wanted: Wanted, mpi: bool) -> TokenStream {
    function::item::Main::parse(arguments, mpi)
        .and_then(|main| function::item::expand_main(item.clone(), &main, wanted))
        .unwrap_or_else(|e| with_error(item, &e))
}

/// What `stringify!` gives in a function whose locals have other names.
pub fn words(tokens: TokenStream) -> TokenStream {
    names::shown::words(tokens)
}

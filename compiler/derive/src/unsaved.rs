//! Types of fields that show as ones that cannot be saved: each is told once, with what to write instead.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{GenericArgument, GenericParam, PathArguments, PathSegment, Type, TypeParamBound};

const POINTER: &str = "a raw pointer cannot be saved: use Box, Rc or an index, or #[pc3(skip)]";
const FUNCTION: &str = "a function cannot be saved as a field of type `fn`: `pc3::functions!(struct Op: fn(u8) -> u8 { add, sub })` makes a type of these functions, by their names, that is called as this is";
const CLOSURE: &str = "a closure cannot be saved: make it a struct of what it takes, with a trait that `pc3::dynamic!` names it for (`Box<dyn Trait>`); or `#[pc3(transient = expression)]`";
const SHARED: &str = "a shared value cannot be saved as a `dyn Trait`: put a box in between (`Rc<RefCell<Box<dyn Trait>>>`), which `pc3::dynamic!(dyn Trait: A, B)` can save";
const SLICE: &str = "a borrowed slice cannot be saved, though it lives as long as the program: use an index into it, `Vec`, or `Cow<'static, [T]>`; or `#[pc3(transient = expression)]`";
const LIFETIME: &str = "a type that holds borrows cannot be saved, as what they borrow from is elsewhere behind a restart: let it own that (`String`, `Rc<T>`), or hold an index and hand what it is an index into on to its methods";

/// Borrows in a type's fields.
pub(crate) fn lifetimes(generics: &syn::Generics) -> Result<(), syn::Error> {
    let borrow = generics.params.iter().find_map(|p| match p {
        GenericParam::Lifetime(l) if l.bounds.is_empty() => Some(&l.lifetime),
        _ => None,
    });
    match borrow {
        Some(l) if generics.where_clause.is_none() => Err(syn::Error::new_spanned(l, LIFETIME)),
        _ => Ok(()),
    }
}

/// What of a field's type cannot be saved, and why.
pub fn of(ty: &Type) -> Option<(TokenStream, &'static str)> {
    let told = |why| Some((ty.to_token_stream(), why));
    match ty {
        Type::Ptr(_) => told(POINTER),
        Type::BareFn(_) => told(FUNCTION),
        Type::Reference(r) if matches!(*r.elem, Type::Slice(_)) => told(SLICE),
        Type::Array(a) => of(&a.elem),
        Type::Paren(p) => of(&p.elem),
        Type::Group(g) => of(&g.elem),
        Type::Tuple(t) => t.elems.iter().find_map(of),
        Type::Path(p) => {
            let last = p.path.segments.last()?;
            match &last.ident.to_string()[..] {
                "Box" | "Rc" | "Arc" if holds(last, &is_closure) => told(CLOSURE),
                "Rc" | "Arc" if holds(last, &is_shared) => told(SHARED),
                "Box" | "Rc" | "Arc" | "Option" | "Result" | "Vec" | "VecDeque" | "HashMap"
                | "BTreeMap" | "Cell" | "RefCell" | "Mutex" => types(last).find_map(of),
                _ => None,
            }
        }
        _ => None,
    }
}

fn types(segment: &PathSegment) -> impl Iterator<Item = &Type> {
    let list = match &segment.arguments {
        PathArguments::AngleBracketed(list) => Some(list.args.iter()),
        _ => None,
    };
    list.into_iter().flatten().filter_map(|a| match a {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}

fn holds(segment: &PathSegment, is: &dyn Fn(&Type) -> bool) -> bool {
    types(segment).any(is)
}

fn is_closure(ty: &Type) -> bool {
    let Type::TraitObject(t) = ty else {
        return false;
    };
    let names = t.bounds.iter().filter_map(|b| match b {
        TypeParamBound::Trait(t) => t.path.segments.last(),
        _ => None,
    });
    let mut names = names.map(|s| s.ident.to_string());
    names.any(|n| matches!(&n[..], "Fn" | "FnMut" | "FnOnce"))
}

/// `dyn T`, `RefCell<dyn T>`
fn is_shared(ty: &Type) -> bool {
    match ty {
        Type::TraitObject(_) => true,
        Type::Path(p) => p.path.segments.last().is_some_and(|s| {
            let cell = matches!(
                &s.ident.to_string()[..],
                "Cell" | "RefCell" | "Mutex" | "RwLock"
            );
            cell && holds(s, &|t| matches!(t, Type::TraitObject(_)))
        }),
        _ => false,
    }
}

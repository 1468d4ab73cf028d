//! The function around its body: the form that runs, the one that is gone back into, and the one for other callers.

use std::collections::BTreeSet;

use crate::visit::{self, Visit};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned, ToTokens};
use syn::parse::Parser;
use syn::spanned::Spanned;
use syn::{parse_quote, Attribute, GenericParam, ItemFn, ReturnType, Signature, TraitItemFn, Type};

use super::conditions;
use super::parameters::{iterators, parameters, readers, rename_self, Parameters};
use super::plain::{without, without_any};
use super::{nested, positions, receivers, statics, unmarked};
use crate::build;
use crate::flow::identifiers;
use crate::marks::Points;
use crate::operands::temporaries;
use crate::Wanted;
use crate::{fold, moves, names, operands, reeval, transient};

type Result<T> = std::result::Result<T, syn::Error>;

fn combined(errors: Vec<syn::Error>) -> Result<()> {
    let mut errors = errors.into_iter();
    match errors.next() {
        None => Ok(()),
        Some(mut first) => {
            errors.for_each(|e| first.combine(e));
            Err(first)
        }
    }
}

pub fn expand(item: TokenStream, wanted: Wanted, associated: bool) -> Result<TokenStream> {
    let Ok(function) = syn::parse2::<ItemFn>(item.clone()) else {
        let declared: TraitItemFn = syn::parse2(item)?;
        let attribute = quote!(#[::pc3::checkpointable]);
        return match conditions::split_declared(&declared, &attribute)? {
            Some(forms) if wanted == Wanted::All => Ok(forms),
            _ => declaration(&declared, wanted),
        };
    };
    let method = associated || is_method(&function);
    let associated = method.then(|| quote!((associated)));
    if let Some(forms) = conditional(
        &function,
        &quote!(#[::pc3::checkpointable #associated]),
        wanted,
    )? {
        return Ok(forms);
    }
    if wanted != Wanted::All {
        return Ok(shown(function, method, wanted));
    }
    Ok(forms(function.clone(), method).unwrap_or_else(|e| refused(function, method, &e)))
}

/// What becomes of a function with `#[cfg(…)]` in it.
fn conditional(
    function: &ItemFn,
    attribute: &TokenStream,
    wanted: Wanted,
) -> Result<Option<TokenStream>> {
    let forms = conditions::split(function, attribute)?;
    Ok(match wanted {
        Wanted::All => forms,
        // What holds is not known yet, so there is nothing to say.
        _ => forms.map(|_| without(function.clone()).to_token_stream()),
    })
}

fn shown(function: ItemFn, method: bool, wanted: Wanted) -> TokenStream {
    let checked = match wanted {
        Wanted::Shown => forms_of(&mut function.clone(), method).err(),
        Wanted::All | Wanted::Plain => None,
    };
    let Some(why) = checked else {
        return without(function).to_token_stream();
    };
    let (function, said) = (without_any(function), why.to_compile_error());
    quote!(#function #said)
}

/// A function that is not taken: what else is said is to be of the user's code, not that there is no such function.
fn refused(function: ItemFn, method: bool, why: &syn::Error) -> TokenStream {
    let said = why.to_compile_error();
    let (vis, sig) = (function.vis.clone(), function.sig.clone());
    let (conditions, _) = attributes(&function.attrs);
    let (p, out) = (parameters(&sig), output(&sig));
    let (generics, filter) = (&sig.generics.params, &sig.generics.where_clause);
    let (receiver, hots, resumes, again) = (&p.receiver, &p.hot, &p.resume, p.receiver_again());
    let (hot, resume, sized) = if method {
        let (hot, resume) = method_names(&sig.ident);
        (hot, resume, p.sized(filter))
    } else {
        (
            format_ident!("hot"),
            format_ident!("resume"),
            quote!(#filter),
        )
    };
    let quiet =
        quote!(#(#conditions)* #[doc(hidden)] #[allow(unused, clippy::all, clippy::pedantic)]);
    let mut forms = quote! {
        #quiet
        #vis fn #hot<#generics>(#receiver #(#hots),*) -> ::core::result::Result<#out, ::pc3::point::Unwind> #filter { loop {} }
        #quiet
        #vis fn #resume<#generics>(#again #(#resumes),*) -> ::core::result::Result<#out, ::pc3::point::Unwind> #sized { loop {} }
    };
    if method {
        forms.extend(receivers::functions(&sig, &p, &quote!(#quiet #vis), true));
    } else {
        let name = &sig.ident;
        forms = quote! {
            #(#conditions)*
            #[doc(hidden)]
            #[allow(non_camel_case_types, dead_code)]
            #vis struct #name {}
            #(#conditions)*
            impl #name { #forms }
        };
    }
    if hidden(&sig).is_some() {
        forms = TokenStream::new();
    }
    let function = without_any(function);
    quote!(#function #said #forms)
}

/// The arguments of `#[pc3::main]`.
#[derive(Default)]
pub struct Main {
    /// Each of several ranks executes it.
    ranks: bool,
    /// Called once in each process, in front of all else.
    setup: Option<syn::Path>,
}

impl Main {
    pub fn parse(arguments: TokenStream, mpi: bool) -> Result<Main> {
        let mut main = Main::default();
        let parser = syn::meta::parser(|meta| {
            if meta.path.is_ident("setup") {
                main.setup = Some(meta.value()?.parse()?);
                Ok(())
            } else if meta.path.is_ident("mpi") && mpi {
                main.ranks = true;
                Ok(())
            } else if meta.path.is_ident("mpi") {
                Err(meta.error("#[pc3::main(mpi)] needs the feature `mpi` of the crate pc3"))
            } else {
                Err(meta.error("#[pc3::main] takes no arguments but `mpi` and `setup = function`"))
            }
        });
        parser.parse2(arguments)?;
        Ok(main)
    }

    fn arguments(&self) -> TokenStream {
        let ranks = self.ranks.then(|| quote!(mpi));
        let setup = self.setup.as_ref().map(|f| quote!(setup = #f));
        let all: Vec<TokenStream> = ranks.into_iter().chain(setup).collect();
        quote!((#(#all),*))
    }

    /// What is done first, whether the program starts or goes on.
    fn set_up(&self) -> Option<TokenStream> {
        let f = self.setup.as_ref()?;
        let at = f.span().resolved_at(Span::call_site());
        Some(quote_spanned!(at=> ::pc3::point::set_up(#f);))
    }
}

pub(crate) fn expand_main(item: TokenStream, main: &Main, wanted: Wanted) -> Result<TokenStream> {
    let mut function: ItemFn = syn::parse2(item)?;
    if !function.sig.inputs.is_empty() || function.sig.ident != "main" {
        return Err(syn::Error::new_spanned(
            &function.sig,
            "#[pc3::main] goes in front of `fn main()`",
        ));
    }
    let (arguments, set_up) = (main.arguments(), main.set_up());
    let plain_ranks = wanted == Wanted::Plain && main.ranks;
    if !plain_ranks {
        let attribute = quote!(#[::pc3::main #arguments]);
        if let Some(forms) = conditional(&function, &attribute, wanted)? {
            return Ok(forms);
        }
    }
    if plain_ranks {
        // The ranks are not what is left out.
        let inner = without(function);
        return Ok(quote! {
            fn main() -> ::std::process::ExitCode {
                #inner
                ::pc3::start_mpi(::pc3::point::Program {
                    enter: || { #set_up ::core::result::Result::Ok(::pc3::point::Report::report(main())) },
                    resume: || ::core::result::Result::Ok(0),
                })
            }
        });
    }
    if wanted != Wanted::All {
        if let Some(set_up) = set_up {
            function.block.stmts.insert(0, syn::parse2(set_up)?);
        }
        return Ok(shown(function, false, wanted));
    }
    let start = match main.ranks {
        true => quote!(start_mpi),
        false => quote!(start),
    };
    let plain = without(function.clone());
    let mut inner = function.clone();
    let forms = match forms_of(&mut inner, false) {
        Ok(forms) => forms,
        Err(why) => {
            let (function, said) = (without_any(function), why.to_compile_error());
            return Ok(quote!(#function #said));
        }
    };
    Ok(quote! {
        #forms
        fn main() -> ::std::process::ExitCode {
            #plain
            let _ = main;
            ::pc3::#start(::pc3::point::Program {
                enter: || { #set_up main::hot().map(::pc3::point::Report::report) },
                resume: || { #set_up main::resume().map(::pc3::point::Report::report) },
            })
        }
    })
}

/// Parameters that are counted owners.
fn owners(by_value: &[build::Parameter]) -> BTreeSet<String> {
    let names = by_value.iter().filter_map(|p| match &p.pat {
        syn::Pat::Ident(name) if moves::is_owner(&p.ty) => Some(name.ident.to_string()),
        _ => None,
    });
    names.collect()
}

/// Is it a method or an associated function, as far as it shows?
fn is_method(function: &ItemFn) -> bool {
    struct IsMethod(bool);
    impl<'ast> Visit<'ast> for IsMethod {
        fn visit_ident(&mut self, i: &'ast Ident) {
            self.0 |= i == "Self";
        }
        fn visit_macro(&mut self, m: &'ast syn::Macro) {
            self.0 |= identifiers(&m.tokens).contains("Self");
        }
        fn visit_item(&mut self, _: &'ast syn::Item) {}
    }
    let mut visitor = IsMethod(function.sig.receiver().is_some());
    visitor.visit_signature(&function.sig);
    visit::visit_block(&mut visitor, &function.block);
    visitor.0
}

fn check(sig: &Signature) -> Result<()> {
    let mut errors = Vec::new();
    let mut no = |tokens: &dyn ToTokens, why: &str| {
        errors.push(syn::Error::new_spanned(tokens.to_token_stream(), why))
    };
    if let Some(a) = &sig.asyncness {
        no(
            a,
            "an async function cannot be checkpointable: its state is the compiler's own; write a function that waits for what it needs",
        );
    }
    if let Some(a) = &sig.constness {
        no(a, "a const function cannot be checkpointable: the compiler runs it, too; leave `const` out");
    }
    if let Some(a) = &sig.unsafety {
        no(a, "an unsafe function cannot be checkpointable: a restart keeps none of its caller's promises; write a safe function around the unsafe code");
    }
    if let Some(a) = &sig.abi {
        no(
            a,
            "a function called from other languages cannot be checkpointable: its callers cannot be continued; leave `extern` out",
        );
    }
    if let ReturnType::Type(_, ty) = &sig.output {
        if matches!(**ty, Type::Never(_)) {
            no(ty, "a checkpointable function cannot return `!`, which is no type that values have: write `std::convert::Infallible`, and `match ck!(f()) {}` where it is called");
        }
    }
    if let Some(t) = hidden(sig) {
        no(&t, "a checkpointable function must name the type it returns: `impl Trait` has none to save; write the type, or `Box<dyn Trait>`");
    }
    combined(errors)
}

/// `impl Trait` in what the function returns.
fn hidden(sig: &Signature) -> Option<TokenStream> {
    struct ImplTrait(Option<TokenStream>);
    impl<'ast> Visit<'ast> for ImplTrait {
        fn visit_type_impl_trait(&mut self, t: &'ast syn::TypeImplTrait) {
            self.0 = Some(t.to_token_stream());
        }
    }
    let mut visitor = ImplTrait(None);
    if let ReturnType::Type(_, ty) = &sig.output {
        visitor.visit_type(ty);
    }
    visitor.0
}

pub fn output(sig: &Signature) -> Type {
    match &sig.output {
        ReturnType::Default => parse_quote!(()),
        ReturnType::Type(_, ty) => (**ty).clone(),
    }
}

/// Names of the generic types and constants, to be passed on.
pub(crate) fn generic_names(sig: &Signature) -> Vec<&Ident> {
    sig.generics
        .params
        .iter()
        .filter_map(|g| match g {
            GenericParam::Type(t) => Some(&t.ident),
            GenericParam::Const(c) => Some(&c.ident),
            GenericParam::Lifetime(_) => None,
        })
        .collect()
}

/// A trait's method: its forms, without bodies.
fn declaration(item: &TraitItemFn, wanted: Wanted) -> Result<TokenStream> {
    if wanted == Wanted::Plain {
        return Ok(item.to_token_stream());
    }
    check(&item.sig)?;
    if wanted == Wanted::Shown {
        return Ok(item.to_token_stream());
    }
    let (sig, p, out) = (&item.sig, parameters(&item.sig), output(&item.sig));
    let (generics, filter) = (&sig.generics.params, &sig.generics.where_clause);
    let (hot, resume) = method_names(&sig.ident);
    let (receiver, hots, resumes) = (&p.receiver, &p.hot, &p.resume);
    let (again, sized) = (p.receiver_again(), p.sized(filter));
    let (conditions, _) = attributes(&item.attrs);
    let front = quote!(#(#conditions)* #[doc(hidden)]);
    let asked = receivers::functions(sig, &p, &front, false);
    Ok(quote! {
        #item
        #asked
        #(#conditions)*
        #[doc(hidden)]
        fn #hot<#generics>(#receiver #(#hots),*) -> ::core::result::Result<#out, ::pc3::point::Unwind> #filter;
        #(#conditions)*
        #[doc(hidden)]
        fn #resume<#generics>(#again #(#resumes),*) -> ::core::result::Result<#out, ::pc3::point::Unwind> #sized;
    })
}

pub(crate) fn method_names(name: &Ident) -> (Ident, Ident) {
    (
        format_ident!("pc3_hot_{}", name),
        format_ident!("pc3_resume_{}", name),
    )
}

/// `#[allow(deprecated)]`: calls that are not marked are meant so.
fn is_meant(all: &[Attribute]) -> bool {
    let allows = |a: &&Attribute| a.path().is_ident("allow");
    let names = |a: &Attribute| identifiers(&a.meta.to_token_stream()).contains("deprecated");
    all.iter().filter(allows).any(names)
}

/// Attributes of the user's that count for the other forms, too: whether there is such a function, how it is compiled, and what
/// is not to be said of it.
fn attributes(all: &[Attribute]) -> (Vec<&Attribute>, Vec<Attribute>) {
    let conditions = all.iter().filter(|a| a.path().is_ident("cfg")).collect();
    let is = |a: &&Attribute, list: &[&str]| list.iter().any(|h| a.path().is_ident(h));
    let hint = |a: &&Attribute| is(a, &["inline", "cold"]);
    let mut hints: Vec<Attribute> = all.iter().filter(hint).cloned().collect();
    if hints.is_empty() {
        hints.push(parse_quote!(#[inline]));
    }
    hints.extend(all.iter().filter(|a| is(a, &["allow"])).cloned());
    (conditions, hints)
}

fn forms(mut function: ItemFn, method: bool) -> Result<TokenStream> {
    let plain = without(function.clone());
    let (conditions, _) = attributes(&function.attrs);
    let conditions = quote!(#(#conditions)*);
    let beside = (!method).then(|| unmarked::companion(&function.sig, &function.vis, &conditions));
    let forms = forms_of(&mut function, method)?;
    Ok(quote! {
        #plain
        #beside
        #forms
    })
}

/// The forms of a function; `function`'s block is used up.
fn forms_of(function: &mut ItemFn, method: bool) -> Result<TokenStream> {
    check(&function.sig)?;
    let taken = take_apart(function, method)?;
    Ok(match method {
        true => forms_of_method(function, &taken),
        false => forms_of_function(function, &taken),
    })
}

/// A function that has been taken apart.
struct FunctionParts {
    parameters: Parameters,
    output: Type,
    /// Its body, of a function that of both forms.
    hot: TokenStream,
    resumed: TokenStream,
}

fn take_apart(function: &mut ItemFn, method: bool) -> Result<FunctionParts> {
    let positions = positions::of(&function.block);
    let mut points = Points::default();
    function
        .block
        .stmts
        .iter()
        .for_each(|s| points.visit_stmt(s));
    combined(points.errors)?;
    combined(nested::once(&mut function.block))?;
    combined(nested::hiding(&function.block))?;
    let unmarked = unmarked::lints(&function.sig, &function.block, is_meant(&function.attrs));
    let unsaved = statics::lints(&function.sig, &function.block);
    let small = names::small(&mut function.sig, &function.block);
    let p = parameters(&function.sig);
    if p.by_self.is_some() {
        let block = rename_self(function.block.to_token_stream());
        *function.block = syn::parse2(block)?;
    }
    transient::prepare(&mut function.block)?;
    temporaries::name(&mut function.block);
    let names = names::unique(&mut function.block, &p.names, small);
    combined(names.errors)?;
    let shown = names.shown;
    fold::loops(&mut function.block, &function.sig);
    reeval::hold(&mut function.block, &function.sig, &p.names);
    combined(operands::take_apart(&mut function.block))?;
    let given = moves::ParameterKinds {
        parameters: &p.mutable,
        values: &p.values,
        lent: &p.lent,
        owners: owners(&p.by_value),
    };
    let moves = moves::follow(&mut function.block, given);
    let out = output(&function.sig);
    let named = format_ident!("PC3_FUNCTION");
    let mut by_value = p.by_value.clone();
    if method && !p.unnamed.is_empty() {
        // The forms of methods are bodies themselves.
        by_value.iter_mut().for_each(|v| v.ty = parse_quote!(_));
    }
    let about = build::About {
        form: build::BodyForm::Either,
        by_value: &by_value,
        borrowed: p.borrowed.clone(),
        readers: readers(&function.sig),
        iterators: iterators(&function.sig),
        renamed: names.own,
        in_macros: names.in_macros,
        positions,
        output: out.clone(),
        function: named.clone(),
    };
    let text = function.sig.ident.to_string();
    let written = |form, asked: &TokenStream| -> Result<TokenStream> {
        let about = build::About {
            form,
            ..about.clone()
        };
        let (code, statics) = build::body(&function.block, about, moves.clone())?;
        Ok(quote! {
            use ::pc3::point::{Cloned as _, Refused as _, Repeats as _, RepeatsOther as _};
            static #named: ::pc3::point::Function = ::pc3::point::Function {
                name: ::core::concat!(::core::module_path!(), "::", #text),
            };
            #shown
            #asked
            #statics
            let mut pc3_frame = Pc3Mode::frame(&#named);
            let mut pc3_at: u32 = ::pc3::point::label(&pc3_frame);
            #code
        })
    };
    let asked = quote!(#unmarked #unsaved);
    let (hot, resumed) = match method {
        true => (
            written(build::BodyForm::Hot, &asked)?,
            written(build::BodyForm::Resumed, &TokenStream::new())?,
        ),
        false => (
            written(build::BodyForm::Either, &asked)?,
            TokenStream::new(),
        ),
    };
    Ok(FunctionParts {
        parameters: p,
        output: out,
        hot,
        resumed,
    })
}

/// What is not to be said of the forms, which the user has not written.
fn quiet(conditions: &[&Attribute]) -> TokenStream {
    quote! {
        #(#conditions)*
        #[doc(hidden)]
        #[allow(clippy::all, clippy::pedantic, unused, refining_impl_trait, unreachable_code, unused_assignments, unused_parens, dependency_on_unit_never_type_fallback, non_upper_case_globals, non_shorthand_field_patterns, non_snake_case)]
    }
}

/// The attribute does not see whether this is in an impl or a trait: there is no room for a third form in all.
fn forms_of_method(function: &ItemFn, taken: &FunctionParts) -> TokenStream {
    let (vis, sig) = (&function.vis, &function.sig);
    let (p, out) = (&taken.parameters, &taken.output);
    let (code, resumed) = (&taken.hot, &taken.resumed);
    let (generics, filter) = (&sig.generics.params, &sig.generics.where_clause);
    let (conditions, hints) = attributes(&function.attrs);
    let quiet = quiet(&conditions);
    let (receiver, hots, resumes) = (&p.receiver, &p.hot, &p.resume);
    let (hot, resume) = method_names(&sig.ident);
    let (again, sized) = (p.receiver_again(), p.sized(filter));
    let (first_given, again_given) = p.bindings(sig);
    let asked = receivers::functions(sig, p, &quote!(#quiet #[inline] #vis), true);
    quote! {
        #asked
        #quiet
        #(#hints)*
        #vis fn #hot<#generics>(#receiver #(#hots),*) -> ::core::result::Result<#out, ::pc3::point::Unwind> #filter {
            type Pc3Mode = ::pc3::point::Hot;
            use ::pc3::point::Mode as _;
            #first_given
            #code
        }
        #quiet
        #vis fn #resume<#generics>(#again #(#resumes),*) -> ::core::result::Result<#out, ::pc3::point::Unwind> #sized {
            type Pc3Mode = ::pc3::point::Resume;
            use ::pc3::point::Mode as _;
            #again_given
            #resumed
        }
    }
}

fn forms_of_function(function: &ItemFn, taken: &FunctionParts) -> TokenStream {
    let (vis, sig) = (&function.vis, &function.sig);
    let (p, out, code) = (&taken.parameters, &taken.output, &taken.hot);
    let name = &sig.ident;
    let (generics, filter) = (&sig.generics.params, &sig.generics.where_clause);
    // Lifetimes stand in front of types.
    let (lifetimes, others): (Vec<_>, Vec<_>) = generics
        .iter()
        .partition(|g| matches!(g, syn::GenericParam::Lifetime(_)));
    let passed = generic_names(sig);
    let unnamed = &p.unnamed;
    let told = unnamed.iter().map(|_| quote!(_));
    let told: Vec<TokenStream> = passed.iter().map(|p| quote!(#p)).chain(told).collect();
    let (hots, resumes, bodies) = (&p.hot, &p.resume, &p.body);
    let (hot_given, resume_given) = (&p.hot_given, &p.resume_given);
    let (conditions, hints) = attributes(&function.attrs);
    let quiet = quiet(&conditions);
    quote! {
        #(#conditions)*
        #[doc(hidden)]
        #[allow(non_camel_case_types, dead_code)]
        #vis struct #name {}
        #(#conditions)*
        #[allow(dead_code)]
        impl #name {
            #[doc(hidden)]
            #[allow(clippy::all, clippy::pedantic, dead_code)]
            #(#hints)*
            #vis fn hot<#generics>(#(#hots),*) -> ::core::result::Result<#out, ::pc3::point::Unwind> #filter {
                Self::body::<::pc3::point::Hot, #(#told),*>(#(#hot_given),*)
            }
            #[doc(hidden)]
            #[allow(clippy::all, clippy::pedantic, dead_code)]
            #vis fn resume<#generics>(#(#resumes),*) -> ::core::result::Result<#out, ::pc3::point::Unwind> #filter {
                Self::body::<::pc3::point::Resume, #(#told),*>(#(#resume_given),*)
            }
            #quiet
            #(#hints)*
            fn body<#(#lifetimes,)* Pc3Mode: ::pc3::point::Mode, #(#others,)* #(#unnamed),*>(#(#bodies),*) -> ::core::result::Result<#out, ::pc3::point::Unwind> #filter {
                #code
            }
        }
    }
}

//! The function around its body: the form that runs, the one that is gone back into, and the one for other callers.

use std::collections::HashMap;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, ToTokens};
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{
    parse_quote, Block, Expr, FnArg, GenericParam, ItemFn, Pat, ReturnType, Signature, Stmt,
    TraitItemFn, Type,
};

use crate::build::{self, Parameter};
use crate::marks::{self, Points};
use crate::{again, course, names, operands, transient};

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

pub fn expand(item: TokenStream, plain: bool, associated: bool) -> Result<TokenStream> {
    let Ok(function) = syn::parse2::<ItemFn>(item.clone()) else {
        let declared: TraitItemFn = syn::parse2(item)?;
        return declaration(&declared, plain);
    };
    if plain {
        return Ok(without(function).to_token_stream());
    }
    let method = associated || is_method(&function);
    forms(function, method)
}

/// `ranks`: each of several executes it.
pub fn expand_main(item: TokenStream, ranks: bool, plain: bool) -> Result<TokenStream> {
    let function: ItemFn = syn::parse2(item)?;
    if !function.sig.inputs.is_empty() || function.sig.ident != "main" {
        return Err(syn::Error::new_spanned(
            &function.sig,
            "#[pc3::main] goes in front of `fn main()`",
        ));
    }
    if plain && ranks {
        // The ranks are not what is left out.
        let inner = without(function);
        return Ok(quote! {
            fn main() -> ::std::process::ExitCode {
                #inner
                ::pc3::start_mpi(::pc3::point::Program {
                    enter: || ::core::result::Result::Ok(::pc3::point::Report::report(main())),
                    resume: || ::core::result::Result::Ok(0),
                })
            }
        });
    }
    if plain {
        return Ok(without(function).to_token_stream());
    }
    let start = match ranks {
        true => quote!(start_mpi),
        false => quote!(start),
    };
    let mut inner = function;
    let forms = forms_of(&mut inner, false)?;
    Ok(quote! {
        #forms
        fn main() -> ::std::process::ExitCode {
            ::pc3::#start(::pc3::point::Program {
                enter: || main::hot().map(::pc3::point::Report::report),
                resume: || main::resume().map(::pc3::point::Report::report),
            })
        }
    })
}

/// The user's function, marks left out.
fn without(mut function: ItemFn) -> ItemFn {
    struct Strip;
    impl VisitMut for Strip {
        fn visit_expr_mut(&mut self, e: &mut Expr) {
            if let Some(Ok(inner)) =
                marks::call(e).map(|m| syn::parse2::<Expr>(m.mac.tokens.clone()))
            {
                *e = inner;
            }
            visit_mut::visit_expr_mut(self, e);
        }
        fn visit_local_mut(&mut self, l: &mut syn::Local) {
            again::strip(l);
            visit_mut::visit_local_mut(self, l);
        }
        fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
            match marks::arguments(mac) {
                Some(marks::Arguments::Listed(mut list)) => {
                    list.iter_mut().for_each(|e| self.visit_expr_mut(e));
                    mac.tokens = quote!(#list);
                }
                Some(marks::Arguments::Repeated(mut item, n)) => {
                    self.visit_expr_mut(&mut item);
                    mac.tokens = quote!(#item; #n);
                }
                None => {}
            }
        }
        fn visit_block_mut(&mut self, b: &mut Block) {
            b.stmts.retain(|s| marks::location(s).is_none());
            for stmt in &mut b.stmts {
                if let Stmt::Macro(m) = stmt {
                    if let (true, Ok(e)) = (
                        marks::is_call(&m.mac),
                        syn::parse2::<Expr>(m.mac.tokens.clone()),
                    ) {
                        *stmt = Stmt::Expr(e, m.semi_token);
                    }
                }
            }
            visit_mut::visit_block_mut(self, b);
        }
    }
    Strip.visit_item_fn_mut(&mut function);
    function
}

/// Is it a method or an associated function, as far as it shows?
fn is_method(function: &ItemFn) -> bool {
    struct Look(bool);
    impl<'ast> Visit<'ast> for Look {
        fn visit_ident(&mut self, i: &'ast Ident) {
            self.0 |= i == "Self";
        }
        fn visit_item(&mut self, _: &'ast syn::Item) {}
    }
    let mut look = Look(function.sig.receiver().is_some());
    look.visit_signature(&function.sig);
    visit::visit_block(&mut look, &function.block);
    look.0
}

fn check(sig: &Signature) -> Result<()> {
    let mut errors = Vec::new();
    let mut no = |tokens: &dyn ToTokens, why: &str| {
        errors.push(syn::Error::new_spanned(tokens.to_token_stream(), why))
    };
    if let Some(a) = &sig.asyncness {
        no(
            a,
            "an async function cannot be checkpointable: its state is the compiler's own",
        );
    }
    if let Some(a) = &sig.constness {
        no(a, "a const function cannot be checkpointable");
    }
    if let Some(a) = &sig.unsafety {
        no(a, "an unsafe function cannot be checkpointable");
    }
    if let Some(a) = &sig.abi {
        no(
            a,
            "a function called from other languages cannot be checkpointable",
        );
    }
    if let ReturnType::Type(_, ty) = &sig.output {
        struct Look(Option<TokenStream>);
        impl<'ast> Visit<'ast> for Look {
            fn visit_type_impl_trait(&mut self, t: &'ast syn::TypeImplTrait) {
                self.0 = Some(t.to_token_stream());
            }
        }
        let mut look = Look(None);
        look.visit_type(ty);
        if let Some(t) = look.0 {
            no(&t, "a checkpointable function must name the type it returns: `impl Trait` has none to save");
        }
    }
    combined(errors)
}

/// Is an argument of this type made again by the caller?
fn is_borrow(ty: &Type, generics: &syn::Generics) -> bool {
    struct Look<'g>(bool, &'g syn::Generics);
    impl<'ast> Visit<'ast> for Look<'_> {
        fn visit_type_reference(&mut self, r: &'ast syn::TypeReference) {
            let forever = r.lifetime.as_ref().is_some_and(|l| l.ident == "static");
            self.0 |= !forever;
            visit::visit_type_reference(self, r);
        }
        fn visit_lifetime(&mut self, l: &'ast syn::Lifetime) {
            self.0 |= l.ident != "static";
        }
        fn visit_type_impl_trait(&mut self, t: &'ast syn::TypeImplTrait) {
            self.0 |= is_closure(&t.bounds);
        }
        fn visit_type_path(&mut self, p: &'ast syn::TypePath) {
            if let Some(name) = p.path.get_ident() {
                let params = self.1.type_params().filter(|t| t.ident == *name);
                self.0 |= params.into_iter().any(|t| is_closure(&t.bounds));
                if let Some(w) = &self.1.where_clause {
                    self.0 |= w.predicates.iter().any(|p| match p {
                        syn::WherePredicate::Type(t) => {
                            matches!(&t.bounded_ty, Type::Path(b) if b.path.is_ident(name))
                                && is_closure(&t.bounds)
                        }
                        _ => false,
                    });
                }
            }
            visit::visit_type_path(self, p);
        }
    }
    let mut look = Look(false, generics);
    look.visit_type(ty);
    look.0
}

fn is_closure(bounds: &syn::punctuated::Punctuated<syn::TypeParamBound, syn::Token![+]>) -> bool {
    bounds.iter().any(|b| match b {
        syn::TypeParamBound::Trait(t) => t
            .path
            .segments
            .last()
            .is_some_and(|s| s.ident.to_string().starts_with("Fn")),
        _ => false,
    })
}

/// A function's parameters, sorted by how they come.
struct Parameters {
    receiver: Option<TokenStream>,
    /// The type of a receiver by value.
    by_self: Option<Type>,
    hot: Vec<TokenStream>,
    resume: Vec<TokenStream>,
    body: Vec<TokenStream>,
    /// What the forms hand to the body.
    hot_given: Vec<TokenStream>,
    resume_given: Vec<TokenStream>,
    by_value: Vec<Parameter>,
    borrowed: HashMap<String, bool>,
    names: Vec<Ident>,
    /// Names with whether they are `mut`.
    mutable: Vec<(Ident, bool)>,
    /// Names that the forms have for them.
    arguments: Vec<Ident>,
}

fn parameters(sig: &Signature) -> Parameters {
    let mut p = Parameters {
        receiver: None,
        by_self: None,
        hot: Vec::new(),
        resume: Vec::new(),
        body: Vec::new(),
        hot_given: Vec::new(),
        resume_given: Vec::new(),
        by_value: Vec::new(),
        borrowed: HashMap::new(),
        names: Vec::new(),
        mutable: Vec::new(),
        arguments: Vec::new(),
    };
    for (i, input) in sig.inputs.iter().enumerate() {
        let typed = match input {
            FnArg::Receiver(r) => {
                let mut r = r.clone();
                r.attrs.clear();
                p.receiver = Some(quote!(#r,));
                if !is_by_value(&r) {
                    p.borrowed.insert("self".to_owned(), r.mutability.is_some());
                } else {
                    let (name, mutable) = (own_self(), r.mutability);
                    p.by_value.push(Parameter {
                        pat: parse_quote!(#mutable #name),
                        ty: (*r.ty).clone(),
                        argument: format_ident!("pc3_self"),
                    });
                    p.mutable.push((name.clone(), mutable.is_some()));
                    p.names.push(name);
                    p.by_self = Some((*r.ty).clone());
                }
                continue;
            }
            FnArg::Typed(t) => t,
        };
        let (pat, ty) = (&*typed.pat, &*typed.ty);
        let name = format_ident!("pc3_a{}", i);
        let mut idents = Vec::new();
        pattern_names(pat, &mut idents);
        p.hot.push(quote!(#name: #ty));
        p.hot_given.push(quote!(#name));
        if is_borrow(ty, &sig.generics) {
            p.resume.push(quote!(#name: #ty));
            p.resume_given.push(quote!(#name));
            p.body.push(quote!(#pat: #ty));
            let mutable = matches!(ty, Type::Reference(r) if r.mutability.is_some());
            p.borrowed
                .extend(idents.iter().map(|n| (n.to_string(), mutable)));
        } else {
            // A text may be kept or be written at the call.
            p.resume.push(match ty {
                Type::Reference(_) => quote!(_: impl Sized),
                ty => quote!(_: ::pc3::point::Kept<#ty>),
            });
            p.resume_given.push(quote!(()));
            p.body.push(quote!(#name: Pc3Mode::By<#ty>));
            p.by_value.push(Parameter {
                pat: pat.clone(),
                ty: ty.clone(),
                argument: name.clone(),
            });
        }
        p.mutable.extend(idents.iter().map(|n| {
            let is = |m: &Ident| m == n;
            (n.clone(), mutable_names(pat).iter().any(is))
        }));
        p.names.extend(idents);
        p.arguments.push(name);
    }
    p
}

fn is_by_value(r: &syn::Receiver) -> bool {
    r.reference.is_none() && !matches!(&*r.ty, Type::Reference(_))
}

/// What `self` by value is called inside.
fn own_self() -> Ident {
    format_ident!("self_")
}

impl Parameters {
    /// The receiver of the form that is gone back into.
    fn again(&self) -> TokenStream {
        match (&self.by_self, &self.receiver) {
            (Some(ty), _) => quote!(_: ::pc3::point::Kept<#ty>,),
            (None, receiver) => quote!(#receiver),
        }
    }

    /// Parameters as the code has them, the first time and when it is gone back into.
    fn given(&self, sig: &Signature) -> (TokenStream, TokenStream) {
        let (mut first, mut again) = (TokenStream::new(), TokenStream::new());
        if self.by_self.is_some() {
            first.extend(quote!(let pc3_self = self;));
            again.extend(quote!(let pc3_self = ();));
        }
        let typed = sig.inputs.iter().filter_map(|i| match i {
            FnArg::Typed(t) => Some(t),
            FnArg::Receiver(_) => None,
        });
        for (t, name) in typed.zip(&self.arguments) {
            let pat = &t.pat;
            if is_borrow(&t.ty, &sig.generics) {
                first.extend(quote!(let #pat = #name;));
                again.extend(quote!(let #pat = #name;));
            } else {
                again.extend(quote!(let #name = ();));
            }
        }
        (first, again)
    }

    /// Only values whose size is known are taken.
    fn sized(&self, filter: &Option<syn::WhereClause>) -> TokenStream {
        match (&self.by_self, filter) {
            (None, filter) => quote!(#filter),
            (Some(_), None) => quote!(where Self: Sized),
            (Some(_), Some(f)) if f.predicates.is_empty() || f.predicates.trailing_punct() => {
                quote!(#f Self: Sized)
            }
            (Some(_), Some(f)) => quote!(#f, Self: Sized),
        }
    }
}

/// `self` by value becomes a local like others.
fn rename_self(tokens: TokenStream) -> TokenStream {
    use proc_macro2::{Group, TokenTree};
    let rename = |t| match t {
        TokenTree::Ident(i) if i == "self" => {
            let mut name = own_self();
            name.set_span(i.span());
            name.into()
        }
        TokenTree::Group(g) => {
            let mut new = Group::new(g.delimiter(), rename_self(g.stream()));
            new.set_span(g.span());
            new.into()
        }
        t => t,
    };
    tokens.into_iter().map(rename).collect()
}

fn mutable_names(pat: &Pat) -> Vec<Ident> {
    struct Look(Vec<Ident>);
    impl<'ast> Visit<'ast> for Look {
        fn visit_pat_ident(&mut self, p: &'ast syn::PatIdent) {
            if p.mutability.is_some() && p.by_ref.is_none() {
                self.0.push(p.ident.clone());
            }
        }
    }
    let mut look = Look(Vec::new());
    look.visit_pat(pat);
    look.0
}

fn pattern_names(pat: &Pat, into: &mut Vec<Ident>) {
    struct Look<'a>(&'a mut Vec<Ident>);
    impl<'ast> Visit<'ast> for Look<'_> {
        fn visit_pat_ident(&mut self, p: &'ast syn::PatIdent) {
            self.0.push(p.ident.clone());
        }
    }
    Look(into).visit_pat(pat);
}

fn output(sig: &Signature) -> Type {
    match &sig.output {
        ReturnType::Default => parse_quote!(()),
        ReturnType::Type(_, ty) => (**ty).clone(),
    }
}

/// Names of the generic types and constants, to be passed on.
fn generic_names(sig: &Signature) -> Vec<&Ident> {
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
fn declaration(item: &TraitItemFn, plain: bool) -> Result<TokenStream> {
    if plain {
        return Ok(item.to_token_stream());
    }
    check(&item.sig)?;
    let (sig, p, out) = (&item.sig, parameters(&item.sig), output(&item.sig));
    let (generics, filter) = (&sig.generics.params, &sig.generics.where_clause);
    let (hot, resume) = method_names(&sig.ident);
    let (receiver, hots, resumes) = (&p.receiver, &p.hot, &p.resume);
    let (again, sized) = (p.again(), p.sized(filter));
    Ok(quote! {
        #item
        #[doc(hidden)]
        fn #hot<#generics>(#receiver #(#hots),*) -> ::core::result::Result<#out, ::pc3::point::Unwind> #filter;
        #[doc(hidden)]
        fn #resume<#generics>(#again #(#resumes),*) -> ::core::result::Result<#out, ::pc3::point::Unwind> #sized;
    })
}

fn method_names(name: &Ident) -> (Ident, Ident) {
    (
        format_ident!("pc3_hot_{}", name),
        format_ident!("pc3_resume_{}", name),
    )
}

fn forms(mut function: ItemFn, method: bool) -> Result<TokenStream> {
    let forms = forms_of(&mut function, method)?;
    let ItemFn {
        attrs, vis, sig, ..
    } = &function;
    let p = parameters(sig);
    let mut outer = sig.clone();
    let arguments = &p.arguments;
    for (input, name) in outer
        .inputs
        .iter_mut()
        .filter_map(|i| match i {
            FnArg::Typed(t) => Some(t),
            FnArg::Receiver(_) => None,
        })
        .zip(arguments)
    {
        input.pat = parse_quote!(#name);
    }
    let name = &sig.ident;
    let call = match (method, &p.receiver) {
        (false, _) => quote!(#name::hot(#(#arguments),*)),
        (true, receiver) => {
            let (hot, _) = method_names(name);
            match receiver {
                Some(_) => quote!(self.#hot(#(#arguments),*)),
                None => quote!(Self::#hot(#(#arguments),*)),
            }
        }
    };
    Ok(quote! {
        #(#attrs)*
        #vis #outer { ::pc3::point::outside(|| #call) }
        #forms
    })
}

/// The forms of a function; `function`'s block is used up.
fn forms_of(function: &mut ItemFn, method: bool) -> Result<TokenStream> {
    check(&function.sig)?;
    let mut points = Points::default();
    function
        .block
        .stmts
        .iter()
        .for_each(|s| points.visit_stmt(s));
    combined(points.errors)?;
    let p = parameters(&function.sig);
    if p.by_self.is_some() {
        let block = rename_self(function.block.to_token_stream());
        *function.block = syn::parse2(block)?;
    }
    transient::prepare(&mut function.block)?;
    names::unique(&mut function.block, &p.names);
    combined(operands::take_apart(&mut function.block))?;
    let course = course::follow(&mut function.block, &p.mutable);
    let out = output(&function.sig);
    let named = format_ident!("PC3_FUNCTION");
    let (code, statics) = build::body(
        &function.block,
        &p.by_value,
        p.borrowed.clone(),
        out.clone(),
        named.clone(),
        course,
    )?;
    let (vis, sig) = (&function.vis, &function.sig);
    let name = &sig.ident;
    let text = name.to_string();
    let (generics, filter) = (&sig.generics.params, &sig.generics.where_clause);
    let passed = generic_names(sig);
    let (receiver, hots, resumes, bodies) = (&p.receiver, &p.hot, &p.resume, &p.body);
    let (hot_given, resume_given) = (&p.hot_given, &p.resume_given);
    let code = quote! {
        static #named: ::pc3::point::Function = ::pc3::point::Function {
            name: ::core::concat!(::core::module_path!(), "::", #text),
        };
        #statics
        let mut pc3_frame = Pc3Mode::frame(&#named);
        let mut pc3_at: u32 = ::pc3::point::label(&pc3_frame);
        #code
    };
    let quiet = quote! {
        #[doc(hidden)]
        #[allow(clippy::all, clippy::pedantic, unused, unreachable_code, unused_assignments, unused_parens, non_upper_case_globals, non_shorthand_field_patterns)]
    };
    if method {
        // The attribute does not see whether this is in an impl or a trait: there is no room for a third form in all.
        let (hot, resume) = method_names(name);
        let (again, sized) = (p.again(), p.sized(filter));
        let (first_given, again_given) = p.given(sig);
        return Ok(quote! {
            #quiet
            #[inline]
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
                #code
            }
        });
    }
    Ok(quote! {
        #[doc(hidden)]
        #[allow(non_camel_case_types, dead_code)]
        #vis struct #name {}
        #[allow(dead_code)]
        impl #name {
            #[doc(hidden)]
            #[allow(clippy::all, clippy::pedantic, dead_code)]
            #[inline]
            #vis fn hot<#generics>(#(#hots),*) -> ::core::result::Result<#out, ::pc3::point::Unwind> #filter {
                Self::body::<::pc3::point::Hot, #(#passed),*>(#(#hot_given),*)
            }
            #[doc(hidden)]
            #[allow(clippy::all, clippy::pedantic, dead_code)]
            #vis fn resume<#generics>(#(#resumes),*) -> ::core::result::Result<#out, ::pc3::point::Unwind> #filter {
                Self::body::<::pc3::point::Resume, #(#passed),*>(#(#resume_given),*)
            }
            #quiet
            fn body<Pc3Mode: ::pc3::point::Mode, #generics>(#(#bodies),*) -> ::core::result::Result<#out, ::pc3::point::Unwind> #filter {
                #code
            }
        }
    })
}

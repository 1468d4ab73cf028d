//! The user's function as it would be without the attribute: the form for callers that are not checkpointable, of which no
//! checkpoint can be taken below them.  All that the compiler has to say of the user's code it says of this form.

use crate::visit_mut::{self, VisitMut};
use quote::{quote, ToTokens};
use syn::{parse_quote, Block, Expr, ItemFn, Macro, Path, Stmt};

use crate::{marks, reevaluation, transient};

/// Calls are unmarked, locations do nothing; what imports the marks is used.
pub fn without(mut function: ItemFn) -> ItemFn {
    let mut strip = Strip {
        function: function.sig.ident.to_string(),
        ..Strip::default()
    };
    strip.visit_item_fn_mut(&mut function);
    let paths = strip.marks.iter();
    let marks = paths.map(|p| -> Stmt { parse_quote!(#p!(@used);) });
    function.block.stmts.splice(0..0, marks);
    if strip.again {
        // What it is made from may be assigned for that only.
        function
            .attrs
            .push(parse_quote!(#[allow(unused_assignments)]));
    }
    function
}

/// A function that is not taken, also without what stands where it may not.
pub(crate) fn without_any(mut function: ItemFn) -> ItemFn {
    let mut strip = Strip {
        nested: true,
        ..Strip::default()
    };
    strip.visit_item_fn_mut(&mut function);
    function.attrs.push(parse_quote!(#[allow(unused)]));
    function
}

#[derive(Default)]
struct Strip {
    function: String,
    /// Functions in it, too.
    nested: bool,
    /// Marks of calls, one of each spelling.
    marks: Vec<Path>,
    /// There are expressions for after a restart.
    again: bool,
}

impl Strip {
    fn mark(&mut self, mac: &Macro) {
        let same =
            |p: &Path| p.to_token_stream().to_string() == mac.path.to_token_stream().to_string();
        if !self.marks.iter().any(same) {
            self.marks.push(mac.path.clone());
        }
    }

    fn call(&mut self, mac: &Macro) -> Option<Expr> {
        let inner = syn::parse2(mac.tokens.clone()).ok()?;
        self.mark(mac);
        Some(inner)
    }
}

impl VisitMut for Strip {
    fn visit_expr_mut(&mut self, e: &mut Expr) {
        if let Some(inner) = marks::call(e).cloned().and_then(|m| self.call(&m.mac)) {
            *e = inner;
        }
        visit_mut::visit_expr_mut(self, e);
    }
    fn visit_local_mut(&mut self, l: &mut syn::Local) {
        reevaluation::strip(l);
        visit_mut::visit_local_mut(self, l);
    }
    fn visit_macro_mut(&mut self, mac: &mut Macro) {
        if marks::is_location(mac) {
            let function = &self.function;
            mac.tokens = quote!(@used #function);
        }
        if !marks::mentions(&mac.tokens) {
            return;
        }
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
    fn visit_item_mut(&mut self, item: &mut syn::Item) {
        if self.nested {
            visit_mut::visit_item_mut(self, item);
        }
    }
    fn visit_block_mut(&mut self, b: &mut Block) {
        for stmt in &mut b.stmts {
            if let Stmt::Macro(m) = stmt {
                if marks::is_call(&m.mac) {
                    if let Some(e) = self.call(&m.mac) {
                        *stmt = Stmt::Expr(e, m.semi_token);
                    }
                }
            }
        }
        let mut at = 0;
        while let Some(stmt) = b.stmts.get(at) {
            if let Stmt::Local(l) = stmt {
                if let Some(again) = transient::prepared_maker(&l.attrs) {
                    // It uses what it is made from, and nothing follows it.
                    let checked = parse_quote! {
                        #[allow(clippy::all, clippy::pedantic)]
                        if false { let _ = #again; loop {} }
                    };
                    b.stmts.insert(at, checked);
                    self.again = true;
                    at += 1;
                }
            }
            at += 1;
        }
        visit_mut::visit_block_mut(self, b);
    }
}

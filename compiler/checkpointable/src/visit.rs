//! One walk over syntax trees for all visitors.
//!
//! A visitor of `syn`'s own is compiled with two hundred functions, of which it changes two.  These are handed to that of `syn`'s
//! which there is one of, by reference.

/// Those of `syn`'s functions that visitors change or begin with.
macro_rules! visitors {
    ($($visit:ident $of:ty;)*) => {
        pub(crate) trait Visit<'ast>: AsVisit<'ast> {
            $(fn $visit(&mut self, node: &'ast $of) { $visit(self.as_visit(), node); })*
        }

        $(pub(crate) fn $visit<'ast>(visitor: &mut dyn Visit<'ast>, node: &'ast $of) {
            syn::visit::$visit(&mut Walk(visitor), node);
        })*

        impl<'ast> syn::visit::Visit<'ast> for Walk<'_, 'ast> {
            $(fn $visit(&mut self, node: &'ast $of) { self.0.$visit(node); })*
        }
    };
}

struct Walk<'v, 'ast>(&'v mut dyn Visit<'ast>);

pub(crate) trait AsVisit<'ast> {
    fn as_visit(&mut self) -> &mut dyn Visit<'ast>;
}

impl<'ast, V: Visit<'ast>> AsVisit<'ast> for V {
    fn as_visit(&mut self) -> &mut dyn Visit<'ast> {
        self
    }
}

visitors! {
    visit_arm syn::Arm;
    visit_attribute syn::Attribute;
    visit_block syn::Block;
    visit_expr syn::Expr;
    visit_expr_assign syn::ExprAssign;
    visit_expr_async syn::ExprAsync;
    visit_expr_binary syn::ExprBinary;
    visit_expr_call syn::ExprCall;
    visit_expr_closure syn::ExprClosure;
    visit_expr_for_loop syn::ExprForLoop;
    visit_expr_index syn::ExprIndex;
    visit_expr_method_call syn::ExprMethodCall;
    visit_expr_reference syn::ExprReference;
    visit_expr_return syn::ExprReturn;
    visit_expr_try syn::ExprTry;
    visit_expr_unsafe syn::ExprUnsafe;
    visit_fn_arg syn::FnArg;
    visit_ident syn::Ident;
    visit_item syn::Item;
    visit_lifetime syn::Lifetime;
    visit_local syn::Local;
    visit_macro syn::Macro;
    visit_pat syn::Pat;
    visit_pat_ident syn::PatIdent;
    visit_pat_or syn::PatOr;
    visit_pat_reference syn::PatReference;
    visit_path_segment syn::PathSegment;
    visit_signature syn::Signature;
    visit_stmt syn::Stmt;
    visit_type syn::Type;
    visit_type_bare_fn syn::TypeBareFn;
    visit_type_impl_trait syn::TypeImplTrait;
    visit_type_infer syn::TypeInfer;
    visit_type_path syn::TypePath;
    visit_type_reference syn::TypeReference;
}

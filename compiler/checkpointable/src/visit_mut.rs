//! As `visit`, of visitors that change the tree.

macro_rules! visitors {
    ($($visit:ident $of:ty;)*) => {
        pub(crate) trait VisitMut: AsVisitMut {
            fn visit_attributes_mut(&mut self, list: &mut Vec<syn::Attribute>) {
                for a in list {
                    syn::visit_mut::visit_attribute_mut(&mut Walk(self.as_visit_mut()), a);
                }
            }
            $(fn $visit(&mut self, node: &mut $of) { $visit(self.as_visit_mut(), node); })*
        }

        $(pub(crate) fn $visit(visitor: &mut dyn VisitMut, node: &mut $of) {
            syn::visit_mut::$visit(&mut Walk(visitor), node);
        })*

        impl syn::visit_mut::VisitMut for Walk<'_> {
            fn visit_attributes_mut(&mut self, list: &mut Vec<syn::Attribute>) {
                self.0.visit_attributes_mut(list);
            }
            $(fn $visit(&mut self, node: &mut $of) { self.0.$visit(node); })*
        }
    };
}

struct Walk<'v>(&'v mut dyn VisitMut);

pub(crate) trait AsVisitMut {
    fn as_visit_mut(&mut self) -> &mut dyn VisitMut;
}

impl<V: VisitMut> AsVisitMut for V {
    fn as_visit_mut(&mut self) -> &mut dyn VisitMut {
        self
    }
}

visitors! {
    visit_block_mut syn::Block;
    visit_expr_array_mut syn::ExprArray;
    visit_expr_call_mut syn::ExprCall;
    visit_expr_closure_mut syn::ExprClosure;
    visit_expr_for_loop_mut syn::ExprForLoop;
    visit_expr_match_mut syn::ExprMatch;
    visit_expr_method_call_mut syn::ExprMethodCall;
    visit_expr_mut syn::Expr;
    visit_expr_struct_mut syn::ExprStruct;
    visit_expr_tuple_mut syn::ExprTuple;
    visit_field_pat_mut syn::FieldPat;
    visit_impl_item_fn_mut syn::ImplItemFn;
    visit_item_fn_mut syn::ItemFn;
    visit_item_macro_mut syn::ItemMacro;
    visit_item_mut syn::Item;
    visit_local_mut syn::Local;
    visit_macro_mut syn::Macro;
    visit_pat_ident_mut syn::PatIdent;
    visit_pat_mut syn::Pat;
    visit_pat_struct_mut syn::PatStruct;
    visit_signature_mut syn::Signature;
    visit_stmt_mut syn::Stmt;
    visit_trait_item_fn_mut syn::TraitItemFn;
    visit_type_mut syn::Type;
}

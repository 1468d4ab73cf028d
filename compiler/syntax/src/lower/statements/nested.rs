//! Functions within functions (GNU C): lowered so that what they contain is known.

use crate::lower::scopes::NewSymbol;
use crate::lower::specifiers::of_declaration;
use crate::lower::Lower;
use crate::tree::*;
use lang_c::ast;
use lang_c::span::Node;

impl Lower {
    /// The masked declaration is the head, the block behind it the body.
    pub fn nested(
        &mut self,
        head: &Node<ast::Declaration>,
        body: &Node<ast::Statement>,
    ) -> Option<StmtId> {
        let whole = self.span(head.span).start..self.span(body.span).end;
        let start = self.p.with_attributes(whole.clone()).start;
        let specifiers = head.node.specifiers.iter().map(of_declaration);
        let specs = self.specifiers(specifiers, false, &self.span(head.span));
        let declarator = head.node.declarators.first()?;
        let declared = self.declarator(&declarator.node.declarator, specs.base, true);
        let (name, at) = declared.name?;
        let known = self.scope().names.get(&name).copied();
        let sym = match known.filter(|s| self.types.is_function(self.unit.sym(*s).ty.ty)) {
            Some(declared_before) => declared_before,
            None => self.declare(NewSymbol {
                name,
                span: Some(at),
                // Not one of the program's functions: a value of the block, like a pointer to code.
                kind: SymKind::Var,
                ty: declared.ty,
                storage: Some(Storage::Auto),
                thread_local: false,
                initialised: true,
                attributes: Vec::new(),
            }),
        };
        let (scope, names) = match declared.params {
            Some(p) => (p.scope, p.old_style),
            None => Default::default(),
        };
        self.scopes.push(scope);
        // Those of which nothing is said.
        for (name, at) in names {
            let int = self.types.int(IntKind::Int);
            self.declare_param(name, Some(at), int, None, true);
        }
        self.enter_nested_labels();
        let body = self.statement(body);
        self.leave_labels();
        self.scopes.pop();
        Some(self.add_stmt(StmtKind::Nested { sym, body }, start..whole.end))
    }
}

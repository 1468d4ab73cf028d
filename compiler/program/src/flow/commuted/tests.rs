use super::*;

/// Does gcc read the first factor behind the second, a call?
fn is_commuted(product: &str, narrow_products: bool) -> bool {
    let source =
        format!("short s; int i; unsigned f(void); long r(void) {{ return (short)({product}); }}");
    let target = pc3_syntax::types::Target {
        narrow_products,
        ..Default::default()
    };
    let (u, _) = pc3_syntax::lower::build("a.c", source, &target);
    let casts = (0..u.exprs.len()).map(|i| ExprId(i as u32));
    let mut casts = casts.filter(|e| matches!(u.expr(*e).kind, ExprKind::Cast { .. }));
    let cast = casts.next_back().expect("there is one");
    !commuted(&u, cast, super::Target::None).is_empty()
}

#[test]
fn products_that_become_narrower() {
    // As gcc 12 and 13, and as gcc 14 and later.
    for (product, narrow, is) in [
        ("s * f()", false, false),
        ("s * f()", true, true),
        ("s * (int)f()", false, true),
        ("s * (int)f()", true, true),
        ("i * f()", true, false),
    ] {
        assert_eq!(is_commuted(product, narrow), is, "{product} {narrow}");
    }
}

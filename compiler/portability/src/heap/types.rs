//! Small questions about types and calls.

use pc3_syntax::tree::*;

pub(crate) fn is_complete(u: &Unit, q: QualType) -> bool {
    match u.ty(q.ty) {
        Type::Record(r) => u.records[r.index()].fields.is_some(),
        Type::Void | Type::Function { .. } | Type::Unsupported(_) => false,
        Type::Array {
            len: ArrayLen::Vla(_) | ArrayLen::Unknown,
            ..
        } => false,
        _ => true,
    }
}

pub fn is_char(u: &Unit, q: QualType) -> bool {
    matches!(
        u.ty(q.ty),
        Type::Int(IntKind::Char | IntKind::SChar | IntKind::UChar)
    )
}

/// Without lengths that are not constant, nor those of arrays of such arrays.
pub fn base(u: &Unit, q: QualType) -> QualType {
    let (mut inner, mut found) = (q, q);
    while let Type::Array { elem, len } = u.ty(inner.ty) {
        inner = *elem;
        if matches!(len, ArrayLen::Vla(_) | ArrayLen::Unknown) {
            found = inner;
        }
    }
    found
}

/// Two scalars that are the same in memory on every ABI, signs apart.
pub(crate) fn same_width(u: &Unit, a: QualType, b: QualType) -> bool {
    use IntKind::*;
    let rank = |q: QualType| match u.ty(q.ty) {
        Type::Int(Short | UShort) => 1,
        Type::Int(Int | UInt) => 2,
        Type::Int(Long | ULong) => 3,
        Type::Int(LongLong | ULongLong) => 4,
        _ => 0,
    };
    a.ty == b.ty || rank(a) != 0 && rank(a) == rank(b)
}

pub fn called_name(u: &Unit, call: ExprId) -> Option<&str> {
    match &u.expr(call).kind {
        ExprKind::Call { callee, .. } => library_name(u, *callee),
        _ => None,
    }
}

pub fn library_name(u: &Unit, callee: ExprId) -> Option<&str> {
    match u.expr(callee).kind {
        ExprKind::Ident(s) => Some(u.sym(s).name.trim_start_matches("__builtin_")),
        _ => None,
    }
}

/// The element of the array (of no or one element) that a struct ends with.
pub fn trailing(u: &Unit, q: QualType) -> Option<QualType> {
    last_array(u, q, &|len| {
        matches!(len, ArrayLen::Unknown | ArrayLen::Const(0 | 1))
    })
}

/// The element of the array that a struct ends with, if it may have that length.
pub(crate) fn last_array(
    u: &Unit,
    q: QualType,
    fits: &dyn Fn(&ArrayLen) -> bool,
) -> Option<QualType> {
    let Type::Record(r) = u.ty(q.ty) else {
        return None;
    };
    let last = u.records[r.index()].fields.as_ref()?.last()?;
    match u.ty(last.ty.ty) {
        Type::Array { elem, len } if fits(len) => Some(*elem),
        Type::Record(_) => last_array(u, last.ty, fits),
        _ => None,
    }
}

pub(crate) fn same_element(u: &Unit, a: QualType, b: QualType) -> bool {
    let pointer = |q: QualType| matches!(u.ty(q.ty), Type::Pointer(_));
    a.ty == b.ty || pointer(a) && pointer(b)
}

/// Allocators of MPI put the address where they are told: `MPI_Alloc_mem(size, info, &p)`,
/// `MPI_Win_allocate(size, unit, info, communicator, &p, &window)`.  Which argument that is.
pub fn mpis_place(name: &str) -> Option<usize> {
    match name {
        "MPI_Alloc_mem" | "PMPI_Alloc_mem" => Some(2),
        "MPI_Win_allocate" | "PMPI_Win_allocate" | "MPI_Win_allocate_c" | "PMPI_Win_allocate_c" => {
            Some(4)
        }
        _ => None,
    }
}

//! C's layout rules on the System V family of ABIs: sizes, offsets and bit-field positions of
//! types that no C compiler has measured.  Programs bring their own measurements; this serves
//! types the runtime makes itself, and tests.

use crate::abi::{Abi, Metric};
use crate::types::{Bits, Chosen, Kind, Member, Type, TypeError, TypeId, TypeTable, LONG_DOUBLE};

macro_rules! arithmetic {
    ($($name:ident $c:literal $kind:ident $metric:expr;)*) => {
        /// The arithmetic types by their C names.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Arith { $($name),* }
        impl Arith {
            pub const ALL: &[Arith] = &[$(Arith::$name),*];
            pub fn c_name(self) -> &'static str {
                match self { $(Arith::$name => $c),* }
            }
            fn kind(self) -> Kind {
                match self { $(Arith::$name => Kind::$kind),* }
            }
            /// Size and alignment; of a complex type, of its parts.
            fn metric(self, abi: &Abi) -> Metric {
                let of: fn(&Abi) -> Metric = match self { $(Arith::$name => $metric),* };
                of(abi)
            }
        }
    };
}

const BYTE: Metric = Metric { size: 1, align: 1 };

arithmetic! {
    Bool "_Bool" Bool |_| BYTE;
    Char "char" Char |_| BYTE;
    SChar "signed char" SInt |_| BYTE;
    UChar "unsigned char" UInt |_| BYTE;
    Short "short" SInt |a| a.short;
    UShort "unsigned short" UInt |a| a.short;
    Int "int" SInt |a| a.int;
    UInt "unsigned int" UInt |a| a.int;
    Long "long" SInt |a| a.long;
    ULong "unsigned long" UInt |a| a.long;
    LongLong "long long" SInt |a| a.long_long;
    ULongLong "unsigned long long" UInt |a| a.long_long;
    Float "float" Float |a| a.float;
    Double "double" Float |a| a.double;
    LongDouble "long double" Float |a| a.long_double;
    FloatComplex "float _Complex" Complex |a| a.float;
    DoubleComplex "double _Complex" Complex |a| a.double;
    LongDoubleComplex "long double _Complex" Complex |a| a.long_double;
}

impl Arith {
    pub fn ty(self, abi: &Abi) -> Type {
        let metric = self.metric(abi);
        let long_double = matches!(self, Arith::LongDouble | Arith::LongDoubleComplex);
        let parts = if self.kind() == Kind::Complex { 2 } else { 1 };
        let flags = if long_double { LONG_DOUBLE } else { 0 };
        let size = u64::from(metric.size) * parts;
        Type::scalar(self.kind(), self.c_name(), size, metric.align.into(), flags)
    }
}

/// A member to be laid out.
#[derive(Clone, Debug)]
pub struct Field<'a> {
    pub name: &'a str,
    pub ty: TypeId,
    pub size: u64,
    pub align: u16,
    /// Width of a bit-field; 0 ends the storage unit and makes no member.
    pub bits: Option<u32>,
}

/// A struct or union of these members.
pub fn lay_out(kind: Kind, name: &str, fields: &[Field]) -> Type {
    let mut members = Vec::new();
    let mut align = 1;
    let mut end = 0u64;
    let mut size = 0u64;
    for field in fields {
        let unit = u64::from(field.align) * 8;
        let start = if kind == Kind::Union { 0 } else { end };
        let at = match field.bits {
            None | Some(0) => start.next_multiple_of(unit),
            // A bit-field stays within storage units of its type, counted in steps of the alignment.
            Some(width) => {
                let units = (start % unit + u64::from(width)).div_ceil(unit);
                if units > field.size * 8 / unit {
                    start.next_multiple_of(unit)
                } else {
                    start
                }
            }
        };
        end = at + field.bits.map_or(field.size * 8, u64::from);
        if field.bits != Some(0) {
            align = align.max(field.align);
            let bits = field.bits.map(|width| Bits { offset: at, width });
            members.push(Member {
                name: field.name.into(),
                ty: field.ty,
                offset: at / 8,
                bits,
                choice: Chosen::default(),
            });
        }
        size = size.max(end);
    }
    let size = size.div_ceil(8).next_multiple_of(align.into());
    Type {
        count: members.len() as u64,
        members,
        ..Type::scalar(kind, name, size, align, 0)
    }
}

impl TypeTable {
    pub fn arith(&mut self, arith: Arith) -> Result<TypeId, TypeError> {
        let ty = arith.ty(self.abi());
        self.add(ty)
    }
    pub fn pointer_to(&mut self, pointee: TypeId) -> Result<TypeId, TypeError> {
        let ty = Type::pointer(self.abi(), pointee);
        self.add(ty)
    }
    pub fn array_of(&mut self, elem: TypeId, count: u64) -> Result<TypeId, TypeError> {
        let e = self.get(elem);
        let ty = Type::array(elem, e.size, e.align, count);
        self.add(ty)
    }
    /// Members are names, types and widths of bit-fields.
    pub fn record(
        &mut self,
        kind: Kind,
        name: &str,
        members: &[(&str, TypeId, Option<u32>)],
    ) -> Result<TypeId, TypeError> {
        let field = |&(name, ty, bits): &(_, TypeId, _)| {
            let t = self.get(ty);
            Field {
                name,
                ty,
                size: t.size,
                align: t.align.max(1),
                bits,
            }
        };
        let fields: Vec<Field> = members.iter().map(field).collect();
        self.add(lay_out(kind, name, &fields))
    }
}

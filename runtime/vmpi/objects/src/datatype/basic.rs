//! Predefined datatypes: the standard's handle values, C representation, portable width.

use std::ffi::{c_char, c_long};
use std::mem::{align_of, size_of};

use pc3_os::types::wchar_t;

/// How the bytes of a basic element are to be read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Repr {
    /// Uninterpreted bytes.
    Byte,
    Int {
        signed: bool,
    },
    /// C `_Bool` and Fortran LOGICAL.
    Logical,
    Float,
    /// `long double`: its format is the ABI's.
    LongDouble,
    /// Two of the real type.
    Complex,
    LongDoubleComplex,
}

/// A predefined datatype with one kind of element (the pair types are made of two).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[repr(u16)]
pub enum Basic {
    Aint = 0x201,
    Count = 0x202,
    Offset = 0x203,
    Packed = 0x207,
    Short = 0x208,
    Int = 0x209,
    Long = 0x20a,
    LongLong = 0x20b,
    UShort = 0x20c,
    Unsigned = 0x20d,
    ULong = 0x20e,
    ULongLong = 0x20f,
    Float = 0x210,
    FloatComplex = 0x212,
    CxxFloatComplex = 0x213,
    Double = 0x214,
    DoubleComplex = 0x216,
    CxxDoubleComplex = 0x217,
    Logical = 0x218,
    Integer = 0x219,
    Real = 0x21a,
    FComplex = 0x21b,
    DoublePrecision = 0x21c,
    FDoubleComplex = 0x21d,
    Character = 0x21e,
    LongDouble = 0x220,
    LongDoubleComplex = 0x224,
    CxxLongDoubleComplex = 0x225,
    CBool = 0x238,
    CxxBool = 0x239,
    Wchar = 0x23c,
    Int8 = 0x240,
    UInt8 = 0x241,
    Char = 0x243,
    SChar = 0x244,
    UChar = 0x245,
    Byte = 0x247,
    Int16 = 0x248,
    UInt16 = 0x249,
    Int32 = 0x250,
    UInt32 = 0x251,
    Int64 = 0x258,
    UInt64 = 0x259,
    Logical1 = 0x2c0,
    Integer1 = 0x2c1,
    Logical2 = 0x2c8,
    Integer2 = 0x2c9,
    Logical4 = 0x2d0,
    Integer4 = 0x2d1,
    Real4 = 0x2d2,
    Logical8 = 0x2d8,
    Integer8 = 0x2d9,
    Real8 = 0x2da,
    Complex8 = 0x2db,
    Complex16 = 0x2e3,
}
use Basic::*;

/// Size, alignment and mantissa format of C `long double` on this target.
#[cfg(target_arch = "x86_64")]
pub const LONG_DOUBLE: (usize, usize) = (16, 16);
#[cfg(target_arch = "x86")]
pub const LONG_DOUBLE: (usize, usize) = (12, 4);
#[cfg(any(target_arch = "aarch64", target_arch = "riscv64"))]
pub const LONG_DOUBLE: (usize, usize) = (16, 16);
#[cfg(target_arch = "s390x")]
pub const LONG_DOUBLE: (usize, usize) = (16, 8);
#[cfg(not(any(
    target_arch = "x86_64",
    target_arch = "x86",
    target_arch = "aarch64",
    target_arch = "riscv64",
    target_arch = "s390x"
)))]
pub const LONG_DOUBLE: (usize, usize) = (8, 8);

impl Basic {
    pub const ALL: [Basic; 55] = [
        Aint,
        Count,
        Offset,
        Packed,
        Short,
        Int,
        Long,
        LongLong,
        UShort,
        Unsigned,
        ULong,
        ULongLong,
        Float,
        FloatComplex,
        CxxFloatComplex,
        Double,
        DoubleComplex,
        CxxDoubleComplex,
        Logical,
        Integer,
        Real,
        FComplex,
        DoublePrecision,
        FDoubleComplex,
        Character,
        LongDouble,
        LongDoubleComplex,
        CxxLongDoubleComplex,
        CBool,
        CxxBool,
        Wchar,
        Int8,
        UInt8,
        Char,
        SChar,
        UChar,
        Byte,
        Int16,
        UInt16,
        Int32,
        UInt32,
        Int64,
        UInt64,
        Logical1,
        Integer1,
        Logical2,
        Integer2,
        Logical4,
        Integer4,
        Real4,
        Logical8,
        Integer8,
        Real8,
        Complex8,
        Complex16,
    ];

    #[inline]
    pub fn from_handle(h: usize) -> Option<Basic> {
        Basic::ALL.into_iter().find(|b| *b as usize == h)
    }

    pub fn repr(self) -> Repr {
        match self {
            Byte | Packed => Repr::Byte,
            Float | Double | Real | DoublePrecision | Real4 | Real8 => Repr::Float,
            LongDouble => Repr::LongDouble,
            FloatComplex | CxxFloatComplex | DoubleComplex | CxxDoubleComplex | FComplex
            | FDoubleComplex | Complex8 | Complex16 => Repr::Complex,
            LongDoubleComplex | CxxLongDoubleComplex => Repr::LongDoubleComplex,
            CBool | CxxBool | Logical | Logical1 | Logical2 | Logical4 | Logical8 => Repr::Logical,
            UShort | Unsigned | ULong | ULongLong | UChar | UInt8 | UInt16 | UInt32 | UInt64 => {
                Repr::Int { signed: false }
            }
            // Characters are moved, never widened; one byte everywhere.
            Char | Character => Repr::Int {
                signed: c_char::MIN != 0,
            },
            Wchar => Repr::Int {
                signed: wchar_t::MIN != 0,
            },
            Aint | Count | Offset | Short | Int | Long | LongLong | Integer | SChar | Int8
            | Int16 | Int32 | Int64 | Integer1 | Integer2 | Integer4 | Integer8 => {
                Repr::Int { signed: true }
            }
        }
    }

    pub fn size(self) -> usize {
        match self {
            Packed | Byte | Char | SChar | UChar | Int8 | UInt8 | Character | CBool | CxxBool
            | Logical1 | Integer1 => 1,
            Short | UShort | Int16 | UInt16 | Logical2 | Integer2 => 2,
            Int | Unsigned | Float | Logical | Integer | Real | Int32 | UInt32 | Logical4
            | Integer4 | Real4 => 4,
            Wchar => size_of::<wchar_t>(),
            Long | ULong => size_of::<c_long>(),
            Aint => size_of::<isize>(),
            Count | Offset | LongLong | ULongLong | Double | DoublePrecision | Int64 | UInt64
            | Logical8 | Integer8 | Real8 | FloatComplex | CxxFloatComplex | FComplex
            | Complex8 => 8,
            DoubleComplex | CxxDoubleComplex | FDoubleComplex | Complex16 => 16,
            LongDouble => LONG_DOUBLE.0,
            LongDoubleComplex | CxxLongDoubleComplex => 2 * LONG_DOUBLE.0,
        }
    }

    pub fn align(self) -> usize {
        match self.repr() {
            Repr::LongDouble | Repr::LongDoubleComplex => LONG_DOUBLE.1,
            Repr::Complex if self.size() == 16 => align_of::<f64>(),
            Repr::Complex => 4,
            Repr::Float if self.size() == 8 => align_of::<f64>(),
            Repr::Int { .. } | Repr::Logical if self.size() == 8 => align_of::<i64>(),
            _ => self.size(),
        }
    }

    /// Bytes under another ABI.
    pub(crate) fn size_in(self, abi: &pc3_typemetric::abi::Abi) -> usize {
        match self {
            Long | ULong => abi.long.size.into(),
            Aint => abi.pointer.size.into(),
            LongDouble => abi.long_double.size.into(),
            LongDoubleComplex | CxxLongDoubleComplex => 2 * usize::from(abi.long_double.size),
            _ => self.size(),
        }
    }

    /// Alignment in a struct under another ABI, of the value of a pair type.
    pub(crate) fn align_in(self, abi: &pc3_typemetric::abi::Abi) -> usize {
        match self {
            Long => abi.long.align.into(),
            Double | DoublePrecision => abi.double.align.into(),
            LongDouble => abi.long_double.align.into(),
            _ => self.align(),
        }
    }

    /// Bytes in the portable packed format: the widest any supported ABI needs.
    pub fn portable_size(self) -> usize {
        match self {
            Long | ULong | Aint => 8,
            Wchar => 4,
            LongDouble => 16,
            LongDoubleComplex | CxxLongDoubleComplex => 32,
            _ => self.size(),
        }
    }

    /// Name as MPI_Type_get_name gives it.
    pub fn name(self) -> &'static str {
        match self {
            Aint => "MPI_AINT",
            Count => "MPI_COUNT",
            Offset => "MPI_OFFSET",
            Packed => "MPI_PACKED",
            Short => "MPI_SHORT",
            Int => "MPI_INT",
            Long => "MPI_LONG",
            LongLong => "MPI_LONG_LONG",
            UShort => "MPI_UNSIGNED_SHORT",
            Unsigned => "MPI_UNSIGNED",
            ULong => "MPI_UNSIGNED_LONG",
            ULongLong => "MPI_UNSIGNED_LONG_LONG",
            Float => "MPI_FLOAT",
            FloatComplex => "MPI_C_FLOAT_COMPLEX",
            CxxFloatComplex => "MPI_CXX_FLOAT_COMPLEX",
            Double => "MPI_DOUBLE",
            DoubleComplex => "MPI_C_DOUBLE_COMPLEX",
            CxxDoubleComplex => "MPI_CXX_DOUBLE_COMPLEX",
            Logical => "MPI_LOGICAL",
            Integer => "MPI_INTEGER",
            Real => "MPI_REAL",
            FComplex => "MPI_COMPLEX",
            DoublePrecision => "MPI_DOUBLE_PRECISION",
            FDoubleComplex => "MPI_DOUBLE_COMPLEX",
            Character => "MPI_CHARACTER",
            LongDouble => "MPI_LONG_DOUBLE",
            LongDoubleComplex => "MPI_C_LONG_DOUBLE_COMPLEX",
            CxxLongDoubleComplex => "MPI_CXX_LONG_DOUBLE_COMPLEX",
            CBool => "MPI_C_BOOL",
            CxxBool => "MPI_CXX_BOOL",
            Wchar => "MPI_WCHAR",
            Int8 => "MPI_INT8_T",
            UInt8 => "MPI_UINT8_T",
            Char => "MPI_CHAR",
            SChar => "MPI_SIGNED_CHAR",
            UChar => "MPI_UNSIGNED_CHAR",
            Byte => "MPI_BYTE",
            Int16 => "MPI_INT16_T",
            UInt16 => "MPI_UINT16_T",
            Int32 => "MPI_INT32_T",
            UInt32 => "MPI_UINT32_T",
            Int64 => "MPI_INT64_T",
            UInt64 => "MPI_UINT64_T",
            Logical1 => "MPI_LOGICAL1",
            Integer1 => "MPI_INTEGER1",
            Logical2 => "MPI_LOGICAL2",
            Integer2 => "MPI_INTEGER2",
            Logical4 => "MPI_LOGICAL4",
            Integer4 => "MPI_INTEGER4",
            Real4 => "MPI_REAL4",
            Logical8 => "MPI_LOGICAL8",
            Integer8 => "MPI_INTEGER8",
            Real8 => "MPI_REAL8",
            Complex8 => "MPI_COMPLEX8",
            Complex16 => "MPI_COMPLEX16",
        }
    }
}

/// The pair types of MINLOC and MAXLOC: struct { value; int index; } in this ABI's layout.
pub const PAIRS: [(usize, &str, Basic, Basic); 9] = [
    (0x228, "MPI_FLOAT_INT", Float, Int),
    (0x229, "MPI_DOUBLE_INT", Double, Int),
    (0x22a, "MPI_LONG_INT", Long, Int),
    (0x22b, "MPI_2INT", Int, Int),
    (0x22c, "MPI_SHORT_INT", Short, Int),
    (0x22d, "MPI_LONG_DOUBLE_INT", LongDouble, Int),
    (0x230, "MPI_2REAL", Real, Real),
    (
        0x231,
        "MPI_2DOUBLE_PRECISION",
        DoublePrecision,
        DoublePrecision,
    ),
    (0x232, "MPI_2INTEGER", Integer, Integer),
];

//! What an ABI is, as far as stored values depend on it.

use crate::codec::{DecodeError, Reader, Writer};
use std::borrow::Cow;
use std::fmt;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Endian {
    Little,
    Big,
}

impl Endian {
    pub const HOST: Endian = if cfg!(target_endian = "big") {
        Endian::Big
    } else {
        Endian::Little
    };
}

/// Format of `long double`.  The bytes it occupies are in [`Abi::long_double`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LongDouble {
    /// 80 bits with an explicit integer bit, in 12 or 16 bytes.
    X87Ext80,
    Binary128,
    Binary64,
    /// Two binary64 (PowerPC): only ever copied; every conversion is refused.
    DoubleDouble,
}

/// Size and alignment (inside a struct) of an arithmetic type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Metric {
    pub size: u8,
    pub align: u8,
}

const fn m(size: u8, align: u8) -> Metric {
    Metric { size, align }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Abi {
    pub name: Cow<'static, str>,
    pub endian: Endian,
    /// Plain `char` is signed.
    pub char_signed: bool,
    pub pointer: Metric,
    pub short: Metric,
    pub int: Metric,
    pub long: Metric,
    pub long_long: Metric,
    pub float: Metric,
    pub double: Metric,
    pub long_double: Metric,
    pub long_double_format: LongDouble,
}

const LP64: Abi = Abi {
    name: Cow::Borrowed("x86_64"),
    endian: Endian::Little,
    char_signed: true,
    pointer: m(8, 8),
    short: m(2, 2),
    int: m(4, 4),
    long: m(8, 8),
    long_long: m(8, 8),
    float: m(4, 4),
    double: m(8, 8),
    long_double: m(16, 16),
    long_double_format: LongDouble::X87Ext80,
};

impl Abi {
    pub const X86_64: Abi = LP64;
    pub const I686: Abi = Abi {
        name: Cow::Borrowed("i686"),
        pointer: m(4, 4),
        long: m(4, 4),
        long_long: m(8, 4),
        double: m(8, 4),
        long_double: m(12, 4),
        ..LP64
    };
    pub const S390X: Abi = Abi {
        name: Cow::Borrowed("s390x"),
        endian: Endian::Big,
        char_signed: false,
        long_double: m(16, 8),
        long_double_format: LongDouble::Binary128,
        ..LP64
    };
    pub const AARCH64: Abi = Abi {
        name: Cow::Borrowed("aarch64"),
        char_signed: false,
        long_double_format: LongDouble::Binary128,
        ..LP64
    };
    pub const ARMHF: Abi = Abi {
        name: Cow::Borrowed("armhf"),
        char_signed: false,
        pointer: m(4, 4),
        long: m(4, 4),
        long_double: m(8, 8),
        long_double_format: LongDouble::Binary64,
        ..LP64
    };
    /// The ABIs every conversion is tested between.
    pub const PRESETS: [Abi; 5] = [Abi::X86_64, Abi::I686, Abi::S390X, Abi::AARCH64, Abi::ARMHF];

    /// The ABI this code was compiled for.
    pub fn host() -> Abi {
        use std::ffi::{c_char, c_double, c_float, c_int, c_long, c_longlong, c_short};
        fn of<T>() -> Metric {
            m(size_of::<T>() as u8, align_of::<T>() as u8)
        }
        let double = of::<c_double>();
        let (long_double_format, long_double) =
            if cfg!(any(target_env = "msvc", target_vendor = "apple")) {
                (LongDouble::Binary64, double)
            } else if cfg!(target_arch = "x86_64") {
                (LongDouble::X87Ext80, m(16, 16))
            } else if cfg!(target_arch = "x86") {
                (LongDouble::X87Ext80, m(12, 4))
            } else if cfg!(target_arch = "s390x") {
                (LongDouble::Binary128, m(16, 8))
            } else if cfg!(any(target_arch = "powerpc", target_arch = "powerpc64")) {
                (LongDouble::DoubleDouble, m(16, 16))
            } else if cfg!(target_pointer_width = "64")
                || cfg!(any(target_arch = "riscv32", target_arch = "sparc"))
            {
                (LongDouble::Binary128, m(16, 16))
            } else {
                (LongDouble::Binary64, double)
            };
        let name = match std::env::consts::ARCH {
            "x86" => "i686",
            "arm" if cfg!(target_endian = "little") => "armhf",
            other => other,
        };
        Abi {
            name: Cow::Borrowed(name),
            endian: Endian::HOST,
            char_signed: c_char::MIN != 0,
            pointer: of::<*const u8>(),
            short: of::<c_short>(),
            int: of::<c_int>(),
            long: of::<c_long>(),
            long_long: of::<c_longlong>(),
            float: of::<c_float>(),
            double,
            long_double,
            long_double_format,
        }
    }

    /// Every value has the same bytes in both: even untyped memory may move unchanged.
    pub fn same_layout(&self, other: &Abi) -> bool {
        // Alignments and the name say nothing about how x86-64 and, say, another LP64 machine lay out a
        // va_list or jmp_buf; only the same machine does.
        self == other
    }

    /// Everything measured, in the order of the binary form.
    fn metrics(&self) -> [Metric; 8] {
        [
            self.pointer,
            self.short,
            self.int,
            self.long,
            self.long_long,
            self.float,
            self.double,
            self.long_double,
        ]
    }

    pub fn encode(&self, out: &mut Vec<u8>) {
        let mut w = Writer(out);
        w.u8(VERSION);
        w.str(&self.name);
        w.u8((self.endian == Endian::Big).into());
        w.u8(self.char_signed.into());
        w.u8(match self.long_double_format {
            LongDouble::X87Ext80 => 0,
            LongDouble::Binary128 => 1,
            LongDouble::Binary64 => 2,
            LongDouble::DoubleDouble => 3,
        });
        for metric in self.metrics() {
            w.u8(metric.size);
            w.u8(metric.align);
        }
    }

    /// Reads an ABI from the front of `bytes` and returns it with what follows.
    pub fn decode(bytes: &[u8]) -> Result<(Abi, &[u8]), DecodeError> {
        const WHAT: &str = "ABI";
        let invalid = |why: String| DecodeError::invalid(WHAT, why);
        let mut r = Reader::new(bytes, WHAT);
        match r.u8()? {
            VERSION => {}
            found => return Err(DecodeError::Version { what: WHAT, found }),
        }
        let name = r.str()?;
        let endian = match r.u8()? {
            0 => Endian::Little,
            1 => Endian::Big,
            v => return Err(invalid(format!("byte order {v}"))),
        };
        let char_signed = match r.u8()? {
            0 => false,
            1 => true,
            v => return Err(invalid(format!("signedness of char {v}"))),
        };
        let long_double_format = match r.u8()? {
            0 => LongDouble::X87Ext80,
            1 => LongDouble::Binary128,
            2 => LongDouble::Binary64,
            3 => LongDouble::DoubleDouble,
            v => return Err(invalid(format!("long double format {v}"))),
        };
        let mut metrics = [m(0, 0); 8];
        for metric in &mut metrics {
            *metric = m(r.u8()?, r.u8()?);
            if !matches!(metric.size, 1 | 2 | 4 | 8 | 12 | 16) || !metric.align.is_power_of_two() {
                return Err(invalid(format!(
                    "size {} with alignment {}",
                    metric.size, metric.align
                )));
            }
        }
        let [pointer, short, int, long, long_long, float, double, long_double] = metrics;
        let abi = Abi {
            name: Cow::Owned(name),
            endian,
            char_signed,
            pointer,
            short,
            int,
            long,
            long_long,
            float,
            double,
            long_double,
            long_double_format,
        };
        let fits = match long_double_format {
            LongDouble::X87Ext80 => matches!(long_double.size, 12 | 16),
            LongDouble::Binary128 | LongDouble::DoubleDouble => long_double.size == 16,
            LongDouble::Binary64 => long_double.size == 8,
        };
        if !fits || !matches!(pointer.size, 4 | 8) || float.size != 4 || double.size != 8 {
            return Err(invalid(format!("sizes do not fit together: {abi}")));
        }
        Ok((abi, r.rest()))
    }
}

const VERSION: u8 = 1;

/// `x86_64: little-endian, signed char, pointer 8/8, ..., long double x87 16/16` (size/alignment).
impl fmt::Display for Abi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let endian = match self.endian {
            Endian::Little => "little",
            Endian::Big => "big",
        };
        let sign = if self.char_signed {
            "signed"
        } else {
            "unsigned"
        };
        write!(f, "{}: {endian}-endian, {sign} char", self.name)?;
        let format = match self.long_double_format {
            LongDouble::X87Ext80 => "long double x87",
            LongDouble::Binary128 => "long double binary128",
            LongDouble::Binary64 => "long double binary64",
            LongDouble::DoubleDouble => "long double double-double",
        };
        let names = [
            "pointer",
            "short",
            "int",
            "long",
            "long long",
            "float",
            "double",
            format,
        ];
        for (name, metric) in names.iter().zip(self.metrics()) {
            write!(f, ", {name} {}/{}", metric.size, metric.align)?;
        }
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn host_is_a_preset_where_we_have_one() {
        let host = Abi::host();
        if let Some(preset) = Abi::PRESETS.iter().find(|p| p.name == host.name) {
            assert_eq!(&host, preset);
        }
    }

    #[test]
    fn binary_form_round_trips_and_refuses_every_truncation() {
        for abi in Abi::PRESETS {
            let mut bytes = Vec::new();
            abi.encode(&mut bytes);
            bytes.push(77);
            let (back, rest) = Abi::decode(&bytes).unwrap();
            assert_eq!((&back, rest), (&abi, &[77][..]));
            for n in 0..bytes.len() - 1 {
                assert!(
                    Abi::decode(&bytes[..n]).is_err(),
                    "{n} bytes of {}",
                    abi.name
                );
            }
        }
    }

    #[test]
    fn text() {
        expect_test::expect![[
            "i686: little-endian, signed char, pointer 4/4, short 2/2, int 4/4, long 4/4, long long 8/4, float 4/4, double 8/4, long double x87 12/4"
        ]]
        .assert_eq(&Abi::I686.to_string());
    }
}

//! Data representations of the program's own (MPI 3.1 section 13.5.3).
//!
//! Its functions may call MPI: no reference to the rank's objects is held while one runs, nor any lock.

use crate::arguments::text;
use crate::files::on_file::on_file;
use pc3_vmpi_coll::handles::HasObjects;
use pc3_vmpi_coll::io::representation::{Registered, Representation};
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_objects::below::Below;
use pc3_vmpi_objects::datatype::basic::Basic;
use pc3_vmpi_objects::datatype::signature::Signature;
use pc3_vmpi_objects::error::{fail, Class, Result};
use pc3_vmpi_objects::handle::abi;
use std::collections::BTreeMap;
use std::ffi::{c_char, c_int, c_void};

type Convert =
    unsafe extern "C" fn(*mut c_void, usize, c_int, *mut c_void, i64, *mut c_void) -> c_int;
type ConvertWide =
    unsafe extern "C" fn(*mut c_void, usize, i64, *mut c_void, i64, *mut c_void) -> c_int;
type Extent = unsafe extern "C" fn(usize, *mut isize, *mut c_void) -> c_int;

/// MPI_MAX_DATAREP_STRING.
pub const MAX: usize = 128;

fn predefined(name: &str) -> Option<Representation> {
    match name.to_ascii_lowercase().as_str() {
        "native" => Some(Representation::Native),
        "internal" => Some(Representation::Internal),
        "external32" => Some(Representation::External32),
        _ => None,
    }
}

macro_rules! register { ($($name:ident $wide:literal;)*) => { $(
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $name(
        datarep: *const c_char,
        read: usize,
        write: usize,
        extent: usize,
        extra_state: usize,
    ) -> c_int {
        on_file(stringify!($name), abi::FILE_NULL, |me| {
            let name = text(datarep)?;
            if name.is_empty() || name.len() >= MAX || extent == 0 {
                return fail(
                    Class::ERR_ARG,
                    "a data representation has a name, of less than MPI_MAX_DATAREP_STRING bytes, and a function that tells extents",
                );
            }
            let all = &mut me.objects().representations;
            if predefined(&name).is_some() || all.iter().any(|r| r.name == name) {
                return fail(
                    Class::ERR_DUP_DATAREP,
                    format!("there is a data representation {name:?}"),
                );
            }
            all.push(Registered { name, read, write, extent, extra_state, wide: $wide });
            Ok(())
        })
    }
)* } }
register! {
    MPI_Register_datarep false;
    MPI_Register_datarep_c true;
}

/// The representation of that name, for a view of such types.
pub fn find(me: &RankState, name: &str, types: [&Signature; 2]) -> Result<Representation> {
    let all = &me.objects().representations;
    if let Some(number) = all.iter().position(|r| r.name == name) {
        let mut found = Representation::Registered(number, BTreeMap::new());
        types.iter().try_for_each(|t| learn(me, &mut found, t))?;
        return Ok(found);
    }
    predefined(name).map_or_else(
        || {
            fail(
                Class::ERR_UNSUPPORTED_DATAREP,
                format!("the data representation is {name:?}"),
            )
        },
        Ok,
    )
}

pub fn name(me: &RankState, of: &Representation) -> String {
    match of {
        Representation::Native => "native".to_owned(),
        Representation::Internal => "internal".to_owned(),
        Representation::External32 => "external32".to_owned(),
        Representation::Registered(number, _) => registered(me, *number).name,
    }
}

fn registered(me: &RankState, number: usize) -> Registered {
    me.objects().representations[number].clone()
}

/// Asks the program how wide elements are of which that is not known.
pub fn learn(me: &RankState, of: &mut Representation, sig: &Signature) -> Result<()> {
    let Representation::Registered(number, widths) = of else {
        return Ok(());
    };
    let mut new: Vec<Basic> = Vec::new();
    sig.each_run(&mut |b, _| {
        if !widths.contains_key(&b) && !new.contains(&b) {
            new.push(b);
        }
        true
    });
    if new.is_empty() {
        return Ok(());
    }
    let r = registered(me, *number);
    for b in new {
        let mut extent = 0isize;
        let _below = Below::begin();
        // SAFETY: the program said that this is its function.
        let code = unsafe {
            let f = std::mem::transmute::<usize, Extent>(r.extent);
            f(b as usize, &mut extent, r.extra_state as *mut c_void)
        };
        if code != Class::SUCCESS.0 || extent <= 0 {
            return fail(
                Class::ERR_CONVERSION,
                format!(
                    "the data representation {:?} has no extent for {}: its function returned {code} and {extent}",
                    r.name,
                    b.name()
                ),
            );
        }
        widths.insert(b, extent as usize);
    }
    Ok(())
}

/// Elements in the program's memory, by the handle of their type.
pub struct Items {
    pub p: *mut c_void,
    pub datatype: usize,
    pub count: u64,
}

/// Has the program convert elements from its memory to a file's, or back; false: it has no function for that.
pub unsafe fn convert(
    me: &RankState,
    number: usize,
    writes: bool,
    items: &Items,
    filebuf: &mut [u8],
) -> Result<bool> {
    let r = registered(me, number);
    let f = if writes { r.write } else { r.read };
    if f == 0 || items.count == 0 {
        return Ok(f != 0);
    }
    let (p, ty, n) = (items.p, items.datatype, items.count);
    let (file, state) = (filebuf.as_mut_ptr().cast(), r.extra_state as *mut c_void);
    let _below = Below::begin();
    // SAFETY: the program said that these are its functions; the caller vouches for both buffers.
    let code = unsafe {
        if r.wide {
            std::mem::transmute::<usize, ConvertWide>(f)(p, ty, n as i64, file, 0, state)
        } else {
            let Ok(n) = c_int::try_from(n) else {
                return fail(
                    Class::ERR_COUNT,
                    format!("{n} elements are more than a conversion function can be told of; MPI_Register_datarep_c"),
                );
            };
            std::mem::transmute::<usize, Convert>(f)(p, ty, n, file, 0, state)
        }
    };
    match code == Class::SUCCESS.0 {
        true => Ok(true),
        false => fail(
            Class::ERR_CONVERSION,
            format!(
                "the data representation {:?}: its function returned {code}",
                r.name
            ),
        ),
    }
}

//! What programs ask about datatypes and addresses (MPI 3.1 sections 4.1 and 6.8).

use crate::arguments::{put, put_text, text, MAX_NAME};
use crate::entry::entry;
use pc3_vmpi_coll::handles::HasObjects;
use pc3_vmpi_objects::datatype::basic::{Basic, LONG_DOUBLE, PAIRS};
use pc3_vmpi_objects::datatype::{of_basic, predefined_name, Datatype};
use pc3_vmpi_objects::error::{fail, Class};
use pc3_vmpi_objects::handle::abi;
use std::ffi::{c_char, c_int, c_void};

/// Queries with a result too large for their type answer MPI_UNDEFINED.
macro_rules! query { ($($c:ident ($($out:ident: $t:ty = $f:expr),*);)*) => { $(
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $c(datatype: usize, $($out: *mut $t),*) -> c_int {
        entry(stringify!($c), 0, |me| {
            let ty = me.objects().datatype(datatype)?;
            $({
                let f: fn(&Datatype) -> isize = $f;
                put($out, <$t>::try_from(f(&ty)).unwrap_or(abi::UNDEFINED as $t))?;
            })*
            Ok(())
        })
    }
)* } }
query! {
    MPI_Type_size(size: c_int = |t| t.size as isize);
    MPI_Type_size_x(size: i64 = |t| t.size as isize);
    MPI_Type_get_extent(lb: isize = |t| t.lb, extent: isize = |t| t.extent);
    MPI_Type_get_extent_x(lb: i64 = |t| t.lb, extent: i64 = |t| t.extent);
    MPI_Type_get_true_extent(lb: isize = |t| t.true_lb, extent: isize = |t| t.true_extent);
    MPI_Type_get_true_extent_x(lb: i64 = |t| t.true_lb, extent: i64 = |t| t.true_extent);
    MPI_Type_size_c(size: i64 = |t| t.size as isize);
    MPI_Type_get_extent_c(lb: i64 = |t| t.lb, extent: i64 = |t| t.extent);
    MPI_Type_get_true_extent_c(lb: i64 = |t| t.true_lb, extent: i64 = |t| t.true_extent);
    MPI_Type_extent(extent: isize = |t| t.extent);
    MPI_Type_lb(lb: isize = |t| t.lb);
    MPI_Type_ub(ub: isize = |t| t.lb + t.extent);
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Type_set_name(datatype: usize, name: *const c_char) -> c_int {
    entry("MPI_Type_set_name", 0, |me| {
        let mut name = text(name)?;
        while name.len() >= MAX_NAME {
            name.pop();
        }
        me.objects().type_object(datatype)?.name = Some(name.into());
        Ok(())
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Type_get_name(
    datatype: usize,
    name: *mut c_char,
    len: *mut c_int,
) -> c_int {
    entry("MPI_Type_get_name", 0, |me| {
        let given = match datatype {
            abi::DATATYPE_NULL => None,
            _ => me.objects().type_object(datatype)?.name.as_deref(),
        };
        let said = given.or(predefined_name(datatype)).unwrap_or("");
        put(len, put_text(name, MAX_NAME, said)? as c_int)
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Type_match_size(
    class: c_int,
    size: c_int,
    datatype: *mut usize,
) -> c_int {
    entry("MPI_Type_match_size", 0, |_| {
        let found = match (class, size) {
            (192, 1) => Basic::Integer1,
            (192, 2) => Basic::Integer2,
            (192, 4) => Basic::Integer4,
            (192, 8) => Basic::Integer8,
            (193, 4) => Basic::Real4,
            (193, 8) => Basic::Real8,
            (194, 8) => Basic::Complex8,
            (194, 16) => Basic::Complex16,
            (193, n) if n as usize == LONG_DOUBLE.0 => Basic::LongDouble,
            (194, n) if n as usize == 2 * LONG_DOUBLE.0 => Basic::LongDoubleComplex,
            _ => {
                return fail(
                    Class::ERR_ARG,
                    format!("no datatype of class {class} and size {size}"),
                )
            }
        };
        put(datatype, of_basic(found).predefined)
    })
}

/// MPI 4.1 section 6.9.4: the type of pairs for MINLOC and MAXLOC, if there is one.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Type_get_value_index(
    value: usize,
    index: usize,
    pair: *mut usize,
) -> c_int {
    entry("MPI_Type_get_value_index", 0, |me| {
        let objects = me.objects();
        let handle = |t: usize| Ok(objects.datatype(t)?.predefined);
        let wanted = (handle(value)?, handle(index)?);
        let of = |b: Basic| of_basic(b).predefined;
        let mut all = PAIRS.iter();
        let found = all.find(|(_, _, v, i)| (of(*v), of(*i)) == wanted);
        put(pair, found.map_or(abi::DATATYPE_NULL, |p| p.0))
    })
}

macro_rules! address { ($($c:ident)*) => { $(
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $c(location: *const c_void, address: *mut isize) -> c_int {
        entry(stringify!($c), 0, |me| {
            me.objects().addresses.record(location as usize);
            put(address, location as isize)
        })
    }
)* } }
address!(MPI_Get_address MPI_Address);

/// MPI 3.1 section 4.1.5.
#[pc3_vmpi_entry::entry]
pub extern "C" fn MPI_Aint_add(base: isize, disp: isize) -> isize {
    base.wrapping_add(disp)
}

/// MPI 3.1 section 4.1.5.
#[pc3_vmpi_entry::entry]
pub extern "C" fn MPI_Aint_diff(addr1: isize, addr2: isize) -> isize {
    addr1.wrapping_sub(addr2)
}

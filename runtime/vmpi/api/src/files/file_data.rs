//! Reading and writing files (MPI 3.1 section 13.4).

use pc3_vmpi_coll::handles::HasObjects;
use std::ffi::{c_int, c_void};

use crate::collectives::coll::take_part;
use crate::files::datarep::{convert, learn, Items};
use crate::files::on_file::on_file;
use crate::messages::p2p::{data, prepare, publish};
use crate::messages::status::{put_status, CStatus};
use pc3_vmpi_coll::io::representation::Representation;
use pc3_vmpi_coll::io::{mode, MpiFile, Ordered};
use pc3_vmpi_core::mail::request::RequestKind;
use pc3_vmpi_core::p2p;
use pc3_vmpi_core::p2p::Status;
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_nonblocking::operations::io::{changes, Change};
use pc3_vmpi_objects::datatype::moving::Buf;
use pc3_vmpi_objects::datatype::TypeRef;
use pc3_vmpi_objects::error::{fail, Class, Result};
use pc3_vmpi_objects::external32;
use std::cell::Cell;
use std::sync::atomic::Ordering::Release;

/// Where an access begins.
#[derive(Clone, Copy)]
enum AccessOrigin {
    At(i64),
    Own,
    Shared,
    /// Through the shared pointer, one rank after the other.
    Ordered,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Read,
    Write,
}

/// A buffer argument.
struct BufferArgument {
    p: *mut c_void,
    count: usize,
    ty: TypeRef,
    handle: usize,
}

impl BufferArgument {
    fn buf(&self) -> Buf<'_> {
        Buf {
            ptr: self.p.cast(),
            count: self.count,
            ty: &self.ty,
        }
    }

    fn items(&self, count: u64) -> Items {
        Items {
            p: self.p,
            datatype: self.handle,
            count,
        }
    }
}

/// What a file is to get: as many bytes as the representation says.
unsafe fn outgoing(
    me: &RankState,
    how: &Representation,
    m: &BufferArgument,
    bytes: usize,
) -> Result<Vec<u8>> {
    // SAFETY: the program's buffer.
    unsafe {
        match how {
            Representation::External32 => {
                let mut stream = Vec::with_capacity(bytes);
                external32::pack(m.buf(), &mut stream)?;
                return Ok(stream);
            }
            Representation::Registered(number, _) => {
                let mut stream = vec![0; bytes];
                let all = m.items(m.ty.signature.elements() * m.count as u64);
                if convert(me, *number, true, &all, &mut stream)? {
                    return Ok(stream);
                }
                unconverted(bytes, m)?;
            }
            Representation::Native | Representation::Internal => {}
        }
        Ok(m.ty.pack_vec(m.p.cast(), m.count))
    }
}

/// Fills memory with what a file had; bytes of memory that are filled.
unsafe fn incoming(
    me: &RankState,
    how: &Representation,
    m: &BufferArgument,
    stream: &mut [u8],
) -> Result<usize> {
    let (elements, here) = how.elements_in(&m.ty.signature, stream.len());
    // SAFETY: the program's buffer.
    unsafe {
        match how {
            Representation::External32 => {
                external32::unpack_some(stream, m.buf())?;
                return Ok(here);
            }
            Representation::Registered(number, _) => {
                if convert(me, *number, false, &m.items(elements), stream)? {
                    return Ok(here);
                }
                let whole = how.bytes(&m.ty.signature, m.count);
                unconverted(whole.unwrap_or(usize::MAX), m)?;
            }
            Representation::Native | Representation::Internal => {}
        }
        m.ty.unpack(stream.as_ptr(), stream.len(), m.p.cast(), m.count);
        Ok(stream.len())
    }
}

/// Without a function elements are in the file as in memory.
fn unconverted(bytes: usize, m: &BufferArgument) -> Result<()> {
    if bytes == m.ty.size * m.count {
        return Ok(());
    }
    fail(
        Class::ERR_CONVERSION,
        "the data representation has no conversion function, and other extents than memory",
    )
}

/// Writes to the visible bytes from `at` on.
fn put_bytes(f: &MpiFile, mut rest: &[u8], at: i64) -> Result<()> {
    for (at, n) in f.view.runs(at, rest.len()) {
        let (now, later) = rest.split_at(n);
        f.shared.write_at(now, at)?;
        rest = later;
    }
    Ok(())
}

/// Reads so many visible bytes from `at` on, or those that there are.
fn get_bytes(f: &MpiFile, bytes: usize, at: i64) -> Result<Vec<u8>> {
    let mut stream = vec![0; bytes];
    let mut done = 0;
    for (at, n) in f.view.runs(at, bytes) {
        let got = f.shared.read_at(&mut stream[done..done + n], at)?;
        done += got;
        if got < n {
            break;
        }
    }
    stream.truncate(done);
    Ok(stream)
}

/// One access; the pointers move by what was asked for, the individual one by what there was.
unsafe fn access(
    me: &'static RankState,
    file: usize,
    way: Direction,
    place: AccessOrigin,
    m: &BufferArgument,
) -> Result<Status> {
    let f = me.objects().file(file)?;
    if way == Direction::Read && !f.shared.reads() {
        return fail(Class::ERR_ACCESS, "the file was opened for writing only");
    }
    if way == Direction::Write && !f.shared.writes() {
        return fail(Class::ERR_READ_ONLY, "the file was opened for reading only");
    }
    let shared = matches!(place, AccessOrigin::Shared | AccessOrigin::Ordered);
    if f.shared.amode & mode::SEQUENTIAL != 0 && !shared {
        return fail(
            Class::ERR_UNSUPPORTED_OPERATION,
            "a sequential file is accessed through its shared pointer",
        );
    }
    let mut how = f.view.representation.clone();
    learn(me, &mut how, &m.ty.signature)?;
    let unit = f.view.unit;
    let Some(bytes) = how.bytes(&m.ty.signature, m.count) else {
        return fail(Class::ERR_COUNT, "the file cannot be that long");
    };
    if bytes % unit != 0 {
        return fail(
            Class::ERR_ARG,
            format!("{bytes} bytes are no whole number of elements of {unit}"),
        );
    }
    let amount = (bytes / unit) as i64;
    let stream = match way {
        // SAFETY: the caller's promise.
        Direction::Write => unsafe { outgoing(me, &how, m, bytes)? },
        Direction::Read => Vec::new(),
    };
    if shared {
        drop(changes(me, f, Change::Pointer));
    }
    let at = match place {
        AccessOrigin::At(at) if at < 0 => {
            return fail(Class::ERR_ARG, format!("the offset is {at}"));
        }
        AccessOrigin::At(at) => at,
        AccessOrigin::Own => f.position,
        AccessOrigin::Shared => f.advance(me, amount),
        AccessOrigin::Ordered => {
            let call = Ordered {
                file: f,
                me,
                amount,
                start: Cell::new(0),
            };
            take_part(me, &f.comm, &call)?;
            call.start.get()
        }
    };
    let (done, moved) = match way {
        Direction::Write => {
            let changing = changes(me, f, Change::Contents);
            put_bytes(f, &stream, at * unit as i64)?;
            drop(changing);
            (bytes, m.ty.size * m.count)
        }
        Direction::Read => {
            let mut stream = get_bytes(f, bytes, at * unit as i64)?;
            // SAFETY: the caller's promise.
            (stream.len(), unsafe { incoming(me, &how, m, &mut stream)? })
        }
    };
    if let AccessOrigin::Own = place {
        me.objects().file_mut(file)?.position = at + (done / unit) as i64;
    }
    Ok(Status {
        bytes: moved,
        basic: m.ty.basic().or_else(|| m.ty.signature.uniform()),
        ..Status::EMPTY
    })
}

unsafe fn memory(
    me: &RankState,
    p: *mut c_void,
    n: i64,
    datatype: usize,
) -> Result<BufferArgument> {
    let (count, ty) = data(me, p, n, datatype)?;
    Ok(BufferArgument {
        p,
        count,
        ty,
        handle: datatype,
    })
}

#[allow(clippy::too_many_arguments)]
unsafe fn now(
    name: &'static str,
    file: usize,
    way: Direction,
    place: AccessOrigin,
    p: *mut c_void,
    n: i64,
    datatype: usize,
    status: *mut CStatus,
) -> c_int {
    on_file(name, file, |me| {
        me.objects().file(file)?;
        // SAFETY: the program's arguments.
        unsafe {
            let s = access(me, file, way, place, &memory(me, p, n, datatype)?)?;
            put_status(status, &s);
        }
        Ok(())
    })
}

/// Done at once; the request is complete.
#[allow(clippy::too_many_arguments)]
unsafe fn begun(
    name: &'static str,
    file: usize,
    way: Direction,
    place: AccessOrigin,
    p: *mut c_void,
    n: i64,
    datatype: usize,
    request: *mut usize,
) -> c_int {
    on_file(name, file, |me| {
        me.objects().file(file)?;
        // SAFETY: the program's arguments.
        unsafe {
            let m = memory(me, p, n, datatype)?;
            let s = access(me, file, way, place, &m)?;
            let buf = p2p::Buf::new(m.p.cast(), m.count, &m.ty);
            let r = prepare(me, RequestKind::Recv, None, None, &buf, s.source, 0);
            r.get().set_status(s);
            r.get().done.store(true, Release);
            publish(me, r, request)
        }
    })
}

/// The first half of a split collective does all of it.
#[allow(clippy::too_many_arguments)]
unsafe fn begin(
    name: &'static str,
    file: usize,
    way: Direction,
    place: AccessOrigin,
    p: *mut c_void,
    n: i64,
    datatype: usize,
) -> c_int {
    on_file(name, file, |me| {
        if me.objects().file(file)?.begun.is_some() {
            return fail(Class::ERR_OTHER, "a split collective has not been ended");
        }
        // SAFETY: the program's arguments.
        let s = unsafe { access(me, file, way, place, &memory(me, p, n, datatype)?)? };
        me.objects().file_mut(file)?.begun = Some(s);
        Ok(())
    })
}

unsafe fn end(name: &'static str, file: usize, status: *mut CStatus) -> c_int {
    on_file(name, file, |me| {
        match me.objects().file_mut(file)?.begun.take() {
            Some(s) => {
                // SAFETY: the program's own status.
                unsafe { put_status(status, &s) };
                Ok(())
            }
            None => fail(Class::ERR_OTHER, "no split collective has begun"),
        }
    })
}

/// Names, the way, and where: `At` takes an offset.
macro_rules! accesses {
    ($($way:ident $buf:ty, $place:ident: $now:ident $now_c:ident $begun:ident $begun_c:ident;)*) => { $(
        accesses!(one $way $buf, $place c_int $now $begun);
        accesses!(one $way $buf, $place i64 $now_c $begun_c);
    )* };
    (one $way:ident $buf:ty, At $n:ident $now:ident $begun:ident) => {
        #[pc3_vmpi_entry::entry]
        pub unsafe extern "C" fn $now(file: usize, offset: i64, p: $buf, n: $n, datatype: usize, status: *mut CStatus) -> c_int {
            now(stringify!($now), file, Direction::$way, AccessOrigin::At(offset), p as *mut c_void, n.into(), datatype, status)
        }
        #[pc3_vmpi_entry::entry]
        pub unsafe extern "C" fn $begun(file: usize, offset: i64, p: $buf, n: $n, datatype: usize, request: *mut usize) -> c_int {
            begun(stringify!($begun), file, Direction::$way, AccessOrigin::At(offset), p as *mut c_void, n.into(), datatype, request)
        }
    };
    (one $way:ident $buf:ty, $place:ident $n:ident $now:ident $begun:ident) => {
        #[pc3_vmpi_entry::entry]
        pub unsafe extern "C" fn $now(file: usize, p: $buf, n: $n, datatype: usize, status: *mut CStatus) -> c_int {
            now(stringify!($now), file, Direction::$way, AccessOrigin::$place, p as *mut c_void, n.into(), datatype, status)
        }
        #[pc3_vmpi_entry::entry]
        pub unsafe extern "C" fn $begun(file: usize, p: $buf, n: $n, datatype: usize, request: *mut usize) -> c_int {
            begun(stringify!($begun), file, Direction::$way, AccessOrigin::$place, p as *mut c_void, n.into(), datatype, request)
        }
    };
}
accesses! {
    Read *mut c_void, At: MPI_File_read_at MPI_File_read_at_c MPI_File_iread_at MPI_File_iread_at_c;
    Read *mut c_void, At: MPI_File_read_at_all MPI_File_read_at_all_c MPI_File_iread_at_all MPI_File_iread_at_all_c;
    Read *mut c_void, Own: MPI_File_read MPI_File_read_c MPI_File_iread MPI_File_iread_c;
    Read *mut c_void, Own: MPI_File_read_all MPI_File_read_all_c MPI_File_iread_all MPI_File_iread_all_c;
    Read *mut c_void, Shared: MPI_File_read_shared MPI_File_read_shared_c MPI_File_iread_shared MPI_File_iread_shared_c;
    Write *const c_void, At: MPI_File_write_at MPI_File_write_at_c MPI_File_iwrite_at MPI_File_iwrite_at_c;
    Write *const c_void, At: MPI_File_write_at_all MPI_File_write_at_all_c MPI_File_iwrite_at_all MPI_File_iwrite_at_all_c;
    Write *const c_void, Own: MPI_File_write MPI_File_write_c MPI_File_iwrite MPI_File_iwrite_c;
    Write *const c_void, Own: MPI_File_write_all MPI_File_write_all_c MPI_File_iwrite_all MPI_File_iwrite_all_c;
    Write *const c_void, Shared:
        MPI_File_write_shared MPI_File_write_shared_c MPI_File_iwrite_shared MPI_File_iwrite_shared_c;
}

macro_rules! ordered { ($($way:ident $buf:ty, $n:ident $name:ident;)*) => { $(
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $name(file: usize, p: $buf, n: $n, datatype: usize, status: *mut CStatus) -> c_int {
        now(stringify!($name), file, Direction::$way, AccessOrigin::Ordered, p as *mut c_void, n.into(), datatype, status)
    }
)* } }
ordered! {
    Read *mut c_void, c_int MPI_File_read_ordered;
    Read *mut c_void, i64 MPI_File_read_ordered_c;
    Write *const c_void, c_int MPI_File_write_ordered;
    Write *const c_void, i64 MPI_File_write_ordered_c;
}

macro_rules! splits {
    ($($way:ident $buf:ty, $place:ident: $begin:ident $begin_c:ident $end:ident;)*) => { $(
        splits!(one $way $buf, $place c_int $begin);
        splits!(one $way $buf, $place i64 $begin_c);
        #[pc3_vmpi_entry::entry]
        pub unsafe extern "C" fn $end(file: usize, _p: $buf, status: *mut CStatus) -> c_int {
            end(stringify!($end), file, status)
        }
    )* };
    (one $way:ident $buf:ty, At $n:ident $begin:ident) => {
        #[pc3_vmpi_entry::entry]
        pub unsafe extern "C" fn $begin(file: usize, offset: i64, p: $buf, n: $n, datatype: usize) -> c_int {
            begin(stringify!($begin), file, Direction::$way, AccessOrigin::At(offset), p as *mut c_void, n.into(), datatype)
        }
    };
    (one $way:ident $buf:ty, $place:ident $n:ident $begin:ident) => {
        #[pc3_vmpi_entry::entry]
        pub unsafe extern "C" fn $begin(file: usize, p: $buf, n: $n, datatype: usize) -> c_int {
            begin(stringify!($begin), file, Direction::$way, AccessOrigin::$place, p as *mut c_void, n.into(), datatype)
        }
    };
}
splits! {
    Read *mut c_void, At: MPI_File_read_at_all_begin MPI_File_read_at_all_begin_c MPI_File_read_at_all_end;
    Read *mut c_void, Own: MPI_File_read_all_begin MPI_File_read_all_begin_c MPI_File_read_all_end;
    Read *mut c_void, Ordered: MPI_File_read_ordered_begin MPI_File_read_ordered_begin_c MPI_File_read_ordered_end;
    Write *const c_void, At: MPI_File_write_at_all_begin MPI_File_write_at_all_begin_c MPI_File_write_at_all_end;
    Write *const c_void, Own: MPI_File_write_all_begin MPI_File_write_all_begin_c MPI_File_write_all_end;
    Write *const c_void, Ordered: MPI_File_write_ordered_begin MPI_File_write_ordered_begin_c MPI_File_write_ordered_end;
}

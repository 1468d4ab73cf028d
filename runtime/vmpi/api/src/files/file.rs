//! Opening, closing and asking about files (MPI 3.1 sections 13.2, 13.3, 13.6, 13.7).

use crate::arguments::{put, put_text, text};
use crate::collectives::coll::take_part;
use crate::entry::entry;
use crate::files::datarep;
use crate::raise::{raise, raise_file};
use pc3_vmpi_coll::comm::create::split;
use pc3_vmpi_coll::handles::HasObjects;
use pc3_vmpi_coll::io::pointer::Keeper;
use pc3_vmpi_coll::io::view::View;
use pc3_vmpi_coll::io::{check_mode, failed, mode, MpiFile, OpenCall};
use pc3_vmpi_coll::meeting::Kind;
use pc3_vmpi_coll::work::barrier::Gate;
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_nonblocking::operations::io::{changes, Change};
use pc3_vmpi_objects::datatype::stored::stored;
use pc3_vmpi_objects::error::{fail, Class, MpiError, Result};
use pc3_vmpi_objects::handle::abi;
use pc3_vmpi_objects::info::Info;
use std::cell::RefCell;
use std::ffi::{c_char, c_int};
use std::path::{Path, PathBuf};

use super::on_file::on_file;

/// Members wait for one another.
pub fn gate(me: &'static RankState, file: usize, kind: Kind) -> Result<()> {
    take_part(me, &me.objects().file(file)?.comm, &Gate(kind))
}

/// A file name; a prefix that names a kind of file system means nothing here.
unsafe fn path(name: *const c_char) -> Result<PathBuf> {
    // SAFETY: the program's string.
    let name = unsafe { text(name)? };
    let plain = name
        .split_once(':')
        .filter(|(kind, _)| matches!(*kind, "ufs" | "nfs" | "xfs" | "lustre"));
    let name = plain.map_or(name.as_str(), |p| p.1);
    if name.is_empty() {
        return fail(Class::ERR_BAD_FILE, "the file name is empty");
    }
    let here = std::env::current_dir().map_err(|e| failed(Path::new("."), &e))?;
    Ok(here.join(name))
}

pub(crate) fn info_of(me: &RankState, info: usize) -> Result<Info> {
    match info {
        abi::INFO_NULL => Ok(Info::default()),
        _ => match me.objects().infos.get(info) {
            Some(i) => Ok(i.clone()),
            None => fail(Class::ERR_INFO, "not an info object (freed already?)"),
        },
    }
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_File_open(
    comm: usize,
    filename: *const c_char,
    amode: c_int,
    info: usize,
    file: *mut usize,
) -> c_int {
    let mut wrong_comm = None;
    let code = on_file("MPI_File_open", abi::FILE_NULL, |me| {
        let parent = match me.objects().comm(comm).and_then(|c| c.intra()) {
            Ok(c) => c,
            Err(e) => {
                wrong_comm = Some(e);
                return Ok(());
            }
        };
        put(file, abi::FILE_NULL)?;
        let mut next = me.objects().next_id;
        let rank = parent.rank as i32;
        // Errors of one member must not keep the others waiting: all meet, and then compare.
        let checked = check_mode(amode)
            .and_then(|()| path(filename))
            .and_then(|p| Ok((p, info_of(me, info)?)));
        let color = checked.is_ok().then_some(0);
        let made = split(me, parent, &mut next, Kind::FileOpen, color, rank)?;
        me.objects().next_id = next;
        let (path, info) = checked?;
        let Some(made) = made.filter(|m| m.group.size() == parent.size()) else {
            return fail(Class::ERR_OTHER, "other members could not open the file");
        };
        let o = me.objects();
        let errhandler = o.errhandlers.acquire(o.file_errhandler)?;
        let comm = made.into_comm(abi::ERRORS_ARE_FATAL, None);
        let keeper = Keeper::of(me, &comm);
        let made = match comm.rank {
            0 => OpenCall::make(&path, amode),
            _ => Ok(0),
        };
        if comm.rank == 0 {
            let appends = amode & mode::APPEND != 0;
            let end = made.as_ref().ok().filter(|_| appends);
            keeper.open(me, end.map_or(0, |n| *n as i64));
        }
        let call = OpenCall {
            path,
            amode,
            made,
            shared: RefCell::new(None),
        };
        if let Err(e) = take_part(me, &comm, &call) {
            if comm.rank == 0 {
                keeper.forget(me);
            }
            return Err(e);
        }
        let Some(shared) = call.shared.take() else {
            return fail(Class::ERR_INTERN, "the file has not been opened");
        };
        let position = shared.start;
        let opened = MpiFile {
            comm,
            shared,
            keeper,
            view: View::plain(),
            position,
            errhandler,
            atomic: false,
            info,
            begun: None,
            size: None,
        };
        put(file, me.objects().files.insert(Box::new(opened)))
    });
    match wrong_comm {
        Some(e) => raise(RankState::current(), "MPI_File_open", comm, e),
        None => code,
    }
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_File_close(file: *mut usize) -> c_int {
    let handle = if file.is_null() {
        abi::FILE_NULL
    } else {
        *file
    };
    on_file("MPI_File_close", handle, |me| {
        if me.objects().file(handle)?.begun.is_some() {
            return fail(Class::ERR_OTHER, "a split collective has not been ended");
        }
        gate(me, handle, Kind::FileClose)?;
        let Some(f) = me.objects().files.remove(handle) else {
            return Ok(());
        };
        if f.comm.rank == 0 {
            f.keeper.forget(me);
        }
        me.objects().errhandlers.release(f.errhandler)?;
        put(file, abi::FILE_NULL)?;
        if f.comm.rank == 0 && f.shared.amode & mode::DELETE_ON_CLOSE != 0 {
            let path = &f.shared.path;
            std::fs::remove_file(path).map_err(|e| failed(path, &e))?;
        }
        Ok(())
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_File_delete(filename: *const c_char, _info: usize) -> c_int {
    on_file("MPI_File_delete", abi::FILE_NULL, |_| {
        let path = path(filename)?;
        std::fs::remove_file(&path).map_err(|e| failed(&path, &e))
    })
}

fn length(n: i64) -> Result<u64> {
    u64::try_from(n).or_else(|_| fail(Class::ERR_ARG, format!("the size is {n}")))
}

fn writable(f: &MpiFile) -> Result<()> {
    if f.shared.writes() {
        return Ok(());
    }
    fail(Class::ERR_READ_ONLY, "the file was opened for reading only")
}

/// Rank 0 changes the size while the others wait.
unsafe fn resize(name: &'static str, file: usize, size: i64, shrink: bool) -> c_int {
    on_file(name, file, |me| {
        let f = me.objects().file(file)?;
        writable(f)?;
        let size = length(size)?;
        gate(me, file, Kind::FileSetSize)?;
        let done = if f.comm.rank == 0 && (shrink || f.shared.size()? < size) {
            let _changing = changes(me, f, Change::Contents);
            f.shared.set_size(size)
        } else {
            Ok(())
        };
        gate(me, file, Kind::FileSetSize)?;
        done
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_File_set_size(file: usize, size: i64) -> c_int {
    resize("MPI_File_set_size", file, size, true)
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_File_preallocate(file: usize, size: i64) -> c_int {
    resize("MPI_File_preallocate", file, size, false)
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_File_sync(file: usize) -> c_int {
    on_file("MPI_File_sync", file, |me| {
        gate(me, file, Kind::FileSync)?;
        let f = me.objects().file(file)?;
        let done = if f.comm.rank == 0 {
            f.shared.sync()
        } else {
            Ok(())
        };
        gate(me, file, Kind::FileSync)?;
        done
    })
}

/// What can be asked: the result's type and expression.
macro_rules! queries { ($($name:ident($($out:ident: $t:ty),*) $me:ident $f:ident => ($($e:expr),*);)*) => { $(
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $name(file: usize, $($out: *mut $t),*) -> c_int {
        on_file(stringify!($name), file, |$me| {
            let $f = $me.objects().file(file)?;
            $(put($out, $e)?;)*
            Ok(())
        })
    }
)* } }
queries! {
    MPI_File_get_size(size: i64) me f => (f.shared.size()? as i64);
    MPI_File_get_amode(amode: c_int) me f => (f.shared.amode);
    MPI_File_get_atomicity(flag: c_int) me f => (c_int::from(f.atomic));
    MPI_File_get_position(at: i64) me f => (f.position);
    MPI_File_get_position_shared(at: i64) me f => ({
        drop(changes(me, f, Change::Pointer));
        f.advance(me, 0)
    });
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_File_get_group(file: usize, group: *mut usize) -> c_int {
    on_file("MPI_File_get_group", file, |me| {
        let g = me.objects().file(file)?.comm.group.clone();
        crate::objects::group::give(me, g, group)
    })
}

/// Every access is atomic already: it is one call of the system for each run of bytes.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_File_set_atomicity(file: usize, flag: c_int) -> c_int {
    on_file("MPI_File_set_atomicity", file, |me| {
        me.objects().file_mut(file)?.atomic = flag != 0;
        Ok(())
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_File_set_info(file: usize, info: usize) -> c_int {
    on_file("MPI_File_set_info", file, |me| {
        let new = info_of(me, info)?;
        let f = me.objects().file_mut(file)?;
        new.pairs.iter().try_for_each(|(k, v)| f.info.set(k, v))
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_File_get_info(file: usize, info: *mut usize) -> c_int {
    on_file("MPI_File_get_info", file, |me| {
        let copy = me.objects().file(file)?.info.clone();
        put(info, me.objects().infos.insert(copy))
    })
}

const CURRENT: i64 = -1;

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_File_set_view(
    file: usize,
    disp: i64,
    etype: usize,
    filetype: usize,
    representation: *const c_char,
    info: usize,
) -> c_int {
    on_file("MPI_File_set_view", file, |me| {
        let checked = new_view(me, file, disp, etype, filetype, representation, info);
        drop(changes(me, me.objects().file(file)?, Change::Pointer));
        // Everybody has done with the old view before the shared pointer moves.
        gate(me, file, Kind::FileSetView)?;
        let (view, info) = checked?;
        let f = me.objects().file_mut(file)?;
        f.view = view;
        f.position = 0;
        f.set_pointer(me, 0);
        info.pairs.iter().try_for_each(|(k, v)| f.info.set(k, v))?;
        gate(me, file, Kind::FileSetView)
    })
}

unsafe fn new_view(
    me: &'static RankState,
    file: usize,
    disp: i64,
    etype: usize,
    filetype: usize,
    representation: *const c_char,
    info: usize,
) -> Result<(View, Info)> {
    let f = me.objects().file(file)?;
    let sequential = f.shared.amode & mode::SEQUENTIAL != 0;
    let disp = match disp {
        CURRENT if sequential => {
            let at = f.advance(me, 0) * f.view.unit as i64;
            f.view.offset(at)
        }
        _ if sequential => {
            return fail(
                Class::ERR_ARG,
                "a sequential file's view begins at MPI_DISPLACEMENT_CURRENT",
            )
        }
        d => d,
    };
    let (etype, filetype) = (
        me.objects().committed(etype)?,
        me.objects().committed(filetype)?,
    );
    // SAFETY: the program's string.
    let name = unsafe { text(representation)? };
    let representation = datarep::find(me, &name, [&etype.signature, &filetype.signature])?;
    Ok((
        View::new(disp, etype, filetype, representation)?,
        info_of(me, info)?,
    ))
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_File_get_view(
    file: usize,
    disp: *mut i64,
    etype: *mut usize,
    filetype: *mut usize,
    out: *mut c_char,
) -> c_int {
    on_file("MPI_File_get_view", file, |me| {
        let v = &me.objects().file(file)?.view;
        let (e, t) = (v.etype.clone(), v.filetype.clone());
        put(disp, v.disp)?;
        put_text(out, datarep::MAX, &datarep::name(me, &v.representation))?;
        // Predefined ones are named as such, others as copies.
        let handle = |t: pc3_vmpi_objects::datatype::TypeRef| match t.predefined {
            0 => crate::objects::datatype::give(me, t, true),
            h => h,
        };
        put(etype, handle(e))?;
        put(filetype, handle(t))
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_File_get_byte_offset(
    file: usize,
    offset: i64,
    disp: *mut i64,
) -> c_int {
    on_file("MPI_File_get_byte_offset", file, |me| {
        let v = &me.objects().file(file)?.view;
        put(disp, v.offset(offset * v.unit as i64))
    })
}

macro_rules! extents { ($($name:ident $t:ty;)*) => { $(
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $name(file: usize, datatype: usize, extent: *mut $t) -> c_int {
        on_file(stringify!($name), file, |me| {
            let mut r = me.objects().file(file)?.view.representation.clone();
            let ty = me.objects().datatype(datatype)?;
            datarep::learn(me, &mut r, &ty.signature)?;
            put(extent, stored(&ty, &|b| r.width(b))?.extent as $t)
        })
    }
)* } }
extents! {
    MPI_File_get_type_extent isize;
    MPI_File_get_type_extent_c i64;
}

const SEEK_SET: c_int = 600;

const SEEK_CUR: c_int = 602;

const SEEK_END: c_int = 604;

fn sought(f: &MpiFile, from: i64, offset: i64, whence: c_int) -> Result<i64> {
    if f.shared.amode & mode::SEQUENTIAL != 0 {
        return fail(
            Class::ERR_UNSUPPORTED_OPERATION,
            "a sequential file has no places to seek",
        );
    }
    let base = match whence {
        SEEK_SET => 0,
        SEEK_CUR => from,
        SEEK_END => f.view.visible(f.shared.size()?) / f.view.unit as i64,
        _ => return fail(Class::ERR_ARG, format!("{whence} is no kind of offset")),
    };
    match base.checked_add(offset) {
        Some(at) if at >= 0 => Ok(at),
        _ => fail(Class::ERR_ARG, "the new position is before the file"),
    }
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_File_seek(file: usize, offset: i64, whence: c_int) -> c_int {
    on_file("MPI_File_seek", file, |me| {
        let f = me.objects().file_mut(file)?;
        f.position = sought(f, f.position, offset, whence)?;
        Ok(())
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_File_seek_shared(file: usize, offset: i64, whence: c_int) -> c_int {
    on_file("MPI_File_seek_shared", file, |me| {
        drop(changes(me, me.objects().file(file)?, Change::Pointer));
        gate(me, file, Kind::FileOrdered)?;
        let f = me.objects().file(file)?;
        let to = sought(f, f.advance(me, 0), offset, whence);
        gate(me, file, Kind::FileOrdered)?;
        f.set_pointer(me, to?);
        gate(me, file, Kind::FileOrdered)
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_File_create_errhandler(func: usize, handler: *mut usize) -> c_int {
    entry("MPI_File_create_errhandler", 0, |me| {
        put(handler, me.objects().errhandlers.create(func)?)
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_File_set_errhandler(file: usize, handler: usize) -> c_int {
    on_file("MPI_File_set_errhandler", file, |me| {
        let o = me.objects();
        if file != abi::FILE_NULL {
            o.file(file)?;
        }
        let new = o.errhandlers.acquire(handler)?;
        let old = match o.files.get_mut(file) {
            Some(f) => std::mem::replace(&mut f.errhandler, new),
            None => std::mem::replace(&mut o.file_errhandler, new),
        };
        o.errhandlers.release(old)
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_File_get_errhandler(file: usize, handler: *mut usize) -> c_int {
    on_file("MPI_File_get_errhandler", file, |me| {
        let o = me.objects();
        let h = match file {
            abi::FILE_NULL => o.file_errhandler,
            _ => o.file(file)?.errhandler,
        };
        put(handler, o.errhandlers.acquire(h)?)
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_File_call_errhandler(file: usize, code: c_int) -> c_int {
    on_file("MPI_File_call_errhandler", file, |me| {
        let said = me.objects().codes.text(code)?;
        raise_file(
            me,
            "MPI_File_call_errhandler",
            file,
            MpiError::new(Class(code), said),
        );
        Ok(())
    })
}

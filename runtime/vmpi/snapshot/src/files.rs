//! Open files in a checkpoint.
//!
//! ```text
//! files = errhandler:u64 [file]
//! representations = [name:str read:u64 write:u64 extent:u64 extra_state:u64 wide:u8]
//! file  = handle:u64 id:u32 group path:str amode:i32 pointer:u64 size:u64
//!         disp:u64 how position:u64 atomic:u8 errhandler:u64 [key:str value:str] begun:u8 status?
//! how   = 0: native, 1: external32, 2: internal, 3 number:u32 [type:u32 width:u64]: registered
//! ```
//! The types of its view go with those of the requests.  Files are opened, and cut to the size they
//! had, when all ranks are loaded ([`open`]).

use pc3_vmpi_coll::common::common;
use pc3_vmpi_coll::handles::HasObjects;
use std::path::PathBuf;
use std::sync::Arc;

use pc3_runtime::transfer::LoadCtx;

use crate::saved::{function, group, read_group, value};
use crate::status;
use pc3_vmpi_coll::comm::Comm;
use pc3_vmpi_coll::handles::Objects;
use pc3_vmpi_coll::io::pointer::Keeper;
use pc3_vmpi_coll::io::representation::{Registered, Representation};
use pc3_vmpi_coll::io::view::View;
use pc3_vmpi_coll::io::{check_mode, MpiFile, Shared};
use pc3_vmpi_coll::meeting::Registry;
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_core::world::World;
use pc3_vmpi_objects::datatype::basic::Basic;
use pc3_vmpi_objects::datatype::saved::rebuilt::RebuiltType;
use pc3_vmpi_objects::datatype::TypeRef;
use pc3_vmpi_objects::info::Info;
use pc3_vmpi_objects::wire::{bad, Read, Reader, Writer};

/// The types that [`write`] refers to.
pub fn types(me: &RankState) -> Vec<&TypeRef> {
    let files = me.objects().files.iter();
    files
        .flat_map(|(_, f)| [&f.view.etype, &f.view.filetype])
        .collect()
}

pub fn write(me: &RankState, w: &mut Writer) {
    let o = me.objects();
    w.size(o.file_errhandler);
    let all: Vec<_> = o.files.iter().collect();
    w.list(all.into_iter(), |w, (h, f)| {
        w.size(h);
        w.u32(f.comm.id);
        group(w, &f.comm.group);
        w.str(&f.shared.path.to_string_lossy());
        w.i32(f.shared.amode);
        // The first member's counts: where the pointer is kept.
        let pointer = (f.comm.rank == 0).then(|| f.advance(me, 0));
        w.u64(pointer.unwrap_or(0) as u64);
        w.u64(f.shared.size().unwrap_or(0));
        w.u64(f.view.disp as u64);
        representation(w, &f.view.representation);
        w.u64(f.position as u64);
        w.u8(f.atomic.into());
        w.size(f.errhandler);
        w.list(f.info.pairs.iter(), |w, (k, v)| (w.str(k), w.str(v)).0);
        w.u8(f.begun.is_some().into());
        if let Some(s) = &f.begun {
            status::write(w, s);
        }
    });
}

pub fn read(
    me: &RankState,
    r: &mut Reader,
    types: &mut impl Iterator<Item = RebuiltType>,
) -> Read<()> {
    let o = me.objects();
    o.file_errhandler = r.size()?;
    let list = r.list(|r| {
        let (handle, id, group) = (r.size()?, r.u32()?, read_group(me.objects(), r)?);
        let Some(rank) = group.rank_of(me.rank) else {
            return bad("a file of others");
        };
        let (path, amode) = (PathBuf::from(r.str()?), r.i32()?);
        if check_mode(amode).is_err() {
            return bad("a file's access mode");
        }
        let (pointer, size) = (r.disp()?, r.u64()?);
        let (disp, how, position) = (r.disp()?, read_representation(o, r)?, r.disp()?);
        let (Some(etype), Some(filetype)) = (types.next(), types.next()) else {
            return bad("the types of a file");
        };
        let Ok(view) = View::new(disp, etype.ty, filetype.ty, how) else {
            return bad("the view of a file");
        };
        let atomic = r.u8()? != 0;
        let errhandler = r.size()?;
        let pairs = r.list(|r| Ok((r.str()?, r.str()?)))?;
        let begun = match r.u8()? {
            0 => None,
            _ => Some(status::read(r)?),
        };
        let meetings = common(me.world()).meetings();
        let meeting = meetings.find(id, Registry::WHOLE, &group);
        let shared = meeting.file(|| Arc::new(Shared::new(path, amode)));
        let comm = Comm::own(id, group, rank, meeting);
        let file = MpiFile {
            keeper: Keeper::of(me, &comm),
            comm,
            shared,
            view,
            position,
            errhandler,
            atomic,
            info: Info { pairs },
            begun,
            size: Some(size),
        };
        file.set_pointer(me, pointer);
        Ok((handle, file))
    })?;
    for (handle, file) in list {
        if !me.objects().files.restore(handle, Box::new(file)) {
            return bad("a file's handle");
        }
    }
    Ok(())
}

fn representation(w: &mut Writer, how: &Representation) {
    match how {
        Representation::Native => w.u8(0),
        Representation::External32 => w.u8(1),
        Representation::Internal => w.u8(2),
        Representation::Registered(number, widths) => {
            w.u8(3);
            w.u32(*number as u32);
            let widths: Vec<_> = widths.iter().collect();
            w.list(widths.into_iter(), |w, (b, n)| {
                (w.u32(*b as u32), w.size(*n)).0
            });
        }
    }
}

fn read_representation(o: &Objects, r: &mut Reader) -> Read<Representation> {
    Ok(match r.u8()? {
        0 => Representation::Native,
        1 => Representation::External32,
        2 => Representation::Internal,
        3 => {
            let number = r.u32()? as usize;
            let width = |r: &mut Reader| match Basic::from_handle(r.u32()? as usize) {
                Some(b) => Ok((b, r.size()?)),
                None => bad("an unknown predefined datatype"),
            };
            let widths = r.list(width)?.into_iter().collect();
            if number >= o.representations.len() {
                return bad("a data representation");
            }
            Representation::Registered(number, widths)
        }
        _ => return bad("a data representation"),
    })
}

/// What the program has registered; in front of the files.
pub(crate) fn write_registered(o: &Objects, w: &mut Writer) {
    w.list(o.representations.iter(), |w, r| {
        w.str(&r.name);
        for v in [r.read, r.write, r.extent, r.extra_state] {
            w.size(v);
        }
        w.u8(r.wide.into());
    });
}

pub(crate) fn read_registered(o: &mut Objects, r: &mut Reader, ctx: &dyn LoadCtx) -> Read<()> {
    o.representations = r.list(|r| {
        Ok(Registered {
            name: r.str()?,
            read: function(r, ctx)?,
            write: function(r, ctx)?,
            extent: function(r, ctx)?,
            extra_state: value(r, ctx)?,
            wide: r.u8()? != 0,
        })
    })?;
    Ok(())
}

/// Opens the files of all ranks again; nothing else of the restart can fail any more.
pub fn open(world: &World) -> Result<(), String> {
    for me in world.ranks() {
        for f in me.objects().files.values_mut() {
            if let Some(size) = f.size.take() {
                f.shared.restore(size)?;
            }
        }
    }
    Ok(())
}

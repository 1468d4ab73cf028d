//! A rank's stack: its calls, with what is saved of each.

use pc3_runtime::format::meta::ShadowMeta;

use super::image::{Image, Object};

/// A call on the stack.
pub(super) struct Call<'a> {
    pub function: String,
    /// The function's; with a number if it is there more than once.
    pub name: String,
    pub text: String,
    /// What is alive at the point, and what lies on the shadow stack.
    pub records: [Option<Object<'a>>; 2],
}

/// One and the same call, several times.
pub(super) fn repeated(calls: &[Call]) -> String {
    match calls {
        [one] => one.text.clone(),
        many => format!("{} ({} times)", many[0].text, many.len()),
    }
}

/// Innermost first.
pub(super) fn calls<'a>(image: &Image<'a>) -> Vec<Call<'a>> {
    let program = &image.checkpoint.program;
    let meta = &image.rank.meta;
    let mut all: Vec<Call> = Vec::new();
    for (n, frame) in meta.frames.iter().enumerate() {
        let func = &program.funcs[frame.func as usize];
        let point = &func.points[frame.point as usize];
        let object = |base, ty, span| Object {
            name: format!("locals of {}", func.name),
            base,
            size: image.bytes(span).len() as u64,
            ty,
            bytes: image.bytes(span),
        };
        let here = |s: &&ShadowMeta| s.frame == Some(n as u64) && func.shadow == Some(s.ty);
        let shadow = meta.shadow.iter().find(here);
        let home = format!("{}:", point.file);
        let short = func.name.strip_prefix(&home).unwrap_or(&func.name);
        // A record is no object of the program: nothing points to it.
        let nowhere = u64::MAX - n as u64;
        all.push(Call {
            function: func.name.clone(),
            name: func.name.clone(),
            text: format!("{short} at {}:{}", point.file, point.line),
            records: [
                point.live.map(|ty| object(nowhere, ty, frame.live)),
                shadow.map(|s| object(s.addr, s.ty, s.data)),
            ],
        });
    }
    for n in 0..all.len() {
        let same = |c: &&Call| c.function == all[n].function;
        if all.iter().filter(same).count() > 1 {
            all[n].name = format!("{}#{}", all[n].function, all.len() - n);
        }
    }
    all
}

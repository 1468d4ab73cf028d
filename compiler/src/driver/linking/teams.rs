//! Libraries that run parts of a program on threads of their own: what they run is to have its rank's globals.

use std::path::PathBuf;

use crate::driver::options::Options;
use crate::driver::toolchain::Toolchain;
use crate::driver::trace::Trace;

/// Whose OpenMP a program has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Teams {
    Gcc,
    Clang,
}

impl Teams {
    /// Which library is linked?  By an option, or by its path, as CMake does.
    pub fn of(o: &Options, t: &Toolchain, taken: &Trace) -> Option<Teams> {
        let both = [(Teams::Clang, "omp"), (Teams::Gcc, "gomp")];
        let linked = both.into_iter().find(|(teams, name)| {
            let file = format!("lib{name}.");
            let asks = |w: &String| {
                w.starts_with("-fopenmp") && w != "-fopenmp-simd"
                    || w.starts_with("-ftree-parallelize-loops") && *teams == Teams::Gcc
                    || *w == format!("-l{name}")
                    || w.contains(&file)
            };
            let library = |f: &PathBuf| f.to_string_lossy().contains(&file);
            let linked = o.plain.iter().any(asks) || taken.files.iter().any(library);
            linked && (*teams == Teams::Clang) == t.is_clang()
        });
        linked.map(|(teams, _)| teams)
    }

    /// What pc3_rt.h calls it.
    pub fn number(self) -> u32 {
        match self {
            Teams::Gcc => 1,
            Teams::Clang => 2,
        }
    }

    /// Its functions that run a region on other threads: what takes their place is in pc3_rt.h.
    pub fn functions(self) -> &'static [&'static str] {
        match self {
            Teams::Gcc => &[
                "GOMP_parallel",
                "GOMP_parallel_reductions",
                "GOMP_parallel_sections",
                "GOMP_teams_reg",
                "GOMP_parallel_loop_static",
                "GOMP_parallel_loop_dynamic",
                "GOMP_parallel_loop_guided",
                "GOMP_parallel_loop_nonmonotonic_dynamic",
                "GOMP_parallel_loop_nonmonotonic_guided",
                "GOMP_parallel_loop_runtime",
                "GOMP_parallel_loop_nonmonotonic_runtime",
                "GOMP_parallel_loop_maybe_nonmonotonic_runtime",
            ],
            Teams::Clang => &["__kmpc_fork_call", "__kmpc_fork_teams"],
        }
    }
}

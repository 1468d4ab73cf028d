//! Jobs on two machines, which are network namespaces of this one: over each native MPI connections of others are no hindrance,
//! a lost link ends the job with one message, and the job goes on elsewhere.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{ensure, Context, Result};
use libtest_mimic::Trial;
use pc3_tests::arch::{self, HOST};
use pc3_tests::build;
use pc3_tests::clock;
use pc3_tests::program::Program;
use pc3_tests::run::Job;

use super::jobs::until;

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    let possible = Machines::new("probe");
    for mpi in ["openmpi", "mpich"] {
        match &possible {
            _ if !super::processes::has(mpi) => {
                println!("skipped machines::lost_link_{mpi}: no transport for {mpi}");
            }
            Err(why) => println!("skipped machines::lost_link_{mpi}: {why:#}"),
            Ok(_) => trials.push(clock::test(
                format!("machines::lost_link_{mpi}"),
                move || lost_link(mpi).map_err(|e| format!("{e:#}").into()),
            )),
        }
    }
    trials
}

/// Two network namespaces with a cable between them; gone, with all that runs there, when dropped.
struct Machines {
    names: [String; 2],
}

fn ip(words: &[&str]) -> Result<String> {
    let out = Command::new("ip")
        .args(words)
        .stdin(Stdio::null())
        .output()
        .context("no ip (iproute2)")?;
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    ensure!(
        out.status.success(),
        "ip {}: {}",
        words.join(" "),
        said.trim()
    );
    Ok(String::from_utf8_lossy(&out.stdout).into_owned())
}

impl Machines {
    fn new(what: &str) -> Result<Machines> {
        let number = std::process::id();
        let names = ["1", "2"].map(|n| format!("pc3-{number}-{what}-{n}"));
        let machines = Machines { names };
        let [first, second] = &machines.names;
        for name in [first, second] {
            ip(&["netns", "add", name])?;
            ip(&["-n", name, "link", "set", "lo", "up"])?;
        }
        let cable = ["type", "veth", "peer", "name", "cable2", "netns"];
        let ends = [
            &["link", "add", "name", "cable1", "netns", first],
            &cable[..],
        ]
        .concat();
        ip(&[&ends[..], &[second]].concat())?;
        for (name, n) in [(first, 1), (second, 2)] {
            let (cable, address) = (format!("cable{n}"), format!("10.77.0.{n}/24"));
            let ip = |words: &[&str]| ip(&[&["-n", name], words].concat());
            // Addresses that the kernel gives itself are of no use for some time.
            ip(&["link", "set", &cable, "addrgenmode", "none"])?;
            ip(&["addr", "add", &address, "dev", &cable])?;
            ip(&["link", "set", &cable, "up"])?;
        }
        Ok(machines)
    }

    fn ready(&self) -> Result<()> {
        // The kernel takes a second to find the cable plugged in, and MPICH takes it for unplugged until then.
        for (name, cable) in self.names.iter().zip(["cable1", "cable2"]) {
            let ready = || {
                ip(&["-n", name, "link", "show", "dev", cable])
                    .is_ok_and(|said| said.contains("state UP"))
            };
            until(ready, "the cable")?;
        }
        Ok(())
    }

    /// Connects to whatever listens on the first machine, and says nothing.
    fn visit(&self) -> Result<Child> {
        let visits = "for port in $(ss -ltnH | awk '{print $4}' | sed 's/.*://' | sort -u); do \
                      exec {fd}<>/dev/tcp/10.77.0.1/$port; done; exec sleep 60";
        let child = Command::new("ip")
            .args(["netns", "exec", &self.names[0], "bash", "-c", visits])
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(child)
    }

    fn cut(&self) -> Result<()> {
        ip(&["-n", &self.names[1], "link", "set", "cable2", "down"]).map(drop)
    }

    /// A script that runs a command on the machine with an address, as `ssh` would.
    fn shell(&self, folder: &Path) -> Result<PathBuf> {
        let path = folder.join("remote-shell");
        let text = format!(
            "#!/bin/sh\n\
             while [ \"${{1#-}}\" != \"$1\" ]; do shift; done\n\
             case $1 in *.1) name={};; *) name={};; esac\n\
             shift\n\
             exec ip netns exec $name unshare -u sh -c \"echo $name > /proc/sys/kernel/hostname; $*\"\n",
            self.names[0], self.names[1]
        );
        fs::write(&path, text)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
        Ok(path)
    }
}

impl Drop for Machines {
    fn drop(&mut self) {
        for name in &self.names {
            let pids = ip(&["netns", "pids", name]).unwrap_or_default();
            for pid in pids
                .split_whitespace()
                .filter_map(|p| p.parse::<i32>().ok())
            {
                // SAFETY: a signal to what we have started there.
                unsafe { libc::kill(pid, libc::SIGKILL) };
            }
            let _ = ip(&["netns", "del", name]);
        }
    }
}

/// The number of the newest checkpoint, 0 if there is none.
fn newest(job: &Job) -> u32 {
    let number = |path: &PathBuf| {
        let name = path.file_stem()?.to_str()?;
        name.strip_prefix("ckpt-")?.parse().ok()
    };
    job.checkpoint_files().last().and_then(number).unwrap_or(0)
}

fn lost_link(mpi: &str) -> Result<()> {
    let p = Program::load(&arch::root().join("tests/data/stays.c"))?;
    let exe = build::instrumented(&p, HOST)?;
    let mut job = Job::new(&p)?;
    job.limit = Duration::from_secs(120);
    let machines = Machines::new(mpi)?;
    machines.ready()?;
    let shell = machines.shell(job.dir.path())?.display().to_string();
    let dist = arch::dist();
    let pc3run = dist.join("bin/pc3run").display().to_string();
    let name = &machines.names[0];
    let there = format!("echo {name} > /proc/sys/kernel/hostname; exec \"$0\" \"$@\"");
    let launcher = [
        &[
            "ip", "netns", "exec", name, "unshare", "-u", "sh", "-c", &there, &pc3run,
        ][..],
        &[
            "-p",
            "2",
            "-w",
            "1",
            "--mpi",
            mpi,
            "--hosts",
            "10.77.0.1,10.77.0.2",
        ],
    ]
    .concat();
    let env = [
        ("PC3_EVERY", "100ms"),
        ("PC3_SILENCE", "15s"),
        ("OMPI_MCA_plm_rsh_agent", &*shell),
        ("HYDRA_LAUNCHER", "ssh"),
        ("HYDRA_LAUNCHER_EXEC", &*shell),
        // By the cable, not through the memory that these machines have in common.
        ("OMPI_MCA_pml", "ob1"),
        ("OMPI_MCA_btl", "self,tcp"),
        ("UCX_TLS", "tcp,self"),
    ];
    // By one of them the job goes on by itself on the machine that is left.
    let respawns = mpi == "openmpi";
    let launcher = match respawns {
        true => [&launcher[..], &["--respawn", "1"]].concat(),
        false => launcher,
    };
    let mut child = job.start_by(&launcher, HOST, &exe, &env)?;
    let mut ended = false;
    let mut reached = |number: u32| {
        let reached = || {
            ended = child.try_wait().is_ok_and(|s| s.is_some());
            ended || newest(&job) >= number
        };
        until(reached, "a checkpoint")
    };
    let begun = reached(3);
    // Whoever connects to a rank's port does not keep it from going on.
    let mut visitor = machines.visit()?;
    let visited = begun.and_then(|()| reached(newest(&job) + 4));
    let cut = visited.and_then(|()| machines.cut());
    if respawns && cut.is_ok() {
        let goes_on = || {
            job.stderr()
                .contains("goes on by itself in 2 processes on 10.77.0.1;")
        };
        until(goes_on, "going on by itself")?;
        fs::write(job.dir.path().join("enough"), "")?;
    }
    let done = job.finish(child)?;
    visitor.kill()?;
    visitor.wait()?;
    cut.with_context(|| format!("{done:?}"))?;
    ensure!(!ended, "it ended too early: {done:?}");
    ensure!(done.status == if respawns { 0 } else { 92 }, "{done:?}");
    let ours = done.stderr.lines().filter(|l| l.starts_with("pc3: "));
    let ours: Vec<&str> = ours.collect();
    ensure!(
        ours.len() == 1
            && ours[0].contains("process 1 of 2 (ranks 2-3) is out of reach")
            && ours[0].contains("the newest good checkpoint is"),
        "{done:?}"
    );
    drop(machines);
    fs::write(job.dir.path().join("enough"), "")?;
    let done = match respawns {
        true => done,
        false => job.run(HOST, &exe, &[("PC3_RESTART", "latest")])?,
    };
    let out = String::from_utf8_lossy(&job.stdout()).into_owned();
    ensure!(
        done.status == 0 && out.ends_with("6 each round\n"),
        "{out}{done:?}"
    );
    Ok(())
}

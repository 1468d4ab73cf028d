//! What rust-analyzer tells of checkpointable functions (`tests/editor`): types, hints and completions are those of the program
//! without the attributes.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{channel, RecvTimeoutError, Sender};
use std::time::Duration;

use anyhow::{bail, ensure, Context, Result};
use libtest_mimic::Trial;
use pc3_tests::arch;
use pc3_tests::clock;
use serde_json::{json, Value};

/// Far more than it takes, so that a server that hangs ends.
const LIMIT: Duration = Duration::from_secs(900);
const HERE: &str = "/*^*/";

pub fn trials() -> Vec<Trial> {
    vec![clock::test("rust::editor", || {
        editor().map_err(|e| format!("{e:#}").into())
    })]
}

fn editor() -> Result<()> {
    let there = Command::new("rust-analyzer")
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    let sysroot = Command::new("rustc")
        .args(["--print", "sysroot"])
        .output()?;
    let sysroot = PathBuf::from(String::from_utf8(sysroot.stdout)?.trim());
    let sources = sysroot.join("lib/rustlib/src/rust/library").is_dir();
    if !sources || !there.is_ok_and(|s| s.success()) {
        println!("skipped: rust::editor (rustup component add rust-analyzer rust-src)");
        return Ok(());
    }
    let text = std::fs::read_to_string(arch::root().join("tests/editor/program.rs"))?;
    let plain = text
        .replace("#[checkpointable]", &" ".repeat(17))
        .replace("#[pc3::main]", &" ".repeat(12))
        .replace("checkpoint!();", "();           ")
        .replace("ck!(", "   (");
    let ours = told("ours", &text)?;
    let plain = told("plain", &plain)?;
    ensure!(
        plain.hints.len() > 20 && plain.hovers.len() > 100 && plain.completions.len() > 2,
        "the server says too little: {} hints",
        plain.hints.len()
    );
    let mut wrong = Vec::new();
    for (at, hint) in &plain.hints {
        // In a macro's call no server names parameters.
        let in_call = hint.ends_with(':') && line(&text, at.0).contains("ck!(");
        if !in_call && ours.hints.get(at) != Some(hint) {
            wrong.push(format!(
                "{at:?}: {:?} instead of {hint:?}",
                ours.hints.get(at)
            ));
        }
    }
    for (at, hint) in &ours.hints {
        if !plain.hints.contains_key(at) {
            wrong.push(format!("{at:?}: {hint:?} is shown"));
        }
    }
    for (at, hover) in &plain.hovers {
        // Nor says it anything of literals there.
        let of_literal = hover.contains("value of literal");
        if !of_literal && ours.hovers.get(at) != Some(hover) {
            wrong.push(format!(
                "{at:?}: {:?} instead of {hover:?}",
                ours.hovers.get(at)
            ));
        }
    }
    for (at, list) in &plain.completions {
        ensure!(list.len() > 5, "{at:?}: {list:?}");
        if ours.completions.get(at) != Some(list) {
            wrong.push(format!("{at:?}: completed otherwise"));
        }
    }
    if ours.diagnostics != plain.diagnostics {
        wrong.push(format!("{:?}", ours.diagnostics));
    }
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

fn line(text: &str, n: u64) -> &str {
    text.lines().nth(n as usize).unwrap_or_default()
}

type At = (u64, u64);

/// By line and column.
struct Told {
    hints: BTreeMap<At, String>,
    hovers: BTreeMap<At, String>,
    completions: BTreeMap<At, Vec<String>>,
    diagnostics: Vec<String>,
}

fn told(form: &str, text: &str) -> Result<Told> {
    let dir = arch::target_dir().join("rustgen");
    // Of the same name, which is shown.
    let package = dir.join("editor").join(form);
    std::fs::create_dir_all(package.join("src"))?;
    super::rust::manifest(&package, "editor")?;
    let file = package.join("src/main.rs");
    std::fs::write(&file, text)?;
    let mut server = Server::start(&package, &dir.join("target"))?;
    let document = json!({ "uri": uri(&file) });
    server.notify(
        "textDocument/didOpen",
        json!({ "textDocument": { "uri": uri(&file), "languageId": "rust", "version": 1, "text": text } }),
    )?;
    server.settle()?;
    let end = json!({ "line": text.lines().count() - 1, "character": 0 });
    let hints = server.ask(
        "textDocument/inlayHint",
        json!({ "textDocument": document, "range": { "start": { "line": 0, "character": 0 }, "end": end } }),
    )?;
    let mut told = Told {
        hints: hints
            .as_array()
            .context("hints")?
            .iter()
            .filter_map(hint)
            .collect(),
        hovers: BTreeMap::new(),
        completions: BTreeMap::new(),
        diagnostics: Vec::new(),
    };
    for (n, line) in text.lines().enumerate() {
        let at = |column: usize| json!({ "textDocument": document, "position": { "line": n, "character": column } });
        for column in names(line) {
            let v = server.ask("textDocument/hover", at(column))?;
            if let Some(text) = v["contents"]["value"].as_str() {
                told.hovers
                    .insert((n as u64, column as u64), text.to_owned());
            }
        }
        if let Some(column) = line.find(HERE).filter(|_| !line.starts_with("//")) {
            let v = server.ask("textDocument/completion", at(column))?;
            let list = v["items"]
                .as_array()
                .or(v.as_array())
                .context("completions")?;
            let mut list: Vec<String> = list.iter().map(|i| i["label"].to_string()).collect();
            list.sort();
            told.completions.insert((n as u64, column as u64), list);
        }
    }
    let v = server.ask(
        "textDocument/diagnostic",
        json!({ "textDocument": document }),
    )?;
    let list = v["items"].as_array().context("diagnostics")?;
    told.diagnostics = list
        .iter()
        .map(|d| format!("{} {}", d["range"], d["message"]))
        .collect();
    Ok(told)
}

fn hint(v: &Value) -> Option<(At, String)> {
    let at = &v["position"];
    let text = match &v["label"] {
        Value::String(s) => s.clone(),
        parts => parts
            .as_array()?
            .iter()
            .filter_map(|p| p["value"].as_str())
            .collect(),
    };
    Some(((at["line"].as_u64()?, at["character"].as_u64()?), text))
}

/// Where names begin in a line of code.
fn names(line: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut inside = line.trim_start().starts_with("//");
    for (i, c) in line.char_indices() {
        let word = c.is_ascii_alphanumeric() || c == '_';
        if word && !inside && !c.is_ascii_digit() {
            found.push(i);
        }
        inside = word || line.trim_start().starts_with("//");
    }
    found
}

fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

struct Server {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    asked: u64,
    settled: bool,
    /// As long as it is there, the server may take too long.
    _alive: Sender<()>,
}

impl Server {
    fn start(package: &Path, target: &PathBuf) -> Result<Server> {
        // It may have to fetch what the standard library itself depends on.
        let mut c = Command::new("rust-analyzer");
        c.current_dir(package).env("CARGO_TARGET_DIR", target);
        c.stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = c.spawn().context("rust-analyzer")?;
        let (alive, watched) = channel();
        let (to, from) = (child.stdin.take(), child.stdout.take());
        let mut server = Server {
            to: to.context("its input")?,
            from: BufReader::new(from.context("its output")?),
            asked: 0,
            settled: false,
            child,
            _alive: alive,
        };
        let id = server.child.id().to_string();
        std::thread::spawn(move || {
            if watched.recv_timeout(LIMIT) == Err(RecvTimeoutError::Timeout) {
                let _ = Command::new("kill").args(["-9", &id]).status();
            }
        });
        server.ask(
            "initialize",
            json!({
                "processId": null,
                "rootUri": uri(package),
                "capabilities": {
                    "experimental": { "serverStatusNotification": true },
                    "textDocument": { "hover": { "contentFormat": ["plaintext"] }, "diagnostic": {} },
                },
                "initializationOptions": { "cachePriming": { "enable": false }, "checkOnSave": false },
            }),
        )?;
        server.notify("initialized", json!({}))?;
        Ok(server)
    }

    fn send(&mut self, mut message: Value) -> Result<()> {
        message["jsonrpc"] = "2.0".into();
        let text = message.to_string();
        write!(self.to, "Content-Length: {}\r\n\r\n{text}", text.len())?;
        Ok(self.to.flush()?)
    }

    fn notify(&mut self, method: &str, params: Value) -> Result<()> {
        self.send(json!({ "method": method, "params": params }))
    }

    /// The next message; what the server asks is answered by nothing.
    fn receive(&mut self) -> Result<Value> {
        let mut length = 0;
        loop {
            let mut head = String::new();
            ensure!(
                self.from.read_line(&mut head)? > 0,
                "rust-analyzer has ended"
            );
            match head.trim().strip_prefix("Content-Length: ") {
                Some(n) => length = n.parse()?,
                None if head.trim().is_empty() => break,
                None => {}
            }
        }
        let mut text = vec![0; length];
        self.from.read_exact(&mut text)?;
        let message: Value = serde_json::from_slice(&text)?;
        if message["method"] == "experimental/serverStatus" {
            self.settled = message["params"]["quiescent"] == true;
        } else if message["method"].is_string() && !message["id"].is_null() {
            self.send(json!({ "id": message["id"], "result": null }))?;
        }
        Ok(message)
    }

    /// Until it has read the program.
    fn settle(&mut self) -> Result<()> {
        while !self.settled {
            self.receive()?;
        }
        Ok(())
    }

    fn ask(&mut self, method: &str, params: Value) -> Result<Value> {
        loop {
            self.asked += 1;
            let id = self.asked;
            self.send(json!({ "id": id, "method": method, "params": params }))?;
            let mut answer = loop {
                let message = self.receive()?;
                if message["id"] == id && !message["method"].is_string() {
                    break message;
                }
            };
            match answer["error"]["code"].as_i64() {
                None => return Ok(answer["result"].take()),
                // The program changed meanwhile, as far as the server knows.
                Some(-32802..=-32800) => {}
                Some(_) => bail!("{method}: {}", answer["error"]),
            }
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

//! `#pragma pack` where a definition stands that moves out of its function: it moves with it.

use pc3_syntax::tree::*;

/// What holds from each place of a unit where it changes: the alignment that members have at most;
/// None: as the ABI has it.
pub(crate) struct Packing(Vec<(u32, Option<u32>)>);

impl Packing {
    pub(crate) fn of(text: &str) -> Packing {
        let mut now = None;
        let mut changes = Vec::new();
        // With the names that they were pushed under.
        let mut stack: Vec<(Option<&str>, Option<u32>)> = Vec::new();
        let lines = text
            .contains("pragma pack")
            .then(|| text.split_inclusive('\n'));
        let mut end = 0;
        for line in lines.into_iter().flatten() {
            end += line.len();
            let Some(words) = words(line) else { continue };
            let number = words.iter().find_map(|w| w.parse().ok());
            let name = words.iter().skip(1).find(|w| w.parse::<u32>().is_err());
            match words.first() {
                Some(&"push") => stack.push((name.copied(), now)),
                Some(&"pop") => {
                    let to = match name {
                        Some(name) => stack.iter().rposition(|(n, _)| *n == Some(*name)),
                        None => stack.len().checked_sub(1),
                    };
                    if let Some(to) = to {
                        now = stack[to].1;
                        stack.truncate(to);
                    }
                }
                Some(_) if number.is_none() => continue,
                _ => now = None,
            }
            if let Some(n) = number {
                now = Some(n).filter(|n| *n > 0);
            }
            changes.push((end as u32, now));
        }
        Packing(changes)
    }

    fn at(&self, place: u32) -> Option<u32> {
        let next = self.0.partition_point(|(since, _)| *since <= place);
        self.0[..next].last()?.1
    }

    /// A definition from `span` at the file's scope in front of function `f`, with the packing that it has.
    pub(crate) fn keep(&self, u: &Unit, f: FuncId, span: &Span, definition: String) -> String {
        if self.0.is_empty() {
            return definition;
        }
        let own = self.at(span.start);
        match own == self.at(behind(u, u.func(f).span.start)) {
            true => definition,
            false => {
                let own = own.map_or(String::new(), |n| n.to_string());
                format!(
                    "\n#pragma pack(push)\n#pragma pack({own})\n{definition}\n#pragma pack(pop)\n"
                )
            }
        }
    }
}

/// Where the item in front of what begins at `start` ends: what moves out of it is put there.
fn behind(u: &Unit, start: u32) -> u32 {
    let ends = u.items.iter().map(|item| match item {
        TopItem::Decl(d) => d.span.end,
        TopItem::Function(f) => u.func(*f).span.end,
        TopItem::Other(s) => s.end,
    });
    ends.filter(|end| *end <= start).max().unwrap_or(0)
}

/// What stands in the parentheses of such a line.
fn words(line: &str) -> Option<Vec<&str>> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("pragma")?.trim_start();
    let rest = rest.strip_prefix("pack")?.trim_start().strip_prefix('(')?;
    let list = rest.split(')').next()?.split(',').map(str::trim);
    Some(list.filter(|w| !w.is_empty()).collect())
}

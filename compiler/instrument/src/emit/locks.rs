//! What threads wait for each other with, which lies in memory of the program: described by what it means, since its
//! layout is the C library's, and so that a restart makes one that is held its own thread's.

use super::types::{Field, TypeTable};
use pc3_typemetric::descriptor::*;

impl TypeTable<'_, '_> {
    /// The parts of one, whose C type is `c`.
    pub(super) fn lock(&mut self, name: &str, c: &str) -> Vec<Field> {
        let wide = self.cx.u.target.pointer_bits == 64;
        let at = |narrow: usize, wider: usize| if wide { wider } else { narrow }.to_string();
        match name {
            "pthread_mutex_t" | "mtx_t" => vec![
                self.number("lock", "0".into()),
                self.number("count", "4".into()),
                self.thread("owner", "8".into()),
                self.number("users", at(16, 12)),
                self.number("kind", at(12, 16)),
            ],
            "pthread_rwlock_t" => {
                let part = |n: &str| format!("__builtin_offsetof({c}, __data.__{n})");
                let flags = format!("__typeof__((({c} *)0)->__data.__flags)");
                let flags = self.scalar(PC3_KIND_UINT, 0, &flags);
                vec![
                    self.number("readers", part("readers")),
                    self.number("writers", part("writers")),
                    self.number("phase", part("wrphase_futex")),
                    self.number("turn", part("writers_futex")),
                    self.thread("writer", part("cur_writer")),
                    field("flags", flags, part("flags")),
                ]
            }
            // Nobody waits: all else is as it was made.
            "pthread_cond_t" => {
                let at = format!("__builtin_offsetof({c}, __data.__wrefs)");
                vec![self.number("flags", at)]
            }
            "pthread_barrier_t" => ["in", "round", "count", "shared", "out"]
                .iter()
                .enumerate()
                .map(|(i, n)| self.number(n, (4 * i).to_string()))
                .collect(),
            "sem_t" => {
                let image = format!("pc3_bits_sem_{}", self.len());
                // Where the library has room for it, it counts who waits in the other half of a long number; else, in a bit, if
                // anybody does.
                let bits = if wide { "0x7fffffffUL" } else { "0xfffffffeUL" };
                self.support += &format!(
                    "static const union {{ {c} v; unsigned long w; unsigned char b[sizeof({c})]; }} {image} = {{ .w = {bits} }};\n"
                );
                let ty = self.scalar(PC3_KIND_UINT, 0, "unsigned long");
                let value = Field {
                    bits: Some(format!("{image}.b")),
                    ..field("value", ty, "0".into())
                };
                vec![value, self.number("shared", at(4, 8))]
            }
            "pthread_rwlockattr_t" => vec![
                self.number("kind", "0".into()),
                self.number("shared", "4".into()),
            ],
            "cnd_t" => Vec::new(),
            _ => vec![self.number("all", "0".into())],
        }
    }

    fn number(&mut self, name: &str, offset: String) -> Field {
        field(name, self.scalar(PC3_KIND_UINT, 0, "unsigned"), offset)
    }

    /// The system's number of the thread that holds it.
    fn thread(&mut self, name: &str, offset: String) -> Field {
        let key = "thread";
        let ty = match self.named.get(key) {
            Some(k) => *k,
            None => {
                let k = self.add(format!(
                    "{{0, {PC3_KIND_HANDLE}, 0, __alignof__(int), sizeof(int), 0, 0, 0, \"{key}\"}}"
                ));
                self.named.insert(key.into(), k);
                k
            }
        };
        field(name, ty, offset)
    }
}

fn field(name: &str, ty: usize, offset: String) -> Field {
    Field {
        name: name.into(),
        ty,
        offset,
        bits: None,
        choice: None,
    }
}

//! Info objects (MPI 3.1 chapter 9): ordered keys and values.  No key means anything to us.

use crate::error::{fail, Class, Result};

pub const MAX_KEY: usize = 256;
pub const MAX_VALUE: usize = 1024;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Info {
    pub pairs: Vec<(String, String)>,
}

impl Info {
    pub fn set(&mut self, key: &str, value: &str) -> Result<()> {
        if key.is_empty() || key.len() >= MAX_KEY {
            return fail(
                Class::ERR_INFO_KEY,
                "an info key must have 1 to 255 characters",
            );
        }
        if value.len() >= MAX_VALUE {
            return fail(
                Class::ERR_INFO_VALUE,
                "an info value must have less than 1024 characters",
            );
        }
        match self.pairs.iter_mut().find(|p| p.0 == key) {
            Some(p) => p.1 = value.to_string(),
            None => self.pairs.push((key.to_string(), value.to_string())),
        }
        Ok(())
    }

    pub fn get(&self, key: &str) -> Option<&str> {
        self.pairs.iter().find(|p| p.0 == key).map(|p| p.1.as_str())
    }

    pub fn delete(&mut self, key: &str) -> Result<()> {
        match self.pairs.iter().position(|p| p.0 == key) {
            Some(i) => {
                self.pairs.remove(i);
                Ok(())
            }
            None => fail(Class::ERR_INFO_NOKEY, format!("no key {key:?}")),
        }
    }
}

//! Section `Birth`: what a rank begins with that others have spawned, and that has not begun.

use std::ffi::CString;

use super::bytes::{DecodeError, Decoder, Encoder};
use super::meta::Result;

/// Of its `main`, the program's name first.
pub fn encode(arguments: &[CString]) -> Vec<u8> {
    let mut e = Encoder::default();
    e.len(arguments.len());
    arguments.iter().for_each(|a| e.bytes(a.as_bytes()));
    e.0
}

pub fn decode(bytes: &[u8]) -> Result<Box<[CString]>> {
    let mut d = Decoder::new(bytes, "what a rank begins with");
    let list = d.list(8, |d| {
        let one = CString::new(d.bytes()?);
        one.map_err(|_| DecodeError::Invalid("an argument"))
    })?;
    d.end()?;
    Ok(list.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_read_as_they_were_written() {
        let list = [c"./farm".to_owned(), c"".to_owned(), c"\xff 7".to_owned()];
        let mut bytes = encode(&list);
        assert_eq!(decode(&bytes).as_deref(), Ok(&list[..]));
        bytes.pop();
        assert!(decode(&bytes).is_err());
        *bytes.last_mut().expect("not empty") = 0;
        bytes.push(b'7');
        assert!(decode(&bytes).is_err(), "an argument with a 0 in it");
    }
}

//! Sizes and times as a person reads them.

use std::time::Duration;

use pc3_runtime::format::file::Section;
use pc3_runtime::format::sections::Sections;

pub fn bytes(n: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = n as f64;
    let mut unit = 0;
    while value >= 1023.95 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 {
        format!("{n} B")
    } else {
        format!("{value:.1} {}", UNITS[unit])
    }
}

/// What has been written for a checkpoint, and of how much if that need not be all.
pub(crate) fn written(sections: &Sections) -> String {
    let written = bytes(sections.size());
    match (sections.find(Section::Packs, 0), sections.data()) {
        (Some(_), Ok(data)) => format!("{written} for {} of data", bytes(data)),
        _ => written,
    }
}

pub fn duration(d: Duration) -> String {
    let s = d.as_secs();
    match s {
        0 if d.as_millis() < 1000 && d.subsec_millis() > 0 => format!("{} ms", d.as_millis()),
        0 => format!("{} µs", d.as_micros()),
        1..60 => format!("{s} s"),
        60..3600 => format!("{} min", s / 60),
        3600..172_800 => format!("{} h {} min", s / 3600, s / 60 % 60),
        _ => format!("{} days", s / 86_400),
    }
}

/// Nanoseconds since 1970 as `2026-11-21 00:53:48` UTC.
pub(crate) fn utc(nanoseconds: u64) -> String {
    let seconds = nanoseconds / 1_000_000_000;
    let (days, of_day) = (seconds / 86_400, seconds % 86_400);
    // Years are counted from March 0000, so that leap days come last; 146,097 days are 400 years.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (year, month) = match month {
        0..10 => (era * 400 + year, month + 3),
        _ => (era * 400 + year + 1, month - 9),
    };
    let (h, m, s) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    format!("{year:04}-{month:02}-{day:02} {h:02}:{m:02}:{s:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        let check = |seconds: u64, expect: &str| assert_eq!(utc(seconds * 1_000_000_000), expect);
        check(0, "1970-01-01 00:00:00");
        check(951_782_399, "2000-02-28 23:59:59");
        check(951_782_400, "2000-02-29 00:00:00");
        check(951_868_800, "2000-03-01 00:00:00");
        check(4_107_542_399, "2100-02-28 23:59:59");
        check(4_107_542_400, "2100-03-01 00:00:00");
        check(1_798_761_599, "2026-12-31 23:59:59");
    }

    #[test]
    fn sizes_and_times() {
        for (n, expect) in [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1.0 KiB"),
            (1_048_575, "1.0 MiB"),
            (3 << 40, "3.0 TiB"),
        ] {
            assert_eq!(bytes(n), expect);
        }
        for (ms, expect) in [
            (0, "0 µs"),
            (7, "7 ms"),
            (1500, "1 s"),
            (61_000, "1 min"),
            (3_700_000, "1 h 1 min"),
        ] {
            assert_eq!(duration(Duration::from_millis(ms)), expect);
        }
    }
}

//! Dates and times of the crate `chrono`: numbers from which they are made again.

use chrono::{
    DateTime, Datelike, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Timelike, Utc,
};

use crate::value::load::{LoadError, Loading, View};
use crate::value::save::Saver;
use crate::value::types::{layout, TypeId, Types};
use crate::value::Checkpointable;

/// Seconds, or days, and what is left of one.
type Parts = (i64, u32);

macro_rules! dates {
    ($($t:ty, $name:literal, $parts:expr, $make:expr;)*) => {$(
        impl Checkpointable for $t {
            const SIZE: u64 = Parts::SIZE;
            const ALIGN: u64 = Parts::ALIGN;
            const FLAT: bool = true;

            fn describe(types: &mut Types) -> TypeId {
                let (whole, rest) = (i64::describe(types), u32::describe(types));
                let [_, at] = layout::<2>([(8, 8), (4, 4)]).offsets;
                types.record::<Self>($name.to_owned(), |_| vec![("whole".to_owned(), whole, 0), ("rest".to_owned(), rest, at)])
            }
            fn save<'a>(&'a self, out: &mut Saver<'a>, at: usize) {
                let parts: fn(&Self) -> Parts = $parts;
                let (whole, rest) = parts(self);
                out.put(at, &whole.to_ne_bytes());
                out.put(at + 8, &rest.to_ne_bytes());
            }
            fn load(from: &Loading, value: View) -> Result<Self, LoadError> {
                let members = from.members::<Self>(value, $name)?;
                let make: fn(Parts) -> Option<Self> = $make;
                make((members.load("whole")?, members.load("rest")?)).ok_or_else(|| value.not::<Self>(from))
            }
        }
    )*};
}

fn date(days: i64) -> Option<NaiveDate> {
    NaiveDate::from_num_days_from_ce_opt(i32::try_from(days).ok()?)
}

/// Which seconds may be leap seconds is not asked here: a program may have made any of them one.
fn time(seconds: i64, nanoseconds: u32) -> Option<NaiveTime> {
    let whole = NaiveTime::from_num_seconds_from_midnight_opt(u32::try_from(seconds).ok()?, 0)?;
    whole.with_nanosecond(nanoseconds)
}

/// Since the beginning of the year 1; a leap second is more than a whole one of the second in front of it.
fn moment(seconds: i64, nanoseconds: u32) -> Option<NaiveDateTime> {
    let at = time(seconds.rem_euclid(86_400), nanoseconds)?;
    Some(date(seconds.div_euclid(86_400))?.and_time(at))
}

fn seconds(at: &NaiveDateTime) -> Parts {
    let days = i64::from(at.num_days_from_ce());
    (
        days * 86_400 + i64::from(at.num_seconds_from_midnight()),
        at.nanosecond(),
    )
}

dates! {
    NaiveDate, "NaiveDate", |d| (d.num_days_from_ce().into(), 0), |(days, _)| date(days);
    NaiveTime, "NaiveTime", |t| (t.num_seconds_from_midnight().into(), t.nanosecond()), |(s, n)| time(s, n);
    NaiveDateTime, "NaiveDateTime", seconds, |(s, n)| moment(s, n);
    DateTime<Utc>, "DateTime<Utc>", |t| seconds(&t.naive_utc()), |(s, n)| Some(moment(s, n)?.and_utc());
    FixedOffset, "FixedOffset", |o| (o.local_minus_utc().into(), 0), |(s, _)| FixedOffset::east_opt(i32::try_from(s).ok()?);
    TimeDelta, "TimeDelta", span, |(s, n)| TimeDelta::new(s, n);
}

fn span(d: &TimeDelta) -> Parts {
    let nanoseconds = d.subsec_nanos();
    // The parts of a negative one are negative.
    let (whole, rest) = (d.num_seconds(), nanoseconds);
    match u32::try_from(rest) {
        Ok(rest) => (whole, rest),
        Err(_) => (whole - 1, (1_000_000_000 + rest) as u32),
    }
}

impl Checkpointable for DateTime<FixedOffset> {
    const SIZE: u64 = <(NaiveDateTime, FixedOffset)>::SIZE;
    const ALIGN: u64 = <(NaiveDateTime, FixedOffset)>::ALIGN;

    fn describe(types: &mut Types) -> TypeId {
        let (at, offset) = (NaiveDateTime::describe(types), FixedOffset::describe(types));
        types.record::<Self>("DateTime<FixedOffset>".to_owned(), |_| {
            vec![
                ("at".to_owned(), at, 0),
                ("offset".to_owned(), offset, Parts::SIZE),
            ]
        })
    }
    fn save<'a>(&'a self, out: &mut Saver<'a>, at: usize) {
        for (i, (whole, rest)) in [
            seconds(&self.naive_utc()),
            (self.offset().local_minus_utc().into(), 0),
        ]
        .into_iter()
        .enumerate()
        {
            out.put(at + i * Parts::SIZE as usize, &whole.to_ne_bytes());
            out.put(at + i * Parts::SIZE as usize + 8, &rest.to_ne_bytes());
        }
    }
    fn load(from: &Loading, value: View) -> Result<Self, LoadError> {
        let members = from.members::<Self>(value, "DateTime<FixedOffset>")?;
        let (at, offset): (NaiveDateTime, FixedOffset) =
            (members.load("at")?, members.load("offset")?);
        Ok(at.and_utc().with_timezone(&offset))
    }
}

//! The rules that can be taken away one by one, to see that a harness notices.

macro_rules! rules {
    ($rules:ident: $($(#[$doc:meta])* $name:ident,)*) => {
        /// Which rules hold.  All do, unless the feature `mutants` lets a harness take one away.
        #[derive(Clone, Copy, PartialEq, Eq, Hash)]
        pub struct $rules { $($(#[$doc])* $name: bool,)* }

        /// Those that are missing.
        impl std::fmt::Debug for $rules {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let all = [$((stringify!($name), self.$name)),*];
                let missing = all.iter().filter(|r| !r.1).map(|r| r.0);
                write!(f, "all")?;
                missing.fold(Ok(()), |r, name| r.and_then(|()| write!(f, " but {name}")))
            }
        }

        impl Default for $rules {
            fn default() -> $rules { $rules { $($name: true,)* } }
        }

        impl $rules {
            $(#[inline]
            pub fn $name(&self) -> bool { !cfg!(feature = "mutants") || self.$name })*

            /// Every set of rules in which one is missing, and that one's name.
            #[cfg(feature = "mutants")]
            pub fn each_broken() -> Vec<(&'static str, $rules)> {
                vec![$((stringify!($name), $rules { $name: false, ..$rules::default() }),)*]
            }
        }
    };
}

pub(crate) use rules;

rules! {
    Rules:
    /// What was sent before the line and arrives behind it belongs to the checkpoint.
    late_is_recorded,
    /// What was sent behind the line and received before it is not sent again.
    early_is_suppressed,
    /// What was printed behind its rank's line and in front of the last one is not printed again.
    printed_is_left_out,
    /// What has arrived from behind the line but was not received is not part of the checkpoint.
    unreceived_early_is_left_out,
    /// Unless a probe has seen it: then it is part of the checkpoint, and is not sent again.
    seen_is_kept,
    /// Which message a receive got is logged.
    matches_are_logged,
    /// What tests, probes, clocks and random sources said is logged.
    outcomes_are_logged,
    /// Who hears from a rank that does not log any more stops before it uses that.
    logging_stops_at_the_unlogged,
    /// Results of collectives that cross the line are logged behind it.
    crossing_results_are_logged,
    /// Results of collectives entered before the line and pending at it are recorded.
    pending_results_are_recorded,
    /// An epoch is not complete before everything sent before the line has arrived.
    messages_are_counted,
    /// Logs are closed only when all have taken their checkpoints.
    logs_stay_open_for_all,
    /// An epoch is not given up before all have left the one before.
    all_are_there_first,
    /// No epoch begins while logs are replayed.
    replay_ends_first,
    /// Pending collectives that all members entered in time are waited for.
    pending_are_awaited,
    /// A rank hears of an epoch when nothing can come to it any more that was sent while nobody counted.
    uncounted_have_arrived,
    /// Whoever spawns a rank behind its line logs that, and the rank is in the checkpoint as one that is yet to begin.
    births_are_logged,
    /// A spawned rank begins on the side of the line on which the root of its spawn is.
    spawned_begin_beside_their_root,
    /// An epoch waits for the lines of ranks that are spawned before that of their root.
    spawned_are_waited_for,
    /// A rank that is yet to begin does so when its root spawns it again.
    spawned_wait_for_their_root,
    /// A given-up epoch is counted out like any other.
    given_up_is_counted,
    /// Nothing is kept of a log when its epoch is given up or over.
    logs_end_with_the_epoch,
}

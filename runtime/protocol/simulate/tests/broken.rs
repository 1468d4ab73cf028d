//! Taking any rule away is noticed.

use pc3_protocol::Rules;
use pc3_simulate::run::{run, Options};

#[test]
fn every_rule_is_needed() {
    let most = 200_000;
    let missed: Vec<&str> = Rules::each_broken()
        .into_iter()
        .filter(|(name, rules)| {
            let options = Options {
                rules: *rules,
                ..Options::default()
            };
            let found = (0..most).find_map(|seed| Some((seed, run(seed, &options).err()?)));
            println!("{name}: {found:?}");
            found.is_none()
        })
        .map(|(name, _)| name)
        .collect();
    assert_eq!(missed, Vec::<&str>::new());
}

#!/bin/sh
# Makes two methods of the package roots checkpointable: `changes.sh FOLDER PC3`, PC3 being this crate's folder.
# Six lines of its library are new: two attributes, two locations, two derives; two are changed: bounds `+ pc3::Checkpointable`. As
# it is of edition 2015, which knows no paths like `::core`, it becomes one of 2021.
set -e
cd "$1"
printf '\n[dependencies.pc3]\npath = "%s"\n\n[workspace]\n' "$2" >> Cargo.toml
sed -i 's/^pub struct SimpleConvergency/#[derive(pc3::Checkpointable)]\n&/' src/numerical/simple_convergency.rs
sed -i 's/^pub enum SearchError/#[derive(pc3::Checkpointable)]\n&/' src/numerical/mod.rs
for method in brent secant; do
    sed -i '/^pub fn find_root_/,/^}/{s/    F: FloatType,/    F: FloatType + pc3::Checkpointable,/;s/^    loop {/&\n        pc3::checkpoint!();/}' "src/numerical/$method.rs"
    sed -i 's/^pub fn find_root_/#[pc3::checkpointable]\n&/' "src/numerical/$method.rs"
done

#!/bin/sh
# Makes the simplex solver of the package minilp checkpointable: `changes.sh FOLDER PC3`, PC3 being this crate's folder.
# Twenty-two lines of its library are new: fourteen derives, two `with = "serde"` for matrices of the package sprs, four attributes,
# two locations; three are changed, marked calls.
set -e
cd "$1"
sed -i "s|^\[dependencies.sprs\]|[dependencies.pc3]\npath = \"$2\"\nfeatures = [\"serde\"]\n\n&\nfeatures = [\"serde\", \"serde_derive\"]|" Cargo.toml
printf '\n[workspace]\n' >> Cargo.toml
derive='#[derive(pc3::Checkpointable)]'
derived() {
    file=$1
    shift
    for type in "$@"; do
        sed -i "s/^\(pub(crate) \|pub \|\)\(struct\|enum\) $type {/$derive\n&/" "src/$file.rs"
    done
}
derived solver Solver VarState NonBasicVarState BasisSolver EtaMatrices
derived lu LUFactors ScratchSpace MarkNonzero DfsStep
derived sparse SparseVec ScatteredVec SparseMat TriangleMat Perm
serde='    #[pc3(with = "serde")]'
sed -i "s/^    orig_constraints\(_csc\)\?: CsMat,/$serde\n&/" src/solver.rs
attribute='    #[pc3::checkpointable]'
sed -i "s/^    \(pub(crate) fn initial_solve\|fn optimize\|fn restore_feasibility\)(/$attribute\n&/" src/solver.rs
sed -i "/^    fn \(optimize\|restore_feasibility\)(/,/^    }/s/^        for iter in 0\.\. {/&\n            pc3::checkpoint!();/" src/solver.rs
sed -i '/fn initial_solve(/,/^    }/s/self\.\(restore_feasibility\|optimize\)()?/pc3::ck!(self.\1())?/' src/solver.rs
sed -i "s/^    pub fn solve(&self)/$attribute\n&/; s/solver\.initial_solve()?/pc3::ck!(solver.initial_solve())?/" src/lib.rs

// run: --explain

// run: --emit=rust bad_value.c

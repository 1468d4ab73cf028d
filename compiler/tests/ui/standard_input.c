// run: -c -x c - -o ROOT/standard_input.o

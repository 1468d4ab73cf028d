// run: -o
// run: @command_line.txt
// run: -c command_line.c nothing.c -o ROOT/two.o
// run: --checkpoint-at command_line.c
// run: --checkpoint-everywhere=yes command_line.c
// run: --explain-code
// run: --anotations=annotations.txt command_line.c
int main(void) { return 0; }

// run: a.o b.o -o program

struct point { int x, y; };
struct point here;
int *list;
int number;
int of_number(void) { return number.x; }
int of_struct(void) { return -here; }
int into_number(void) { return number[number]; }
int either(int i) { return i ? here : number; }
int generic(void) { return _Generic(here, int: 1, char *: 2); }
__typeof__(({ goto away; 1; })) outside;
int main(void) {
    int inner(a) int a, b; { return a; }
    return inner(1);
}

// pc3cc: -Wno-pc3-no-location -Werror=pc3-unknown-builtin
int main(void) { return __builtin_no_such_thing(1); }

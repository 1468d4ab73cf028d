# More than a megabyte of C that does nothing: functions and a table, of the same names in each unit.
BEGIN {
    for (i = 0; i < 1000; i++) {
        printf "static __attribute__((noinline)) int large_%d(int n) {\n    unsigned s = n;\n", i
        for (k = 1; k < 4; k++) printf "    s = (s ^ %d) * %d + (s >> %d);\n", i + k, i + 2 * k + 1, k
        printf "    return s >> 1;\n}\n"
    }
    printf "static int (*const all[])(int) = {"
    for (i = 0; i < 1000; i++) printf "large_%d,", i
    printf "};\nstatic const int padding[] = {"
    for (i = 0; i < 130000; i++) printf "%d,", i + 100000
    printf "};\nint large_%s(int n) { return all[n %% 1000](n) + padding[n]; }\n", unit
}

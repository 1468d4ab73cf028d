# More than a megabyte of C that does nothing: functions and a table, of the same names in each unit.
BEGIN {
    for (i = 0; i < 1000; i++) {
        printf "static __attribute__((noinline)) int large_%d(int n) {\n    int s = n;\n", i
        printf "    for (int i = 0; i < n; i++) {\n        s += i * %d;\n        if (s %% 7 == %d) s ^= i << 3;\n", i, i % 7
        printf "        s -= s / (i + %d);\n    }\n    return s;\n}\n", i + 1
    }
    printf "static int (*const all[])(int) = {"
    for (i = 0; i < 1000; i++) printf "large_%d,", i
    printf "};\nstatic const int padding[] = {"
    for (i = 0; i < 130000; i++) printf "%d,", i + 100000
    printf "};\nint large_%s(int n) { return all[n %% 1000](n) + padding[n]; }\n", unit
}

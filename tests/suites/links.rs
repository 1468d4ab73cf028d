//! Ways to bring the same objects together: each builds `p`, which then runs through, and stops and goes on.
//!
//! A case is shell commands in a folder with the sources of `tests/projects/links` and objects of them (`main.o`, `a.o`,
//! `b.o`, `pure.o`) made by `$CC -O2 -c`.  What it needs of the machine stands in front of `|| exit 77`: without it the case is
//! skipped.

use std::path::Path;
use std::process::Command;

use anyhow::{ensure, Context, Result};
use libtest_mimic::Trial;
use pc3_tests::arch::{self, HOST};
use pc3_tests::clock;

const OUTPUT: &str = "666 6\n";

const CASES: &[(&str, &str)] = &[
    ("objects", "$CC main.o a.o b.o -o p"),
    (
        "other_spellings_of_paths",
        "mkdir o; mv main.o o; ar rcs o/liba.a a.o; mv a.o there.o; cp -r o p.d; \
            $CC ./o//main.o o/../p.d/./liba.a ././b.o -o p 2> said; test ! -s said",
    ),
    ("sources_too", "$CC -O2 main.c a.o b.c -o p"),
    (
        "sources_and_foreign_code",
        "echo 'int step(int); int twice(int n) { return step(step(n)); }' > f.c; gcc -c f.c; \
            echo 'int step(int n) {\n#pragma pc3 checkpoint\nreturn n; }\nint twice(int); int main(void) { return twice(3); }' > m.c; \
            ! $CC m.c f.o -o m 2> said; grep -q 'pc3::E0302' said; ! $CC f.o m.c -o m; ! $CC m.c -xc++ /dev/null -xnone f.o -o m; \
            echo 'int unused(int n) { return n; }' > f.c; gcc -c f.c; $CC m.c f.o -o m 2> said || grep -q undefined said; $CC -O2 main.c a.c b.c f.o -o p",
    ),
    (
        "foreign_code_has_a_name_of_the_librarys",
        "printf 'int open(int a) { return a * 2; } int rand(void) { return 4; } int ten(int i) { return open(i) * 10; }' > f.c; gcc -w -c f.c; \
            printf 'int open(int); int rand(void); int ten(int); int main(void) { int s = 0; for (int i = 0; i < 3; i++) {\\n' > m.c; \
            printf '#pragma pc3 checkpoint\\ns += ten(i) + open(i) + rand(); } return s; }\\n' >> m.c; \
            run() { s=0; ./m || s=$?; test $s = 78; }; $CC -w m.c f.o -o m; run; $CC -w -c m.c; $CC -w m.o f.o -o m; run; $CC -O2 main.c a.c b.c -o p",
    ),
    (
        "found_by_a_linker_script",
        "echo 'INPUT(a.o)' > script; ! $CC main.o b.o script -o m 2> said; \
            printf \"pc3cc: error[pc3::E0402]: 'a.o' has to be compiled anew, but the linker finds it by itself\\n\" > wanted; \
            printf '  = help: name the object or archive on the command line instead of in a linker script\\n' >> wanted; \
            head -n 2 said | diff wanted -; $CC main.o a.o b.o -o p",
    ),
    (
        "pieces_where_objects_are_made",
        "printf 'static char block[99], *at = block; static void *deal(unsigned long n) { char *p = at; at += n; return p; }\\n' > m.c; \
            printf 'int main(void) { long *n = deal(sizeof *n); *n = 0;\\n#pragma pc3 checkpoint\\nreturn *n; }\\n' >> m.c; \
            told() { $CC --explain=heap \"$@\" m.o -o m | grep -q 'deal hands out pieces'; }; $CC -c m.c; told; ! told -fno-pc3-pieces; \
            $CC -c -fno-pc3-pieces m.c; ! told; told -fpc3-pieces; ./m; $CC main.o a.o b.o -o p",
    ),
    (
        "what_libraries_make",
        "printf '#define _GNU_SOURCE\n#include <dirent.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <sys/mman.h>\n#include <wchar.h>\n' > h.c; \
            printf 'int main(void) { struct dirent **l; char *t; size_t n; int k;\n' >> h.c; \
            printf 'wchar_t *w = wcsdup(L\"w\");\nchar *p = realpath(\".\", 0);\nk = scandir(\".\", &l, 0, alphasort);\n' >> h.c; \
            printf 'FILE *f = open_memstream(&t, &n);\nvoid *m = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);\n' >> h.c; \
            printf '#pragma pc3 checkpoint\nreturn !w + !p + !f + !m + (k < 0); }\n' >> h.c; $CC -w --explain=heap h.c -o h > said; \
            w=', that is what the library function makes'; for l in \"8: wcsdup in main: wchar_t$w\" \"9: realpath in main: char$w\" \
            \"10: scandir in main: struct dirent$w\" \"11: open_memstream in main: char$w\" '12: mmap in main: unknown, as it is memory for anything'; do \
            grep -Fx \"h.c:$l\" said; done; ./h; $CC main.o a.o b.o -o p",
    ),
    ("archive", "ar rcs sub/libx.a a.o b.o; $CC main.o sub/libx.a -o p"),
    ("by_name", "ar rcs sub/libx.a a.o b.o; $CC main.o -Lsub -lx -o p"),
    ("in_linker_option", "ar rcs libx.a a.o b.o; $CC main.o -Wl,libx.a -o p"),
    ("whole_archive", "ar rcs libx.a a.o b.o; $CC main.o -Wl,--whole-archive libx.a -Wl,--no-whole-archive -o p"),
    ("group", "ar rcs liba.a a.o; ar rcs libb.a b.o pure.o; $CC main.o -Wl,--start-group libb.a liba.a -Wl,--end-group -o p"),
    ("thin_archive", "ar rcsT sub/libx.a a.o sub/../b.o; $CC main.o sub/libx.a -o p"),
    ("thin_by_name", "ar rcsT libx.a a.o b.o; $CC main.o -L. -lx -o p"),
    ("members_of_one_name", "cp a.o sub/b.o; ar q libx.a b.o sub/b.o; ranlib libx.a; $CC main.o libx.a -o p"),
    (
        "one_of_several_of_a_name",
        "echo 'int counter = 7; int main(void) { return counter; }' > sub/b.c; $CC -c sub/b.c -o sub/b.o; \
            ar q libx.a sub/b.o b.o sub/b.o; ranlib libx.a; $CC main.o a.o libx.a -o p",
    ),
    (
        "one_of_several_by_name",
        "echo 'int counter = 7;' > sub/b.c; $CC -c sub/b.c -o sub/b.o; \
            ar qT libx.a sub/b.o b.o pure.o; ranlib libx.a; $CC main.o a.o -L. -lx -o p",
    ),
    ("main_in_archive", "ar rcs libm1.a main.o; ar rcs libx.a a.o b.o; $CC -L. -lm1 -lx -o p"),
    ("two_mains", "echo 'int main(void) { return 9; }' > other.c; $CC -c other.c; ar rcs libx.a a.o other.o b.o; $CC main.o libx.a -o p"),
    ("moved", "mkdir new; cp a.o new/x.o; mv b.o new/y.o; rm a.o; $CC main.o new/x.o new/y.o -o p"),
    ("compiled_elsewhere", "(cd sub; $CC -O2 -c ../a.c); $CC main.o sub/a.o b.o -o p"),
    ("sources_gone", "rm *.c; $CC main.o a.o b.o -o p"),
    ("stripped", "strip -g a.o; objcopy --strip-unneeded b.o; $CC main.o a.o b.o -o p"),
    ("partial", "$CC -r -nostdlib a.o b.o -o r.o; $CC main.o r.o -o p"),
    ("partial_of_sources", "$CC -r -nostdlib -O2 a.c b.o -o r.o; $CC main.o r.o -o p"),
    ("partial_by_the_linker", "ld -r a.o b.o -o r.o; ar rcs libr.a r.o; $CC main.o libr.a -o p"),
    ("response_file", "echo 'main.o a.o b.o -o p' > words; $CC @words"),
    ("static_program", "ar rcs libx.a a.o b.o; $CC -static main.o libx.a -o p"),
    ("position_independent", "ar rcs libx.a a.o b.o; $CC -pie main.o libx.a -o p"),
    ("for_shared_libraries", "$CC -O2 -fPIC -c main.c a.c b.c; $CC main.o a.o b.o -o p"),
    ("sections_per_function", "$CC -ffunction-sections -fdata-sections -g3 -gz -c a.c b.c; $CC -Wl,--gc-sections main.o a.o b.o pure.o -o p"),
    ("assembly", "printf '.globl f\\nf:\\n.section .note.GNU-stack,\"\",%%progbits\\n' > f.s; $CC main.o a.o b.o f.s -o p"),
    ("other_suffixes", "mv a.c a.txt; mv b.c b.inc; $CC -O2 -x c -c a.txt -o a.o; $CC -O2 main.o a.o -x c b.inc -o p"),
    ("precompiled_header", "echo 'extern int of_header;' > pre.h; $CC pre.h; test -s pre.h.gch; rm pre.h.gch; $CC -x c-header pre.h -o pre.h.gch; test -s pre.h.gch; \
      $CC -O2 -include pre.h main.c a.c b.c -o p"),
    ("preprocessed", "$CC -E main.c > m.i; $CC -O2 -c m.i; $CC m.o a.o b.o -o p"),
    ("link_time_optimisation", "$CC -O2 -flto -c a.c; $CC -flto main.o a.o b.o -o p"),
    ("warnings_are_errors", "$CC -Wall -Wextra -Werror -c main.c a.c b.c; $CC -Werror main.o a.o b.o -o p"),
    ("place_on_the_link", "sed -i /pragma/d main.c; $CC -c main.c; $CC --checkpoint-at=step main.o a.o b.o -o p"),
    ("place_on_compiling", "sed -i /pragma/d main.c; $CC -c main.c; $CC --checkpoint-at=step -c a.c; $CC main.o a.o b.o -o p"),
    ("at_once", "for n in 1 2 3 4; do $CC -O2 main.o a.o b.o -o p$n & done; wait; cmp p1 p2; cmp p3 p4; mv p4 p"),
    (
        "location_by_name",
        "echo '#include <mpi.h>' > m.c; sed 's/argc/&/; s/main(void) {/main(int c, char **v) { MPI_Init(\\&c, \\&v);/; \
            s/return 0;/MPI_Finalize(); &/' main.c >> m.c; $CC -c m.c; ar rcs libm1.a m.o a.o b.o; $CC -L. -lm1 -o p",
    ),
    (
        "calls_of_pc3_h",
        "printf '#include <pc3.h>\nint main(void) { pc3_critical_begin(); pc3_critical_end(); return 0; }' > q.c; \
            $CC q.c -o q; ./q; $CC -c q.c; $CC q.o -o q; ./q; ar rcs libq.a q.o; $CC -L. -lq -o q; ./q; \
            $CC main.o a.o b.o -o p",
    ),
    (
        "standard_input",
        "echo 'int main(void) { return 0; }' | $CC -x c - -o q; ./q; echo 'int main(void) { return 0; }' | $CC -c -x c - -o q.o; \
            $CC q.o -o q; ./q; $CC main.o a.o b.o -o p",
    ),
    (
        "large_units",
        "which make || exit 77; for u in a b; do awk -v unit=$u -f large.awk >> $u.c; $CC -O2 -c $u.c; done; \
            $CC main.o a.o b.o -o p; nm p | grep -q 'large_.*lto_priv'",
    ),
    ("no_cache", "PC3_CACHE=off $CC main.o a.o b.o -o p"),
    ("place_for_a_cache_gone", "PC3_CACHE=/dev/null/x $CC main.o a.o b.o -o p"),
    (
        "cache_in_front",
        "which ccache || exit 77; export CCACHE_DIR=$PWD/front; for n in 1 2; do rm -f a.o b.o main.o; \
            for u in main a b; do ccache $CC -O2 -c $u.c; done; done; \
            ccache --print-stats | grep -q 'direct_cache_hit.3'; $CC main.o a.o b.o -o p",
    ),
    (
        "cache_below",
        "which ccache || exit 77; export CCACHE_DIR=$PWD/below PC3_CC='ccache cc'; rm a.o; $CC -O2 -c a.c; \
            $CC main.o a.o b.o -o p",
    ),
    (
        "cache_in_front_and_annotations",
        "which ccache || exit 77; export CCACHE_DIR=$PWD/front; for t in char short char; do \
            echo \"type step: $t\" > types; ccache $CC -O2 --annotations=types -c a.c -o $t.o; done; \
            ccache --print-stats | grep -q 'cache_miss.2'; if cmp short.o char.o; then exit 1; fi; \
            echo > types; ccache $CC -O2 --annotations=types -c a.c; $CC main.o a.o b.o -o p",
    ),
    (
        "cache_by_content",
        "files() { find cache -path 'cache/??/*' -type f | wc -l; }; link() { $CC $* main.o a.o b.o -o p; files; }; \
            one=$(link); test $one -gt 0; test $(link) = $one; \
            $CC -O1 -c main.c; two=$(link); test $two -gt $one; $CC -O2 -c main.c; test $(link) = $two; \
            echo 'unsaved counter by none' > said; echo 'int counter; void none(void) { }' >> b.c; \
            sed -i 's/^int counter;/extern int counter;/' main.c; $CC -O2 -c main.c b.c; \
            three=$(link); four=$(link --annotations=said); test $four -gt $three; \
            echo '  ' >> said; test $(link --annotations=said) = $four; test $(link) = $four; \
            mkdir -p tree/bin; cp $CC tree/bin; cp -r ${CC%/bin/pc3cc}/include ${CC%/bin/pc3cc}/lib tree; \
            CC=tree/bin/pc3cc; test $(link) -gt $four; rm -r tree",
    ),
    // Of four units the one without variables, which reaches no location, keeps its object.
    ("only_what_changes", "$CC main.o a.o b.o pure.o -o p; find cache -path 'cache/??/*' -type f | wc -l | grep -x 3"),
    (
        "other_languages",
        "which g++ gfortran || exit 77; sed -i 's/step(i);/step(i) + extra(i) + more_(\\&i);/; 1i int extra(int), more_(int *);' main.c; \
            printf '#include <string>\\nextern \"C\" int extra(int i) { std::string s(i, 120); return (int)s.size() - i; }' > x.cc; \
            printf '      integer function more(i)\\n      integer i\\n      more = i - i\\n      end\\n' > y.f; \
            g++ -O2 -c x.cc; gfortran -O2 -c y.f; $CC -O2 main.c a.o b.o x.o y.o -lstdc++ -o p 2> said; \
            grep -q \"W0202.*'x.o' is linked as it is\" said",
    ),
    // The runtime writes by the C library's; a shared object, too, which is told.
    (
        "names_of_the_library",
        "echo 'int write(int a) { return a * 2; } int mkdir(int a) { return write(a); }' > w.c; $CC -O2 -c w.c; ar rcs libw.a w.o; \
            echo 'int mkdir(int); int extra(int i) { return mkdir(i) - 2 * i; }' > x.c; cc -c x.c; ar rcs libx.a x.o; \
            echo 'long write(int, char *, long); long s(void) { return write(-1, 0, 0); }' > s.c; cc -shared -fPIC s.c -o libs.so; \
            sed -i 's/step(i);/step(i) + extra(i) + write(-i) + 2 * i;/; 1i int extra(int), write(int);' main.c; \
            for x in x.o libx.a; do $CC -O2 main.c a.o b.o $x -L. -lw -Wl,--no-as-needed -ls -Wl,-rpath,$PWD -o p 2> said; \
            grep -q \"W0202.*'libs.so' calls .write., which the program defines\" said; nm p | grep -q ' pc3_own.mkdir'; ./p | grep -x '666 6'; done",
    ),
    // A library's state in memory of the program leads to the library's constants and functions; not to its variables.
    (
        "state_of_a_shared_object",
        "printf '%s\n' 'static const int zeros[2]; static const int *const rows[] = {zeros}; static int none(int i) { return i - i; } int own = 0;' \
            'struct state { const int *const *rows; const int *zeros; int (*none)(int); int *own, *local; };' \
            'void *make(void *(*get)(unsigned long), int all, int *local) { struct state *s = get(sizeof *s); s->rows = rows; s->zeros = zeros; s->none = none; s->own = all ? &own : 0; s->local = local; return s; }' \
            'int use(struct state *s, int i) { return s->rows[0][i & 1] + s->zeros[1] + s->none(i) + *s->local - 5; }' > s.c; cc -O2 -shared -fPIC -Wl,--build-id s.c -o libs.so; \
            sed -i 's/step(i);/step(i) + use(state, i);/; s/int sum = 0,/int five = 5; void *state = make(get, ALL, \\&five); &/; 1i #include <stdlib.h>\\nvoid *make(void *(*)(unsigned long), int, int *); int use(void *, int); static void *get(unsigned long n) { return malloc(n); }' main.c; \
            for all in 0 1; do $CC -O2 -DALL=$all main.c a.o b.o -L. -Wl,--no-as-needed -ls -Wl,-rpath,$PWD -o p$all; done; \
            PC3_STOP_AFTER=1 PC3_EVERY=1x ./p1 || test $? = 85; PC3_RESTART=latest ./p1 2> said || test $? = 89; \
            grep -q 'E0507.*is an address in libs.so, which has its variables elsewhere' said; mv p0 p",
    ),
    (
        "dependency_files",
        "which make || exit 77; echo '#define K 2' > k.h; sed -i '1i #include \"k.h\"' a.c; \
            $CC -O2 -MMD -MP -MF x.d -MT 'a.o x.d' -c a.c; cc -O2 -MMD -MP -MF y.d -MT 'a.o x.d' -c a.c -o y.o; cmp x.d y.d; \
            $CC -M a.c > x.d; cc -M a.c > y.d; cmp x.d y.d; echo > types; \
            printf 'p: main.o a.o b.o\\n\\t$(CC) -o p main.o a.o b.o\\n%%.o: %%.c\\n\\t$(CC) -O2 -MMD --annotations=types -c -o $@ $<\\n\\techo $@ >> built\\n-include main.d a.d b.d\\n' > Makefile; \
            rm *.o; make -j3 CC=$CC; wc -l < built | grep -x 3; touch -d '1 minute' k.h; make -j3 CC=$CC; wc -l < built | grep -x 4; \
            touch -d '2 minutes' types; make -j3 CC=$CC; wc -l < built | grep -x 7; grep types a.d",
    ),
    (
        "other_outputs",
        "$CC -O2 -S a.c -o x.s; cc -O2 -ffp-contract=off -S a.c -o y.s; cmp x.s y.s; $CC -E -P a.c > x.i; cc -E -P a.c > y.i; cmp x.i y.i; \
            $CC -fsyntax-only a.c; test \"$($CC -dumpmachine)\" = \"$(cc -dumpmachine)\"; test \"$($CC -dumpversion)\" = \"$(cc -dumpversion)\"; \
            test $($CC -print-file-name=libc.a) = $(cc -print-file-name=libc.a); $CC main.o a.o b.o -o p",
    ),
    (
        "no_location",
        "sed -i /pragma/d main.c; for o in -O0 '-O2 -g' '-O3 -ffunction-sections'; do \
            $CC $o -c main.c a.c b.c; for u in main a b; do cc $o -ffp-contract=off -c $u.c -o cc.o; \
            objcopy -R .pc3.unit -R .comment $u.o x.o; objcopy -R .comment cc.o y.o; \
            objdump -dr --no-show-raw-insn x.o | tail -n +4 > x.d; objdump -dr --no-show-raw-insn y.o | tail -n +4 > y.d; cmp x.d y.d; done; \
            $CC $o main.o a.o b.o -o q 2> said; grep -q 'W0201.*has no checkpoint location' said; cc $o main.o a.o b.o -o r; cmp q r; \
            $CC $o main.c a.c b.c -o q; cc $o -ffp-contract=off main.c a.c b.c -o r; strip q r; cmp q r; done; \
            $CC --checkpoint-at=step -O2 main.c a.c b.c -o p",
    ),
    (
        "sanitizers",
        "echo 'int main(void) { return 0; }' > t.c; cc -fsanitize=address,undefined t.c -o t || exit 77; \
            $CC -g -fsanitize=address,undefined main.c a.c b.c -o p; \
            printf '#include <pc3.h>\\nint i = 5; int main(void) { int v[5] = {0}; pc3_checkpoint(); return v[i]; }' > t.c; \
            $CC -g -fsanitize=address t.c -o t; if ./t 2> said; then exit 1; fi; grep -q 'stack-buffer-overflow' said; grep -q 't.c:2' said",
    ),
    (
        "loops_in_lines",
        "uname -m | grep -q x86_64 || exit 77; printf '#define F __attribute__((noinline)) double\\n#define OVER for (int k = 0; k < n; k++) s += a[k] * a[c[k]];\\n' > l.c; \
            printf 'F f(int n, int *c, double *a) { double s = 0; OVER return s; }\\nF g(int n, int *c, double *a) { double s = *a; OVER return s; }\\n' >> l.c; \
            printf 'F h(int n, int *c, double *a) { double s = a[n] + *c; OVER return s; }\\nint main(void) { int c[9] = {0}; double a[9] = {0};\\n' >> l.c; \
            printf '#pragma pc3 checkpoint\\nreturn f(8, c, a) + g(7, c, a) + h(6, c, a); }\\n' >> l.c; \
            begin() { for f in f g h; do objdump -d --no-show-raw-insn --disassemble=$f l | sed -n 's/^ *\\([0-9a-f]*\\):.*\\<j[a-z]* *\\([0-9a-f]*\\) .*/\\1 \\2/p' | \
            while read at to; do test $((0x$to < 0x$at)) = 0 || echo $((0x$to % 64)); done; done; }; \
            for o in -O2 -O3 '-O1 --optimize=2'; do $CC $o l.c -o l; ./l; begin > said; test $(grep -cx 0 said) = 3; test $(wc -l < said) = 3; done; \
            for o in -O1 '-O2 -fno-align-loops' '-O2 -falign-loops=8'; do $CC $o l.c -o l; begin | grep -v '^0$'; done; $CC main.o a.o b.o -o p",
    ),
    ("profiled", "$CC -pg -O2 main.c a.c b.c -o p; ./p; test -s gmon.out; rm gmon.out"),
    ("split_debugging_information", "$CC -g -gsplit-dwarf -save-temps main.c a.c b.c -o p; rm -f *.dwo; objdump --dwarf=info p | grep -q 'DW_AT_name.*step'"),
    ("dialects", "for s in gnu99 c99 gnu11 c17 c2x; do $CC -std=$s -pedantic-errors -Werror=pedantic main.c a.c b.c -o p; done; \
        sed -i 's/for (int i = 0;/int i; for (i = 0;/' main.c; for s in -ansi -std=c89 -std=gnu89; do $CC $s main.c a.c b.c -o p; done; \
        printf 'static int twice(int i)\n{\n    int a;\n    a = 2 * i;\n    return a;\n}\nint main(void) { return twice(0); }\n' > t.c; \
        $CC -std=c89 -pedantic -Wall -Wdeclaration-after-statement -Werror --checkpoint-at=twice t.c -o t; ./t"),
    ("linker_options", "$CC -O2 main.c a.c b.c -Wl,-z,now,-z,relro,-Map,map -Wl,--as-needed -Wl,-rpath,/nowhere -no-pie -rdynamic -o p; test -s map"),
    ("static_pie", "$CC -static-pie -fPIE main.c a.c b.c -o p"),
    ("long_names", "$CC --std=c99 --compile main.c --output main.o; $CC -includestdlib.h -MMD -MFx.d --optimize=2 --output p main.o a.c b.c"),
    (
        "comments_among_arguments",
        "printf '#define SET(n, v) .of_##n = v\\nstruct s { int of_a, of_b; } x = { SET(\\n  // why\\n  a, 1), SET(b, 2) };\\n' > l.c; \
            printf 'int f(int n) { switch (n) { case 1: n++; /* fall through */\\n case 2: n++; }\\n return n; }\\nint main(void) {\\n#pragma pc3 checkpoint\\n' >> l.c; \
            printf 'return x.of_a + x.of_b - 3 + f(1) - 3; }\\n' >> l.c; $CC -Wextra -Werror -Wno-unknown-pragmas l.c -o l; ./l; $CC -Wextra -c l.c; $CC l.o -o l; ./l; \
            $CC main.o a.o b.o -o p",
    ),
    (
        "types_inferred",
        "which clang-19 || exit 77; printf 'enum e : unsigned char { A = 200 }; constexpr int N = 3;\\nint main() { auto x = 1.5; auto y = A; int a[N] = {}; bool b = true;\\n' > l.c; \
            printf 'for (int i = 0; i < N; i++) {\\n#pragma pc3 checkpoint\\nx += i; a[i] = y; b = !b; }\\nreturn !(x == 4.5 && a[2] == 200 && !b && sizeof y == 1); }\\n' >> l.c; \
            $CC --cc=clang-19 -std=gnu23 l.c -o l; ./l; $CC main.o a.o b.o -o p",
    ),
    (
        "sizes_of_builtin_types",
        "echo 'int main(void) { __builtin_ms_va_list l; return sizeof l != 8; }' > l.c; gcc l.c || exit 77; \
            printf 'int main(void) { unsigned long n[] = { sizeof(__builtin_ms_va_list), 3 }, *p = n;\\n#pragma pc3 checkpoint\\nreturn p[0] != sizeof(char *); }\\n' > l.c; \
            $CC l.c -o l; ./l; $CC main.o a.o b.o -o p",
    ),
    (
        "functions_of_one_name",
        "which clang || exit 77; printf '#include <tgmath.h>\\nint main(void) { float x = 2;\\n#pragma pc3 checkpoint\\nreturn !(sizeof sqrt(x) == 4 && sizeof sqrt(3) == 8 && sqrt(x * 2) == 2); }\\n' > l.c; \
            $CC --cc=clang l.c -o l -lm; ./l; $CC main.o a.o b.o -o p",
    ),
    (
        "characters_in_parts",
        "RUN=$(dirname $CC)/pc3run; PARTS=$PROGRAMS/../data/multibyte_parts.c; for l in $PARTS \"-DOWN $PARTS\"; do cc -w $l -o plain; ./plain > want; \
            $CC -w $l -o l; for n in 2 3 5; do rm -rf q.pc3; { $RUN -d q.pc3 --every 1x --stop-after $n ./l > out || test $? = 85; } 2> said; \
            $RUN -d q.pc3 --restart ./l >> out; cmp out want; done; done; $CC main.o a.o b.o -o p",
    ),
    (
        "another_librarys_characters",
        "RUN=$(dirname $CC)/pc3run; test -f $(dirname $CC)/../lib/pc3/x86_64-linux-musl/libpc3rt.a && which x86_64-linux-musl-gcc || exit 77; \
            PARTS=$PROGRAMS/../data/multibyte_parts.c; for l in $PARTS \"-DOWN $PARTS\"; do x86_64-linux-musl-gcc -static -w $l -o plain; ./plain > want; \
            $CC --target=x86_64-linux-musl -static -w $l -o l; $CC -w $l -o g; for n in 2 3 5; do rm -rf q.pc3; \
            { $RUN -d q.pc3 --every 1x --stop-after $n ./l > out || test $? = 85; } 2> said; cp out other; $RUN -d q.pc3 --restart ./g >> other 2> said || grep -q 'pc3::E05' said; \
            grep -q 'pc3::E05' said; $RUN -d q.pc3 --restart ./l >> out; cmp out want; done; done; $CC main.o a.o b.o -o p",
    ),
    (
        "another_library",
        "RUN=$(dirname $CC)/pc3run; test -f $(dirname $CC)/../lib/pc3/x86_64-linux-musl/libpc3rt.a && which x86_64-linux-musl-gcc || exit 77; \
            printf '#include <stdio.h>\\n#include <stdlib.h>\\n#include <string.h>\\nint main(void) { FILE *f = fopen(\"in\", \"r\"); char b[64], t[] = \"a b c d\", *w;\\n' > l.c; \
            printf 'long sum = 0, *all = calloc(4, sizeof *all); int n = 0; for (w = strtok(t, \" \"); w; w = strtok(0, \" \")) { fgets(b, sizeof b, f);\\n' >> l.c; \
            printf '#pragma pc3 checkpoint\\nall[n++] = sum += atol(b); printf(\"%%s %%ld %%d\\\\n\", w, sum, getc(f)); ungetc(55, f); }\\n' >> l.c; \
            printf 'return n - 4 + (int)(all[3] - sum); }\\n' >> l.c; seq 1000 > in; MUSL='--target=x86_64-linux-musl -static'; \
            $CC l.c -o gnu; $CC $MUSL l.c -o musl; x86_64-linux-musl-gcc -static -w l.c -o plain; ./plain > want; \
            for a in gnu musl; do ./$a | cmp - want; for b in gnu musl; do for n in 1 3; do rm -rf q.pc3; \
            { $RUN -d q.pc3 --every 1x --stop-after $n ./$a > out || test $? = 85; } 2> said; PC3_ADDRESSES=elsewhere $RUN -d q.pc3 --restart ./$b >> out 2>> said; cmp out want; done; done; done; \
            printf '#include <stdlib.h>\\nint main(void) { srand(1);\\n#pragma pc3 checkpoint\\nreturn rand() < 0; }\\n' > r.c; \
            if $CC $MUSL r.c -o r 2> said; then exit 1; fi; grep -q 'rand. gives other results with musl' said; \
            printf '#include <stdlib.h>\\nstatic int by(const void *a, const void *b) {\\n#pragma pc3 checkpoint\\nreturn *(char *)a - *(char *)b; }\\n' > r.c; \
            printf 'int main(void) { char t[] = \"cab\"; qsort(t, 3, 1, by); return *t - 97; }\\n' >> r.c; \
            if $CC $MUSL r.c -o r 2> said; then exit 1; fi; grep -q 'qsort. gives other results with musl' said; \
            printf '#include <stdio.h>\\nint main(void) { char *t; size_t n; FILE *f = open_memstream(&t, &n); fprintf(f, \"%%d\", 12345); fclose(f);\\n' > t.c; \
            printf '#pragma pc3 checkpoint\\nputs(t); return n != 5; }\\n' >> t.c; $CC $MUSL t.c -o t; $CC t.c -o g; for b in t g; do rm -rf q.pc3; \
            { $RUN -d q.pc3 --every 1x --stop-after 1 ./t > out || test $? = 85; } 2> said; $RUN -d q.pc3 --restart ./$b >> out; test $(cat out) = 12345; done; \
            $CC main.o a.o b.o -o p",
    ),
    ("another_compiler", "which clang || exit 77; $CC --cc=clang -O2 -c a.c; $CC main.o a.o b.o -o p"),
    ("openmp_of_clang", "echo 'int main(void) { return 0; }' > o.c; clang -fopenmp o.c -o o || exit 77; \
        for cc in clang gcc; do $CC --cc=$cc -O2 -w -fopenmp -pthread -I$PROGRAMS $PROGRAMS/mpi_threads_of_ranks.c -o $cc; \
        PC3_RANKS=3 ./$cc > $cc.out; done; cmp clang.out gcc.out; test -s gcc.out; $CC main.o a.o b.o -o p"),
    ("omp_h_of_clang", "printf '#include <omp.h>\\nint main(void) { return omp_get_thread_num(); }' > o.c; clang -fopenmp o.c -o o && ./o || exit 77; \
        sed -i -e '1i #include <omp.h>' -e 's/counter++;/\\n#pragma omp parallel for reduction(+ : counter)\\n\
        for (int k = 0; k < 2; k++) counter += k * omp_is_initial_device();/' main.c; \
        for o in -O0 '-std=c99 -O2'; do $CC --cc=clang -Werror $o -fopenmp main.c a.c b.c -o p; done"),
    (
        "exceptions_through_the_librarys_functions",
        "which g++ || exit 77; \
            printf 'extern \"C\" void raise_it(int *, int *) { throw 7; }\n' > x.cc; \
            printf 'extern \"C\" int guarded(int (*f)(void)) { try { return f(); } catch (int n) { return n; } }\n' >> x.cc; g++ -c x.cc; \
            printf '#include <mpi.h>\nvoid raise_it(MPI_Comm *, int *, ...); int guarded(int (*)(void));\n' > m.c; \
            printf 'static int wrong(void) { return MPI_Send(0, 1, MPI_INT, 99, 0, MPI_COMM_WORLD); }\nint main(void) { MPI_Errhandler h; MPI_Init(0, 0);\n' >> m.c; \
            printf 'MPI_Comm_create_errhandler(raise_it, &h); MPI_Comm_set_errhandler(MPI_COMM_WORLD, h);\n' >> m.c; \
            printf 'int n = guarded(wrong); MPI_Finalize(); return n; }\n' >> m.c; \
            $CC -w m.c x.o -lstdc++ -o m; s=0; ./m || s=$?; test $s = 7; $CC main.o a.o b.o -o p",
    ),
    (
        "backtraces_below_the_runtime",
        "printf '#include <execinfo.h>\n#include <signal.h>\n#include <unistd.h>\nstatic volatile int *nowhere;\n' > m.c; \
            printf 'static void h(int s) { void *f[40]; backtrace_symbols_fd(f, backtrace(f, 40), 1); _exit(s); }\n' >> m.c; \
            printf '__attribute__((noinline)) int crash(void) { return *nowhere + 1; }\nint main(void) {\n#pragma pc3 checkpoint\nsignal(SIGSEGV, h); return crash() + 2; }\n' >> m.c; \
            $CC -w -O0 -rdynamic m.c -o m; s=0; ./m > said || s=$?; test $s = 11; grep -q '(crash+' said; grep -q '(main+' said; $CC main.o a.o b.o -o p",
    ),
    // As a linker does that wraps `main` where it is defined, too.
    (
        "main_led_back_to_the_runtime",
        "printf 'int __wrap_main(int, char **, char **);\nint main(int n, char **v) {\n#pragma pc3 checkpoint\nreturn __wrap_main(n, v, 0); }\n' > m.c; \
            $CC -w m.c -o m; s=0; ./m 2> said || s=$?; test $s = 90; grep -q 'pc3::E0603.*-fuse-ld=bfd' said; $CC main.o a.o b.o -o p",
    ),
    (
        "static_without_a_word",
        "$CC -static main.o a.o b.o -o p 2> said; test ! -s said",
    ),
    ("another_linker", "which ld.gold || exit 77; ar rcs libx.a a.o b.o; $CC -fuse-ld=gold main.o libx.a -o p"),
];

pub fn trials() -> Vec<Trial> {
    let trial = |(name, script): &(&str, &'static str)| {
        let script = *script;
        let run = move || check(script).map_err(|e| format!("{e:#}").into());
        clock::test(format!("links::{name}"), run).with_ignored_flag(!has_what_it_needs(script))
    };
    CASES.iter().map(trial).collect()
}

fn has_what_it_needs(script: &str) -> bool {
    let Some((needed, _)) = script.split_once("|| exit 77;") else {
        return true;
    };
    let tried = || -> Result<bool> {
        let dir = tempfile::tempdir()?;
        let mut shell = Command::new("sh");
        shell.args(["-euc", needed]).current_dir(dir.path());
        shell.env("CC", arch::dist().join("bin/pc3cc"));
        Ok(shell.output()?.status.success())
    };
    tried().unwrap_or(false)
}

fn sh(dir: &Path, script: &str) -> Result<()> {
    let out = Command::new("sh")
        .args(["-euc", script])
        .current_dir(dir)
        .env("CC", arch::dist().join("bin/pc3cc"))
        .env("PC3_CACHE", dir.join("cache"))
        .env("PROGRAMS", arch::root().join("tests/programs"))
        .output()?;
    let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
    ensure!(
        out.status.success(),
        "{script}\n{}{}",
        text(&out.stdout),
        text(&out.stderr)
    );
    Ok(())
}

fn check(script: &str) -> Result<()> {
    let dir = tempfile::tempdir()?;
    let dir = dir.path();
    for e in std::fs::read_dir(arch::root().join("tests/projects/links"))? {
        let e = e?;
        std::fs::copy(e.path(), dir.join(e.file_name()))?;
    }
    sh(dir, "mkdir sub; $CC -O2 -c main.c a.c b.c pure.c")?;
    sh(dir, script)?;
    let run = |env: &[(&str, &str)]| -> Result<(String, Option<i32>)> {
        let out = Command::new(dir.join("p"))
            .current_dir(dir)
            .env("PC3_DIR", dir.join("ckpt"))
            .envs(env.iter().copied())
            .output()
            .with_context(|| format!("p on {}", HOST.name))?;
        Ok((
            String::from_utf8_lossy(&out.stdout).into_owned(),
            out.status.code(),
        ))
    };
    ensure!(
        run(&[])? == (OUTPUT.into(), Some(0)),
        "run through: {:?}",
        run(&[])?
    );
    let stopped = run(&[("PC3_EVERY", "1x"), ("PC3_STOP_AFTER", "3")])?;
    ensure!(stopped == (String::new(), Some(85)), "stopped: {stopped:?}");
    let resumed = run(&[("PC3_RESTART", "latest")])?;
    ensure!(resumed == (OUTPUT.into(), Some(0)), "resumed: {resumed:?}");
    Ok(())
}

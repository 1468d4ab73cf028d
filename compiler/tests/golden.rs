//! What users read in `--emit=c`: both clones of a small function.  The same programs run in `clones.rs`.

#![allow(clippy::unwrap_used)]

use expect_test::{expect, Expect};
use pc3_instrument::rewrite::{instrument, Options};
use pc3_syntax::types::Target;

/// The text between the user's first function and the tables, and what `--explain` says.
fn check(source: &str, expected: Expect) {
    let text = format!("# 1 \"t.c\"\n{source}");
    let target = Target::from_macros(&Default::default());
    let (unit, diagnostics) = pc3_syntax::lower::build("t.c", text, &target);
    assert!(
        !diagnostics.has_errors(),
        "{}",
        diagnostics.render(pc3_syntax::diag::Format::Plain)
    );
    let out = instrument(&[unit], &Options::default());
    let body = out.texts[0].split("# 1 \"t.c\"\n").last().unwrap();
    let body = body.split("\n# 1 \"pc3_tables.h\"").next().unwrap();
    expected.assert_eq(&format!("{}\n\n{}", body.trim(), out.explain));
}

#[test]
fn a_loop_with_a_call() {
    check(
        "void pc3_checkpoint(void);\nint work(int i) {\n    pc3_checkpoint();\n    return i;\n}\nint sum(int n) {\n    int s = 0;\n    for (int i = 0; i < n; i++)\n        s += work(i);\n    return s;\n}\n",
        expect![[r#"
            int work(int i) {
                { if (__builtin_expect(pc3_flag, 0) && pc3_due(&pc3_P[0])) return pc3_save_1(i, 0); }
                return i;
            }
            # 2 "t.c" 3
            static int pc3_resume__work(void) { int i = 0; const struct pc3_frame *pc3_f = pc3_frame_load(); unsigned pc3_k = pc3_f->point->label;  switch (pc3_k) { case 1: goto pc3_L1; default: __builtin_unreachable(); } 
            # 2 "t.c" 3
            {
                { if (0) { pc3_L1: { const struct pc3_live_1 *pc3_r = (const struct pc3_live_1 *)pc3_f->live; i = pc3_r->m0;  pc3_k = 0; pc3_resumed(); } } else { if (__builtin_expect(pc3_flag, 0) && pc3_due(&pc3_P[0])) return pc3_save_1(i, 0); } }
                return i;
            } }
            # 5 "t.c"

            # 6 "t.c" 3
            struct __attribute__((packed)) pc3_live_2 { int m0; int m1; int m2; }; static __attribute__((noinline, cold)) int pc3_save_2(int m0, int m1, int m2, unsigned pc3_n) { struct pc3_live_2 *pc3_r = (struct pc3_live_2 *)pc3_frame_save(&pc3_P[pc3_n], 0); pc3_r->m0 = m0; pc3_r->m1 = m1; pc3_r->m2 = m2; { int pc3_v; __builtin_memset((void *)&pc3_v, 0, sizeof pc3_v); return pc3_v; } } 
            # 5 "t.c"

            int sum(int n) {
                int s = 0;
                for (int i = 0; i < n; i++)
                    __extension__({ int pc3_t0 = work(i); if (__builtin_expect(pc3_state, 0)) return pc3_save_2(n, s, i, 1); s += pc3_t0; (void)0; });
                return s;
            }
            # 6 "t.c" 3
            static __attribute__((noinline, cold)) int pc3_next_1(void) { return ((int (*)(void))pc3_resume_next())(); } static int pc3_resume__sum(void) { int n = 0; const struct pc3_frame *pc3_f = pc3_frame_load(); unsigned pc3_k = pc3_f->point->label;  switch (pc3_k) { case 1: goto pc3_L1; default: __builtin_unreachable(); } 
            # 6 "t.c" 3
            {
                int s = 0;
                for (int i = 0; i < n; i++)
                    { int pc3_t0 = 0; if (0) { pc3_L1: { const struct pc3_live_2 *pc3_r = (const struct pc3_live_2 *)pc3_f->live; n = pc3_r->m0; s = pc3_r->m1; i = pc3_r->m2;  pc3_k = 0; pc3_t0 = pc3_next_1(); } } else pc3_t0 = work(i); if (__builtin_expect(pc3_state, 0)) return pc3_save_2(n, s, i, 1); s += pc3_t0; }
                return s;
            } }
            # 11 "t.c"

            work: instrumented
              1: line 3 checkpoint: saves i
            sum: instrumented
              1: line 9 work: saves n s i
        "#]],
    );
}

#[test]
fn a_function_that_passes_locations_by() {
    check(
        "#pragma pc3 no checkpoint below quiet\nvoid pc3_checkpoint(void);\nint quiet(int n) {\n    pc3_checkpoint();\n    return n;\n}\nint f(int n) {\n    pc3_checkpoint();\n    return quiet(n);\n}\n",
        expect![[r#"
            void pc3_checkpoint(void);
            int quiet(int n) { pc3_size pc3_before __attribute__((cleanup(pc3_above))) = pc3_below(&pc3_before);
                ;
                return n;
            }
            # 7 "t.c" 3
            struct __attribute__((packed)) pc3_live_1 { int m0; }; static __attribute__((noinline, cold)) int pc3_save_1(int m0, unsigned pc3_n) { struct pc3_live_1 *pc3_r = (struct pc3_live_1 *)pc3_frame_save(&pc3_P[pc3_n], 0); pc3_r->m0 = m0; { int pc3_v; __builtin_memset((void *)&pc3_v, 0, sizeof pc3_v); return pc3_v; } } 
            # 6 "t.c"

            int f(int n) {
                { if (__builtin_expect(pc3_flag, 0) && pc3_due(&pc3_P[0])) return pc3_save_1(n, 0); }
                return quiet(n);
            }
            # 7 "t.c" 3
            static int pc3_resume__f(void) { int n = 0; const struct pc3_frame *pc3_f = pc3_frame_load(); unsigned pc3_k = pc3_f->point->label;  switch (pc3_k) { case 1: goto pc3_L1; default: __builtin_unreachable(); } 
            # 7 "t.c" 3
            {
                { if (0) { pc3_L1: { const struct pc3_live_1 *pc3_r = (const struct pc3_live_1 *)pc3_f->live; n = pc3_r->m0;  pc3_k = 0; pc3_resumed(); } } else { if (__builtin_expect(pc3_flag, 0) && pc3_due(&pc3_P[0])) return pc3_save_1(n, 0); } }
                return quiet(n);
            } }
            # 10 "t.c"

            quiet: passes locations by, as an annotation says
            f: instrumented
              1: line 8 checkpoint: saves n
        "#]],
    );
}

#[test]
fn a_local_whose_address_escapes() {
    check(
        "void pc3_checkpoint(void);\nint *keep;\nint f(int n) {\n    int x = n;\n    keep = &x;\n    pc3_checkpoint();\n    return x;\n}\n",
        expect![[r#"
            void pc3_checkpoint(void);
            int *keep;
            # 3 "t.c" 3
            struct pc3_shadow__f { int x_13; char pc3_gap_x_13; }; static __inline __attribute__((always_inline)) struct pc3_shadow__f *pc3_enter__f(void) { const pc3_size pc3_n = (sizeof(struct pc3_shadow__f) + 16) & ~(pc3_size)15; char *pc3_b = pc3_me->sp; struct pc3_shadow__f *pc3_s; if (__alignof__(struct pc3_shadow__f) > 16) pc3_b = (char *)(((pc3_size)pc3_b + __alignof__(struct pc3_shadow__f) - 1) & -(pc3_size)__alignof__(struct pc3_shadow__f)); if (__builtin_expect((pc3_size)(pc3_me->sp_end - pc3_b) < pc3_n, 0)) pc3_b = (char *)pc3_shadow_grow(pc3_n); pc3_me->sp = pc3_b + pc3_n; pc3_s = (struct pc3_shadow__f *)(void *)pc3_b; return pc3_s; } static __attribute__((noinline, cold)) int pc3_save_1(unsigned pc3_n, void *pc3_s) { pc3_frame_save(&pc3_P[pc3_n], pc3_s); { int pc3_v; __builtin_memset((void *)&pc3_v, 0, sizeof pc3_v); return pc3_v; } } 
            # 2 "t.c"

            int f(int n) { struct pc3_shadow__f *const pc3_s = pc3_enter__f();
                char pc3_i13 __attribute__((unused)) = __extension__({ pc3_s->x_13 = n; (char)0; });
                keep = &(pc3_s->x_13);
                { if (__builtin_expect(pc3_flag, 0) && pc3_due(&pc3_P[0])) return pc3_save_1(0, pc3_s); }
                __extension__({ { int pc3_v = ((pc3_s->x_13)); pc3_me->sp = (char *)pc3_s; return pc3_v; } });
            pc3_me->sp = (char *)pc3_s; }
            # 3 "t.c" 3
            static int pc3_resume__f(void) { int n = 0; const struct pc3_frame *pc3_f = pc3_frame_load(); unsigned pc3_k = pc3_f->point->label; struct pc3_shadow__f *const pc3_s = (struct pc3_shadow__f *)pc3_f->shadow;  switch (pc3_k) { case 1: goto pc3_L1; default: __builtin_unreachable(); } 
            # 3 "t.c" 3
            {
                char pc3_i13 __attribute__((unused)) = __extension__({ pc3_s->x_13 = n; (char)0; });
                keep = &(pc3_s->x_13);
                { if (0) { pc3_L1: {  pc3_k = 0; pc3_resumed(); } } else { if (__builtin_expect(pc3_flag, 0) && pc3_due(&pc3_P[0])) return pc3_save_1(0, pc3_s); } }
                __extension__({ { int pc3_v = ((pc3_s->x_13)); pc3_me->sp = (char *)pc3_s; return pc3_v; } });
            pc3_me->sp = (char *)pc3_s; } }
            # 8 "t.c"

            f: instrumented
              shadow stack: x
              1: line 6 checkpoint: saves 
        "#]],
    );
}

#[test]
fn tail_calls_need_no_frame() {
    check(
        "void pc3_checkpoint(void);\nvoid g(void) { pc3_checkpoint(); }\nvoid f(int n) { if (n) g(); }\n",
        expect![[r#"
            void g(void) { { if (__builtin_expect(pc3_flag, 0) && pc3_due(&pc3_P[0])) { pc3_save_1(0); return; } } }
            # 2 "t.c" 3
            static void pc3_resume__g(void) { const struct pc3_frame *pc3_f = pc3_frame_load(); unsigned pc3_k = pc3_f->point->label;  switch (pc3_k) { case 1: goto pc3_L1; default: __builtin_unreachable(); } 
            # 2 "t.c" 3
            { { if (0) { pc3_L1: {  pc3_k = 0; pc3_resumed(); } } else { if (__builtin_expect(pc3_flag, 0) && pc3_due(&pc3_P[0])) { pc3_save_1(0); return; } } } } }
            # 2 "t.c"

            void f(int n) { if (n) g(); }

            g: instrumented
              1: line 2 checkpoint: saves 
            f: reaches a location only by tail calls: no frame to save
        "#]],
    );
}

#[test]
fn a_function_called_once_keeps_one_caller() {
    check(
        "void pc3_checkpoint(void);\nstatic void work(void) { }\nvoid f(int n) { for (;;) { pc3_checkpoint(); work(); } }\n",
        expect![[r#"
            void pc3_checkpoint(void);
            static void work(void) { }
            # 2 "t.c" 3
            static __typeof__(work) pc3_again_work __attribute__((no_icf)); 
            # 2 "t.c" 3
            static void pc3_again_work(void) { }
            # 2 "t.c"

            # 3 "t.c" 3
            static __attribute__((noinline, cold)) void pc3_save_1(unsigned pc3_n) { pc3_frame_save(&pc3_P[pc3_n], 0); } 
            # 2 "t.c"

            void f(int n) { for (;;) { { if (__builtin_expect(pc3_flag, 0) && pc3_due(&pc3_P[0])) { pc3_save_1(0); return; } } work(); } }
            # 3 "t.c" 3
            static __typeof__(work) pc3_again_work __attribute__((no_icf)); 
            # 3 "t.c" 3
            static void pc3_resume__f(void) { int n = 0; const struct pc3_frame *pc3_f = pc3_frame_load(); unsigned pc3_k = pc3_f->point->label;  switch (pc3_k) { case 1: goto pc3_L1; default: __builtin_unreachable(); } 
            # 3 "t.c" 3
            { for (;;) { { if (0) { pc3_L1: {  pc3_k = 0; pc3_resumed(); } } else { if (__builtin_expect(pc3_flag, 0) && pc3_due(&pc3_P[0])) { pc3_save_1(0); return; } } } pc3_again_work(); } } }
            # 3 "t.c"

            work: not instrumented
            f: instrumented
              1: line 3 checkpoint: saves 
        "#]],
    );
}

/// Each rank has a table that it writes to for itself, without locations, too; one that only jumps use is everybody's.
#[test]
fn tables_of_labels_of_ranks() {
    check(
        "int MPI_Finalize(void);\nint f(int i) { static void *jumps[] = {&&a, &&b}; static void *kept[] = {&&a, &&b};\n    kept[i] = kept[0];\n    goto *jumps[i];\na: goto *kept[1];\nb: return MPI_Finalize();\n}\n",
        expect![[r#"
            int f(int i) { static void *const pc3_to[] = { &&a, &&b }; const pc3_diff pc3_d = pc3_delta; static void *jumps[] = {&&a, &&b}; 
                (*(__typeof__(pc3_f_kept_13) *)((char *)&pc3_f_kept_13 + pc3_d))[i] = (*(__typeof__(pc3_f_kept_13) *)((char *)&pc3_f_kept_13 + pc3_d))[0];
                goto *jumps[i];
            a: goto *pc3_to[(const char *)((*(__typeof__(pc3_f_kept_13) *)((char *)&pc3_f_kept_13 + pc3_d))[1]) - pc3_labels__f];
            b: return (pc3_at("t.c:6"), MPI_Finalize)();
            }

            f: not instrumented
        "#]],
    );
}

#[test]
fn a_loop_whose_static_array_is_apart() {
    check(
        "void pc3_checkpoint(void);\nint MPI_Finalize(void);\nvoid smooth(double *a, int n) { static double u[99][3];\n    for (int k = 0; k < n; k++)\n        for (int i = 1; i < 99; i++)\n            u[i][0] += a[i] + u[i - 1][k % 3];\n    u[0][0] += MPI_Finalize();\n}\n",
        expect![[r#"
            void pc3_checkpoint(void);
            int MPI_Finalize(void);
            # 3 "t.c" 3
            static double pc3_smooth_u_14[99][3]; 
            # 2 "t.c"

            void smooth(double *a, int n) { const pc3_diff pc3_d = pc3_delta; 
                { __typeof__(pc3_smooth_u_14) *pc3_held14 = (__typeof__(pc3_smooth_u_14) *)pc3_apart(&(*(__typeof__(pc3_smooth_u_14) *)((char *)&pc3_smooth_u_14 + pc3_d))); { for (int k = 0; k < n; k++)
                    for (int i = 1; i < 99; i++)
                        (*pc3_held14)[i][0] += a[i] + (*pc3_held14)[i - 1][k % 3]; } __asm__ volatile("" : : "r"(pc3_held14) : "memory"); }
                (*(__typeof__(pc3_smooth_u_14) *)((char *)&pc3_smooth_u_14 + pc3_d))[0][0] += (pc3_at("t.c:7"), MPI_Finalize)();
            }

            smooth: not instrumented
        "#]],
    );
}

#[test]
fn a_loop_that_holds_static_numbers() {
    check(
        "void pc3_checkpoint(void);\nint MPI_Finalize(void);\nint sum(const int *a, int n) { static int i, s, seen, *at = &seen;\n    for (i = 0; i < n; i++)\n        s += a[i] + seen;\n    for (i = 0; i < n; i++) {\n        *at += MPI_Finalize();\n        while (s > n) s--;\n    }\n    return s;\n}\n",
        expect![[r#"
            void pc3_checkpoint(void);
            int MPI_Finalize(void);
            # 3 "t.c" 3
            static int pc3_sum_i_14, pc3_sum_s_15, pc3_sum_seen_16, *pc3_sum_at_17 = &pc3_sum_seen_16; 
            # 2 "t.c"

            int sum(const int *a, int n) { const pc3_diff pc3_d = pc3_delta; 
                { __typeof__(pc3_sum_i_14) pc3_held14 = (*(__typeof__(pc3_sum_i_14) *)((char *)&pc3_sum_i_14 + pc3_d)); __typeof__(pc3_sum_s_15) pc3_held15 = (*(__typeof__(pc3_sum_s_15) *)((char *)&pc3_sum_s_15 + pc3_d)); { for (pc3_held14 = 0; pc3_held14 < n; pc3_held14++)
                    pc3_held15 += a[pc3_held14] + (*(__typeof__(pc3_sum_seen_16) *)((char *)&pc3_sum_seen_16 + pc3_d)); } (*(__typeof__(pc3_sum_i_14) *)((char *)&pc3_sum_i_14 + pc3_d)) = pc3_held14; (*(__typeof__(pc3_sum_s_15) *)((char *)&pc3_sum_s_15 + pc3_d)) = pc3_held15; }
                for ((*(__typeof__(pc3_sum_i_14) *)((char *)&pc3_sum_i_14 + pc3_d)) = 0; (*(__typeof__(pc3_sum_i_14) *)((char *)&pc3_sum_i_14 + pc3_d)) < n; (*(__typeof__(pc3_sum_i_14) *)((char *)&pc3_sum_i_14 + pc3_d))++) {
                    *(*(__typeof__(pc3_sum_at_17) *)((char *)&pc3_sum_at_17 + pc3_d)) += (pc3_at("t.c:7"), MPI_Finalize)();
                    { __typeof__(pc3_sum_s_15) pc3_held15 = (*(__typeof__(pc3_sum_s_15) *)((char *)&pc3_sum_s_15 + pc3_d)); { while (pc3_held15 > n) pc3_held15--; } (*(__typeof__(pc3_sum_s_15) *)((char *)&pc3_sum_s_15 + pc3_d)) = pc3_held15; }
                }
                return (*(__typeof__(pc3_sum_s_15) *)((char *)&pc3_sum_s_15 + pc3_d));
            }

            sum: not instrumented
        "#]],
    );
}

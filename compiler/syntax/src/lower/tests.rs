//! One snapshot of the tree per construct.

use super::build;
use crate::dump::{check_spans, dump};
use crate::types::Target;
use expect_test::{expect, Expect};

fn check(text: &str, expect: Expect) {
    check_for(&Target::default(), text, expect);
}

fn check_for(target: &Target, text: &str, expect: Expect) {
    let (unit, diags) = build("a.c", format!("# 1 \"a.c\"\n{text}\n"), target);
    assert_eq!(check_spans(&unit), Vec::<String>::new());
    let said: Vec<String> = diags
        .list
        .iter()
        .map(|d| {
            let at =
                d.at.as_ref()
                    .map_or(String::new(), |p| format!("{}:{}", p.position.line, p.text));
            format!("{} {} [{at}]\n", d.code.id(), d.message)
        })
        .collect();
    expect.assert_eq(&format!("{}{}", said.join(""), dump(&unit)));
}

#[test]
fn declarators() {
    check(
        "int *a[3], (*b)[3], (*c)(int, char *), *(*d[2])(void), e(), f(void);",
        expect![[r#"
        decl a: int *[3] linked
        decl b: int (*)[3] linked
        decl c: int (*)(int, char *) linked
        decl d: int *(*[2])(void) linked
        decl e: int () linked
        decl f: int (void) linked
    "#]],
    );
    check(
        "typedef int T; typedef T *P; const P p; T const volatile v; extern T x; T x; static T s;",
        expect![[r#"
        typedef T: int
        typedef P: int *
        decl p: int *const linked
        decl v: const volatile int linked
        decl x: int linked
        decl x: int linked
        decl s: int static linked
    "#]],
    );
    check("int *const restrict q; unsigned long long int u; long double l; _Complex float c; _Bool b; signed char sc;", expect![[r#"
        decl q: int *const restrict linked
        decl u: unsigned long long linked
        decl l: long double linked
        decl c: float _Complex linked
        decl b: _Bool linked
        decl sc: signed char linked
    "#]]);
    check("typedef const char A[3]; volatile A a; int f(A p, int g(void), int n, double m[n][4]) { return n; }", expect![[r#"
        typedef A: const char [3]
        decl a: const volatile char [3] linked
        function f: int (const char *, int (*)(void), int, double (*)[4]) linked init (p: const char *, g: int (*)(void), n: int, m: double (*)[4])
          {
            return n
          }
    "#]]);
    check("int a[] = { 1, [4] = 2, 3 }, b[][2] = { 1, 2, 3 }, c[] = { [0 ... 6] = 1 }; char s[] = \"ab\\0\", t[] = { \"x\" };", expect![[r#"
        decl a: int [6] linked init = {1, [4]2, 3}
        decl b: int [2][2] linked init = {1, 2, 3}
        decl c: int [7] linked init = {[0][6]1}
        decl s: char [4] linked init = "ab\0":char [4]
        decl t: char [2] linked init = {"x":char [2]}
    "#]]);
    check("struct p { int x, y; } v[] = { 1, 2, 3, 4, { 5 }, 6 }; int w[sizeof(int)], z[2 * 3 + (1 ? 4 : 5)];", expect![[r#"
        struct p
          x: int
          y: int
        decl v: struct p [4] linked init = {1, 2, 3, 4, {5}, 6}
        decl w: int [sizeof(int)] linked
        decl z: int [10] linked
    "#]]);
    check(
        "static __thread int a; _Thread_local int b; extern __thread int c;",
        expect![[r#"
        decl a: int static thread linked
        decl b: int thread linked
        decl c: int thread linked undefined
    "#]],
    );
}

#[test]
fn records_and_enums() {
    check("struct s { int a : 3, : 0; struct { int x; union { int y; float z; }; }; struct s *next; char tail[]; };", expect![[r#"
        struct s
          a: int : 3
          -: int : 0
          -: struct <anonymous>
          next: struct s *
          tail: char []
        struct <anonymous>
          x: int
          -: union <anonymous>
        union <anonymous>
          y: int
          z: float
    "#]]);
    check("struct __attribute__((packed)) a { char c; int i; }; struct b { int x; } __attribute__((packed)) v;", expect![[r#"
        struct a packed
          c: char
          i: int
        struct b packed
          x: int
        decl v: struct b linked
    "#]]);
    check("enum e { A, B = 5, C, D = B * 2 - 1, E = -1 }; enum { F = 1u << 31, G = sizeof(int), H }; enum e x = C;", expect![[r#"
        enum e Int A=0 B=5 C=6 D=9 E=-1
        enum - UInt F=2147483648 G=? H=?
        decl x: enum e linked init = C
    "#]]);
    check(
        "typedef struct { int x; } anon; typedef enum { R } color; anon a; struct t; struct t *p;",
        expect![[r#"
        anon
          x: int
        typedef anon: anon
        enum - UInt R=0
        typedef color: color
        decl a: anon linked
        decl p: struct t * linked
    "#]],
    );
}

#[test]
fn old_style() {
    check(
        "int f(a, b, c) char *b; double c; { return a; }",
        expect![[r#"
        function f: int () linked init kr (a: int, b: char *, c: double)
          {
            return a
          }
    "#]],
    );
    check(
        "static x; main() { register i; i = g(3); return i; }",
        expect![[r#"
        decl x: int static linked
        function main: int () linked init ()
          {
            decl i: int register
            (= i (call g 3):int):int
            return i
          }
    "#]],
    );
}

#[test]
fn scopes() {
    check("int x; typedef int T; void f(void) { float x; { extern int x; x = 1; } x = 2; { int T = 3; x = T; } static int s; int g(char); }", expect![[r#"
        decl x: int linked
        typedef T: int
        function f: void (void) linked init ()
          {
            decl x: float
            {
              decl x: int linked
              (= x 1):int
            }
            (= x 2):float
            {
              decl T: int init = 3
              (= x T):float
            }
            decl s: int static
            decl g: int (char) linked
          }
    "#]]);
    check("void f(void) { struct s { int a; }; struct s v; { struct s { float b; } w; w.b = 1; } v.a = 2; }", expect![[r#"
        function f: void (void) linked init ()
          {
            struct s
              a: int
            decl v: struct s
            {
              struct s
                b: float
              decl w: struct s
              (= (. w b):float 1):float
            }
            (= (. v a):int 2):int
          }
    "#]]);
    check(
        "typedef int T; int f(const T *p, int T) { return (T) + 1; } T x;",
        expect![[r#"
            typedef T: int
            function f: int (const int *, int) linked init (p: const int *, T: int)
              {
                return (Add T 1):int
              }
            decl x: int linked
        "#]],
    );
}

#[test]
fn operators() {
    check("void f(int i, unsigned u, long l, char c, float x, int *p, const int *q) { i + u; u + l; c + c; x * i; p + 1; 1 + p; p - q; i << l; i && x; i ? p : 0; i ? p : q; -c; ~u; !x; i ? x : l; p[1]; 1[p]; *p++; &p; }", expect![[r#"
        function f: void (int, unsigned int, long, char, float, int *, const int *) linked init (i: int, u: unsigned int, l: long, c: char, x: float, p: int *, q: const int *)
          {
            (Add i u):unsigned int
            (Add u l):long
            (Add c c):int
            (Mul x i):float
            (Add p 1):int *
            (Add 1 p):int *
            (Sub p q):long
            (Shl i l):int
            (LogAnd i x):int
            (? i p 0):int *
            (? i p q):const int *
            (Minus c):int
            (BitNot u):unsigned int
            (Not x):int
            (? i x l):float
            (index p 1):int
            (index 1 p):int
            (deref (PostInc p):int *):int
            (addr p):int **
          }
    "#]]);
    check("struct s { unsigned b : 3; const int c; int a[2]; }; void f(struct s s, const struct s *p) { s.b + 1; s.b = 2; p->c; p->a; &p->a; (&s)->b++; }", expect![[r#"
        struct s
          b: unsigned int : 3
          c: const int
          a: int [2]
        function f: void (struct s, const struct s *) linked init (s: struct s, p: const struct s *)
          {
            (Add (. s b):unsigned int 1):int
            (= (. s b):unsigned int 2):unsigned int
            (-> p c):const int
            (-> p a):const int [2]
            (addr (-> p a):const int [2]):const int (*)[2]
            (PostInc (-> (addr s):struct s * b):unsigned int):unsigned int
          }
    "#]]);
    check("void f(int a, int b) { a = b += 2, a++; (a, b) + (a ? b : -1); ((a)) * ( b + 1 ); a ?: b; a ? : b; a ?:b; }", expect![[r#"
        function f: void (int, int) linked init (a: int, b: int)
          {
            (, (= a (Add= b 2):int):int (PostInc a):int):int
            (Add (, a b):int (? a b (Minus 1):int):int):int
            (Mul a (Add b 1):int):int
            (? a - b):int
            (? a - b):int
            (? a - b):int
          }
    "#]]);
    check("void f(void) { sizeof(int); sizeof \"abc\"; _Alignof(long); __alignof__(1 + 1); 'a'; L'a'; 1u; 1.5f; 0x1p3; L\"ab\"; __func__; }", expect![[r#"
        function f: void (void) linked init ()
          {
            (sizeof <int>):unsigned long
            (sizeof "abc":char [4]):unsigned long
            (alignof):unsigned long
            (alignof):unsigned long
            97
            97
            1:unsigned int
            1.5f:float
            0x1p3:double
            L"ab":int [3]
            __func__:const char [2]
          }
    "#]]);
}

#[test]
fn gnu_expressions() {
    check("void f(int n) { int x = ({ int y = n; y + 1; }); __builtin_offsetof(struct { int a; int b; }, b); __real__ (1.0i); __builtin_types_compatible_p(int, long) + 1; }", expect![[r#"
        function f: void (int) linked init (n: int)
          {
            decl x: int init = (stmts { decl y: int init = n (Add y 1):int }):int
            (offsetof <struct <anonymous>> b):unsigned long
            (Real 1.0i:double _Complex):double
            (Add __builtin_types_compatible_p(int, long):int 1):int
          }
    "#]]);
    check("typedef int v4 __attribute__((vector_size(16))); int f(v4 a, float b) { __builtin_bit_cast(unsigned, __builtin_fabsf(b)); __builtin_vectorelements(v4); __builtin_vectorelements(a); (void)(int[]) {\n}; return 0; }", expect![[r#"
        typedef v4: <vector 16 int>
        function f: int (<vector 16 int>, float) linked init (a: <vector 16 int>, b: float)
          {
            __builtin_bit_cast(unsigned, __builtin_fabsf(b)):unsigned int
            (call __builtin_vectorelements):unsigned long
            (call __builtin_vectorelements a):unsigned long
            (cast (literal {}):int [0]):void
            return 0
          }
    "#]]);
    check("struct s { int a, b; }; struct s g(void); int f(__builtin_va_list v) { (struct s){ 1 }; (struct s){}; (int[]){ 1, 2 }; return g().b + __builtin_va_arg(v, int); }", expect![[r#"
        struct s
          a: int
          b: int
        decl g: struct s (void) linked
        function f: int (__builtin_va_list) linked init (v: __builtin_va_list)
          {
            (literal {1}):struct s
            (literal {}):struct s
            (literal {1, 2}):int [2]
            return (Add (. (call g):struct s b):int (va_arg v):int):int
          }
    "#]]);
    check("void f(int x, float y) { _Generic(x, int: 1.0, default: 2); _Generic(y, int: 1.0, default: 2); __typeof__(x) z; __auto_type w = &x; unsigned __int128 q; }", expect![[r#"
        function f: void (int, float) linked init (x: int, y: float)
          {
            (generic 1.0:double):double
            (generic 2):int
            decl z: int
            decl w: int * init = (addr x):int *
            decl q: unsigned __int128
          }
    "#]]);
    check("long f(long x) { return __builtin_expect(x, 0) + __builtin_popcount(x) + __builtin_strlen(\"a\") + __sync_fetch_and_add(&x, 1); }", expect![[r#"
        function f: long (long) linked init (x: long)
          {
            return (Add (Add (Add (call __builtin_expect x 0):long (call __builtin_popcount x):int):long (call __builtin_strlen "a":char [2]):unsigned long):unsigned long (call __sync_fetch_and_add (addr x):long * 1):long):unsigned long
          }
    "#]]);
}

#[test]
fn statements() {
    check("int f(int n) { for (int i = 0; i < n; i++) continue; for (;;) break; while (n) n--; do n++; while (n < 3); if (n) return 1; else if (n > 2) ; switch (n) { case 1 ... 3: n = 2; break; default: goto end; } end: return n; }", expect![[r#"
        function f: int (int) linked init (n: int)
          {
            for decl; (Lt i n):int; (PostInc i):int
              decl i: int init = 0
              continue
            for ; ; 
              break
            while n
              (PostDec n):int
            do
              (PostInc n):int
            while (Lt n 3):int
            if n
              return 1
            else
              if (Gt n 2):int
                ;
            switch n
              {
                case 1 ... 3
                  (= n 2):int
                break
                default
                  goto end
              }
            label end
              return n
          }
    "#]]);
    check(
        "void f(int n) { static void *t[] = { &&a, &&b }; goto *t[n]; a: n++; b: ; }",
        expect![[r#"
        function f: void (int) linked init (n: int)
          {
            decl t: void *[2] static init = {(label a):void *, (label b):void *}
            goto *(index t n):void *
            label a
              (PostInc n):int
            label b
              ;
          }
    "#]],
    );
    check("void f(int n) { int v[n], w[n + 1][n]; typedef int M[n]; M m; if (n) asm(\"nop\"); asm volatile(\"x\" : \"=r\"(n) : \"r\"(v)); end: }", expect![[r#"
        function f: void (int) linked init (n: int)
          {
            decl v: int [vla n] vla[n]
            decl w: int [vla n + 1][vla n] vla[(Add n 1):int, n]
            typedef M: int [vla n] vla[n]
            decl m: int [vla n]
            if n
              asm 
            asm n, v
            label end
              ;
          }
    "#]]);
    check("void f(void) {\n#pragma pc3 checkpoint\n  ;\n#pragma  ccc   checkpoint  \n pc3_checkpoint ( ); __attribute__((fallthrough)); _Static_assert(1, \"\"); }", expect![[r#"
        function f: void (void) linked init ()
          {
            checkpoint
            ;
            checkpoint
            checkpoint
            ;
          }
    "#]]);
}

#[test]
fn refusals() {
    check("void f(int x) {\n if (x)\n#pragma pc3 checkpoint\n  x++;\n}\n#pragma pc3 checkpoint\n#pragma pc3 frob", expect![[r#"
        W0101 unknown pragma `pc3 frob` [7:#pragma pc3 frob]
        E0201 a checkpoint pragma directly below `if`, `else` or a loop head would become its body [3:pc3_checkpoint();]
        E0201 a checkpoint location outside of a function [6:pc3_checkpoint();]
        function f: void (int) linked init (x: int)
          {
            if x
              checkpoint
            (PostInc x):int
          }
        other pc3_checkpoint();
    "#]]);
    check(
        "void f(int x) { x + pc3_checkpoint(); y = 1; goto nowhere; l: l: ; }",
        expect![[r#"
            E0202 pc3_checkpoint() stands inside an expression [1:pc3_checkpoint()]
            E0103 `y` is not declared here [1:y]
            E0108 label `l` is defined twice in this function [1:l]
            E0108 label `nowhere` is not defined in this function [1:nowhere]
            function f: void (int) linked init (x: int)
              {
                (Add x (call pc3_checkpoint):<unsupported>):<unsupported>
                (= y:<unsupported> 1):<unsupported>
                goto nowhere
                label l
                  label l
                    ;
              }
        "#]],
    );
    check(
        "struct s { int a; }; void f(struct s s) { s.b; s + 1; s->a; *s; s(); 1(2); }",
        expect![[r#"
        E0105 no member `b` here [1:b]
        E0106 these operands do not go together [1:s + 1]
        E0106 `->a` is applied to something that is no pointer [1:s->a]
        E0106 this dereferences something that is no pointer [1:*s]
        E0106 this calls something that is no function [1:s()]
        E0106 this calls something that is no function [1:1(2)]
        struct s
          a: int
        function f: void (struct s) linked init (s: struct s)
          {
            (. s b):<unsupported>
            (Add s 1):<unsupported>
            (-> s a):<unsupported>
            (deref s):<unsupported>
            (call s):<unsupported>
            (call 1 2):<unsupported>
          }
    "#]],
    );
    check(
        "int f(void) { int g(int x) { return x; } return g(1); }",
        expect![[r#"
            function f: int (void) linked init ()
              {
                function g
                {
                  return x
                }
                return (call g 1):int
              }
        "#]],
    );
    check(
        "int a; int b = = 2; int c; void f(void) { a = 1 +; }",
        expect![[r#"
        E0101 pc3cc cannot parse this: unexpected `=` [1:=]
        E0101 pc3cc cannot parse this: unexpected `;` [1:;]
        decl a: int linked
        other int b = = 2;
        decl c: int linked
        other void f(void) { a = 1 +; }
    "#]],
    );
}

#[test]
fn one_tag_one_type() {
    let mut target = Target::default();
    (target.standard.c23, target.standard.same_tags) = (true, true);
    check_for(
        &target,
        "struct s { int a; struct s *next; union { char c[2]; } u; } x; struct s { int a; struct s *next; union { char c[2]; } u; } y;\n\
         enum e { A }; enum e { A };\n\
         void f(struct s p) { struct s { int a; struct s *next; union { char c[2]; } u; } same = p; { struct s { int b; } different; } }",
        expect![[r#"
            struct s
              a: int
              next: struct s *
              u: union <anonymous>
            union <anonymous>
              c: char [2]
            decl x: struct s linked
            union <anonymous>
              c: char [2]
            decl y: struct s linked
            enum e UInt A=0
            function f: void (struct s) linked init (p: struct s)
              {
                union <anonymous>
                  c: char [2]
                decl same: struct s init = p
                {
                  struct s
                    b: int
                  decl different: struct s
                }
              }
        "#]],
    );
}

#[test]
fn unknown_types_decide_nothing() {
    check(
        "int n = _Generic((__bf16)1, int: 1, default: 2);",
        expect![[r#"
            E0106 which value this _Generic takes depends on a type that pc3cc does not know [1:_Generic((__bf16)1, int: 1, default: 2)]
            decl n: int linked init = _Generic((__bf16)1, int: 1, default: 2):<unsupported>
        "#]],
    );
}

#[test]
fn sizes_of_literals() {
    check(
        "int n = sizeof (char[]){ 1, 2 } + sizeof (int[4]){}[0] + sizeof (char) * 8; __typeof__(__typeof__(n) *) p;",
        expect![[r#"
            decl n: int linked init = (Add (Add (sizeof (literal {1, 2}):char [2]):unsigned long (sizeof (index (literal {}):int [4] 0):int):unsigned long):unsigned long (Mul (sizeof <char>):unsigned long 8):unsigned long):unsigned long
            decl p: int * linked
        "#]],
    );
}

#[test]
fn later_declarations() {
    let mut target = Target::default();
    (target.standard.c23, target.standard.wide_enumerators) = (true, true);
    check_for(
        &target,
        "typedef struct item item; typedef short T; enum e : T; enum f : typeof(char) { F };\n\
         enum g { A = 0xffffffffu, B, C = _Generic(B, unsigned long: 1, default: 2) }; auto (x) = 1.5; auto s[] = \"abc\"; int a[];\n\
         void l(item *p) { for (item *next, *i = p; i; i = next) next = i; end: __attribute__((unused)) }",
        expect![[r#"
            typedef item: struct item
            typedef T: short
            enum f Char F=0
            enum g ULong A=4294967295 B=4294967296 C=1
            decl x: double linked init = 1.5:double
            decl s: char [4] linked init = "abc":char [4]
            decl a: int [1] linked
            function l: void (struct item *) linked init (p: struct item *)
              {
                for decl; i; (= i next):struct item *
                  decl next: struct item *
                  decl i: struct item * init = p
                  (= next i):struct item *
                label end
                  ;
              }
        "#]],
    );
}

/// Names in parentheses, as headers have them against macros; an empty body behind them is no empty list.
#[test]
fn names_in_parentheses() {
    check(
        "void (a)(void) {} int ((b))(int x) { return x; } void(c)() {} int *((d)(void)) { return (int *)(int[1]){}; }",
        expect![[r#"
            function a: void (void) linked init ()
              {
              }
            function b: int (int) linked init (x: int)
              {
                return x
              }
            function c: void () linked init ()
              {
              }
            function d: int *(void) linked init ()
              {
                return (cast (literal {}):int [1]):int *
              }
        "#]],
    );
}

/// As clang has it: the type is taken as it is.
#[test]
fn generic_over_types() {
    check(
        "int f(int), a[3]; const int c; int g = _Generic(typeof(f), int (*)(int): 1, int (int): 2.0);\n\
         int h = _Generic(typeof(a), int *: 1, int[3]: 2.0), i = _Generic(typeof(const int), int: 1, const int: 2.0);\n\
         int j = _Generic(typeof_unqual(c), int: 1, const int: 2.0);\n\
         int k = _Generic(typeof(c) *, int *: 1, default: 2);",
        expect![[r#"
            E0101 pc3cc cannot parse this: unexpected `,` [4:,]
            decl f: int (int) linked
            decl a: int [3] linked
            decl c: const int linked
            decl g: int linked init = (generic 2.0:double):double
            decl h: int linked init = (generic 2.0:double):double
            decl i: int linked init = (generic 2.0:double):double
            decl j: int linked init = (generic 1):int
            other int k = _Generic(typeof(c) *, int *: 1, default: 2);
        "#]],
    );
}

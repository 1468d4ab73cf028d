/* What instrumented code and the runtime agree on.
 *
 * pc3cc puts this text in front of every instrumented translation unit; the Rust mirror
 * is `pc3_typemetric::descriptor`, and a test compares the two.  It includes no header
 * (the user's own, already preprocessed, follow) and declares only names that begin
 * with pc3_ / PC3_.
 *
 * Tables (types, points, functions, globals, literals) are C initialisers: the target's
 * compiler evaluates sizeof and offsetof, so one emitter serves every ABI.
 */
#ifndef PC3_RT_H
#define PC3_RT_H

#define PC3_DESCRIPTOR_VERSION 2

typedef __SIZE_TYPE__ pc3_size;
typedef __PTRDIFF_TYPE__ pc3_diff;

/* ---- types -------------------------------------------------------------------- */

#define PC3_KIND_VOID 0
#define PC3_KIND_BOOL 1
#define PC3_KIND_CHAR 2     /* plain char: signedness is the ABI's */
#define PC3_KIND_SINT 3
#define PC3_KIND_UINT 4
#define PC3_KIND_FLOAT 5    /* binary32/64 by size; PC3_TYPE_LONGDOUBLE set for long double */
#define PC3_KIND_COMPLEX 6  /* two of the above; size is of the whole */
#define PC3_KIND_ENUM 7     /* converted as an integer */
#define PC3_KIND_POINTER 8  /* elem = pointee, 0 if void or incomplete */
#define PC3_KIND_FUNCTION 9 /* only as a pointee */
#define PC3_KIND_STRUCT 10
#define PC3_KIND_UNION 11
#define PC3_KIND_ARRAY 12   /* count 0: flexible or unknown length */
#define PC3_KIND_HANDLE 13  /* opaque MPI handle: a pointer-sized token, not an address */
#define PC3_KIND_FILE 14    /* FILE *: a pointer-sized reference to the runtime's file table */
#define PC3_KIND_OPAQUE 15  /* bytes that cannot change ABI (va_list, _Decimal64), unless PC3_TYPE_NUMBER says so */
#define PC3_KIND_ADDRESS 16 /* integer that holds the address of an object; count: its low bits that do not belong to
                               the address, and from bit 8 on, for each value of theirs, is it an address at all */
#define PC3_KIND_BYTES 17   /* integer that counts bytes of objects of type elem; see PC3_TYPE_SUM for those without */

#define PC3_TYPE_LONGDOUBLE 1
#define PC3_TYPE_SIGNED 2   /* of enum's representation */
#define PC3_TYPE_NUMBER 2   /* of opaque bytes: one number (__int128, _Float128, _Float16), the same on all ABIs but for the order of its bytes */
#define PC3_TYPE_UNKNOWN 4  /* untyped heap bytes that may hold pointers */
/* Of a struct that ends in a one-element array, what an allocation's size was written as: */
#define PC3_TYPE_ROW 8      /* n * sizeof: objects are any number of it */
#define PC3_TYPE_ONE 16     /* sizeof + ...: objects are one with a longer array */
                            /* PC3_KIND_BYTES without elem, made of the sizes that its name lists by their places in orders (one a line): */
#define PC3_TYPE_SUM 32     /* 0 has none of them in it */
#define PC3_TYPE_FITS 64    /* it may stay as it is where none of them is larger, or none larger than it */
#define PC3_TYPE_PART 128   /* of an unnamed member, which C cannot measure: size, offsets and images are those of the struct
                               around it that has a name, and its extent is what its own members take */

struct pc3_member;
struct pc3_type {
    unsigned id;                     /* 0; the runtime's interned id after registration */
    unsigned char kind, flags;
    unsigned short align;
    pc3_size size;                   /* sizeof; 0 if incomplete or function */
    pc3_size count;                  /* array: elements; struct/union: members */
    struct pc3_type *elem;           /* array element, pointee */
    const struct pc3_member *members;
    const char *name;                /* canonical: "double", "struct node", "" for anonymous */
};
struct pc3_member {
    const char *name;                /* "" for an anonymous struct/union member */
    struct pc3_type *type;
    pc3_size offset;                 /* of a bit-field: unused */
    const unsigned char *bits;       /* bit-field: image of the struct (PC3_TYPE_PART: around it) with just this field all ones; else 0 */
    const char *choice;              /* union: how another member says which of its members is in use; else 0 */
};

/* Which member of a union an initialiser gives a value; a list ends with one without a type. */
struct pc3_union_mark {
    const struct pc3_type *type;
    pc3_size offset;                 /* of the union in the object */
    unsigned member;
};
#define PC3_UNION_WHOLE 1073741824   /* all of it is in its notes, whatever the member */
struct pc3_union_kind {              /* the number of a union's type in codes of notes */
    unsigned number;
    const struct pc3_type *type;
};
struct pc3_union_static {            /* of an object of static storage */
    void *addr;
    const struct pc3_union_mark *marks;
};

/* ---- stack -------------------------------------------------------------------- */

#define PC3_POINT_LOOSE 1            /* the callee may be gone by a tail call: the next inner frame can be another's */
struct pc3_func;
struct pc3_point {
    struct pc3_func *func;
    unsigned label;                  /* 1.. within the function, in source order */
    unsigned line;
    const char *file;
    const char *what;                /* callee's name, "(*)" for a call through a pointer, "checkpoint" */
    struct pc3_type *live;           /* struct of the live values, 0 if none */
    unsigned flags;                  /* PC3_POINT_* */
};
struct pc3_func {
    const char *name;                /* "main"; statics "file.c:step" */
    void (*resume)(void);            /* cast to the function's return type before use */
    struct pc3_type *shadow;         /* struct of the escaping locals, 0 if none */
    const struct pc3_point *points;
    unsigned npoints;
};
/* A frame as the resume clone sees it. */
struct pc3_frame {
    const struct pc3_point *point;
    void *live;                      /* the live record, this ABI's layout */
    void *shadow;                    /* the frame's shadow block, 0 if none */
};

/* ---- globals, literals, functions --------------------------------------------- */

#define PC3_GLOBAL_CONST 1           /* never written: contents are not saved, one copy for all ranks */
#define PC3_GLOBAL_INIT 2            /* has an initialiser other than zero */
#define PC3_GLOBAL_LITERAL 4         /* string literal, matched by contents */
#define PC3_GLOBAL_UNSAVED 8         /* its contents are computed anew: not part of a checkpoint */
struct pc3_global {
    const char *name;                /* "x"; statics "file.c:x"; function statics "file.c:f.x" */
    void *addr;                      /* rank 0's / the template's address */
    struct pc3_type *type;
    pc3_size size;                   /* sizeof the object (arrays completed elsewhere) */
    unsigned flags;
    const char *tag;                 /* union: the name of the global that says which member is in use; else 0 */
    const char *choice;              /* how it says it, as in struct pc3_member */
    const char *place;               /* where it is declared: "file.c:12"; 0: nowhere by the user */
};
struct pc3_fnref {                   /* every function whose address the program takes */
    const char *name;
    void (*addr)(void);
};

/* ---- allocation sites ---------------------------------------------------------- */

struct pc3_site {
    struct pc3_type *type;           /* element type; 0 unknown */
    const char *file;
    unsigned line;
    struct pc3_type *head;           /* of memory of unknown type: what it begins with; else 0 */
};

/* A row of one of both: a head that a function allocates in front of what its callers ask for; what a caller asks for. */
struct pc3_head {
    struct pc3_type *type;
    struct pc3_type *wanted;
    pc3_size offset;                 /* of what lies behind it */
    const char *counts;              /* its members that say how many bytes that has, one a line */
};

/* ---- functions of the program that are called around checkpoints -------------------- */

#define PC3_EVENT_BEFORE 1            /* as the events of pc3.h */
#define PC3_EVENT_CONTINUE 2
#define PC3_EVENT_RESTART 4
#define PC3_EVENT_RECOMPUTE 8         /* at a restart, before all others: computes what is not saved */
struct pc3_around {
    void (*function)(void);
    unsigned events;
};

/* ---- one translation unit, registered by a constructor --------------------------- */

#define PC3_UNIT_PRIVATE_GLOBALS 1   /* globals are reached through pc3_delta */
#define PC3_UNIT_HAS_MPI 2
#define PC3_UNIT_HAS_POINTS 4
#define PC3_UNIT_STRAYS 8            /* calls pc3_to_where */
#define PC3_UNIT_HAS_FLOATS 16       /* the program looks at the floating-point environment, or changes it */
#define PC3_UNIT_CHAR_SIGNED 32      /* plain char is, whatever the architecture's is */
#define PC3_UNIT_CHAR_UNSIGNED 64
#define PC3_UNIT_PIECES 128          /* the program hands out blocks in pieces */
#define PC3_UNIT_HAS_ENVIRONMENT 256 /* the program may point into the environment */
#define PC3_UNIT_HAS_TEAMS 512       /* a library of OpenMP is linked: one team for each thread of the system */
#define PC3_HOOK_LAST 65536          /* priority of those that have none */
struct pc3_hook {                    /* a constructor or destructor: run by the runtime, since what it does is state */
    unsigned destructor, priority;
    void (*function)(void);          /* constructors are given main's arguments */
};
struct pc3_wide {                    /* a constant that a long of 32 bits changes (of units for 64 bits) */
    unsigned low;                    /* into this */
    unsigned is_signed;
    const char *what;                /* "`0xf2345678` (file.c:12)" */
};
struct pc3_also {                    /* memory of a struct that the program also writes as another one */
    const struct pc3_type *type, *other; /* null: a unit that knows it has a row of the same place */
    const char *place;               /* where it does: "file.c:12" */
};
#define PC3_ORDER_SIZE 256
struct pc3_order {                   /* where what the order of bytes gave is kept */
    const char *place;               /* "file.c:12" */
    unsigned is_long;                /* 1: so does the width of long; 2: how the architecture numbers what fenv.h has, alone; 3: the width of long, alone; 4: where members of structs lie;
                                        5: both that and the order of bytes, while files are open that can be read;
                                        6: any of these (a union's member and its tag contradicted each other);
                                        PC3_ORDER_WAY: a way that sizes take, from the node `when`, or in any case, to this one;
                                        PC3_ORDER_SIZE and more: a size, plus that, which values of type PC3_KIND_BYTES name */
    const unsigned char *ran;        /* 1 once the code has run; 0: nothing tells, so it has */
    const char *when;                /* only if sizes have got to this node; 0: in any case */
};
#define PC3_ORDER_WAY 7
struct pc3_unit {
    unsigned version;                /* PC3_DESCRIPTOR_VERSION */
    unsigned flags;
    const char *file;                /* as given on the command line, without directories */
    struct pc3_type *types; pc3_size ntypes;
    struct pc3_func *funcs; pc3_size nfuncs;
    struct pc3_global *globals; pc3_size nglobals;
    const struct pc3_fnref *fnrefs; pc3_size nfnrefs;
    int (*main)(int, char **, char **); /* the unit that defines main, else 0 */
    struct pc3_func *main_func;      /* its descriptor if main is instrumented, else 0 */
    struct pc3_unit *next;
    const unsigned long long *marks; /* numbers that the program keeps in pointers: (T *)0xdead */
    pc3_size nmarks;
    const struct pc3_hook *hooks; pc3_size nhooks;
    const struct pc3_around *around; pc3_size naround;
    const char *const *numbers;      /* "file.c:12": where addresses are kept as numbers that become pointers again */
    pc3_size nnumbers;
    const struct pc3_wide *wides; pc3_size nwides;
    const struct pc3_order *orders; pc3_size norders;
    const char *const *untyped;      /* "file.c:12 (malloc)": what allocates memory of unknown type, unless its callers say;
                                        "file.c:12 (allocation 2 in f)": of a type that has this name, if it is kept in several forms;
                                        "file.c:12 (struct node in f)": what else a function allocates, and of what type;
                                        "file.c:12 (counted in pieces)": finds pieces of blocks by their number and size */
    pc3_size nuntyped;
    const struct pc3_union_static *unions; pc3_size nunions;
    const struct pc3_union_kind *kinds; pc3_size nkinds;
    unsigned char *seen;             /* per entry of numbers: PC3_SEEN_* */
    const struct pc3_also *also; pc3_size nalso;
    const struct pc3_head *heads; pc3_size nheads;
};
#define PC3_SEEN 1                   /* it has ever been an address */
/* The number may stay what it is where objects move: */
#define PC3_SEEN_ALIKE 2             /* where addresses are as wide */
#define PC3_SEEN_EVERYWHERE 4
#define PC3_SEEN_ONCE 8              /* elsewhere, as long as it is not made of the same object again */
extern void pc3_register_unit(struct pc3_unit *);

/* ---- per-rank state seen by generated code ---------------------------------------- */

#if defined(__PIC__) && !defined(__PIE__)
#define PC3_TLS extern __thread
#else
#define PC3_TLS extern __thread __attribute__((tls_model("local-exec")))
#endif

/* Nonzero while this worker's current rank unwinds its stack for a checkpoint. */
PC3_TLS int pc3_state;
/* Distance from a global's template to the running rank's copy; 0 with one rank. */
PC3_TLS pc3_diff pc3_delta;
/* Values with one small union in them, on their way between functions: what the union holds, its note's code, how many there are. */
struct pc3_value {
    unsigned long long held;
    unsigned code, count;
};
#define PC3_VALUES 32
/* The running rank. */
struct pc3_rank {
    char *sp, *sp_end;               /* shadow stack: next free byte, end */
    unsigned passages;               /* locations passed (MPI programs only) */
    const char *at;                  /* "file.c:12" of the latest MPI call, for deadlock reports */
    struct pc3_site *site;           /* set by a caller of an allocation wrapper, taken by the allocation in it */
    void *args;                      /* set by a caller of a function that reads its variable arguments from memory */
    pc3_size stack;                  /* an address in the frame that calls main */
    unsigned crowded;                /* are there values that had to make place for others? */
    unsigned apart;                  /* it is no rank, but what a thread without one has in its place */
    struct pc3_value values[PC3_VALUES]; /* by what they hold */
    pc3_size told, told_bytes;       /* what is stored here needs not be told: it is known that nobody knows what lies here */
    pc3_size from, from_bytes;       /* the pointer that is being moved; the array it is the start of */
    pc3_size within, within_bytes, within_elem; /* an object of the heap with elements of this size, in which pointers were moved */
};
PC3_TLS struct pc3_rank *pc3_me;
/* Nonzero when some rank of this process must look closer at its next location. */
extern volatile int pc3_flag;

/* Slow path of a location: nonzero if this rank must unwind now. */
extern int pc3_due(const struct pc3_point *) __attribute__((cold));
/* A function begins below which locations are passed by; given an address in its frame, returns what pc3_above puts back. */
extern pc3_size pc3_below(const void *) __attribute__((nothrow, leaf));
extern void pc3_above(const pc3_size *) __attribute__((nothrow, leaf));
/* Pushes a frame (innermost first) while unwinding and returns room for its live record. */
extern void *pc3_frame_save(const struct pc3_point *, void *shadow) __attribute__((cold, returns_nonnull));
/* In a resume clone: the frame to restore (outermost first). */
extern const struct pc3_frame *pc3_frame_load(void);
/* The resume entry of the next inner frame. */
extern void (*pc3_resume_next(void))(void);
/* The innermost frame has been restored: normal execution goes on. */
extern void pc3_resumed(void);

/* Shadow blocks of escaping locals: freed by setting sp back, which generated code does inline. */
extern void *pc3_shadow_grow(pc3_size) __attribute__((cold)); /* reports the overflow; never returns 0 */
/* Every object on the shadow stack starts at a multiple of 16 (or its type's alignment, if larger) and has
 * at least one byte behind it that belongs to nobody: sp moves by (bytes + 16) & ~15. */
/* Runtime-sized blocks (VLA, alloca) at from = pc3_me->sp: moves sp, returns the bytes. */
extern void *pc3_shadow_block(char *from, pc3_size bytes, struct pc3_type *elem);
/* Frees a block and all behind it: the word in front of its bytes holds the sp to go back to, which is
 * rebuilt by a restart (a saved sp in a local would not be an address of any object). */
#define PC3_SHADOW_POP(block) ((void)(pc3_me->sp = ((char **)(void *)(block))[-1]))

/* The running rank's copy of global x; pc3_d is the function's cached pc3_delta.  gcc keeps two objects apart
   through pointer arithmetic (no aliasing versions of loops); clang would take a global that is only read this
   way for a constant, unless its address passes through an integer. */
#ifdef __clang__
#define PC3_G(x) (*(__typeof__(x) *)((pc3_size)&x + (pc3_size)pc3_d))
#else
#define PC3_G(x) (*(__typeof__(x) *)((char *)&x + pc3_d))
#endif

#define PC3_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* A pointer that becomes a number which is kept: seen, unless it is small, or one of the last page: no address. */
static __inline__ __attribute__((unused)) pc3_diff pc3_number(unsigned char *pc3_seen_at, pc3_diff pc3_p) {
    if (PC3_UNLIKELY((pc3_size)pc3_p - 65536 < (pc3_size)0 - 69632)) *pc3_seen_at |= PC3_SEEN;
    return pc3_p;
}
/* Likewise, if it is that of the object for good: the one that it had before objects moved. */
extern volatile int pc3_has_moved;
extern pc3_diff pc3_first_number(const unsigned char *, pc3_diff) __attribute__((cold));
static __inline__ __attribute__((unused)) pc3_diff pc3_stable(unsigned char *pc3_seen_at, pc3_diff pc3_p) {
    pc3_p = pc3_number(pc3_seen_at, pc3_p);
    return PC3_UNLIKELY(pc3_has_moved) ? pc3_first_number(pc3_seen_at, pc3_p) : pc3_p;
}

/* A va_list that reads arguments from memory where they lie as on the stack, and where one stands. */
extern void pc3_va_make(void *list, void *at);
extern void *pc3_va_at(const void *list) __attribute__((cold));

/* How arguments of more than a word lie there.  By reference: 1: all but structs of 1, 2, 4 or 8 bytes; 2: large ones but
 * structs of four floating numbers; 3: large ones.  Wide: what is aligned to so much, is on the stack, too; right: small ones lie at the end of their word. */
#if defined(__s390x__)
enum { pc3_args_by = 1, pc3_args_wide = 1 << 20, pc3_args_right = 1 };
#elif defined(__aarch64__)
enum { pc3_args_by = 2, pc3_args_wide = 16, pc3_args_right = 0 };
#elif defined(__riscv)
enum { pc3_args_by = 3, pc3_args_wide = 16, pc3_args_right = 0 };
#elif defined(__arm__)
enum { pc3_args_by = 0, pc3_args_wide = 8, pc3_args_right = 0 };
#else
enum { pc3_args_by = 0, pc3_args_wide = 16, pc3_args_right = 0 };
#endif

/* Unions whose members are unlike: member number n was written; a function had a pointer to it; the program keeps one. */
extern void pc3_union_set(const void *, const struct pc3_type *, unsigned) __attribute__((nothrow, leaf, cold));
extern void pc3_union_lent(const void *, const struct pc3_type *, unsigned) __attribute__((nothrow, leaf));
extern void *pc3_union_held(const void *, pc3_size, const struct pc3_type *, unsigned, unsigned) __attribute__((nothrow, leaf, cold));
/* Objects with such unions: copied; passed or returned by value; arrived so; initialised; overwritten from elsewhere. */
extern void pc3_union_copied(const void *, const void *, const struct pc3_type *) __attribute__((nothrow, leaf));
extern void *pc3_union_passed(const void *, const struct pc3_type *) __attribute__((nothrow, leaf));
extern void pc3_union_taken(const void *, const struct pc3_type *) __attribute__((nothrow, leaf));
extern void *pc3_union_made(const void *, pc3_size, const struct pc3_union_mark *) __attribute__((nothrow, leaf, returns_nonnull));
extern void pc3_union_gone(const void *, pc3_size) __attribute__((nothrow, leaf));
extern void *pc3_union_filled(const void *, pc3_size) __attribute__((nothrow, leaf));
extern void *pc3_union_memset(void *, int, pc3_size) __attribute__((nothrow, leaf));
extern void *pc3_union_memcpy(void *, const void *, pc3_size) __attribute__((nothrow, leaf));
extern void *pc3_union_memmove(void *, const void *, pc3_size) __attribute__((nothrow, leaf, returns_nonnull));

/* Most unions have a place beside the program's memory (runtime/state/src/unions/notes.rs): a code for union and member, and what the
 * member held when it was noted.  Notes of a stretch of addresses lie at twice the address and what this says; those of unions
 * in which others lie one level on. */
enum { pc3_notes_shift = sizeof(void *) == 8 ? 26 : 18, pc3_notes_most = 64, pc3_notes_level = (2 << pc3_notes_shift) + 128 };
extern pc3_size pc3_notes[] __attribute__((visibility("hidden")));
typedef unsigned long long pc3_eight __attribute__((may_alias, aligned(1)));
typedef unsigned pc3_four __attribute__((may_alias, aligned(1)));
typedef unsigned long long pc3_is8 __attribute__((aligned(1)));
typedef unsigned pc3_is4 __attribute__((aligned(1)));
#define PC3_INLINE static __inline__ __attribute__((always_inline, unused, artificial))
/* So much of a member is noted: not less than eight bytes, nor more than the union has.  0: the runtime does it. */
#define PC3_LESS(a, b) ((a) < (b) ? (a) : (b))
PC3_INLINE pc3_size pc3_window(pc3_size pc3_u, pc3_size pc3_m) {
    return pc3_u % 4 ? 0 : PC3_LESS(PC3_LESS(pc3_u, pc3_m > 8 ? pc3_m : 8), 64);
}
PC3_INLINE void pc3_note(const void *pc3_u, pc3_size pc3_n, unsigned pc3_l, unsigned pc3_code, const struct pc3_type *pc3_t, unsigned pc3_k) {
    pc3_size pc3_s = pc3_n ? pc3_notes[(pc3_size)pc3_u >> pc3_notes_shift] : 0;
    if (__builtin_expect(!pc3_s, 0)) {
        pc3_union_set(pc3_u, pc3_t, pc3_k);
        return;
    }
    pc3_s += 2 * (pc3_size)pc3_u + pc3_l * (pc3_size)pc3_notes_level;
    *(pc3_is4 *)pc3_s = pc3_code;
    if (pc3_n == 8) *(pc3_is8 *)(pc3_s + 4) = *(const pc3_eight *)pc3_u;
    else if (pc3_n == 4) *(pc3_is4 *)(pc3_s + 4) = *(const pc3_four *)pc3_u;
    else __builtin_memcpy((void *)(pc3_s + 4), pc3_u, pc3_n);
}
/* A union of so many bytes.  Nonzero if it could not be done here.  A note that held of the source holds of the copy, and a void
 * one stays so. */
PC3_INLINE int pc3_note_copied(const void *pc3_to, const void *pc3_from, pc3_size pc3_n, unsigned pc3_l) {
    pc3_size pc3_s, pc3_d;
    if (pc3_n % 4 != 0) return 1;
    pc3_d = pc3_notes[(pc3_size)pc3_to >> pc3_notes_shift];
    pc3_s = pc3_notes[(pc3_size)pc3_from >> pc3_notes_shift];
    if (__builtin_expect(!pc3_d, 0) || __builtin_expect(!pc3_s, 0)) return 1;
    pc3_d += 2 * (pc3_size)pc3_to + pc3_l * (pc3_size)pc3_notes_level;
    pc3_s += 2 * (pc3_size)pc3_from + pc3_l * (pc3_size)pc3_notes_level;
    __builtin_memmove((void *)pc3_d, (void *)pc3_s, pc3_n <= 8 ? 2 * pc3_n : 4 + PC3_LESS(pc3_n, 64));
    return 0;
}

/* A pointer to a member is kept: the runtime's table has it, if it is here (runtime/state/src/unions/seen.rs). */
extern unsigned long long pc3_kept[] __attribute__((visibility("hidden")));
enum { pc3_kept_code = sizeof(void *) == 8 ? 48 : 32 };
PC3_INLINE void *pc3_keep(const void *pc3_object, pc3_size pc3_offset, unsigned pc3_code, const struct pc3_type *pc3_t, unsigned pc3_k) {
    pc3_size pc3_at = (pc3_size)pc3_object + pc3_offset;
    unsigned long long pc3_key = pc3_at | (unsigned long long)pc3_code << pc3_kept_code;
    if (PC3_UNLIKELY(!pc3_code || pc3_kept[(pc3_at >> 4) % 64 * 4 + ((pc3_code ^ pc3_code >> 6) & 3)] != pc3_key))
        return pc3_union_held(pc3_object, pc3_offset, pc3_t, pc3_k, pc3_code);
    return (void *)pc3_object;
}
/* May something of these bytes be in that table? */
extern unsigned long long pc3_tabled[] __attribute__((visibility("hidden")));
PC3_INLINE int pc3_is_tabled(const void *pc3_p, pc3_size pc3_n) {
    pc3_size pc3_a = (pc3_size)pc3_p >> 8;
    return pc3_n > 256 || (pc3_tabled[pc3_a / 64 % 1024] >> pc3_a % 64 & 1);
}

/* Objects with such unions, of so many levels, are copied by memcpy, memmove; pc3_tables: they may be in the table, too. */
enum { pc3_tables = 4 };
PC3_INLINE int pc3_together(const void *pc3_p, pc3_size pc3_n) {
    pc3_size pc3_at = (pc3_size)pc3_p & (((pc3_size)1 << pc3_notes_shift) - 1);
    return pc3_n <= ((pc3_size)1 << pc3_notes_shift) - pc3_at && pc3_notes[(pc3_size)pc3_p >> pc3_notes_shift];
}
#define PC3_COPIES(name, copy) \
    PC3_INLINE void *name(void *pc3_to, const void *pc3_from, pc3_size pc3_n, unsigned pc3_levels) { \
        pc3_size pc3_d, pc3_s; \
        if (PC3_UNLIKELY(!pc3_together(pc3_to, pc3_n) || !pc3_together(pc3_from, pc3_n))) return pc3_union_memmove(pc3_to, pc3_from, pc3_n); \
        if (pc3_levels & pc3_tables && PC3_UNLIKELY(pc3_is_tabled(pc3_to, pc3_n) || pc3_is_tabled(pc3_from, pc3_n))) \
            return pc3_union_memmove(pc3_to, pc3_from, pc3_n); \
        pc3_d = pc3_notes[(pc3_size)pc3_to >> pc3_notes_shift] + 2 * (pc3_size)pc3_to; \
        pc3_s = pc3_notes[(pc3_size)pc3_from >> pc3_notes_shift] + 2 * (pc3_size)pc3_from; \
        copy(pc3_to, pc3_from, pc3_n); \
        copy((void *)pc3_d, (void *)pc3_s, 2 * pc3_n); \
        if ((pc3_levels & 3) > 1) copy((void *)(pc3_d + pc3_notes_level), (void *)(pc3_s + pc3_notes_level), 2 * pc3_n); \
        return pc3_to; \
    }
PC3_COPIES(pc3_noted_memcpy, __builtin_memcpy)
PC3_COPIES(pc3_noted_memmove, __builtin_memmove)
/* An object as a whole (0: it is not) has no more unions than at these places, above each its level; pc3_no_place: none. */
enum { pc3_place_level = 24, pc3_no_place = 255 << pc3_place_level };
PC3_INLINE void pc3_void(pc3_size pc3_d, unsigned pc3_place) {
    pc3_size pc3_at = pc3_place & ((1u << pc3_place_level) - 1);
    if (pc3_place != (unsigned)pc3_no_place) *(pc3_is4 *)(pc3_d + 2 * pc3_at + (pc3_place >> pc3_place_level) * (pc3_size)pc3_notes_level) = 0;
}
/* Up to 128 bytes by stores: gcc calls or repeats one where there are more than 64, and knows less of what is overwritten. */
PC3_INLINE void pc3_fill(void *pc3_to, int pc3_c, pc3_size pc3_n) {
    pc3_size pc3_first = __builtin_constant_p(pc3_n) && pc3_n > 64 && pc3_n <= 128 ? 64 : 0;
    __builtin_memset(pc3_to, pc3_c, pc3_first);
    __builtin_memset((char *)pc3_to + pc3_first, pc3_c, pc3_n - pc3_first);
}
/* Much of it may have no notes, nor memory for them: the runtime looks first. */
PC3_INLINE void *pc3_noted_memset(void *pc3_to, int pc3_c, pc3_size pc3_n, unsigned pc3_levels, pc3_size pc3_whole, unsigned pc3_p0,
                                  unsigned pc3_p1, unsigned pc3_p2, unsigned pc3_p3) {
    pc3_size pc3_d;
    if (PC3_UNLIKELY(pc3_n > 256 || !pc3_together(pc3_to, pc3_n))) return pc3_union_memset(pc3_to, pc3_c, pc3_n);
    if (pc3_levels & pc3_tables && PC3_UNLIKELY(pc3_is_tabled(pc3_to, pc3_n))) return pc3_union_memset(pc3_to, pc3_c, pc3_n);
    pc3_d = pc3_notes[(pc3_size)pc3_to >> pc3_notes_shift] + 2 * (pc3_size)pc3_to;
    pc3_fill(pc3_to, pc3_c, pc3_n);
    if (pc3_n == pc3_whole) {
        pc3_void(pc3_d, pc3_p0);
        pc3_void(pc3_d, pc3_p1);
        pc3_void(pc3_d, pc3_p2);
        pc3_void(pc3_d, pc3_p3);
        return pc3_to;
    }
    __builtin_memset((void *)pc3_d, 0, 2 * pc3_n);
    if ((pc3_levels & 3) > 1) __builtin_memset((void *)(pc3_d + pc3_notes_level), 0, 2 * pc3_n);
    return pc3_to;
}

/* A value with one such union of 4 or 8 bytes is passed or returned, and arrives. What waits here is found by its contents; of two
 * that look alike and are not, either may be the one. */
extern unsigned pc3_union_crowded(const struct pc3_value *, unsigned long long, unsigned) __attribute__((nothrow, leaf, cold));
extern unsigned pc3_union_sought(unsigned long long) __attribute__((nothrow, leaf, cold));
extern void pc3_union_noted(const void *, pc3_size, unsigned) __attribute__((nothrow, leaf, cold));
#define PC3_HELD(u, n) ((n) == 8 ? *(const pc3_eight *)(u) : *(const pc3_four *)(u))
#define PC3_SPREAD(held) (sizeof(void *) == 8 ? (unsigned)((held) * 0x9e3779b97f4a7c15ull >> 59) : (unsigned)((held) ^ (held) >> 32) * 0x9e3779b1u >> 27)
PC3_INLINE void pc3_send(unsigned long long pc3_held, unsigned pc3_code) {
    struct pc3_value *pc3_v = &pc3_me->values[PC3_SPREAD(pc3_held)];
    unsigned pc3_n = pc3_v->count;
    if (PC3_UNLIKELY(pc3_n)) {
        if (pc3_v->held != pc3_held) pc3_n = 0;
        if (pc3_v->held != pc3_held || pc3_v->code != pc3_code) pc3_code = pc3_union_crowded(pc3_v, pc3_held, pc3_code);
    }
    pc3_v->held = pc3_held;
    pc3_v->code = pc3_code;
    pc3_v->count = pc3_n + 1;
}
PC3_INLINE unsigned pc3_arrived(unsigned long long pc3_held) {
    struct pc3_value *pc3_v = &pc3_me->values[PC3_SPREAD(pc3_held)];
    if (__builtin_expect(pc3_v->held == pc3_held && pc3_v->count, 1)) {
        pc3_v->count--;
        return pc3_v->code;
    }
    return PC3_UNLIKELY(pc3_me->crowded) ? pc3_union_sought(pc3_held) : 0;
}
/* How deep the stack is, as an address: what programs compare with a limit is the same behind a restart, wherever the
 * stack lies then, and fits into 32 bits. */
PC3_INLINE void *pc3_depth(void *pc3_at) {
    return (void *)(0x70000000ul - (pc3_me->stack - (pc3_size)pc3_at));
}
/* The object, whose union at an offset has so many bytes. */
PC3_INLINE void *pc3_pass(const void *pc3_object, pc3_size pc3_at, pc3_size pc3_n, const struct pc3_type *pc3_t) {
    const char *pc3_u = (const char *)pc3_object + pc3_at;
    unsigned long long pc3_held;
    unsigned pc3_code = 0;
    pc3_size pc3_s;
    if (pc3_n != 8 && pc3_n != 4) return pc3_union_passed(pc3_object, pc3_t);
    pc3_held = PC3_HELD(pc3_u, pc3_n);
    pc3_s = pc3_notes[(pc3_size)pc3_u >> pc3_notes_shift];
    if (__builtin_expect(pc3_s != 0, 1)) {
        pc3_s += 2 * (pc3_size)pc3_u;
        if (PC3_HELD(pc3_s + 4, pc3_n) == pc3_held) pc3_code = *(pc3_is4 *)pc3_s;
    }
    pc3_send(pc3_held, pc3_code);
    return (void *)pc3_object;
}
/* The same of one that is not noted, and of which it is known what was written. */
PC3_INLINE void *pc3_give(const void *pc3_object, pc3_size pc3_at, pc3_size pc3_n, unsigned pc3_code, const struct pc3_type *pc3_union, unsigned pc3_k,
                          const struct pc3_type *pc3_t) {
    const char *pc3_u = (const char *)pc3_object + pc3_at;
    if (pc3_n == 8 || pc3_n == 4) {
        pc3_send(PC3_HELD(pc3_u, pc3_n), pc3_code);
        return (void *)pc3_object;
    }
    pc3_union_set(pc3_u, pc3_union, pc3_k);
    return pc3_union_passed(pc3_object, pc3_t);
}
PC3_INLINE void pc3_take(const void *pc3_object, pc3_size pc3_at, pc3_size pc3_n, const struct pc3_type *pc3_t) {
    const char *pc3_u = (const char *)pc3_object + pc3_at;
    unsigned long long pc3_held;
    unsigned pc3_code;
    pc3_size pc3_s;
    if (pc3_n != 8 && pc3_n != 4) {
        pc3_union_taken(pc3_object, pc3_t);
        return;
    }
    pc3_held = PC3_HELD(pc3_u, pc3_n);
    pc3_code = pc3_arrived(pc3_held);
    pc3_s = pc3_notes[(pc3_size)pc3_u >> pc3_notes_shift];
    if (__builtin_expect(!pc3_s, 0)) {
        pc3_union_noted(pc3_u, pc3_n, pc3_code);
        return;
    }
    pc3_s += 2 * (pc3_size)pc3_u;
    *(pc3_is4 *)pc3_s = pc3_code;
    if (pc3_n == 8) *(pc3_is8 *)(pc3_s + 4) = pc3_held;
    else *(pc3_is4 *)(pc3_s + 4) = (unsigned)pc3_held;
}

/* The process's environment, which is another one after a restart. */
extern char **pc3_environment(void);

/* setjmp: tokens has one word per call in the function, of which this is number i; real is the buffer to jump to,
 * base the start of all of the function's. */
extern void pc3_jump_arm(void *user, unsigned long long *tokens, unsigned n, unsigned i, void *base, void *real, int mask);
/* In a resume clone, behind restoring: real is what token stands for now. */
extern void pc3_jump_rearm(unsigned long long token, void *base, void *real);
/* longjmp, declared by the compiler with the library's type: pc3_longjmp */

/* ---- what library calls become ------------------------------------------------------- */

/* site: the call's own struct pc3_site; inside an allocation wrapper the one that its caller left in pc3_me->site is
 * preferred, which is taken once: as the wrapper begins, unless it can reach a location. */
static __inline__ __attribute__((unused)) struct pc3_site *pc3_take_site(struct pc3_site *pc3_own) {
    struct pc3_site *pc3_left = pc3_me->site;
    pc3_me->site = 0;
    return pc3_left ? pc3_left : pc3_own;
}
/* The site of memory with a head (0: it is not known) in front of what a site asks for. */
extern struct pc3_site *pc3_behind(const struct pc3_head *, const struct pc3_site *) __attribute__((nothrow, leaf));
/* A piece of a block is handed out: so many bytes (0: one object), with so many of its own (0: no more), for a site or nobody knows what. Through this pointer,
 * something is stored; it becomes the first of a list of free items. */
extern void *pc3_piece(void *, pc3_size, pc3_size, const struct pc3_site *) __attribute__((nothrow, leaf));
extern void *pc3_stored_at(void *, const struct pc3_site *) __attribute__((nothrow, leaf));
static __inline__ __attribute__((always_inline, unused, artificial)) void *pc3_stored(void *pc3_p, const struct pc3_site *pc3_at) {
    return (pc3_size)pc3_p - pc3_me->told < pc3_me->told_bytes ? pc3_p : pc3_stored_at(pc3_p, pc3_at);
}
extern void *pc3_freed(void *, const struct pc3_site *) __attribute__((nothrow, leaf));
extern void *pc3_malloc(pc3_size, const struct pc3_site *)
    __attribute__((malloc, nothrow, leaf, alloc_size(1)));
extern void *pc3_calloc(pc3_size, pc3_size, const struct pc3_site *)
    __attribute__((malloc, nothrow, leaf, alloc_size(1, 2)));
extern void *pc3_realloc(void *, pc3_size, const struct pc3_site *) __attribute__((nothrow, leaf));
extern void *pc3_reallocarray(void *, pc3_size, pc3_size, const struct pc3_site *) __attribute__((nothrow, leaf));
extern void *pc3_aligned_alloc(pc3_size, pc3_size, const struct pc3_site *)
    __attribute__((malloc, nothrow, leaf, alloc_size(2)));
extern void *pc3_mmap(void *, pc3_size, int, int, int, long long, const struct pc3_site *);
extern int pc3_posix_memalign(void **, pc3_size, pc3_size, const struct pc3_site *);
extern void *pc3_valloc(pc3_size, const struct pc3_site *) __attribute__((malloc, nothrow, leaf, alloc_size(1)));
/* MPI_BYTE whose bytes are values of a type (0: nobody knows what): a handle that says so, and whether the memory may know better. */
#define PC3_BYTES_OF 1073741824
#define PC3_BYTES_ASK 16777216       /* the pointer may lead to the beginning of more than its type */
#define PC3_BYTES_TEXT 33554432      /* characters, where the memory says nothing else */
#define PC3_BYTES_CHARS 67108864     /* characters */
static __inline__ __attribute__((unused)) void *pc3_bytes_of(const struct pc3_type *pc3_of, unsigned pc3_how) {
    return (void *)(pc3_size)(PC3_BYTES_OF + pc3_how + (pc3_of ? pc3_of->id : 0u));
}
/* The same of a handle that is MPI_BYTE; others stay. */
static __inline__ __attribute__((unused)) void *pc3_bytes_if(const struct pc3_type *pc3_of, unsigned pc3_how, const void *pc3_handle) {
    return pc3_handle == (void *)583 ? pc3_bytes_of(pc3_of, pc3_how) : (void *)(pc3_size)pc3_handle;
}
/* What numbers of bytes are in a call that has made a datatype: so many objects of a type (by its id), or places in one; numbers
 * without sizes in them; sizes that are the same everywhere; sizes that are not, in another way; 0 for what nobody knows. Returns the
 * call's result. */
#define PC3_COUNTS_PLACES 1073741824
#define PC3_COUNTS_APART 268435456    /* how far two places in an object are apart, by what MPI_Get_address said */
#define PC3_COUNTS_PLAIN 536870912
#define PC3_COUNTS_FIXED 536870913
#define PC3_COUNTS_VARIES 536870914
#define PC3_COUNTS_EXTENTS 536870915  /* multiples of what MPI says of a datatype's extent */
extern int pc3_counted(unsigned pc3_lengths, unsigned pc3_places, int pc3_result);
/* Before an MPI call: where it stands. */
PC3_INLINE void pc3_at(const char *pc3_place) {
    pc3_me->at = pc3_place;
}
/* MPI_Alloc_mem, with its info and where the address goes. */
extern int pc3_alloc_mem(pc3_diff, const void *, void *, const struct pc3_site *);
/* MPI_Win_allocate, with its displacement unit, info, communicator, and where the address and the window go. */
extern int pc3_win_allocate(pc3_diff, pc3_diff, const void *, const void *, void *, void *, const struct pc3_site *);
extern void pc3_free(void *) __attribute__((nothrow, leaf));
extern char *pc3_strdup(const char *) __attribute__((malloc, nothrow, leaf));
extern char *pc3_strndup(const char *, pc3_size) __attribute__((malloc, nothrow, leaf));
/* Around an expression that moves a pointer to where it could leave its object: where it was (the start of an array of so
 * many bytes, unless that is 0); where it is now, and what it points to has so many bytes (0: it is what lies around). */
extern void *pc3_to_where(const volatile void *, pc3_size, const char *) __attribute__((nothrow, leaf));
PC3_INLINE void *pc3_from(const volatile void *pc3_p, pc3_size pc3_bytes) {
    pc3_me->from = (pc3_size)pc3_p;
    pc3_me->from_bytes = pc3_bytes;
    return (void *)pc3_p;
}
PC3_INLINE void *pc3_to(const volatile void *pc3_p, pc3_size pc3_elem, const char *pc3_place) {
    pc3_size pc3_at = (pc3_size)pc3_p - pc3_me->within, pc3_n = pc3_me->within_bytes;
    if (pc3_elem && pc3_me->within_elem == pc3_elem && pc3_at <= pc3_n && pc3_me->from - pc3_me->within <= pc3_n && pc3_at % pc3_elem == 0)
        return (void *)pc3_p;
    return pc3_to_where(pc3_p, pc3_elem, pc3_place);
}
/* FILE is the user's own: the compiler declares these with the replaced function's type:
 *   pc3_fopen pc3_freopen pc3_fclose pc3_fdopen pc3_tmpfile pc3_getline pc3_getdelim pc3_asprintf pc3_vasprintf
 *   and what else makes or closes files, mappings and threads (compiler/instrument/src/rewrite/runtime_calls/library.rs). */
/* Before such a call: where it stands. */
extern void pc3_call_at(const char *);
/* Around calls that return a new descriptor, or memory that is mapped: name, place, result. */
extern int pc3_descriptor(const char *, const char *, int);
extern void *pc3_mapped(const char *, const char *, void *);
/* Around calls that return the number of a process that they have started. */
extern int pc3_child(const char *, const char *, int);
/* Around calls that return an object of the library: no checkpoint is taken until it is let go. */
extern void *pc3_held(const char *, const char *, void *);
extern void *pc3_let_go(const void *);
/* Around calls that change the process for good, or go through a list that the library has open; before what closes it. */
extern int pc3_done(const char *, const char *, int);
extern void pc3_listed(const char *, const char *);
extern void pc3_list_ends(const char *);
/* Before a call that begins what goes on by itself, and one that takes its result. */
extern void pc3_begun(const char *, const char *);
extern void pc3_ended(void);
extern void *pc3_other_stream(const char *, const char *, void *);
/*
 * exit, _Exit/_exit, abort in programs that call MPI: */
extern void pc3_exit(int) __attribute__((noreturn));
extern void pc3__exit(int) __attribute__((noreturn));
extern void pc3_abort(void) __attribute__((noreturn));
/* A heap object of characters. */
extern char *pc3_characters(pc3_size);
/*
 * The same address, of which compilers believe what they believe of a new object's: for the time of statements that reach the array there by
 * nothing else. */
extern void *pc3_apart(void *) __attribute__((malloc));

/* ---- the unit that defines main ------------------------------------------------------- */

/* Defined by the compiler in exactly that unit, before this text: it holds the thread-local
 * variables, because they must be part of the executable, and hands the runtime their accessors.
 * Its main keeps its name: programs are linked with --wrap=main, and libpc3rt.a has __wrap_main. */
struct pc3_tls {
    void (*set)(struct pc3_rank *, pc3_diff);
    struct pc3_rank *(*me)(void);
    int *(*state)(void);
};
extern void pc3_register_tls(const struct pc3_tls *);
#ifdef PC3_MAIN_UNIT
__thread int pc3_state;
__thread pc3_diff pc3_delta;
/* Who runs in constructors and in threads of libraries: callers of allocation wrappers write there. */
static struct pc3_rank pc3_nobody = { .apart = 1 };
__thread struct pc3_rank *pc3_me = &pc3_nobody;
static void pc3_tls_set(struct pc3_rank *pc3_r, pc3_diff pc3_d) { pc3_me = pc3_r ? pc3_r : &pc3_nobody; pc3_delta = pc3_d; }
static struct pc3_rank *pc3_tls_me(void) { return pc3_me->apart ? (struct pc3_rank *)0 : pc3_me; }
static int *pc3_tls_state(void) { return &pc3_state; }
static const struct pc3_tls pc3_tls_access = { pc3_tls_set, pc3_tls_me, pc3_tls_state };
/* With a number, as the section of those without one is constant in programs that put pointers there themselves. */
__attribute__((constructor(101))) static void pc3_tls_register(void) { pc3_register_tls(&pc3_tls_access); }

/* Variadic, so written in C; under names of their own, as the user's file may have them without a prototype. */
int pc3_vprints(char **pc3_out, const char *pc3_format, __builtin_va_list pc3_args) __asm__("pc3_vasprintf");
int pc3_prints(char **pc3_out, const char *pc3_format, ...) __asm__("pc3_asprintf");
int pc3_vprints(char **pc3_out, const char *pc3_format, __builtin_va_list pc3_args) {
    __builtin_va_list pc3_again;
    int pc3_n;
    __builtin_va_copy(pc3_again, pc3_args);
    pc3_n = __builtin_vsnprintf((char *)0, 0, pc3_format, pc3_again);
    __builtin_va_end(pc3_again);
    if (pc3_n < 0) return -1;
    *pc3_out = pc3_characters((pc3_size)pc3_n + 1);
    if (!*pc3_out) return -1;
    return __builtin_vsnprintf(*pc3_out, (pc3_size)pc3_n + 1, pc3_format, pc3_args);
}
int pc3_prints(char **pc3_out, const char *pc3_format, ...) {
    __builtin_va_list pc3_args;
    int pc3_n;
    __builtin_va_start(pc3_args, pc3_format);
    pc3_n = pc3_vprints(pc3_out, pc3_format, pc3_args);
    __builtin_va_end(pc3_args);
    return pc3_n;
}
/* Around what prints: a stream (or null, for standard output) or a descriptor; what that has returned. */
extern void *pc3_prints_on(void *);
extern void *pc3_prints_to(int);
/* Behind a restart what is there already is printed to this instead. */
extern void *pc3_print_nowhere(void *);
extern void pc3_printed(void *);
extern int pc3_library_vout(void *, const char *, __builtin_va_list) __asm__("vfprintf");
#define PC3_PRINT(pc3_name, pc3_before, pc3_given)                                                                       \
    extern int pc3_library_v##pc3_name(pc3_given, const char *, __builtin_va_list) __asm__("v" #pc3_name);                \
    int pc3_out_v##pc3_name(pc3_given pc3_of, const char *pc3_format, __builtin_va_list pc3_args) __asm__("pc3_v" #pc3_name); \
    int pc3_out_##pc3_name(pc3_given pc3_of, const char *pc3_format, ...) __asm__("pc3_" #pc3_name);                      \
    int pc3_out_v##pc3_name(pc3_given pc3_of, const char *pc3_format, __builtin_va_list pc3_args) {                       \
        void *pc3_stream = pc3_before(pc3_of);                                                                          \
        void *pc3_nowhere = pc3_stream ? pc3_print_nowhere(pc3_stream) : (void *)0;                                     \
        int pc3_n = pc3_nowhere ? pc3_library_vout(pc3_nowhere, pc3_format, pc3_args)                                   \
                                : pc3_library_v##pc3_name(pc3_of, pc3_format, pc3_args);                                \
        pc3_printed(pc3_stream);                                                                                        \
        return pc3_n;                                                                                                   \
    }                                                                                                                   \
    int pc3_out_##pc3_name(pc3_given pc3_of, const char *pc3_format, ...) {                                              \
        __builtin_va_list pc3_args;                                                                                     \
        int pc3_n;                                                                                                      \
        __builtin_va_start(pc3_args, pc3_format);                                                                       \
        pc3_n = pc3_out_v##pc3_name(pc3_of, pc3_format, pc3_args);                                                      \
        __builtin_va_end(pc3_args);                                                                                     \
        return pc3_n;                                                                                                   \
    }
PC3_PRINT(fprintf, pc3_prints_on, void *)
PC3_PRINT(dprintf, pc3_prints_to, int)
#undef PC3_PRINT
extern int pc3_library_vprintf(const char *, __builtin_va_list) __asm__("vprintf");
int pc3_out_vprintf(const char *pc3_format, __builtin_va_list pc3_args) __asm__("pc3_vprintf");
int pc3_out_printf(const char *pc3_format, ...) __asm__("pc3_printf");
int pc3_out_vprintf(const char *pc3_format, __builtin_va_list pc3_args) {
    void *pc3_stream = pc3_prints_on((void *)0);
    void *pc3_nowhere = pc3_stream ? pc3_print_nowhere(pc3_stream) : (void *)0;
    int pc3_n = pc3_nowhere ? pc3_library_vout(pc3_nowhere, pc3_format, pc3_args) : pc3_library_vprintf(pc3_format, pc3_args);
    pc3_printed(pc3_stream);
    return pc3_n;
}
int pc3_out_printf(const char *pc3_format, ...) {
    __builtin_va_list pc3_args;
    int pc3_n;
    __builtin_va_start(pc3_args, pc3_format);
    pc3_n = pc3_out_vprintf(pc3_format, pc3_args);
    __builtin_va_end(pc3_args);
    return pc3_n;
}
/* A mode that was not given is not looked at. -100: AT_FDCWD. */
extern int pc3_open_file(int, const char *, int, unsigned, const char *);
#define PC3_OPEN(pc3_name, pc3_as, pc3_more, pc3_at)                                            \
    int pc3_##pc3_name pc3_more __asm__("pc3_" #pc3_as);                                        \
    int pc3_##pc3_name pc3_more {                                                               \
        __builtin_va_list pc3_args;                                                             \
        unsigned pc3_mode;                                                                      \
        __builtin_va_start(pc3_args, pc3_flags);                                                \
        pc3_mode = __builtin_va_arg(pc3_args, unsigned);                                        \
        __builtin_va_end(pc3_args);                                                             \
        return pc3_open_file(pc3_at, pc3_path, pc3_flags, pc3_mode, #pc3_as);                   \
    }
PC3_OPEN(opens, open, (const char *pc3_path, int pc3_flags, ...), -100)
PC3_OPEN(opens_at, openat, (int pc3_folder, const char *pc3_path, int pc3_flags, ...), pc3_folder)
#undef PC3_OPEN
extern void *pc3_remap(void *, pc3_size, pc3_size, int, void *);
void *pc3_remaps(void *pc3_at, pc3_size pc3_old, pc3_size pc3_new, int pc3_flags, ...) __asm__("pc3_mremap");
void *pc3_remaps(void *pc3_at, pc3_size pc3_old, pc3_size pc3_new, int pc3_flags, ...) {
    __builtin_va_list pc3_args;
    void *pc3_to;
    __builtin_va_start(pc3_args, pc3_flags);
    pc3_to = __builtin_va_arg(pc3_args, void *);
    __builtin_va_end(pc3_args);
    return pc3_remap(pc3_at, pc3_old, pc3_new, pc3_flags, pc3_to);
}
/* A thread's own function may leave it by unwinding, which must not pass through Rust. */
extern void *pc3_thread_made(const char *, void (*)(void), void *, pc3_diff);
extern void pc3_thread_failed(void *);
extern void (*pc3_thread_begin(void *, void **, pc3_diff *))(void);
#define PC3_THREAD(pc3_name, pc3_result, pc3_params, pc3_args)                                  \
    extern int pc3_make_##pc3_name pc3_params __asm__(#pc3_name);                               \
    static pc3_result pc3_main_##pc3_name(void *pc3_start) {                                    \
        void *pc3_arg;                                                                          \
        pc3_result (*pc3_f)(void *) = (pc3_result (*)(void *))pc3_thread_begin(pc3_start, &pc3_arg, &pc3_delta); \
        return pc3_f(pc3_arg);                                                                  \
    }                                                                                           \
    int pc3_new_##pc3_name pc3_params __asm__("pc3_" #pc3_name);                                \
    int pc3_new_##pc3_name pc3_params {                                                         \
        void *pc3_start = pc3_thread_made(#pc3_name, (void (*)(void))pc3_f, pc3_arg, pc3_delta); \
        int pc3_failed;                                                                         \
        pc3_f = pc3_main_##pc3_name;                                                            \
        pc3_arg = pc3_start;                                                                    \
        pc3_failed = pc3_make_##pc3_name pc3_args;                                              \
        if (pc3_failed) pc3_thread_failed(pc3_start);                                           \
        return pc3_failed;                                                                      \
    }
PC3_THREAD(pthread_create, void *, (void *pc3_t, const void *pc3_a, void *(*pc3_f)(void *), void *pc3_arg),
           (pc3_t, pc3_a, pc3_f, pc3_arg))
PC3_THREAD(thrd_create, int, (void *pc3_t, int (*pc3_f)(void *), void *pc3_arg), (pc3_t, pc3_f, pc3_arg))
#undef PC3_THREAD
#if PC3_TEAMS == 1
/* What a rank's region of OpenMP runs on other threads is that rank's. They keep its globals behind the region: tasks may run there until
 * all are done. Programs are linked with --wrap for these names of libgomp's (driver/link). */
struct pc3_team { void (*call)(void *); void *data; pc3_diff delta; };
static void pc3_in_team(void *pc3_start) {
    const struct pc3_team *pc3_t = (const struct pc3_team *)pc3_start;
    pc3_delta = pc3_t->delta;
    pc3_t->call(pc3_t->data);
}
#define PC3_TEAM(pc3_result, pc3_return, pc3_name, pc3_more, pc3_args)                          \
    extern pc3_result pc3_make_##pc3_name pc3_more __asm__("__real_GOMP_" #pc3_name); \
    pc3_result pc3_new_##pc3_name pc3_more __asm__("__wrap_GOMP_" #pc3_name);                   \
    pc3_result pc3_new_##pc3_name pc3_more {                                                    \
        struct pc3_team pc3_start;                                                              \
        pc3_start.call = pc3_f, pc3_start.data = pc3_arg, pc3_start.delta = pc3_delta;          \
        pc3_f = pc3_in_team, pc3_arg = &pc3_start;                                              \
        pc3_return pc3_make_##pc3_name pc3_args;                                                \
    }
#define PC3_LOOP(pc3_name)                                                                      \
    PC3_TEAM(void, , parallel_loop_##pc3_name,                                                  \
        (void (*pc3_f)(void *), void *pc3_arg, unsigned pc3_n, long pc3_from, long pc3_to, long pc3_by, long pc3_chunk, unsigned pc3_how), \
        (pc3_f, pc3_arg, pc3_n, pc3_from, pc3_to, pc3_by, pc3_chunk, pc3_how))
#define PC3_LATER(pc3_name)                                                                     \
    PC3_TEAM(void, , parallel_loop_##pc3_name,                                                  \
        (void (*pc3_f)(void *), void *pc3_arg, unsigned pc3_n, long pc3_from, long pc3_to, long pc3_by, unsigned pc3_how), \
        (pc3_f, pc3_arg, pc3_n, pc3_from, pc3_to, pc3_by, pc3_how))
PC3_TEAM(void, , parallel, (void (*pc3_f)(void *), void *pc3_arg, unsigned pc3_n, unsigned pc3_how), (pc3_f, pc3_arg, pc3_n, pc3_how))
PC3_TEAM(unsigned, return, parallel_reductions, (void (*pc3_f)(void *), void *pc3_arg, unsigned pc3_n, unsigned pc3_how),
    (pc3_f, pc3_arg, pc3_n, pc3_how))
PC3_TEAM(void, , parallel_sections, (void (*pc3_f)(void *), void *pc3_arg, unsigned pc3_n, unsigned pc3_all, unsigned pc3_how),
    (pc3_f, pc3_arg, pc3_n, pc3_all, pc3_how))
PC3_TEAM(void, , teams_reg, (void (*pc3_f)(void *), void *pc3_arg, unsigned pc3_n, unsigned pc3_most, unsigned pc3_how),
    (pc3_f, pc3_arg, pc3_n, pc3_most, pc3_how))
PC3_LOOP(static) PC3_LOOP(dynamic) PC3_LOOP(guided) PC3_LOOP(nonmonotonic_dynamic) PC3_LOOP(nonmonotonic_guided)
PC3_LATER(runtime) PC3_LATER(nonmonotonic_runtime) PC3_LATER(maybe_nonmonotonic_runtime)
#undef PC3_TEAM
#undef PC3_LOOP
#undef PC3_LATER
#elif PC3_TEAMS == 2
/* The same of LLVM's. What it calls has a parameter for each variable of the region; the conventions let a caller give more. */
struct pc3_team { void (*call)(int *, int *, ...); void **list; int n; pc3_diff delta; };
extern void pc3_wide_team(int);
#define PC3_8(pc3_i) pc3_l[pc3_i], pc3_l[pc3_i + 1], pc3_l[pc3_i + 2], pc3_l[pc3_i + 3],         \
    pc3_l[pc3_i + 4], pc3_l[pc3_i + 5], pc3_l[pc3_i + 6], pc3_l[pc3_i + 7]
#define PC3_32(pc3_i) PC3_8(pc3_i), PC3_8(pc3_i + 8), PC3_8(pc3_i + 16), PC3_8(pc3_i + 24)
#define PC3_256(pc3_i) PC3_32(pc3_i), PC3_32(pc3_i + 32), PC3_32(pc3_i + 64), PC3_32(pc3_i + 96),  \
    PC3_32(pc3_i + 128), PC3_32(pc3_i + 160), PC3_32(pc3_i + 192), PC3_32(pc3_i + 224)
static void pc3_in_team(int *pc3_thread, int *pc3_bound, struct pc3_team *pc3_t) {
    void **pc3_l = pc3_t->list;
    pc3_delta = pc3_t->delta;
    if (pc3_t->n <= 8) pc3_t->call(pc3_thread, pc3_bound, PC3_8(0));
    else if (pc3_t->n <= 32) pc3_t->call(pc3_thread, pc3_bound, PC3_32(0));
    else pc3_t->call(pc3_thread, pc3_bound, PC3_256(0));
}
#define PC3_TEAM(pc3_name)                                                                      \
    extern void pc3_make_##pc3_name(void *, int, void (*)(int *, int *, struct pc3_team *), ...) __asm__("__real___kmpc_" #pc3_name); \
    void pc3_new_##pc3_name(void *, int, void (*)(int *, int *, ...), ...) __asm__("__wrap___kmpc_" #pc3_name); \
    void pc3_new_##pc3_name(void *pc3_at, int pc3_n, void (*pc3_f)(int *, int *, ...), ...) {   \
        void *pc3_l[256] = {0};                                                                 \
        struct pc3_team pc3_start;                                                              \
        __builtin_va_list pc3_v;                                                                \
        int pc3_i;                                                                              \
        if (pc3_n > 256) pc3_wide_team(pc3_n);                                                  \
        __builtin_va_start(pc3_v, pc3_f);                                                       \
        for (pc3_i = 0; pc3_i < pc3_n; pc3_i++) pc3_l[pc3_i] = __builtin_va_arg(pc3_v, void *); \
        __builtin_va_end(pc3_v);                                                                \
        pc3_start.call = pc3_f, pc3_start.list = pc3_l, pc3_start.n = pc3_n, pc3_start.delta = pc3_delta; \
        pc3_make_##pc3_name(pc3_at, 1, pc3_in_team, &pc3_start);                                \
    }
PC3_TEAM(fork_call)
PC3_TEAM(fork_teams)
#undef PC3_TEAM
#undef PC3_8
#undef PC3_32
#undef PC3_256
#endif
#endif

#endif

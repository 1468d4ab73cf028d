int tick(int x);

static inline int internal(int x)
{
    static int calls;
    return tick(x) + calls++;
}

inline int standard(int x)
{
    return tick(x) + tick(2);
}

/* pc3-test: seq */
/* Names of types that parameters, locals, constants and inner types hide, for as long as these are in scope. */
#include "check.h"

typedef int number;
typedef struct pair {
    number first, second;
} pair;

static number step(number n)
{
#pragma pc3 checkpoint
    return n;
}

static number twice(number number)
{
    return step(number) * 2;
}

/* The parameter of the parameter hides nothing here. */
static number apply(number (*f)(number number), number (*const g)(number, number pair))
{
    number n = f(3);
    pair p = {n, g(n, 4)};
    step(n);
    return p.first * 100 + p.second;
}

static number sum(number a, number b)
{
    return step(a) + step(b);
}

static number at(const char room[sizeof(number)], number number, const int of[number])
{
    return step(of[number - 1]) + room[number];
}

static number (*choose(int number))(number)
{
    return step(number) ? twice : step;
}

static number hidden_by_constants(number n)
{
    enum { number = 7, pair };
    int total = step(n) + number * step(pair);
    {
        typedef double pair;
        pair half = step(total) / 2.0;
        total = step(total) + (half == (pair)total / 2);
    }
    return total;
}

static number hidden_by_types(number n)
{
    typedef number *number;
    number where = &n;
    step(*where);
    typedef struct number { char text[8]; struct number *next; } pair;
    pair a = {"inner", 0}, b = {"two", &a};
    {
        struct pair c = {step(1), step(2)};
        union pair { char one; } d = {'d'};
        struct number *first = b.next;
        step(c.second);
        *where += c.first + c.second + d.one + first->text[1];
    }
    return n;
}

static number hidden_by_itself(number n)
{
    for (number number = 0; number < 2; number++) {
        pair pair = {step(number), n};
        n += step(pair.second) + pair.first;
    }
    number number = step(n), *where = &number;
    return step(*where) + number;
}

int main(void)
{
    const int of[] = {5, 6, 7};
    show("apply", apply(twice, sum));
    show("at", at("abc", 2, of));
    show("choose", choose(1)(4) + choose(0)(4));
    show("constants", hidden_by_constants(2));
    show("types", hidden_by_types(3));
    show("itself", hidden_by_itself(4));
    return finish();
}

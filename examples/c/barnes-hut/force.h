/* Force laws: how strongly two masses attract each other, and the potential that belongs to it. */
#ifndef FORCE_H
#define FORCE_H

struct law {
    const char *name;
    double (*pull)(double square);      /* force per mass and unit of displacement */
    double (*potential)(double square); /* per product of masses */
};

/* The law of that name, or a null pointer. */
const struct law *find_law(const char *name);
const struct law *law_number(int index); /* null past the last */

#endif

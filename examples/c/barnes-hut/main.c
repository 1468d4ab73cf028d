/* pc3-test: seq args=120,12 */
/* N bodies under mutual attraction by the method of Barnes and Hut: each step builds an octree
 * of the bodies, and distant cubes of it act as single masses.  Leapfrog integration.
 *
 * Usage: barnes-hut [BODIES [STEPS [LAW]]] (defaults 500, 20, newton). */
#include "tree.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static const double time_step = 0.005;

static struct body *bodies;

/* Uniform in (-1, 1). */
static double random_number(void)
{
    static uint64_t state = UINT64_C(88172645463325252);
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(int64_t)(state >> 11) * 0x1p-52 - 1;
}

static char *body_name(const char *kind, int number)
{
    char digits[12];
    snprintf(digits, sizeof digits, "%04d", number);
    return joined(kind, "-", digits);
}

/* A slowly turning ball of unit mass. */
static void make_bodies(int count)
{
    struct body **end = &bodies;
    for (int i = 0; i < count; i++) {
        struct body *b = must_have(malloc(sizeof *b));
        double square;
        do {
            square = 0;
            for (int d = 0; d < 3; d++) {
                b->at[d] = random_number();
                square += b->at[d] * b->at[d];
            }
        } while (square > 1);
        b->kind = i % 10 == 0 ? "star" : i % 3 ? "dust" : "rock";
        b->name = body_name(b->kind, i);
        b->mass = (b->kind[0] == 's' ? 4.0 : 1.0) / count;
        b->velocity[0] = -0.5 * b->at[1] + 0.1 * random_number();
        b->velocity[1] = 0.5 * b->at[0] + 0.1 * random_number();
        b->velocity[2] = 0.1 * random_number();
        for (int d = 0; d < 3; d++)
            b->acceleration[d] = 0;
        b->leaf = NULL;
        b->next = NULL;
        *end = b;
        end = &b->next;
    }
}

/* By direct summation. */
static double energy(const struct law *law)
{
    double sum = 0;
    for (const struct body *a = bodies; a; a = a->next) {
        for (int d = 0; d < 3; d++)
            sum += 0.5 * a->mass * a->velocity[d] * a->velocity[d];
        for (const struct body *b = a->next; b; b = b->next) {
            double square = 0;
            for (int d = 0; d < 3; d++)
                square += (a->at[d] - b->at[d]) * (a->at[d] - b->at[d]);
            sum += a->mass * b->mass * law->potential(square);
        }
    }
    return sum;
}

static void find_forces(const struct node *root, const struct law *law)
{
    for (struct body *b = bodies; b; b = b->next) {
        for (int d = 0; d < 3; d++)
            b->acceleration[d] = 0;
        tree_force(root, law, b);
    }
}

static void kick(double time)
{
    for (struct body *b = bodies; b; b = b->next)
        for (int d = 0; d < 3; d++)
            b->velocity[d] += time * b->acceleration[d];
}

static void drift(double time)
{
    for (struct body *b = bodies; b; b = b->next)
        for (int d = 0; d < 3; d++)
            b->at[d] += time * b->velocity[d];
}

static const struct body *fastest(void)
{
    const struct body *found = bodies;
    double best = -1;
    for (const struct body *b = bodies; b; b = b->next) {
        double square = 0;
        for (int d = 0; d < 3; d++)
            square += b->velocity[d] * b->velocity[d];
        if (square > best) {
            best = square;
            found = b;
        }
    }
    return found;
}

static double checksum(void)
{
    double sum = 0;
    int i = 0;
    for (const struct body *b = bodies; b; b = b->next, i++)
        sum += (1 + i % 7) * b->at[0] + (1 + i % 5) * b->at[1] + (1 + i % 3) * b->at[2];
    return sum;
}

static int number(const char *text, int least)
{
    char *end;
    long value = strtol(text, &end, 10);
    if (*end || end == text || value < least || value > 10000000) {
        fprintf(stderr, "usage: barnes-hut [BODIES [STEPS [LAW]]]; '%s' is not a number from %d on\n", text, least);
        exit(2);
    }
    return (int)value;
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? number(argv[1], 2) : 500, steps = argc > 2 ? number(argv[2], 0) : 20;
    const struct law *law = find_law(argc > 3 ? argv[3] : "newton");
    if (!law || argc > 4) {
        fprintf(stderr, "usage: barnes-hut [BODIES [STEPS [LAW]]]; the laws are");
        for (int i = 0; law_number(i); i++)
            fprintf(stderr, " %s", law_number(i)->name);
        fputc('\n', stderr);
        return 2;
    }

    make_bodies(count);
    double start = energy(law);
    printf("%d bodies, law %s, energy %.17g\n", count, law->name, start);
    struct node *root = build_tree(bodies);
    find_forces(root, law);
    int sound = 1;
    for (int step = 1; step <= steps; step++) {
#pragma pc3 checkpoint
        kick(time_step / 2);
        drift(time_step);
        free_tree(root);
        root = build_tree(bodies);
        find_forces(root, law);
        kick(time_step / 2);
        int depth, nodes = count_nodes(root, &depth);
        const struct body *fast = fastest();
        printf("step %3d: %d nodes, depth %d, fastest %s (%s) in %s, checksum %.17g\n", step, nodes, depth, fast->name,
               fast->kind, fast->leaf->path, checksum());
        sound = sound && tree_is_sound(root);
    }
    free_tree(root);

    double finish = energy(law), change = fabs((finish - start) / start);
    printf("energy %.17g\nchecksum %.17g\n", finish, checksum());
    int ok = sound && change < 1e-3;
    printf("VERIFICATION %s\n", ok ? "SUCCESSFUL" : "FAILED");
    if (!ok)
        fprintf(stderr, "trees %s, energy changed by %g\n", sound ? "sound" : "broken", change);
    for (struct body *b = bodies, *next; b; b = next) {
        next = b->next;
        free(b->name);
        free(b);
    }
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

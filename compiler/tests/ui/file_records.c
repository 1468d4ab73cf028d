/* Numbers that are written to files and read back as they are in memory. */
#include <pc3.h>
#include <stdio.h>
#include <unistd.h>

struct record {
    int id;
    double value;
};

static void put(const void *what, size_t n, FILE *f)
{
    fwrite(what, n, 1, f);
}

static void put_text(const void *what, size_t n, FILE *f)
{
    fwrite(what, 1, n, f);
}

int main(void)
{
    struct record r = {1, 2};
    unsigned char text[8] = "abc";
    FILE *f = tmpfile();
    put(&r, sizeof r, f);
    put_text(text, 8, f);
    fwrite("text", 1, 4, f);
    write(1, text, 3);
    pc3_checkpoint();
    rewind(f);
    if (fread(&r, sizeof r, 1, f) != 1 || fread(text, 1, 8, f) != 8)
        return 1;
    return r.id;
}

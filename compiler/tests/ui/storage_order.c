// pc3cc: --checkpoint-at=main
struct __attribute__((scalar_storage_order("big-endian"))) header {
    unsigned magic;
    unsigned short version;
};

#pragma scalar_storage_order big-endian
struct record {
    int id;
    struct {
        int part;
    };
};
#pragma scalar_storage_order default

/* As the machine has it. */
struct __attribute__((scalar_storage_order("little-endian"))) own {
    int id;
};

struct header last;
struct own mine;

int main(void) {
    struct record r = {1, {2}};
    for (int i = 0; i < 3; i++) {
        pc3_checkpoint();
        r.id += r.part;
    }
    return r.id + last.version + mine.id;
}

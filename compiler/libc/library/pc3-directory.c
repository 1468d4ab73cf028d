/* Directory streams: what is in the folder is read when the stream is opened or rewound, so that how far the program
 * has come is a number of its own.  Their descriptors are the program's, for dirfd. */

typedef __typeof__(sizeof 0) size;

struct pc3_entry {
    unsigned long d_ino;
    long d_off;
    unsigned short d_reclen;
    unsigned char d_type;
    char d_name[256];
};

struct pc3_entry64 {
    unsigned long long d_ino;
    long long d_off;
    unsigned short d_reclen;
    unsigned char d_type;
    char d_name[256];
};

void *malloc(size);
void *realloc(void *, size);
void free(void *);
size strlen(const char *);
char *strcpy(char *, const char *);
void qsort(void *, size, size, int (*)(const void *, const void *));
int close(int);
int *__errno_location(void);

/* The C library's own, which are never kept. */
void *native_open(const char *) __asm__("opendir");
void *native_open_on(int) __asm__("fdopendir");
int native_descriptor(void *) __asm__("dirfd");
struct pc3_entry64 *native_read(void *) __asm__("readdir64");
int native_close(void *) __asm__("closedir");
void native_rewind(void *) __asm__("rewinddir");
int native_control(int, int, ...) __asm__("fcntl");

/* Tells the runtime whose a descriptor is. */
int pc3_descriptor(const char *, const char *, int);

/* F_DUPFD_CLOEXEC */
enum { DUPLICATE = 1030 };

struct pc3_item {
    unsigned long long inode;
    char *name;
    unsigned char type;
};

struct __dirstream {
    int fd, count;
    long at;
    struct pc3_item *items;
    struct pc3_entry entry;
    struct pc3_entry64 entry64;
};
typedef struct __dirstream DIR;

DIR *opendir(const char *) __asm__("pc3_opendir");
DIR *fdopendir(int) __asm__("pc3_fdopendir");
struct pc3_entry *readdir(DIR *) __asm__("pc3_readdir");
struct pc3_entry64 *readdir64(DIR *) __asm__("pc3_readdir64");
int readdir_r(DIR *, struct pc3_entry *, struct pc3_entry **) __asm__("pc3_readdir_r");
int readdir64_r(DIR *, struct pc3_entry64 *, struct pc3_entry64 **) __asm__("pc3_readdir64_r");
int closedir(DIR *) __asm__("pc3_closedir");
void rewinddir(DIR *) __asm__("pc3_rewinddir");
long telldir(DIR *) __asm__("pc3_telldir");
void seekdir(DIR *, long) __asm__("pc3_seekdir");
int dirfd(DIR *) __asm__("pc3_dirfd");
int scandir(const char *, struct pc3_entry ***, int (*)(const struct pc3_entry *),
            int (*)(const struct pc3_entry **, const struct pc3_entry **)) __asm__("pc3_scandir");
int scandir64(const char *, struct pc3_entry64 ***, int (*)(const struct pc3_entry64 *),
              int (*)(const struct pc3_entry64 **, const struct pc3_entry64 **)) __asm__("pc3_scandir64");

static void forget(DIR *d)
{
    int i;
    for (i = 0; i < d->count; i++)
        free(d->items[i].name);
    free(d->items);
    d->items = 0;
    d->count = 0;
}

static int load(DIR *d)
{
    int fd = native_control(d->fd, DUPLICATE, 0), room = 0;
    void *native = fd < 0 ? 0 : native_open_on(fd);
    struct pc3_entry64 *found;
    if (!native) {
        if (fd >= 0)
            close(fd);
        return -1;
    }
    native_rewind(native);
    while ((found = native_read(native))) {
        struct pc3_item *item;
        if (d->count == room) {
            struct pc3_item *more;
            room = room ? 2 * room : 16;
            more = (struct pc3_item *)realloc(d->items, (size)room * sizeof(struct pc3_item));
            if (!more)
                break;
            d->items = more;
        }
        item = d->items + d->count;
        item->inode = found->d_ino;
        item->type = found->d_type;
        item->name = (char *)malloc(strlen(found->d_name) + 1);
        if (!item->name)
            break;
        strcpy(item->name, found->d_name);
        d->count++;
    }
    native_close(native);
    if (!found)
        return 0;
    *__errno_location() = 12;
    return -1;
}

static DIR *begin(int fd)
{
    DIR *d = (DIR *)malloc(sizeof(DIR));
    if (!d)
        return 0;
    __builtin_memset(d, 0, sizeof *d);
    d->fd = fd;
    if (load(d) < 0) {
        int error = *__errno_location();
        forget(d);
        free(d);
        *__errno_location() = error;
        return 0;
    }
    return d;
}

DIR *fdopendir(int fd)
{
    return begin(fd);
}

/* The number is the one that the C library's stream would have. */
DIR *opendir(const char *path)
{
    void *native = native_open(path);
    int other, fd, error;
    DIR *d;
    if (!native)
        return 0;
    other = native_control(native_descriptor(native), DUPLICATE, 0);
    native_close(native);
    fd = other < 0 ? -1 : native_control(other, DUPLICATE, 0);
    if (other >= 0)
        close(other);
    if (fd < 0)
        return 0;
    d = begin(pc3_descriptor("opendir", 0, fd));
    if (!d) {
        error = *__errno_location();
        close(fd);
        *__errno_location() = error;
    }
    return d;
}

static int next(DIR *d)
{
    return d->at < d->count ? (int)d->at++ : -1;
}

struct pc3_entry *readdir(DIR *d)
{
    int i = next(d);
    if (i < 0)
        return 0;
    d->entry.d_ino = (unsigned long)d->items[i].inode;
    d->entry.d_off = i + 1;
    d->entry.d_type = d->items[i].type;
    d->entry.d_reclen = sizeof d->entry;
    strcpy(d->entry.d_name, d->items[i].name);
    return &d->entry;
}

struct pc3_entry64 *readdir64(DIR *d)
{
    int i = next(d);
    if (i < 0)
        return 0;
    d->entry64.d_ino = d->items[i].inode;
    d->entry64.d_off = i + 1;
    d->entry64.d_type = d->items[i].type;
    d->entry64.d_reclen = sizeof d->entry64;
    strcpy(d->entry64.d_name, d->items[i].name);
    return &d->entry64;
}

int readdir_r(DIR *d, struct pc3_entry *into, struct pc3_entry **result)
{
    struct pc3_entry *found = readdir(d);
    if (found)
        *into = *found;
    *result = found ? into : 0;
    return 0;
}

int readdir64_r(DIR *d, struct pc3_entry64 *into, struct pc3_entry64 **result)
{
    struct pc3_entry64 *found = readdir64(d);
    if (found)
        *into = *found;
    *result = found ? into : 0;
    return 0;
}

int closedir(DIR *d)
{
    int fd = d->fd;
    forget(d);
    free(d);
    return close(fd);
}

void rewinddir(DIR *d)
{
    forget(d);
    d->at = 0;
    load(d);
}

long telldir(DIR *d)
{
    return d->at;
}

void seekdir(DIR *d, long at)
{
    d->at = at;
}

int dirfd(DIR *d)
{
    return d->fd;
}

int scandir(const char *path, struct pc3_entry ***list, int (*wanted)(const struct pc3_entry *),
            int (*order)(const struct pc3_entry **, const struct pc3_entry **))
{
    DIR *d = opendir(path);
    struct pc3_entry **found = 0, *entry;
    int n = 0, room = 0;
    if (!d)
        return -1;
    while ((entry = readdir(d))) {
        if (wanted && !wanted(entry))
            continue;
        if (n == room) {
            struct pc3_entry **more;
            room = room ? 2 * room : 16;
            more = (struct pc3_entry **)realloc(found, (size)room * sizeof(struct pc3_entry *));
            if (!more)
                break;
            found = more;
        }
        found[n] = (struct pc3_entry *)malloc(sizeof(struct pc3_entry));
        if (!found[n])
            break;
        *found[n++] = *entry;
    }
    closedir(d);
    if (entry) {
        while (n > 0)
            free(found[--n]);
        free(found);
        *__errno_location() = 12;
        return -1;
    }
    if (order && n)
        qsort(found, (size)n, sizeof(struct pc3_entry *), (int (*)(const void *, const void *))order);
    *list = found;
    return n;
}

int scandir64(const char *path, struct pc3_entry64 ***list, int (*wanted)(const struct pc3_entry64 *),
              int (*order)(const struct pc3_entry64 **, const struct pc3_entry64 **))
{
    DIR *d = opendir(path);
    struct pc3_entry64 **found = 0, *entry;
    int n = 0, room = 0;
    if (!d)
        return -1;
    while ((entry = readdir64(d))) {
        if (wanted && !wanted(entry))
            continue;
        if (n == room) {
            struct pc3_entry64 **more;
            room = room ? 2 * room : 16;
            more = (struct pc3_entry64 **)realloc(found, (size)room * sizeof(struct pc3_entry64 *));
            if (!more)
                break;
            found = more;
        }
        found[n] = (struct pc3_entry64 *)malloc(sizeof(struct pc3_entry64));
        if (!found[n])
            break;
        *found[n++] = *entry;
    }
    closedir(d);
    if (entry) {
        while (n > 0)
            free(found[--n]);
        free(found);
        *__errno_location() = 12;
        return -1;
    }
    if (order && n)
        qsort(found, (size)n, sizeof(struct pc3_entry64 *), (int (*)(const void *, const void *))order);
    *list = found;
    return n;
}

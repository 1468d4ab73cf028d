#define _GNU_SOURCE
#include <pc3.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
__attribute__((constructor)) static void early(void) {}
static void late(void) {}
int main(void) {
    char text[] = "a b";
    srand(1);
    setlocale(LC_ALL, "");
    atexit(late);
    chdir("/");
    chroot("/");
    for (char *w = strtok(text, " "); w; w = strtok(0, " "))
        pc3_checkpoint();
    FILE *p = popen("true", "r");
    freelocale(newlocale(LC_ALL_MASK, "C", 0));
    void *m = mmap(0, 4096, PROT_READ, MAP_PRIVATE, 3, 0);
    m = sbrk(16);
    return rand() + open("x", O_RDONLY) + socket(1, 2, 0) + socket(1, 2, 0) + (p != m);
}
static void *(*by)(size_t) = malloc;
char *mine(void) {
    pc3_checkpoint();
    return by ? by(3) : mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}
#include <netdb.h>
#include <wchar.h>
wchar_t *scanned(const wchar_t *from, struct addrinfo **found) {
    wchar_t *word;
    swscanf(from, L"%8ls 100%%m", word);
    return swscanf(from, L"%d %mls", (int *)from, &word) > 1 && !getaddrinfo("here", 0, 0, found) ? word : 0;
}
#include <errno.h>
static int *kept_errno;
int reads_errno(void) {
    errno = 0;
    kept_errno = &errno;
    return errno;
}

/* pc3-test: seq */
// run: PC3_EVERY=1x
#include <sys/socket.h>
#include <unistd.h>

int main(void) {
    int s = socket(AF_UNIX, SOCK_STREAM, 0);
    for (int i = 0; i < 2; i++) {
#pragma pc3 checkpoint
    }
    return close(s);
}

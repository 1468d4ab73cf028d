/* pc3-test: seq */
/* Numbers in the order of a network: x86-64 and s390x, 127.0.0.1 would become 1.0.0.127. */
#include <arpa/inet.h>
#include <stdio.h>

static struct packet {
    uint32_t address;
    uint16_t port;
} packet;

int main(void) {
    packet.address = htonl(0x7f000001);
    packet.port = htons(80);
#pragma pc3 checkpoint
    printf("%x %d\n", ntohl(packet.address), ntohs(packet.port));
    return 0;
}

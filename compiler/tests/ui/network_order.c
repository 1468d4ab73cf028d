/* Numbers in the order that a network wants, and whether they are kept. */
#include <pc3.h>
#include <arpa/inet.h>
#include <endian.h>
#include <byteswap.h>
#include <stdint.h>

#define PORT(n) htons(n)

static struct packet {
    uint32_t address;
    uint16_t port;
} packet;
static struct sockaddr_in to = { .sin_port = 0 };
static uint64_t stamp, hash, length;

static int is_ours(uint32_t a)
{
    return a == htonl(0x7f000001);
}

int main(int argc, char **argv)
{
    uint32_t first = htobe32(argc), scratch = htonl(argc + 1);
    int ours = is_ours(scratch), size = ntohl(scratch);
    packet.address = htonl(0x7f000001);
    packet.port = PORT(80);
    stamp = htole64(12);
    inet_pton(AF_INET, argv[0], &to.sin_addr);
    to.sin_addr.s_addr = inet_addr("127.0.0.1");
    /* The same everywhere. */
    hash = bswap_64(hash + argc);
    length = be32toh(scratch);
    pc3_checkpoint();
    return first + ours + size + ntohs(packet.port) + (int)(stamp + hash + length);
}

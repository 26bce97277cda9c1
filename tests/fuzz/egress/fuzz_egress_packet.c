/* fuzz_egress_packet.c - heads of packets: whatever comes, what is read says what it is, and stays within the bytes. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "jail/egress/packets.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint16_t taken[] = {80, 443};
    struct egress_packet packet;

    if (egress_packet_read(span_of((const char *)data, size), taken, COUNT(taken), &packet)) {
        bool has_port = strcmp(packet.kind, "tcp") == 0 || strcmp(packet.kind, "udp") == 0;
        assert(memchr(packet.to, '\0', sizeof(packet.to)) != NULL && strlen(packet.to) >= 2);
        assert(has_port || packet.port == 0);
        assert(strcmp(packet.kind, "tcp") != 0 || (packet.port != 80 && packet.port != 443));
    }
    return 0;
}

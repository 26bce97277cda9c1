/* Any bytes as the beginning of a TLS connection: what is accepted names one host, and fewer bytes never name another. */
#include <stdint.h>
#include <stdlib.h>

#include "jail/egress/wire/client_hello.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct span bytes = span_of((const char *)data, size);
    struct egress_host host, again;
    struct error err;
    bool is_whole = false, is_part_whole = false;

    if (!egress_client_hello_read(bytes, &is_whole, &host, &err) || !is_whole) {
        return 0;
    }
    if (host.kind != EGRESS_HOST_NAME || !egress_host_read(span_str(host.text), &again, &err) ||
        !egress_host_equal(&host, &again)) {
        abort();
    }
    if (!egress_client_hello_read(span_slice(bytes, 0, size / 2), &is_part_whole, &again, &err) ||
        (is_part_whole && !egress_host_equal(&host, &again))) {
        abort();
    }
    return 0;
}

/* Any bytes as a packet to the resolver: what is read is a host and its question, and the answer is well-formed. */
#include <stdint.h>
#include <stdlib.h>

#include "jail/egress/dns_message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool is_true)
{
    if (!is_true) {
        abort();
    }
}

static void check_answer(const struct egress_dns_query *q)
{
    static struct egress_addresses addresses;
    struct egress_dns_query again;
    struct error err;
    struct buf out;

    addresses.n = EGRESS_ADDRESSES_MAX;
    for (size_t i = 0; i < addresses.n; i++) {
        addresses.items[i].ss_family = i % 2 == 0 ? AF_INET : AF_INET6;
    }
    buf_init(&out, EGRESS_DNS_MAX);
    expect(egress_dns_write(q, EGRESS_DNS_OK, &addresses, &out, &err));
    expect(out.len >= 12 + q->question.len && out.len <= EGRESS_DNS_MAX);
    expect(memcmp(out.data + 12, q->question.ptr != NULL ? q->question.ptr : "", q->question.len) == 0);
    /* An answer is no question: it could be sent in circles. */
    expect(!egress_dns_read(buf_span(&out), &again, &err));
    buf_deinit(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct egress_dns_query q;
    struct egress_host host;
    struct error err;

    if (size > EGRESS_DNS_MAX || !egress_dns_read(span_of((const char *)data, size), &q, &err)) {
        return 0;
    }
    expect(!q.has_host || (q.question.len > 0 && egress_host_read(span_str(q.host.text), &host, &err) &&
                           egress_host_equal(&host, &q.host) && host.kind == EGRESS_HOST_NAME));
    check_answer(&q);
    return 0;
}

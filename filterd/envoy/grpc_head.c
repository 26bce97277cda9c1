/* grpc_head.c - the headers that a call begins with. */
#include "envoy/grpc.h"

static void keep(struct grpc_head *head, char *out, size_t size, struct span value)
{
    if (out[0] != '\0' || value.len >= size || memchr(value.ptr, '\0', value.len) != NULL) {
        head->is_malformed = true;
        return;
    }
    memcpy(out, value.ptr, value.len);
    out[value.len] = '\0';
}

static bool is_grpc(struct span type)
{
    size_t len = sizeof(GRPC_TYPE) - 1;

    return span_is(type, GRPC_TYPE) || span_is(type, GRPC_TYPE "+proto") ||
           (span_starts_with(type, span_str(GRPC_TYPE)) && type.ptr[len] == ';');
}

void grpc_head_add(struct grpc_head *head, struct span name, struct span value)
{
    if (span_is(name, ":path")) {
        keep(head, head->path, sizeof(head->path), value);
    } else if (span_is(name, ":method")) {
        head->is_post = span_is(value, "POST");
    } else if (span_is(name, "content-type")) {
        head->is_grpc = is_grpc(value);
    } else if (span_is(name, "authorization")) {
        keep(head, head->authorization, sizeof(head->authorization), value);
    } else if (span_is(name, "filterd-upstream")) {
        keep(head, head->upstream, sizeof(head->upstream), value);
    }
}

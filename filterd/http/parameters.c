#include "http/parameters.h"

struct parser {
    parameter_fn *take;
    void *into;
    struct filter_fault *fault;
    unsigned seen;
    bool is_ok;
};

/* NOLINTNEXTLINE(readability-function-size): libmicrohttpd dictates the parameters */
static enum MHD_Result take_one(void *context, enum MHD_ValueKind kind, const char *name, size_t name_len,
                                const char *value, size_t value_len)
{
    struct parser *r = context;

    (void)kind;
    r->is_ok = r->take(r->into, span_of(name, name_len), span_of(value == NULL ? "" : value, value_len), &r->seen,
                       r->fault);
    return r->is_ok ? MHD_YES : MHD_NO;
}

bool parameters_read(struct MHD_Connection *connection, parameter_fn *take, void *into, struct filter_fault *fault)
{
    struct parser r = {.take = take, .into = into, .fault = fault, .is_ok = true};

    (void)MHD_get_connection_values_n(connection, MHD_GET_ARGUMENT_KIND, take_one, &r);
    return r.is_ok;
}

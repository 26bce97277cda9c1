#include "link/stages.h"

#include <string.h>

#include "record/note_text.h"
#include "ship/config.h"

static bool is_number(struct span text, unsigned min, unsigned max)
{
    uint64_t value;

    return note_read_number(text, &value) && value >= min && value <= max;
}

static bool take_until(struct span *rest, char end, struct span *item)
{
    const char *found = rest->len == 0 ? NULL : memchr(rest->ptr, end, rest->len);
    size_t len = found == NULL ? rest->len : (size_t)(found - rest->ptr);

    *item = span_slice(*rest, 0, len);
    *rest = span_slice(*rest, found == NULL ? len : len + 1, rest->len);
    return found != NULL;
}

static bool is_who(struct span who)
{
    bool has_more = true;

    if (who.len > 0 && who.ptr[who.len - 1] == '%') {
        return is_number(span_slice(who, 0, who.len - 1), 1, 100);
    }
    if (is_number(who, 1, 100000)) {
        return true;
    }
    while (has_more) {
        struct span name;
        has_more = take_until(&who, '+', &name);
        if (!ship_is_name(name) || (name.ptr[0] >= '0' && name.ptr[0] <= '9')) {
            return false;
        }
    }
    return true;
}

static bool is_wait(struct span wait)
{
    return wait.len > 1 && memchr("smh", wait.ptr[wait.len - 1], 3) != NULL && is_number(span_slice(wait, 0, wait.len - 1), 0, 100000);
}

bool link_stages_check(const char *text, struct error *err)
{
    struct span rest = span_str(text), item, who;
    bool has_more = true;

    while (has_more) {
        has_more = take_until(&rest, ',', &item);
        bool has_wait = take_until(&item, ':', &who);
        if (!is_who(who) || (has_wait && !is_wait(item))) {
            return error_set(err, ERROR_INVALID, "--stages: a number of nodes, a share such as 25%% or names joined by '+' expected, with ':' and "
                                                 "a time such as 10m: '" SPAN_FMT "' is none", SPAN_ARG(who));
        }
    }
    return span_is(who, "100%") || error_set(err, ERROR_INVALID, "--stages: 100%% expected as the last one");
}

#include "seal/recipients.h"

#include "base/ascii.h"

bool recipients_is_name(struct span name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (!ascii_is_letter(c) && !ascii_is_digit(c) && c != '-' && c != '_') {
            return false;
        }
    }
    return name.len > 0 && name.len <= GROUP_NAME_MAX;
}

static bool is_known(const struct age_recipient *known, size_t n, const struct age_recipient *r)
{
    for (size_t i = 0; i < n; i++) {
        if (memcmp(known[i].bytes, r->bytes, sizeof(r->bytes)) == 0) {
            return true;
        }
    }
    return false;
}

static bool read_line(const char *file, size_t number, struct span line, struct age_recipient *out, size_t *n,
                      struct error *err)
{
    struct age_recipient read;

    if (line.len == 0 || line.ptr[0] == '#') {
        return true;
    }
    if (!age_recipient_read(line, &read)) {
        return error_set(err, ERROR_INVALID, "%s:%zu:1: a recipient of age expected, age1… (X25519)", file, number);
    }
    if (!age_recipient_is_usable(&read)) {
        return error_set(err, ERROR_INVALID, "%s:%zu:1: a key that is not of low order expected", file, number);
    }
    if (is_known(out, *n, &read)) {
        return error_set(err, ERROR_INVALID, "%s:%zu:1: each recipient once expected", file, number);
    }
    if (*n == RECIPIENTS_MAX) {
        return error_set(err, ERROR_LIMIT, "%s:%zu:1: at most %d recipients expected", file, number, RECIPIENTS_MAX);
    }
    out[(*n)++] = read;
    return true;
}

bool recipients_read(const char *file, struct span text, struct age_recipient *out, size_t *n, struct error *err)
{
    size_t found = 0;

    for (size_t number = 1; text.len > 0; number++) {
        struct span line = age_take_line(&text);
        if (!read_line(file, number, line, out, &found, err)) {
            return false;
        }
    }
    if (found < RECIPIENTS_MIN) {
        return error_set(err, ERROR_INVALID, "%s: at least %d recipients expected, as the loss of the only key would lose"
                         " every original", file, RECIPIENTS_MIN);
    }
    *n = found;
    return true;
}

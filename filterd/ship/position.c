#include "ship/position.h"

#include <inttypes.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/json.h"

enum { VERSION = 1, MEMBERS = 6 };

bool ship_position_path(const char *directory, struct span name, char path[PATH_MAX], struct error *err)
{
    int len = snprintf(path, PATH_MAX, "%s/" SPAN_FMT ".json", directory, SPAN_ARG(name));

    return (len > 0 && len < PATH_MAX) || error_set(err, ERROR_INVALID, "%s: a shorter path expected", directory);
}

static bool read_number(struct json_value value, uint64_t *out)
{
    uint64_t number = 0;

    for (size_t i = 0; i < value.raw.len; i++) {
        char c = value.raw.ptr[i];
        if (c < '0' || c > '9' || __builtin_mul_overflow(number, 10U, &number) ||
            __builtin_add_overflow(number, (uint64_t)(c - '0'), &number)) {
            return false;
        }
    }
    *out = number;
    return value.kind == JSON_KIND_NUMBER;
}

static bool read_digest(struct json_value value, char out[DIGEST_SHA256_HEX + 1])
{
    if (value.kind != JSON_KIND_STRING || (value.raw.len != 2 && value.raw.len != DIGEST_SHA256_HEX + 2)) {
        return false;
    }
    for (size_t i = 1; i + 1 < value.raw.len; i++) {
        if (strchr("0123456789abcdef", value.raw.ptr[i]) == NULL) {
            return false;
        }
        out[i - 1] = value.raw.ptr[i];
    }
    out[value.raw.len - 2] = '\0';
    return true;
}

/* One member, as a bit of those that were read; 0: it is not one, or not right. */
static unsigned read_member(struct span name, struct json_value value, struct ship_position *p, uint64_t times[2],
                            uint64_t *version)
{
    const struct {
        const char *name;
        uint64_t *number;
    } numbers[] = {
        {"v", version}, {"file_ns", &times[0]}, {"seq", &p->seq}, {"offset", &p->offset}, {"as_of_ns", &times[1]},
    };

    for (unsigned i = 0; i < COUNT(numbers); i++) {
        if (span_is(name, numbers[i].name)) {
            return read_number(value, numbers[i].number) ? 1U << i : 0;
        }
    }
    return span_is(name, "file") && read_digest(value, p->file) ? 1U << COUNT(numbers) : 0;
}

static bool read_text(struct span text, struct ship_position *out, struct error *err)
{
    struct ship_position p = {0};
    uint64_t version = 0, times[2] = {0};
    struct json_value item;
    struct span name;
    unsigned found = 0;

    if (!json_validate(text, err)) {
        return false;
    }
    struct json_iterator it = json_iterate(json_root(text));
    while (json_next(&it, &name, &item)) {
        found |= read_member(name, item, &p, times, &version);
    }
    if (found != (1U << MEMBERS) - 1 || version != VERSION || times[0] > INT64_MAX || times[1] > INT64_MAX) {
        return error_set(err, ERROR_MALFORMED, "a position of version %d expected", VERSION);
    }
    p.file_ns = (int64_t)times[0];
    p.as_of_ns = (int64_t)times[1];
    *out = p;
    return true;
}

bool ship_position_read(const char *path, struct ship_position *p, struct error *err)
{
    struct buf text CLEANUP(buf_deinit);

    buf_init(&text, SHIP_POSITION_BYTES_MAX);
    return file_read(path, &text, err) && (read_text(buf_span(&text), p, err) || error_wrap(err, "%s", path));
}

bool ship_position_write(const char *path, const struct ship_position *p, struct error *err)
{
    char text[SHIP_POSITION_BYTES_MAX];
    int len = snprintf(text, sizeof(text),
                       "{\"v\":%d,\"file\":\"%s\",\"file_ns\":%" PRId64 ",\"seq\":%" PRIu64 ",\"offset\":%" PRIu64
                       ",\"as_of_ns\":%" PRId64 "}\n",
                       VERSION, p->file, p->file_ns, p->seq, p->offset, p->as_of_ns);

    return file_write_atomic(path, span_of(text, (size_t)len), 0600, err);
}

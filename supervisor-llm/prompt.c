#include "supervisor-llm/prompt.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/random.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/json.h"
#include "policy/embedded.h"
#include "supervisor-llm/answer_shape.h"
#include "supervisor-llm/quote.h"

enum { PROMPT_FILE_MAX = 64 * 1024, PROMPT_MEMORY_MAX = 4 * 1024 * 1024, SYSTEM_MAX = 1024 * 1024 };

static const char built_in[] = "supervisor-llm/prompts/v1";

/* --- the words --------------------------------------------------------------- */

static bool take_built_in(struct prompts *p, const char *path, struct span *out, struct error *err)
{
    for (unsigned i = 0; i < embedded_file_count; i++) {
        if (strcmp(embedded_files[i].path, path) == 0) {
            *out = span_of(embedded_files[i].content, embedded_files[i].len);
            return true;
        }
    }
    (void)p;
    return error_set(err, ERROR_INTERNAL, "%s: not built in", path);
}

static bool take_file(struct prompts *p, const char *path, struct span *out, struct error *err)
{
    struct buf text;

    buf_init(&text, PROMPT_FILE_MAX);
    bool is_read = file_read(path, &text, err) && arena_copy(&p->memory, buf_span(&text), out, err);
    buf_deinit(&text);
    return is_read;
}

static bool take(struct prompts *p, const char *directory, const char *name, struct span *out,
                 struct error *err)
{
    char path[PATH_MAX];
    int len = snprintf(path, sizeof(path), "%s/%s.txt", directory != NULL ? directory : built_in, name);

    if (len < 0 || (size_t)len >= sizeof(path)) {
        return error_set(err, ERROR_INVALID, "%s: path too long", directory);
    }
    bool is_taken = directory != NULL ? take_file(p, path, out, err) : take_built_in(p, path, out, err);
    while (is_taken && out->len > 0 && out->ptr[out->len - 1] == '\n') {
        out->len--;
    }
    return is_taken && (out->len > 0 || error_set(err, ERROR_INVALID, "%s: a text expected", path));
}

/* Each text led by its length: two sets of texts never share a digest. */
static bool make_digest(struct prompts *p, struct error *err)
{
    char hex[DIGEST_SHA256_HEX + 1];
    struct buf all;

    buf_init(&all, PROMPT_MEMORY_MAX);
    bool is_made = buf_appendf(&all, err, "%zu:", p->frame.len) && buf_append(&all, p->frame, err);
    for (size_t i = 0; i < SUPERVISOR_CATEGORY_COUNT && is_made; i++) {
        is_made = buf_appendf(&all, err, "%zu:", p->categories[i].len) &&
                  buf_append(&all, p->categories[i], err);
    }
    is_made = is_made && digest_sha256(buf_span(&all), hex, err);
    buf_deinit(&all);
    if (is_made) {
        (void)snprintf(p->digest, sizeof(p->digest), "sha256:%s", hex);
    }
    return is_made;
}

static bool has_places(struct span frame, struct error *err)
{
    static const char *const places[] = {"{{boundary}}", "{{canary}}", "{{categories}}", "{{names}}"};

    for (size_t i = 0; i < COUNT(places); i++) {
        if (memmem(frame.ptr, frame.len, places[i], strlen(places[i])) == NULL) {
            return error_set(err, ERROR_INVALID, "frame.txt: %s expected", places[i]);
        }
    }
    return true;
}

struct prompts *prompts_load(const char *directory, struct error *err)
{
    struct prompts *p = calloc(1, sizeof(*p));

    if (p == NULL) {
        error_set(err, ERROR_NO_MEMORY, "prompts: no memory");
        return NULL;
    }
    arena_init(&p->memory, 0, PROMPT_MEMORY_MAX);
    bool is_loaded = take(p, directory, "frame", &p->frame, err) && has_places(p->frame, err);
    for (size_t i = 0; i < SUPERVISOR_CATEGORY_COUNT && is_loaded; i++) {
        is_loaded = take(p, directory, supervisor_category_name((enum supervisor_category)i), &p->categories[i], err);
    }
    if (!is_loaded || !make_digest(p, err)) {
        prompts_free(p);
        return NULL;
    }
    return p;
}

void prompts_free(struct prompts *p)
{
    if (p != NULL) {
        arena_deinit(&p->memory);
        free(p);
    }
}

/* --- marks ------------------------------------------------------------------- */

static bool draw(char hex[PROMPT_MARK + 1], struct error *err)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char bytes[PROMPT_MARK / 2];
    ssize_t got;

    do {
        got = getrandom(bytes, sizeof(bytes), 0);
    } while (got < 0 && errno == EINTR);
    if (got != (ssize_t)sizeof(bytes)) {
        return error_errno(err, "supervisor: random bytes");
    }
    for (size_t i = 0; i < sizeof(bytes); i++) {
        hex[2 * i] = digits[bytes[i] >> 4];
        hex[2 * i + 1] = digits[bytes[i] & 15];
    }
    hex[PROMPT_MARK] = '\0';
    return true;
}

bool prompt_marks_draw(struct prompt_marks *m, struct error *err)
{
    return draw(m->boundary, err) && draw(m->canary, err);
}

/* --- messages ---------------------------------------------------------------- */

static bool append_categories(const struct prompt_request *r, struct buf *out, struct error *err)
{
    const char *gap = "";

    for (unsigned i = 0; i < SUPERVISOR_CATEGORY_COUNT; i++) {
        if ((r->categories >> i & 1U) == 0) {
            continue;
        }
        if (!buf_append_str(out, gap, err) || !buf_append(out, r->prompts->categories[i], err)) {
            return false;
        }
        gap = "\n";
    }
    return true;
}

static bool append_names(const struct prompt_request *r, struct buf *out, struct error *err)
{
    const char *gap = "";

    for (unsigned i = 0; i < SUPERVISOR_CATEGORY_COUNT; i++) {
        if ((r->categories >> i & 1U) == 0) {
            continue;
        }
        if (!buf_appendf(out, err, "%s\"%s\"", gap, supervisor_category_name((enum supervisor_category)i))) {
            return false;
        }
        gap = ", ";
    }
    return true;
}

static bool append_place(const struct prompt_request *r, struct span name, struct buf *out, struct error *err)
{
    if (span_is(name, "boundary")) {
        return buf_append_str(out, r->marks->boundary, err);
    }
    if (span_is(name, "canary")) {
        return buf_append_str(out, r->marks->canary, err);
    }
    if (span_is(name, "names")) {
        return append_names(r, out, err);
    }
    return !span_is(name, "categories") || append_categories(r, out, err);
}

bool prompt_write_system(const struct prompt_request *r, struct buf *out, struct error *err)
{
    struct span rest = r->prompts->frame;
    const char *open;

    while ((open = memmem(rest.ptr, rest.len, "{{", 2)) != NULL) {
        size_t at = (size_t)(open - rest.ptr);
        const char *close = memmem(open, rest.len - at, "}}", 2);
        if (close == NULL) {
            break;
        }
        if (!buf_append(out, span_slice(rest, 0, at), err) ||
            !append_place(r, span_of(open + 2, (size_t)(close - open) - 2), out, err)) {
            return false;
        }
        rest = span_slice(rest, (size_t)(close - rest.ptr) + 2, rest.len);
    }
    return buf_append(out, rest, err);
}

static bool holds_mark(const struct prompt_request *r)
{
    return memmem(r->text.ptr, r->text.len, r->marks->boundary, PROMPT_MARK) != NULL ||
           memmem(r->text.ptr, r->text.len, r->marks->canary, PROMPT_MARK) != NULL;
}

bool prompt_write_user(const struct prompt_request *r, struct buf *out, struct error *err)
{
    if (holds_mark(r)) {
        return error_set(err, ERROR_LIMIT, "supervisor: the text holds a mark of its prompt");
    }
    return buf_appendf(out, err, "-----BEGIN TEXT %s-----\n", r->marks->boundary) &&
           quote_append(out, r->text, err) &&
           buf_appendf(out, err, "\n-----END TEXT %s-----\n", r->marks->boundary) &&
           buf_append_str(out, "Judge the quoted text. Answer with the JSON object alone.", err);
}

static bool append_message(const struct prompt_request *r, const char *role,
                           bool (*write)(const struct prompt_request *, struct buf *, struct error *),
                           struct buf *out, struct error *err)
{
    struct buf text;

    buf_init(&text, SYSTEM_MAX + 2 * r->text.len);
    bool is_written = write(r, &text, err) && buf_appendf(out, err, "{\"role\":\"%s\",\"content\":", role) &&
                      json_append_string(out, buf_span(&text), err) && buf_append_char(out, '}', err);
    buf_deinit(&text);
    return is_written;
}

static bool append_format(const struct prompt_request *r, struct buf *out, struct error *err)
{
    switch (r->format) {
    case PROMPT_JSON_SCHEMA:
        return buf_append_str(out,
                              ",\"response_format\":{\"type\":\"json_schema\",\"json_schema\":"
                              "{\"name\":\"verdict\",\"strict\":true,\"schema\":",
                              err) &&
               answer_shape_schema(r->categories, out, err) && buf_append_str(out, "}}", err);
    case PROMPT_JSON_OBJECT:
        return buf_append_str(out, ",\"response_format\":{\"type\":\"json_object\"}", err);
    case PROMPT_GRAMMAR:
        return buf_append_str(out, ",\"grammar\":", err) && answer_shape_grammar(r->categories, out, err);
    case PROMPT_FREE:
        break;
    }
    return true;
}

bool prompt_write(const struct prompt_request *r, struct buf *out, struct error *err)
{
    const char *ceiling = r->is_completion_named ? "max_completion_tokens" : "max_tokens";

    return buf_append_str(out, "{\"model\":", err) && json_append_string(out, span_str(r->model), err) &&
           buf_append_str(out, ",\"messages\":[", err) &&
           append_message(r, "system", prompt_write_system, out, err) && buf_append_char(out, ',', err) &&
           append_message(r, "user", prompt_write_user, out, err) &&
           buf_appendf(out, err, "],\"temperature\":0,\"stream\":false,\"%s\":%u", ceiling, r->answer_tokens) &&
           append_format(r, out, err) && buf_append_char(out, '}', err);
}

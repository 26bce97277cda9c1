#include "ctl/outputs/outputs.h"

#include "base/cleanup.h"
#include "base/json.h"
#include "base/plural.h"
#include "ctl/file_text.h"
#include "ctl/input.h"
#include "ctl/mask.h"

enum { DELIVERED_MAX = 512 * 1024 * 1024 };

static bool open_magic(struct outputs *o, struct error *err)
{
    /* What looks inside archives and programs is the larger part of libmagic, and not needed here. */
    o->magic = magic_open(MAGIC_MIME_TYPE | MAGIC_NO_CHECK_COMPRESS | MAGIC_NO_CHECK_ELF | MAGIC_NO_CHECK_CDF);
    return (o->magic != NULL && magic_load(o->magic, NULL) == 0) ||
           error_set(err, ERROR_INTERNAL, "libmagic: %s", o->magic == NULL ? "no memory" : magic_error(o->magic));
}

bool outputs_open(struct outputs *o, const struct arguments *args, struct error *err)
{
    struct worker_limits limits = worker_limits_default();

    *o = (struct outputs){.quarantine = {.folder = -1}};
    buf_init(&o->bytes, QUARANTINE_FILE_MAX);
    buf_init(&o->text, QUARANTINE_FILE_MAX);
    return quarantine_open(&o->quarantine, args->operands[0], err) && open_magic(o, err) &&
           session_open_judge(&o->session, args, err) &&
           (o->worker = worker_new(&limits, &o->session.keys, err)) != NULL;
}

void outputs_close(struct outputs *o)
{
    if (o->magic != NULL) {
        magic_close(o->magic);
    }
    input_free_worker(&o->worker);
    session_close(&o->session);
    buf_deinit(&o->bytes);
    buf_deinit(&o->text);
    quarantine_close(&o->quarantine);
}

static bool is_readable(const char *type)
{
    static const char *const others[] = {"application/json", "application/javascript", "application/x-ndjson",
                                         "application/xml",  "image/svg+xml",          "inode/x-empty"};

    for (size_t i = 0; i < COUNT(others); i++) {
        if (strcmp(type, others[i]) == 0) {
            return true;
        }
    }
    return strncmp(type, "text/", 5) == 0;
}

static void judge_text(struct outputs *o, struct span text, struct output *f)
{
    struct judging document;
    struct error err;

    judging_text(&o->session, o->worker, text, &f->judging);
    f->action = f->judging.exchange.action;
    f->is_complete = judging_is_complete(&f->judging);
    if (f->action != ACTION_ALLOW || !json_validate(text, &err)) {
        return;
    }
    if (judging_document(&o->session, o->worker, text, span_of("", 0), &document, &err)) {
        f->judging = document;
        f->action = document.exchange.action;
        f->is_complete = judging_is_complete(&document);
    } else {
        judging_text(&o->session, o->worker, text, &f->judging); /* the first one's memory is gone */
    }
}

/* As it stands and, where a reader would decode it first, as that reader would see it: the stricter verdict counts. */
static void judge(struct outputs *o, struct output *f)
{
    struct error err;
    const char *skipped;

    judge_text(o, f->bytes, f);
    if (f->action != ACTION_ALLOW || !f->is_complete) {
        return;
    }
    buf_clear(&o->text);
    if (!buf_append(&o->text, f->bytes, &err) || !file_text_decode(&o->text, &skipped, &err)) {
        exchange_fail(&f->judging.exchange, "could not be decoded");
        f->action = f->judging.exchange.action;
        f->is_complete = false;
        return;
    }
    f->is_decoded = !span_equal(buf_span(&o->text), f->bytes);
    if (f->is_decoded) {
        judge_text(o, buf_span(&o->text), f);
    }
}

bool outputs_read(struct outputs *o, size_t i, struct output *out, struct error *err)
{
    *out = (struct output){.path = o->quarantine.paths[i]};
    if (!quarantine_read(&o->quarantine, out->path, &o->bytes, out->digest, err)) {
        return false;
    }
    out->bytes = o->bytes.len > 0 ? buf_span(&o->bytes) : span_of("", 0);
    const char *type = magic_buffer(o->magic, out->bytes.ptr, out->bytes.len);
    (void)snprintf(out->type, sizeof(out->type), "%s", type == NULL ? "application/octet-stream" : type);
    out->is_text = is_readable(out->type);
    judge(o, out);
    return true;
}

static const char *digits_of(const char *word)
{
    return strncmp(word, "sha256:", 7) == 0 ? word + 7 : word;
}

bool outputs_is_digest(const struct output *f, const char *word)
{
    return strcmp(digits_of(word), f->digest) == 0;
}

bool outputs_is_digest_form(const char *word)
{
    const char *digits = digits_of(word);

    return strlen(digits) == DIGEST_SHA256_HEX && strspn(digits, "0123456789abcdef") == DIGEST_SHA256_HEX;
}

static bool append_lines(struct span text, struct buf *out, struct error *err)
{
    while (text.len > 0) {
        const char *end = memchr(text.ptr, '\n', text.len);
        size_t len = end == NULL ? text.len : (size_t)(end - text.ptr);
        if (!mask_append_visible(out, span_slice(text, 0, len), err) || !buf_append_char(out, '\n', err)) {
            return false;
        }
        text = span_slice(text, end == NULL ? len : len + 1, text.len);
    }
    return true;
}

bool outputs_append_shown(const struct output *f, struct buf *out, struct error *err)
{
    struct buf delivered CLEANUP(buf_deinit);

    buf_init(&delivered, DELIVERED_MAX);
    if (!f->is_complete || f->action == ACTION_BLOCK) {
        return buf_append_str(out, "(withheld: the rules block it)\n", err);
    }
    if (!f->is_text) {
        return buf_appendf(out, err, "(not shown: %s, %zu byte%s)\n", f->type, f->bytes.len, plural_s(f->bytes.len));
    }
    return judging_deliver(&f->judging, &delivered, err) && append_lines(buf_span(&delivered), out, err);
}

static bool is_named_before(const struct exchange *x, size_t i)
{
    for (size_t j = 0; j < i; j++) {
        if (x->findings[j].rule == x->findings[i].rule) {
            return true;
        }
    }
    return false;
}

bool outputs_append_rules(const struct output *f, struct buf *out, struct error *err)
{
    const struct exchange *x = &f->judging.exchange;
    const char *separator = "";

    for (size_t i = 0; i < x->n_findings; i++) {
        if (x->findings[i].action == ACTION_ALLOW || is_named_before(x, i)) {
            continue;
        }
        if (!buf_append_str(out, separator, err) || !buf_append(out, x->findings[i].rule->id, err)) {
            return false;
        }
        separator = ", ";
    }
    if (separator[0] != '\0') {
        return true;
    }
    return f->action == ACTION_ALLOW ? buf_append_str(out, "-", err) : buf_append(out, x->rule, err);
}

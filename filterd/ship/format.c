#include "ship/format.h"

#include "ship/out.h"

enum { ARENA_KEEP = 64 * 1024, ARENA_MAX = 4 * 1024 * 1024 };

static size_t record_line(struct ship_batch *b, struct out *o, const struct ship_line *line)
{
    (void)b;
    out_raw(o, line->text);
    out_str(o, "\n");
    return 1;
}

const struct ship_format *ship_format(unsigned kind)
{
    static const struct ship_format formats[] = {
        [SHIP_OTLP] = {"application/json", ship_otlp_begin, ship_otlp_line, ship_otlp_end},
        [SHIP_TRACES] = {"application/json", ship_traces_begin, ship_traces_line, ship_traces_end},
        [SHIP_OCSF] = {"application/x-ndjson", NULL, ship_ocsf_line, NULL},
        [SHIP_CEF] = {NULL, NULL, ship_cef_line, NULL},
        [SHIP_RECORD] = {"application/x-ndjson", NULL, record_line, NULL},
    };

    return &formats[kind];
}

void ship_batch_init(struct ship_batch *b)
{
    *b = (struct ship_batch){0};
    buf_init(&b->body, SHIP_BODY_MAX);
    arena_init(&b->memory, ARENA_KEEP, ARENA_MAX);
}

void ship_batch_deinit(struct ship_batch *b)
{
    buf_deinit(&b->body);
    arena_deinit(&b->memory);
}

bool ship_batch_begin(struct ship_batch *b, const struct ship_format *f, struct error *err)
{
    struct out o = {.buf = &b->body, .err = err};

    buf_clear(&b->body);
    b->n_lines = b->n_records = b->n_skipped = 0;
    if (f->begin != NULL) {
        f->begin(b, &o);
    }
    return !o.has_failed;
}

bool ship_batch_add(struct ship_batch *b, const struct ship_format *f, struct span text, struct error *err)
{
    struct out o = {.buf = &b->body, .err = err};
    struct ship_line line;

    arena_reset(&b->memory);
    ship_line_read(text, &line);
    size_t n = f->line(b, &o, &line);
    b->n_lines++;
    b->n_records += n;
    b->n_skipped += n == 0;
    return !o.has_failed;
}

bool ship_batch_end(struct ship_batch *b, const struct ship_format *f, struct error *err)
{
    struct out o = {.buf = &b->body, .err = err};

    if (f->end != NULL) {
        f->end(b, &o);
    }
    return !o.has_failed;
}

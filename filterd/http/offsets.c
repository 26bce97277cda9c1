#include "http/offsets.h"

static struct position count(struct span text)
{
    struct position p = {0};

    for (size_t i = 0; i < text.len; i++) {
        unsigned char byte = (unsigned char)text.ptr[i];
        p.chars += (byte & 0xc0U) != 0x80U;
        p.utf16 += byte >= 0xf0U;
    }
    p.utf16 += p.chars;
    return p;
}

bool offsets_init(struct arena *a, struct span text, struct offsets *out, struct error *err)
{
    size_t n = text.len / OFFSETS_STEP + 1;
    struct position *marks = arena_array(a, n, sizeof(*marks), err);

    if (marks == NULL) {
        return false;
    }
    marks[0] = (struct position){0};
    for (size_t i = 1; i < n; i++) {
        struct position step = count(span_slice(text, (i - 1) * OFFSETS_STEP, i * OFFSETS_STEP));
        marks[i].chars = marks[i - 1].chars + step.chars;
        marks[i].utf16 = marks[i - 1].utf16 + step.utf16;
    }
    *out = (struct offsets){.text = text, .marks = marks};
    return true;
}

struct position offsets_find(const struct offsets *o, size_t at)
{
    size_t mark = at / OFFSETS_STEP;
    struct position p = count(span_slice(o->text, mark * OFFSETS_STEP, at));

    p.chars += o->marks[mark].chars;
    p.utf16 += o->marks[mark].utf16;
    return p;
}

#include "view/builder.h"

#include "text/utf8.h"

#include <assert.h>

enum { FIRST_CAPACITY = 64 };

void builder_init(struct builder *b, struct arena *a, const struct view_limits *limits,
                  struct error *err)
{
    *b = (struct builder){.arena = a, .limits = limits, .err = err};
}

void builder_fail(struct builder *b, const char *what)
{
    if (!b->has_failed) {
        b->has_failed = true;
        error_set(b->err, ERROR_NO_MEMORY, "decoded text: %s", what);
    }
}

void builder_read_from(struct builder *b, uint32_t base)
{
    b->base = base;
}

void builder_count_from(struct builder *b, const struct view_piece *parent)
{
    b->decodings = parent->decodings;
    b->joinings = parent->joinings;
}

/* Makes room for `more` elements behind `used`; an arena cannot grow in place, so the old array
 * stays behind in it: at most as much again as the last one. */
static bool reserve(struct builder *b, void **array, size_t *cap, size_t used, size_t more,
                    size_t element)
{
    if (b->has_failed) {
        return false;
    }
    if (more <= *cap - used) {
        return true;
    }
    size_t wanted = *cap == 0 ? FIRST_CAPACITY : *cap * 2;
    if (wanted < used + more) {
        wanted = used + more;
    }
    void *grown = arena_array(b->arena, wanted, element, b->err);
    if (grown == NULL) {
        b->has_failed = true;
        return false;
    }
    if (used > 0) {
        assert(*array != NULL);
        memcpy(grown, *array, used * element);
    }
    *array = grown;
    *cap = wanted;
    return true;
}

static bool reserve_text(struct builder *b, size_t more)
{
    if (!b->has_failed && more > b->limits->max_bytes - b->len) {
        b->has_failed = true;
        return error_set(b->err, ERROR_LIMIT, "decoded text: more than %zu bytes",
                         b->limits->max_bytes);
    }
    void *array = b->text;
    bool has_room = reserve(b, &array, &b->text_cap, b->len, more, sizeof(*b->text));
    b->text = array;
    return has_room;
}

void builder_begin(struct builder *b, const char *transform, enum view_kind kind)
{
    if (!b->has_failed && b->n_pieces >= b->limits->max_pieces) {
        b->has_failed = true;
        error_set(b->err, ERROR_LIMIT, "decoded text: more than %zu pieces", b->limits->max_pieces);
    }
    void *array = b->pieces;
    bool has_room = reserve(b, &array, &b->pieces_cap, b->n_pieces, 1, sizeof(*b->pieces));
    b->pieces = array;
    if (has_room) {
        b->pieces[b->n_pieces] = (struct view_piece){
            .from = (uint32_t)b->len,
            .kind = kind,
            .decodings = (uint8_t)(b->decodings + (kind == VIEW_DECODED)),
            .joinings = (uint8_t)(b->joinings + (kind != VIEW_DECODED)),
            .transform = transform,
            .first_segment = (uint32_t)b->n_segments,
        };
    }
}

void builder_end(struct builder *b)
{
    if (b->has_failed || b->pieces[b->n_pieces].from == b->len) {
        return;
    }
    size_t end = b->len;
    if (!reserve_text(b, 1)) {
        return;
    }
    b->text[b->len++] = '\n';
    struct view_piece *piece = &b->pieces[b->n_pieces++];
    piece->to = (uint32_t)end;
    piece->n_segments = (uint32_t)b->n_segments - piece->first_segment;
}

/* Whether `next` goes on where `last` ends, in both texts and in whole units. */
static bool continues(const struct view_segment *last, const struct view_segment *next)
{
    if (last->view_unit != next->view_unit || last->parent_unit != next->parent_unit ||
        last->is_copy != next->is_copy || last->is_backward != next->is_backward) {
        return false;
    }
    uint32_t n_units = last->view_len / last->view_unit;
    if (n_units * last->view_unit != last->view_len ||
        n_units * last->parent_unit != last->parent_len) {
        return false;
    }
    return last->is_backward ? next->parent_from + next->parent_len == last->parent_from
                             : last->parent_from + last->parent_len == next->parent_from;
}

static void add_segment(struct builder *b, const struct view_segment *next)
{
    size_t first = b->pieces[b->n_pieces].first_segment;
    struct view_segment *last = b->n_segments > first ? &b->segments[b->n_segments - 1] : NULL;

    if (last != NULL && continues(last, next)) {
        last->view_len += next->view_len;
        last->parent_len += next->parent_len;
        last->parent_from = next->is_backward ? next->parent_from : last->parent_from;
        return;
    }
    void *array = b->segments;
    if (reserve(b, &array, &b->segments_cap, b->n_segments, 1, sizeof(*b->segments))) {
        b->segments = array;
        assert(b->segments != NULL);
        b->segments[b->n_segments++] = *next;
    }
}

static void add(struct builder *b, struct span bytes, struct view_segment *segment)
{
    if (bytes.len == 0 || !reserve_text(b, bytes.len)) {
        return;
    }
    memcpy(b->text + b->len, bytes.ptr, bytes.len);
    segment->view_from = (uint32_t)b->len;
    segment->view_len = (uint32_t)bytes.len;
    b->len += bytes.len;
    add_segment(b, segment);
}

void builder_copy(struct builder *b, struct span text, size_t from, size_t len)
{
    struct view_segment segment = {
        .parent_from = b->base + (uint32_t)from,
        .parent_len = (uint32_t)len,
        .view_unit = 1,
        .parent_unit = 1,
        .is_copy = true,
    };
    add(b, span_of(text.ptr + from, len), &segment);
}

void builder_put(struct builder *b, struct span bytes, const struct origin *origin)
{
    struct view_segment segment = {
        .parent_from = b->base + (uint32_t)origin->from,
        .parent_len = (uint32_t)origin->len,
        .view_unit = origin->view_unit,
        .parent_unit = origin->parent_unit,
        .is_backward = origin->is_backward,
    };
    add(b, bytes, &segment);
}

void builder_put_code_point(struct builder *b, uint32_t code_point, size_t from, size_t len)
{
    char bytes[4];
    size_t n = utf8_encode(code_point, bytes);
    struct origin origin = {
        .from = from, .len = len, .view_unit = (uint8_t)n, .parent_unit = (uint8_t)len};

    builder_put(b, span_of(bytes, n), &origin);
}

char *builder_scratch(struct builder *b, size_t size)
{
    void *array = b->scratch;
    bool has_room = reserve(b, &array, &b->scratch_cap, 0, size, 1);

    b->scratch = array;
    return has_room ? b->scratch : NULL;
}

bool builder_finish(struct builder *b, const struct view *parent, const struct view **child)
{
    if (b->has_failed) {
        return false;
    }
    if (b->n_pieces == 0) {
        *child = NULL;
        return true;
    }
    struct view *made = arena_alloc(b->arena, sizeof(*made), b->err);
    if (made == NULL) {
        return false;
    }
    *made = (struct view){
        .text = span_of(b->text, b->len),
        .parent = parent,
        .level = parent->level + 1,
        .pieces = b->pieces,
        .n_pieces = b->n_pieces,
        .segments = b->segments,
    };
    *child = made;
    return true;
}

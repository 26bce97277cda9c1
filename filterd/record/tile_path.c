/* The paths of tiles (C2SP tlog-tiles). */
#include "record/tiles.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

static const char entries_text[] = "entries";

unsigned tile_width(uint64_t size, unsigned level, uint64_t index)
{
    uint64_t hashes = level < TILE_LEVELS ? size >> (8 * level) : 0;

    if (index >= hashes / TILE_WIDTH + 1) {
        return 0;
    }
    uint64_t width = hashes - index * TILE_WIDTH;
    return width < TILE_WIDTH ? (unsigned)width : TILE_WIDTH;
}

/* "x001/x234/067": written from its end, as its last group comes first. */
static void format_index(uint64_t index, char *out)
{
    char text[40];
    size_t at = sizeof(text) - 1;

    text[at] = '\0';
    for (bool is_last = true; is_last || index > 0; is_last = false, index /= 1000) {
        char group[6];
        (void)snprintf(group, sizeof(group), is_last ? "%03u" : "x%03u", (unsigned)(index % 1000));
        if (!is_last) {
            text[--at] = '/';
        }
        at -= strlen(group);
        memcpy(text + at, group, strlen(group));
    }
    memcpy(out, text + at, sizeof(text) - at);
}

void tile_path_format(const struct tile_name *name, char path[TILE_PATH_MAX])
{
    char index[40], level[12], width[16] = "";

    assert(name->width >= 1 && name->width <= TILE_WIDTH);
    format_index(name->index, index);
    (void)snprintf(level, sizeof(level), "%u", name->level);
    if (name->width < TILE_WIDTH) {
        (void)snprintf(width, sizeof(width), ".p/%u", name->width);
    }
    int len = snprintf(path, TILE_PATH_MAX, "tile/%s/%s%s", name->is_entries ? entries_text : level, index, width);
    assert(len > 0 && len < TILE_PATH_MAX);
    (void)len;
}

/* --- reading ---------------------------------------------------------------- */

static bool take(struct span *s, const char *text)
{
    if (!span_starts_with(*s, span_str(text))) {
        return false;
    }
    *s = span_slice(*s, strlen(text), s->len);
    return true;
}

/* Up to `most` digits. */
static bool take_number(struct span *s, size_t most, unsigned *out)
{
    size_t n = 0;

    *out = 0;
    for (; n < s->len && n < most && s->ptr[n] >= '0' && s->ptr[n] <= '9'; n++) {
        *out = *out * 10 + (unsigned)(s->ptr[n] - '0');
    }
    *s = span_slice(*s, n, s->len);
    return n > 0;
}

static bool take_index(struct span *s, uint64_t *out)
{
    bool is_last = false;

    for (*out = 0; !is_last;) {
        unsigned group;
        is_last = !take(s, "x");
        if (s->len < 3 || !take_number(s, 3, &group) || *out > (UINT64_MAX - group) / 1000 || (!is_last && !take(s, "/"))) {
            return false;
        }
        *out = *out * 1000 + group;
    }
    return true;
}

bool tile_path_parse(struct span path, struct tile_name *out, struct error *err)
{
    struct tile_name name = {.width = TILE_WIDTH};
    char again[TILE_PATH_MAX];
    struct span s = path;

    bool is_read = path.len < TILE_PATH_MAX && take(&s, "tile/");
    name.is_entries = is_read && take(&s, entries_text);
    is_read = is_read && (name.is_entries || take_number(&s, 2, &name.level)) && take(&s, "/") && take_index(&s, &name.index);
    if (is_read && take(&s, ".p/")) {
        is_read = take_number(&s, 3, &name.width) && name.width >= 1 && name.width < TILE_WIDTH;
    }
    is_read = is_read && s.len == 0 && name.level <= TILE_LEVEL_TEXT_MAX;
    if (is_read) {
        /* One spelling of each: without leading zeros or groups that need not be. */
        tile_path_format(&name, again);
        is_read = span_is(path, again);
    }
    if (!is_read) {
        return error_set(err, ERROR_INVALID, "a path such as tile/0/x001/234.p/7 expected");
    }
    *out = name;
    return true;
}

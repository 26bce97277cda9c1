#include "mask/restore.h"

#include "base/ascii.h"
#include "base/json.h"
#include "mask/masking_parts.h"

enum { NO_PSEUDONYM_BYTE = 0xff };

void restorer_init(struct restorer *r, struct masking *m, enum restore_syntax syntax, unsigned withheld)
{
    r->masking = masking_ref(m);
    r->withheld = withheld;
    r->counts = (struct restore_counts){0};
    r->syntax = syntax;
    r->is_guessed = syntax == RESTORE_GUESS;
    r->depth = 0;
    r->first = '\0';
    r->is_string = false;
    r->n_held = 0;
}

void restorer_deinit(struct restorer *r)
{
    masking_unref(r->masking);
    r->masking = NULL;
}

/* --- syntax ---------------------------------------------------------------------- */

/* One character of the text, as it is written there. */
struct unit {
    size_t len;         /* bytes */
    unsigned char byte; /* the ASCII character that it means, NO_PSEUDONYM_BYTE for any other */
    bool is_open;       /* an escape that may go on */
};

static struct unit read_unicode_escape(struct span rest)
{
    static const char begin[] = "\\u00";
    size_t at = 0;

    while (at < rest.len && at < strlen(begin) && rest.ptr[at] == begin[at]) {
        at++;
    }
    if (at < strlen(begin)) {
        return (struct unit){.len = at == rest.len ? at : 2, .byte = NO_PSEUDONYM_BYTE, .is_open = at == rest.len};
    }
    unsigned value = 0;
    for (; at < rest.len && at < RESTORE_ESCAPE; at++) {
        unsigned digit = ascii_hex_value(rest.ptr[at]);
        if (digit == ASCII_NOT_HEX) {
            return (struct unit){.len = 2, .byte = NO_PSEUDONYM_BYTE};
        }
        value = value << 4 | digit;
    }
    if (at < RESTORE_ESCAPE) {
        return (struct unit){.len = at, .byte = NO_PSEUDONYM_BYTE, .is_open = true};
    }
    return (struct unit){.len = at, .byte = value < 0x80 ? (unsigned char)value : NO_PSEUDONYM_BYTE};
}

static struct unit read_unit(const struct restorer *r, struct span rest)
{
    unsigned char byte = (unsigned char)rest.ptr[0];

    if (!r->is_string || byte != '\\') {
        return (struct unit){.len = 1, .byte = byte};
    }
    if (rest.len == 1) {
        return (struct unit){.len = 1, .byte = NO_PSEUDONYM_BYTE, .is_open = true};
    }
    if (rest.ptr[1] == 'u') {
        return read_unicode_escape(rest);
    }
    return (struct unit){.len = 2, .byte = rest.ptr[1] == '/' ? '/' : NO_PSEUDONYM_BYTE};
}

/* A label in front of a text looks like an array at first, so the second character decides. */
static void guess_syntax(struct restorer *r, char c)
{
    if (ascii_is_space(c)) {
        return;
    }
    if (r->first == '\0') {
        r->first = c;
        r->syntax = c == '{' || c == '[' ? RESTORE_GUESS : RESTORE_TEXT;
        return;
    }
    bool is_json = r->first == '{' ? c == '"' || c == '}' : ascii_is_digit(c) || strchr("\"{[]", c) != NULL;
    r->syntax = is_json ? RESTORE_JSON : RESTORE_TEXT;
    r->depth = 1;
}

/* "[1] he said" begins like JSON, and is none behind the bracket. */
static void count_depth(struct restorer *r, char c)
{
    r->depth += c == '{' || c == '[';
    r->depth -= c == '}' || c == ']';
    if (r->depth == 0) {
        r->syntax = RESTORE_GUESS;
        r->first = '\0';
    }
}

/* A unit of the text has passed. */
static void pass(struct restorer *r, struct unit u)
{
    if (r->syntax == RESTORE_GUESS) {
        guess_syntax(r, (char)u.byte);
    }
    if (r->syntax == RESTORE_JSON && u.len == 1 && u.byte == '"') {
        r->is_string = !r->is_string;
    } else if (r->syntax == RESTORE_JSON && r->is_guessed && !r->is_string) {
        count_depth(r, (char)u.byte);
    }
}

/* --- walking --------------------------------------------------------------------- */

enum walked { WALKED_NONE, WALKED_OPEN, WALKED_FOUND };

struct walk {
    const struct masking_entry *entry; /* FOUND */
    size_t len;                        /* FOUND: of the pseudonym as it is written */
    bool has_stem;                     /* it looked like a label */
};

static enum walked walk_tree(const struct restorer *r, struct span rest, struct walk *w)
{
    const struct masking_node *n = &r->masking->root;

    *w = (struct walk){0};
    while (w->len < rest.len) {
        struct unit u = read_unit(r, span_slice(rest, w->len, rest.len));
        if (u.is_open) {
            return WALKED_OPEN;
        }
        n = masking_child(n, (unsigned char)ascii_lower((char)u.byte));
        if (n == NULL) {
            return WALKED_NONE;
        }
        w->len += u.len;
        w->has_stem |= n->is_stem;
        if (n->entry != NULL) {
            w->entry = n->entry;
            return WALKED_FOUND;
        }
    }
    return WALKED_OPEN;
}

/* As the inside of a string of JSON: the quotes that the writer puts around it are taken away. */
static bool append_escaped(struct buf *out, struct span value, struct error *err)
{
    size_t from = out->len;

    if (!json_append_string(out, value, err)) {
        return false;
    }
    size_t len = out->len - from - 2;
    memmove(out->data + from, out->data + from + 1, len);
    out->len = from + len;
    return true;
}

static bool write_value(struct restorer *r, const struct masking_entry *e, struct buf *out, struct error *err)
{
    r->counts.restored++;
    return r->is_string ? append_escaped(out, e->value, err) : buf_append(out, e->value, err);
}

/* Appends all of the text that may go on; *used is its length. */
static bool restore_part(struct restorer *r, struct span text, bool is_last, struct buf *out, size_t *used, struct error *err)
{
    size_t done = 0, at = 0;

    while (at < text.len) {
        struct span rest = span_slice(text, at, text.len);
        struct walk w = {0};
        struct unit u = read_unit(r, rest);
        enum walked walked = u.is_open || r->masking->starts[u.byte] ? walk_tree(r, rest, &w) : WALKED_NONE;
        if (walked == WALKED_OPEN && !is_last) {
            break;
        }
        bool is_withheld = walked == WALKED_FOUND && (r->withheld & w.entry->categories) != 0;
        if (walked == WALKED_FOUND && !is_withheld) {
            if (!buf_append(out, span_slice(text, done, at), err) || !write_value(r, w.entry, out, err)) {
                return false;
            }
            at += w.len;
            done = at;
            /* A text that begins with a value does not begin like JSON. */
            r->syntax = r->syntax == RESTORE_GUESS ? RESTORE_TEXT : r->syntax;
            continue;
        }
        r->counts.withheld += is_withheld;
        r->counts.unknown += walked != WALKED_FOUND && w.has_stem;
        pass(r, u);
        at += u.len;
    }
    *used = at;
    return buf_append(out, span_slice(text, done, at), err);
}

static bool restore_held(struct restorer *r, struct span *piece, bool is_last, struct buf *out, struct error *err)
{
    char window[2 * RESTORE_HELD_MAX];
    size_t more = piece->len < RESTORE_HELD_MAX ? piece->len : RESTORE_HELD_MAX, used;

    memcpy(window, r->held, r->n_held);
    if (more > 0) {
        memcpy(window + r->n_held, piece->ptr, more);
    }
    struct span all = span_of(window, r->n_held + more);
    if (!restore_part(r, all, is_last && more == piece->len, out, &used, err)) {
        return false;
    }
    *piece = span_slice(*piece, more, piece->len);
    r->n_held = all.len - used;
    memcpy(r->held, window + used, r->n_held);
    return true;
}

static bool feed(struct restorer *r, struct span piece, bool is_last, struct buf *out, struct error *err)
{
    while (r->n_held > 0 && (piece.len > 0 || is_last)) {
        if (!restore_held(r, &piece, is_last, out, err)) {
            return false;
        }
    }
    size_t used = 0;
    if (piece.len > 0 && !restore_part(r, piece, is_last, out, &used, err)) {
        return false;
    }
    if (used < piece.len) {
        r->n_held = piece.len - used;
        memcpy(r->held, piece.ptr + used, r->n_held);
    }
    return true;
}

bool restorer_feed(struct restorer *r, struct span piece, bool is_last, struct buf *out, struct error *err)
{
    (void)pthread_mutex_lock(&r->masking->lock);
    bool is_fed = feed(r, piece, is_last, out, err);
    (void)pthread_mutex_unlock(&r->masking->lock);
    return is_fed;
}

bool restore_whole(struct masking *m, enum restore_syntax syntax, unsigned withheld, struct span text,
                   struct restore_counts *counts, struct buf *out, struct error *err)
{
    struct restorer r;

    restorer_init(&r, m, syntax, withheld);
    bool is_done = restorer_feed(&r, text, true, out, err);
    counts->restored += r.counts.restored;
    counts->withheld += r.counts.withheld;
    counts->unknown += r.counts.unknown;
    restorer_deinit(&r);
    return is_done;
}

#include "review/review_order.h"

#include <inttypes.h>
#include <sodium.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "record/note_text.h"

enum { CONSOLES_FILE_MAX = 16 * 1024, KEY_MAX = 16 };

static const char title[] = "filterd review order";

void review_order_id(char id[REVIEW_ORDER_ID + 1])
{
    uint8_t bytes[REVIEW_ORDER_ID / 2];

    randombytes_buf(bytes, sizeof(bytes));
    (void)sodium_bin2hex(id, REVIEW_ORDER_ID + 1, bytes, sizeof(bytes));
}

bool review_order_id_is_valid(struct span id)
{
    bool is_valid = id.len == REVIEW_ORDER_ID;

    for (size_t i = 0; i < id.len && is_valid; i++) {
        is_valid = (id.ptr[i] >= '0' && id.ptr[i] <= '9') || (id.ptr[i] >= 'a' && id.ptr[i] <= 'f');
    }
    return is_valid;
}

/* --- writing ------------------------------------------------------------------ */

static bool put_text(const struct review_order *o, struct buf *out, struct error *err)
{
    struct buf line CLEANUP(buf_deinit);
    char leaf[TREE_HASH_TEXT + 1];

    buf_init(&line, REVIEW_LINE_MAX);
    tree_hash_format(&o->leaf, leaf);
    return buf_appendf(out, err, "%s\nid %s\nnode " SPAN_FMT "\nleaf %s\nversion %" PRIu64 "\n", title, o->id, SPAN_ARG(o->node), leaf, o->version) &&
           (o->tenant.len == 0 || buf_appendf(out, err, "tenant " SPAN_FMT "\n", SPAN_ARG(o->tenant))) &&
           review_line_format(&o->line, &line, err) && buf_append(out, buf_span(&line), err) && buf_append_char(out, '\n', err);
}

bool review_order_sign(const struct review_order *o, const struct note_key *key, const uint8_t seed[NOTE_SEED], struct buf *out,
                       struct error *err)
{
    struct buf text CLEANUP(buf_deinit);

    buf_init(&text, REVIEW_ORDER_MAX);
    buf_clear(out);
    if (!put_text(o, &text, err)) {
        return false;
    }
    if (!note_text_is_valid(buf_span(&text))) {
        return error_set(err, ERROR_INVALID, "review order: text without control characters expected");
    }
    return buf_append(out, buf_span(&text), err) && buf_append_char(out, '\n', err) && note_sign(key, seed, buf_span(&text), 0, out, err);
}

/* --- reading ------------------------------------------------------------------ */

static bool take_value(struct span *rest, const char *name, struct span *value)
{
    char prefix[KEY_MAX];
    struct span before = *rest, line;

    (void)snprintf(prefix, sizeof(prefix), "%s ", name);
    bool is_it = note_take_line(rest, &line) && span_starts_with(line, span_str(prefix));
    if (is_it) {
        *value = span_slice(line, strlen(prefix), line.len);
    } else {
        *rest = before;
    }
    return is_it;
}

static bool read_text(struct span text, struct arena *memory, struct review_order *o, struct error *err)
{
    struct span line, id, leaf, version;
    bool is_read = note_take_line(&text, &line) && span_is(line, title) && take_value(&text, "id", &id) && review_order_id_is_valid(id) &&
                   take_value(&text, "node", &o->node) && o->node.len > 0 && take_value(&text, "leaf", &leaf) &&
                   tree_hash_parse(leaf, &o->leaf, err) && take_value(&text, "version", &version) &&
                   note_read_number(version, &o->version);

    if (!is_read) {
        return error_set(err, ERROR_MALFORMED, "review order: id, node, leaf and version expected");
    }
    memcpy(o->id, id.ptr, id.len);
    o->id[id.len] = '\0';
    o->tenant = span_of("", 0);
    (void)take_value(&text, "tenant", &o->tenant);
    if (!note_take_line(&text, &line) || text.len > 0 || !review_line_parse(line, memory, &o->line, err)) {
        return error_set(err, ERROR_MALFORMED, "review order: one line of type review expected at its end");
    }
    return (o->line.n_items == 1 && !o->line.has_group) || error_set(err, ERROR_INVALID, "review order: one item expected");
}

static bool read_note(struct span bytes, struct note *note, struct arena *memory, struct review_order *out, struct error *err)
{
    return (bytes.len <= REVIEW_ORDER_MAX || error_set(err, ERROR_LIMIT, "review order: at most %d bytes expected", REVIEW_ORDER_MAX)) &&
           note_parse(bytes, note, err) && read_text(note->text, memory, out, err);
}

bool review_order_read(struct span note, struct arena *memory, struct review_order *out, struct error *err)
{
    struct note parsed;

    return read_note(note, &parsed, memory, out, err);
}

/* --- consoles ----------------------------------------------------------------- */

static bool add_console(const char *path, struct span line, struct review_consoles *out, struct error *err)
{
    if (out->n == REVIEW_CONSOLES_MAX) {
        return error_set(err, ERROR_LIMIT, "%s: at most %d keys expected", path, REVIEW_CONSOLES_MAX);
    }
    if (!note_key_parse(line, &out->keys[out->n], err) || out->keys[out->n].type != NOTE_ED25519) {
        return error_set(err, ERROR_INVALID, "%s: an Ed25519 vkey on each line expected", path);
    }
    out->n++;
    return true;
}

bool review_consoles_load(const char *path, struct review_consoles *out, struct error *err)
{
    struct buf text CLEANUP(buf_deinit);
    struct review_consoles found = {.n = 0};

    buf_init(&text, CONSOLES_FILE_MAX);
    if (!file_read(path, &text, err) || (text.len > 0 && text.data[text.len - 1] != '\n' && !buf_append_char(&text, '\n', err))) {
        return false;
    }
    struct span rest = buf_span(&text), line;
    while (note_take_line(&rest, &line)) {
        if (line.len > 0 && !add_console(path, line, &found, err)) {
            return false;
        }
    }
    *out = found;
    return found.n > 0 || error_set(err, ERROR_INVALID, "%s: the vkey of a console expected", path);
}

bool review_order_verify(struct span note, const struct review_consoles *consoles, struct arena *memory, struct review_order *out,
                         const struct note_key **console, struct error *err)
{
    struct note parsed;

    if (!read_note(note, &parsed, memory, out, err)) {
        return false;
    }
    for (size_t i = 0; i < consoles->n; i++) {
        if (note_verify(&parsed, &consoles->keys[i], NULL) == NOTE_GOOD) {
            *console = &consoles->keys[i];
            return true;
        }
    }
    return error_set(err, ERROR_DENIED, "review order: the signature of a known console expected");
}

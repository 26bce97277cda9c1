#include "review/review_order.h"

#include <inttypes.h>
#include <sodium.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/json.h"
#include "record/note_text.h"
#include "review/line_members.h"

enum { CONSOLES_FILE_MAX = 16 * 1024, KEY_MAX = 16, TYPE_MAX = 16 };

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

static const char *const kinds[REVIEW_ORDER_KINDS] = {[REVIEW_ORDER_STEP] = "review", [REVIEW_ORDER_EXCEPTION] = "exception", [REVIEW_ORDER_REVEAL] = "reveal"};

static bool put_member(struct buf *out, const char *name, struct span value, struct error *err)
{
    return buf_appendf(out, err, ",\"%s\":", name) && json_append_string(out, value, err);
}

static bool put_request(const struct review_order *o, struct buf *out, struct error *err)
{
    return buf_appendf(out, err, "{\"type\":\"%s\",\"ts\":", kinds[o->kind]) && review_append_time(out, o->line.ts_ns, err) &&
           put_member(out, "id", o->request, err) && put_member(out, "step", o->step, err) && put_member(out, "by", o->line.by, err) &&
           put_member(out, "role", o->line.role, err) && buf_append_char(out, '}', err);
}

static bool put_text(const struct review_order *o, struct buf *out, struct error *err)
{
    struct buf line CLEANUP(buf_deinit);
    char leaf[TREE_HASH_TEXT + 1];

    buf_init(&line, REVIEW_LINE_MAX);
    tree_hash_format(&o->leaf, leaf);
    return buf_appendf(out, err, "%s\nid %s\nnode " SPAN_FMT "\n", title, o->id, SPAN_ARG(o->node)) &&
           (o->line.has_group || o->kind != REVIEW_ORDER_STEP || buf_appendf(out, err, "leaf %s\nversion %" PRIu64 "\n", leaf, o->version)) &&
           (o->tenant.len == 0 || buf_appendf(out, err, "tenant " SPAN_FMT "\n", SPAN_ARG(o->tenant))) &&
           (o->kind == REVIEW_ORDER_STEP ? review_line_format(&o->line, &line, err) : put_request(o, &line, err)) && buf_append(out, buf_span(&line), err) && buf_append_char(out, '\n', err);
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

/* Both, or neither. */
static bool read_state(struct span *text, struct review_order *o, bool *has_state, struct error *err)
{
    struct span leaf, version;

    *has_state = take_value(text, "leaf", &leaf);
    o->leaf = (struct tree_hash){.bytes = {0}};
    o->version = 0;
    return !*has_state || (tree_hash_parse(leaf, &o->leaf, err) && take_value(text, "version", &version) && note_read_number(version, &o->version));
}

struct request {
    char type[TYPE_MAX], id[REVIEW_ORDER_REQUEST + 1], step[TYPE_MAX], by[ITEM_NAME + 1], role[TYPE_MAX];
    int64_t ts_ms;
};

#define AT(member) offsetof(struct request, member), sizeof(((struct request *)NULL)->member)
static const struct line_member request_members[] = {
    {"type", LINE_TEXT, AT(type), NULL}, {"id", LINE_TEXT, AT(id), NULL},     {"step", LINE_TEXT, AT(step), NULL},
    {"by", LINE_TEXT, AT(by), NULL},     {"role", LINE_TEXT, AT(role), NULL}, {"ts", LINE_TIME, AT(ts_ms), NULL}, {0},
};
#undef AT

static bool keep(struct arena *memory, const char *text, struct span *out, struct error *err)
{
    return text[0] != '\0' && arena_copy(memory, span_str(text), out, err);
}

/* False: it is no request. */
static bool read_request(struct span line, struct arena *memory, struct review_order *o)
{
    struct request r = {.type = ""};
    struct error ignored;

    if (!line_members_read(line, request_members, memory, &r, &ignored)) {
        return false;
    }
    o->kind = strcmp(r.type, kinds[REVIEW_ORDER_EXCEPTION]) == 0 ? REVIEW_ORDER_EXCEPTION
              : strcmp(r.type, kinds[REVIEW_ORDER_REVEAL]) == 0  ? REVIEW_ORDER_REVEAL
                                                                 : REVIEW_ORDER_STEP;
    o->line = (struct review_line){.ts_ns = r.ts_ms * 1000000};
    return o->kind != REVIEW_ORDER_STEP && keep(memory, r.id, &o->request, &ignored) && keep(memory, r.step, &o->step, &ignored) &&
           keep(memory, r.by, &o->line.by, &ignored) && keep(memory, r.role, &o->line.role, &ignored);
}

static bool read_text(struct span text, struct arena *memory, struct review_order *o, struct error *err)
{
    struct span line, id;
    bool has_state = false;
    bool is_read = note_take_line(&text, &line) && span_is(line, title) && take_value(&text, "id", &id) && review_order_id_is_valid(id) &&
                   take_value(&text, "node", &o->node) && o->node.len > 0 && read_state(&text, o, &has_state, err);

    if (!is_read) {
        return error_set(err, ERROR_MALFORMED, "review order: id, node, leaf and version expected");
    }
    memcpy(o->id, id.ptr, id.len);
    o->id[id.len] = '\0';
    o->tenant = o->request = o->step = span_of("", 0);
    (void)take_value(&text, "tenant", &o->tenant);
    o->kind = REVIEW_ORDER_STEP;
    if (!note_take_line(&text, &line) || text.len > 0) {
        return error_set(err, ERROR_MALFORMED, "review order: one line expected at its end");
    }
    if (!has_state && read_request(line, memory, o)) {
        return true;
    }
    o->kind = REVIEW_ORDER_STEP;
    if (!review_line_parse(line, memory, &o->line, err)) {
        return error_set(err, ERROR_MALFORMED, "review order: a line of type review, exception or reveal expected at its end");
    }
    bool is_one = o->line.has_group ? o->line.n_items == 0 && !has_state : o->line.n_items == 1 && has_state;
    return is_one || error_set(err, ERROR_INVALID, "review order: one item with leaf and version, or one group expected");
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

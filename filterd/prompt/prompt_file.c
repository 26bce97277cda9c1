#include "prompt/prompt_file.h"

#include <strings.h>

#include "formats/form_data.h"
#include "judge/path.h"
#include "prompt/prompt_data.h"
#include "prompt/prompt_table.h"
#include "text/utf8.h"

enum { CHANNELS_OF_PART = 7, NAME_OF_PATH_MAX = 128 };

bool prompt_is_text(struct span bytes)
{
    return bytes.len == 0 || (memchr(bytes.ptr, '\0', bytes.len) == NULL && utf8_valid_prefix(bytes) == bytes.len);
}

bool prompt_is_media(struct span bytes)
{
    return prompt_has_signature(bytes) && !prompt_is_text(bytes);
}

/* --- the parts as documents --------------------------------------------------------- */

struct builder {
    struct arena *arena;
    const struct prompt_table *table;
    struct document *documents; /* in the order of the body */
    enum prompt_use *uses;      /* of the channels of each document */
    enum text_role *roles;      /* likewise */
    uint32_t *lists;            /* of each document that is a field: the number of its list; else 0 */
    size_t n;
    struct span list;           /* the name of the last field */
    uint32_t n_lists;
};

/* A text of the body as it is. */
static bool add_text(struct builder *b, struct span text, struct span path, enum prompt_use use, enum text_role role,
                     bool is_name, struct error *err)
{
    struct document *d = &b->documents[b->n];
    struct document_token *token = arena_alloc(b->arena, sizeof(*token), err);
    struct channel *channel = token == NULL ? NULL : arena_alloc(b->arena, sizeof(*channel), err);

    if (channel == NULL) {
        return false;
    }
    *token = (struct document_token){.to = text.len, .is_raw = true};
    *channel = (struct channel){.path = path, .text = text, .is_member_name = is_name};
    *d = (struct document){.json = text, .channels = channel, .tokens = token, .n = text.len > 0};
    b->uses[b->n] = use;
    b->roles[b->n++] = role;
    return true;
}

/* Of those that have the letters of ASCII where ASCII has them, or that views decode. In another one a reader sees another text. */
static bool has_known_charset(struct span type)
{
    static const char *const known[] = {"utf-8", "us-ascii", "ascii", "iso-8859-", "windows-125", "utf-16", "utf-32"};
    struct span charset;

    if (!form_charset(type, &charset)) {
        return false;
    }
    for (size_t i = 0; i < COUNT(known); i++) {
        size_t n = strlen(known[i]);
        if (charset.len >= n && strncasecmp(charset.ptr, known[i], n) == 0) {
            return true;
        }
    }
    return charset.len == 0;
}

/* What may say something else to its reader is judged, and counts as unread, too. */
static bool add_file(struct builder *b, struct span bytes, struct span type, struct span path, struct error *err)
{
    if (prompt_is_media(bytes)) {
        return add_text(b, bytes, path, PROMPT_DATA, TEXT_ROLE_ATTACHMENT, false, err);
    }
    if (!document_read_file(b->arena, bytes, path, DOCUMENT_NUMBERS, &b->documents[b->n], err)) {
        return false;
    }
    b->uses[b->n] = PROMPT_TEXT;
    b->roles[b->n++] = TEXT_ROLE_ATTACHMENT;
    return (prompt_is_text(bytes) && has_known_charset(type)) || add_text(b, bytes, path, PROMPT_DATA, TEXT_ROLE_ATTACHMENT, false, err);
}

/* --- forms ------------------------------------------------------------------------ */

/* "prompt" of "prompt[]" and of "prompt[0]". */
static struct span list_of(struct span name)
{
    const char *bracket = name.len == 0 ? NULL : memchr(name.ptr, '[', name.len);

    return bracket == NULL ? name : span_of(name.ptr, (size_t)(bracket - name.ptr));
}

/* Fields of one name behind each other are a list, which some readers join. */
static bool add_field(struct builder *b, const struct form_part *p, struct span path, enum text_role role, struct error *err)
{
    struct span list = list_of(p->name);

    b->n_lists += b->n_lists == 0 || !span_equal(list, b->list);
    b->list = list;
    if (!add_text(b, p->body, path, PROMPT_TEXT, role, false, err)) {
        return false;
    }
    b->lists[b->n - 1] = b->n_lists;
    return true;
}

/* "/prompt" of the field: as the same member of a JSON body. */
static enum text_role role_of_field(const struct prompt_table *t, struct span name)
{
    for (size_t i = 0; i < t->n; i++) {
        const char *path = t->rows[i].path;
        if (strchr(path + 1, '/') == NULL && prompt_name_is(name, span_str(path + 1))) {
            return t->rows[i].role;
        }
    }
    return TEXT_ROLE_OTHER;
}

static bool path_of(struct arena *a, const struct form_part *p, const char *of, struct span *path, struct error *err)
{
    struct span name = p->name.len > NAME_OF_PATH_MAX ? span_str("") : p->name;
    size_t len = strlen(of), n;
    char *text = arena_alloc(a, 2 * name.len + PATH_NAME_EXTRA + len, err);

    if (text == NULL) {
        return false;
    }
    n = path_write_name(text, name);
    memcpy(text + n, of, len);
    *path = span_of(text, n + len);
    return true;
}

/* What a header says, in the order in which it stands there: file names may come before names. */
static bool add_head(struct builder *b, const struct form_part *p, struct span path, struct error *err)
{
    struct {
        struct span text;
        bool is_name;
    } texts[] = {{p->name, true}, {p->file, false}, {p->extended_file, true}, {p->type, true}, {p->length, true}};

    for (size_t i = 1; i < COUNT(texts); i++) {
        for (size_t k = i; k > 0 && texts[k].text.ptr < texts[k - 1].text.ptr; k--) {
            struct span text = texts[k].text;
            bool is_name = texts[k].is_name;
            texts[k] = texts[k - 1];
            texts[k - 1].text = text;
            texts[k - 1].is_name = is_name;
        }
    }
    for (size_t i = 0; i < COUNT(texts); i++) {
        if (texts[i].text.len > 0 &&
            !add_text(b, texts[i].text, path, PROMPT_TEXT, TEXT_ROLE_OTHER, texts[i].is_name, err)) {
            return false;
        }
    }
    return true;
}

static bool add_part(struct builder *b, const struct form_part *p, struct error *err)
{
    bool is_file = p->file.ptr != NULL || p->extended_file.ptr != NULL;
    struct span head, path;

    if (!path_of(b->arena, p, "/head", &head, err) || !path_of(b->arena, p, "", &path, err) || !add_head(b, p, head, err)) {
        return false;
    }
    if (is_file) {
        return add_file(b, p->body, p->type, path, err);
    }
    return prompt_is_text(p->body) && has_known_charset(p->type) ? add_field(b, p, path, role_of_field(b->table, p->name), err)
                                   : error_set(err, ERROR_INVALID, "form: a field in UTF-8 expected");
}

/* --- all of it -------------------------------------------------------------------- */

static bool builder_open(struct builder *b, struct arena *a, const char *route, size_t n_parts, struct error *err)
{
    size_t max = n_parts * CHANNELS_OF_PART + 2; /* the boundary, the end */

    *b = (struct builder){.arena = a, .table = prompt_table_of(route)};
    b->documents = arena_array(a, max, sizeof(*b->documents), err);
    b->uses = b->documents == NULL ? NULL : arena_array(a, max, sizeof(*b->uses), err);
    b->roles = b->uses == NULL ? NULL : arena_array(a, max, sizeof(*b->roles), err);
    b->lists = b->roles == NULL ? NULL : arena_array(a, max, sizeof(*b->lists), err);
    if (b->lists != NULL) {
        memset(b->lists, 0, max * sizeof(*b->lists));
    }
    return b->lists != NULL;
}

static bool set_units(struct prompt_texts *texts, struct arena *a, struct span body, struct error *err)
{
    struct prompt_unit *unit = arena_alloc(a, sizeof(*unit), err);

    if (unit == NULL) {
        return false;
    }
    *unit = (struct prompt_unit){.to = texts->document.n, .json = body, .place = ""};
    texts->units = unit;
    texts->n_units = 1;
    return true;
}

static bool finish(const struct builder *b, struct span body, struct prompt_texts *out, struct error *err)
{
    struct prompt_texts texts = {0};
    enum prompt_use *use;
    uint32_t before = 0;

    if (!document_join(b->arena, body, b->documents, b->n, &texts.document, err)) {
        return false;
    }
    use = arena_array(b->arena, texts.document.n + 1, sizeof(*use), err);
    if (use == NULL || !set_units(&texts, b->arena, body, err)) {
        return false;
    }
    for (size_t i = 0; i < texts.document.n; i++) {
        before = texts.document.channels[i].message > before ? texts.document.channels[i].message : before;
    }
    for (size_t i = 0, at = 0; i < b->n; i++) {
        for (size_t k = 0; k < b->documents[i].n; k++, at++) {
            struct channel *c = &texts.document.channels[at];
            use[at] = b->uses[i];
            c->role = b->roles[i];
            c->message = b->lists[i] > 0 ? before + b->lists[i] : c->message;
        }
    }
    texts.use = use;
    *out = texts;
    return true;
}

/* Where it stands first: in front of all parts. With another one it would be another form. */
static bool add_boundary(struct builder *b, struct span body, struct span boundary, struct error *err)
{
    const char *at = memmem(body.ptr, body.len, boundary.ptr, boundary.len);

    return at == NULL ||
           add_text(b, span_of(at, boundary.len), span_str("/boundary"), PROMPT_TEXT, TEXT_ROLE_OTHER, true, err);
}

bool prompt_file_read(struct arena *a, const char *route, struct span type, struct span body, struct prompt_texts *out,
                      struct error *err)
{
    struct span boundary;
    struct form_part *parts = NULL;
    struct builder b;
    size_t n = 0;

    if (!form_boundary(type, &boundary)) {
        return builder_open(&b, a, route, 1, err) && add_file(&b, body, type, span_of("", 0), err) && finish(&b, body, out, err);
    }
    if (!form_read(a, boundary, body, &parts, &n, err) || !builder_open(&b, a, route, n, err) || !add_boundary(&b, body, boundary, err)) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (!add_part(&b, &parts[i], err)) {
            return false;
        }
    }
    return finish(&b, body, out, err);
}

bool prompt_form_is_same(struct arena *a, struct span type, struct span before, struct span after, struct error *err)
{
    struct form_part *old, *new;
    struct span boundary;
    size_t n_old, n_new;

    if (!form_boundary(type, &boundary)) {
        return true;
    }
    if (!form_read(a, boundary, before, &old, &n_old, err) || !form_read(a, boundary, after, &new, &n_new, err)) {
        return false;
    }
    bool is_same = n_old == n_new;
    for (size_t i = 0; is_same && i < n_old; i++) {
        is_same = span_equal(old[i].name, new[i].name) && span_equal(old[i].type, new[i].type) &&
                  (old[i].file.ptr == NULL) == (new[i].file.ptr == NULL) &&
                  span_equal(old[i].extended_file, new[i].extended_file);
    }
    return is_same || error_set(err, ERROR_INTERNAL, "form: another form after its redaction");
}

#include "ctl/source/office_text.h"

#include <expat.h>
#include <limits.h>
#include <stdint.h>

#include "base/cleanup.h"

enum { DIGITS_MAX = 9 };

enum cell { CELL_LEFT_OUT, CELL_AS_STORED, CELL_SHARED };

/* Depths are of elements, from 1; 0: not inside such a one. */
struct reader {
    const struct element *elements;
    XML_Parser parser;
    struct buf *out, *to; /* `to`: where text goes now */
    struct buf aside;     /* what comes behind the text of the part */
    struct buf value;     /* of a cell */
    struct buf strings, ends; /* shared strings one after another; where each ends, uint32_t */
    unsigned depth;
    unsigned text;        /* of the outermost element whose characters are text */
    unsigned hidden;      /* of the outermost of which nothing is read */
    unsigned aside_from, text_around; /* of the outermost whose text goes aside; `text` around it */
    enum cell cell;
    bool has_failed;      /* err is set */
    struct error *err;
};

struct element {
    const char *name; /* local */
    void (*begin)(struct reader *r, const char *const *attributes);
    void (*end)(struct reader *r);
};

static void fail_unless(struct reader *r, bool is_good)
{
    if (!is_good) {
        r->has_failed = true;
        (void)XML_StopParser(r->parser, XML_FALSE);
    }
}

/* --- text ------------------------------------------------------------------------------ */

static void begin_text(struct reader *r, const char *const *attributes)
{
    (void)attributes;
    r->text = r->text == 0 ? r->depth : r->text;
}

static void end_word(struct reader *r)
{
    const bool is_ended = r->to->len == 0 || r->to->data[r->to->len - 1] == '\n';

    fail_unless(r, is_ended || buf_append_char(r->to, '\n', r->err));
}

static void hide(struct reader *r, const char *const *attributes)
{
    (void)attributes;
    r->hidden = r->depth;
}

static void begin_aside(struct reader *r, const char *const *attributes)
{
    (void)attributes;
    if (r->aside_from == 0) {
        r->aside_from = r->depth;
        r->text_around = r->text;
        r->text = 0;
        r->to = &r->aside;
    }
}

static void end_aside(struct reader *r)
{
    if (r->depth == r->aside_from) {
        end_word(r);
        r->aside_from = 0;
        r->text = r->text_around;
        r->to = r->out;
    }
}

/* --- sheets ------------------------------------------------------------------------------ */

static void begin_string(struct reader *r, const char *const *attributes)
{
    (void)attributes;
    r->to = &r->strings;
}

static void end_string(struct reader *r)
{
    const uint32_t end = (uint32_t)r->strings.len;

    r->to = r->out;
    fail_unless(r, buf_append(&r->ends, span_of((const char *)&end, sizeof(end)), r->err));
}

static void begin_cell(struct reader *r, const char *const *attributes)
{
    static const struct {
        const char *type;
        enum cell cell;
    } types[] = {{"s", CELL_SHARED}, {"b", CELL_LEFT_OUT} /* truth values */, {"e", CELL_LEFT_OUT} /* errors */};

    r->cell = CELL_AS_STORED;
    for (; attributes[0] != NULL; attributes += 2) {
        for (size_t i = 0; strcmp(attributes[0], "t") == 0 && i < COUNT(types); i++) {
            r->cell = strcmp(attributes[1], types[i].type) == 0 ? types[i].cell : r->cell;
        }
    }
}

static void end_cell(struct reader *r)
{
    r->cell = CELL_LEFT_OUT;
    end_word(r);
}

static void begin_value(struct reader *r, const char *const *attributes)
{
    if (r->cell != CELL_LEFT_OUT && r->text == 0) {
        buf_clear(&r->value);
        r->to = &r->value;
        begin_text(r, attributes);
    }
}

static size_t end_of_string(const struct reader *r, size_t number)
{
    uint32_t end;

    memcpy(&end, r->ends.data + number * sizeof(end), sizeof(end));
    return end;
}

/* The shared string whose number is the value; empty: there is none. */
static struct span shared_string(const struct reader *r)
{
    const struct span digits = buf_span(&r->value);
    size_t number = 0;

    for (size_t i = 0; i < digits.len; i++) {
        if (digits.ptr[i] < '0' || digits.ptr[i] > '9' || i == DIGITS_MAX) {
            return span_of("", 0);
        }
        number = number * 10 + (size_t)(digits.ptr[i] - '0');
    }
    if (digits.len == 0 || number >= r->ends.len / sizeof(uint32_t)) {
        return span_of("", 0);
    }
    const size_t from = number > 0 ? end_of_string(r, number - 1) : 0, to = end_of_string(r, number);
    return to > from ? span_of(r->strings.data + from, to - from) : span_of("", 0);
}

static void end_value(struct reader *r)
{
    if (r->to == &r->value) {
        r->to = r->out;
        fail_unless(r, buf_append(r->out, r->cell == CELL_SHARED ? shared_string(r) : buf_span(&r->value), r->err));
    }
}

/* --- elements ------------------------------------------------------------------------------ */

static const struct element words[] = {
    {"t", begin_text, NULL}, {"p", NULL, end_word},  {"br", NULL, end_word},
    {"cr", NULL, end_word},  {"tab", NULL, end_word}, {"tc", NULL, end_word},
    {"txbxContent", begin_aside, end_aside},
    {"Fallback", hide, NULL}, /* what is shown by programs that do not know the choice before it */
    {"moveFrom", hide, NULL},
    {NULL, NULL, NULL},
};
static const struct element sheets[] = {
    {"t", begin_text, NULL},   {"si", begin_string, end_string}, {"c", begin_cell, end_cell},
    {"v", begin_value, end_value}, {"comment", NULL, end_word},  {"p", NULL, end_word},
    {"rPh", hide, NULL} /* how it is pronounced */, {NULL, NULL, NULL},
};
static const struct element open_document[] = {
    {"p", begin_text, end_word},     {"h", begin_text, end_word},         {"s", NULL, end_word},
    {"tab", NULL, end_word},         {"line-break", NULL, end_word},      {"note", begin_aside, end_aside},
    {"annotation", begin_aside, end_aside}, {"frame", begin_aside, end_aside}, {"ruby-text", hide, NULL},
    {"tracked-changes", hide, NULL}, {"binary-data", hide, NULL},         {NULL, NULL, NULL},
};
static const struct element *const elements_of[] = {
    [OFFICE_WORDS] = words, [OFFICE_SHEETS] = sheets, [OFFICE_OPEN] = open_document};

static const struct element *find_element(const struct reader *r, const char *name)
{
    const struct element *element = r->elements;
    const char *colon = strrchr(name, ':');

    name = colon != NULL ? colon + 1 : name;
    while (element->name != NULL && strcmp(element->name, name) != 0) {
        element++;
    }
    return element;
}

/* --- what expat calls ------------------------------------------------------------------------ */

static void begin_element(void *context, const char *name, const char **attributes)
{
    struct reader *r = context;
    const struct element *element = find_element(r, name);

    if (++r->depth > OFFICE_DEPTH) {
        fail_unless(r, error_set(r->err, ERROR_LIMIT, "elements at most %d deep expected", OFFICE_DEPTH));
    } else if (r->hidden == 0 && element->begin != NULL) {
        element->begin(r, (const char *const *)attributes);
    }
}

static void end_element(void *context, const char *name)
{
    struct reader *r = context;
    const struct element *element = find_element(r, name);

    if (r->hidden == 0 && element->end != NULL) {
        element->end(r);
    }
    r->text = r->text == r->depth ? 0 : r->text;
    r->hidden = r->hidden == r->depth ? 0 : r->hidden;
    r->depth--;
}

static void take_characters(void *context, const char *characters, int len)
{
    struct reader *r = context;

    if (r->text != 0 && r->hidden == 0) {
        fail_unless(r, buf_append(r->to, span_of(characters, (size_t)len), r->err));
    }
}

static void refuse_doctype(void *context, const char *name, const char *system_id, const char *public_id, int has_subset)
{
    struct reader *r = context;

    (void)name, (void)system_id, (void)public_id, (void)has_subset;
    fail_unless(r, error_set(r->err, ERROR_INVALID, "no document type declaration expected"));
}

/* --- parts ------------------------------------------------------------------------------ */

static bool parse(struct reader *r, struct span part, struct error *err)
{
    XML_SetUserData(r->parser, r);
    XML_SetElementHandler(r->parser, begin_element, end_element);
    XML_SetCharacterDataHandler(r->parser, take_characters);
    XML_SetStartDoctypeDeclHandler(r->parser, refuse_doctype);
    if (XML_Parse(r->parser, part.ptr, (int)part.len, XML_TRUE) == XML_STATUS_OK) {
        end_word(r);
        return !r->has_failed && buf_append(r->out, buf_span(&r->aside), err);
    }
    return !r->has_failed && error_set(err, ERROR_MALFORMED, "line %lu: no XML: %s", XML_GetCurrentLineNumber(r->parser),
                                       XML_ErrorString(XML_GetErrorCode(r->parser)));
}

static bool read_part(struct reader *r, struct span part, size_t number, struct error *err)
{
    r->parser = XML_ParserCreate(NULL);
    if (r->parser == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "no memory");
    }
    r->to = r->out;
    r->depth = r->text = r->hidden = r->aside_from = 0;
    r->cell = CELL_LEFT_OUT;
    buf_clear(&r->aside);
    bool is_read = parse(r, part, err) || error_wrap(err, "part %zu", number);
    XML_ParserFree(r->parser);
    return is_read;
}

/* Takes the next part from *rest. */
static bool next_part(struct span *rest, struct span *part, struct error *err)
{
    size_t len = 0, i = 0;

    for (; i < rest->len && i < DIGITS_MAX && rest->ptr[i] >= '0' && rest->ptr[i] <= '9'; i++) {
        len = len * 10 + (size_t)(rest->ptr[i] - '0');
    }
    _Static_assert(DIGITS_MAX <= 9 && INT_MAX >= 999999999, "expat takes an int");
    if (i == 0 || i == rest->len || rest->ptr[i] != '\n' || rest->len - i - 1 < len) {
        return error_set(err, ERROR_MALFORMED, "a part behind its length expected");
    }
    *part = span_of(rest->ptr + i + 1, len);
    *rest = span_of(part->ptr + len, rest->len - i - 1 - len);
    return true;
}

static void free_reader(struct reader *r)
{
    buf_deinit(&r->aside);
    buf_deinit(&r->value);
    buf_deinit(&r->strings);
    buf_deinit(&r->ends);
}

bool office_text(enum office_kind kind, struct span parts, struct buf *out, struct error *err)
{
    struct reader r CLEANUP(free_reader) = {.elements = elements_of[kind], .out = out, .err = err};
    const size_t before = out->len;
    struct span part = {0};
    bool is_good = true;

    buf_init(&r.aside, out->max);
    buf_init(&r.value, out->max);
    buf_init(&r.strings, out->max);
    buf_init(&r.ends, out->max);
    for (size_t number = 1; is_good && parts.len > 0; number++) {
        is_good = next_part(&parts, &part, err) && read_part(&r, part, number, err);
    }
    out->len = is_good ? out->len : before;
    return is_good;
}

#include "ctl/record/log_output.h"

#include <jansson.h>

#include "ctl/command.h"
#include "ctl/mask.h"

enum { OUT_MAX = 256 * 1024 * 1024, FLUSH_AT = 64 * 1024 };
enum { SEQ_WIDTH = 8, ACTION_WIDTH = 8, RULE_WIDTH = 26, WHO_WIDTH = 24, WHERE_WIDTH = 24 };

static const char reset[] = "\033[0m";

void log_output_init(struct log_output *v, enum log_form form, bool has_header, bool is_coloured)
{
    *v = (struct log_output){.form = form, .has_header = has_header, .is_coloured = is_coloured};
    buf_init(&v->out, OUT_MAX);
}

void log_output_deinit(struct log_output *v)
{
    buf_deinit(&v->out);
}

bool log_output_flush(struct log_output *v, struct error *err)
{
    bool is_printed = v->out.len == 0 || command_print(buf_span(&v->out), err);

    buf_clear(&v->out);
    return is_printed;
}

/* --- a table ------------------------------------------------------------------- */

static const char *text_at(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text == NULL ? "" : text;
}

/* The first member of these that is a text. */
static const char *first_text(const json_t *record, const char *const *names)
{
    const char *text = "";

    for (; *names != NULL && text[0] == '\0'; names++) {
        text = text_at(record, *names);
    }
    return text;
}

/* Spaces up to the column's width, in characters, and two more. */
static bool pad(struct buf *out, size_t from, size_t width, struct error *err)
{
    size_t n = 0;

    for (size_t i = from; i < out->len; i++) {
        n += ((unsigned char)out->data[i] & 0xC0) != 0x80;
    }
    return buf_appendf(out, err, "%*s", (int)((n < width ? width - n : 0) + 2), "");
}

static bool append_cell(struct buf *out, const char *text, size_t width, struct error *err)
{
    size_t from = out->len;

    return mask_append_visible(out, span_str(text[0] == '\0' ? "-" : text), err) && pad(out, from, width, err);
}

static const char *colour_of(const char *action)
{
    static const struct {
        const char *action, *colour;
    } colours[] = {{"block", "\033[1;31m"}, {"redact", "\033[33m"}, {"allow", "\033[2m"}, {"kill", "\033[1;31m"},
                   {"killed", "\033[1;31m"}, {"not_killed", "\033[1;31m"}, {"loss", "\033[1;31m"}};

    for (size_t i = 0; i < COUNT(colours); i++) {
        if (strcmp(colours[i].action, action) == 0) {
            return colours[i].colour;
        }
    }
    return "";
}

static bool append_action(struct log_output *v, const json_t *record, struct error *err)
{
    static const char *const names[] = {"action", "phase", "event", "step", "disposition", "type", NULL};
    const char *action = first_text(record, names), *colour = v->is_coloured ? colour_of(action) : "";

    return buf_append_str(&v->out, colour, err) && append_cell(&v->out, action, ACTION_WIDTH, err) &&
           buf_append_str(&v->out, colour[0] == '\0' ? "" : reset, err);
}

/* tenant/app/agent, as far as they are there; else the person. */
static bool append_who(struct buf *out, const json_t *record, struct error *err)
{
    static const char *const names[] = {"tenant", "app", "agent"};
    size_t from = out->len;

    for (size_t i = 0; i < COUNT(names); i++) {
        const char *text = text_at(record, names[i]);
        if (text[0] != '\0' && ((out->len > from && !buf_append_char(out, '/', err)) || !mask_append_visible(out, span_str(text), err))) {
            return false;
        }
    }
    return out->len > from ? pad(out, from, WHO_WIDTH, err) : append_cell(out, text_at(record, "by"), WHO_WIDTH, err);
}

/* The finding that decided, else the first: they are in the order of what the policy says to them. */
static const json_t *finding_of(const json_t *record)
{
    const json_t *findings = json_object_get(record, "findings");

    for (size_t i = 0; i < json_array_size(findings); i++) {
        if (strcmp(text_at(json_array_get(findings, i), "rule"), text_at(record, "rule")) == 0) {
            return json_array_get(findings, i);
        }
    }
    return json_array_get(findings, 0);
}

static bool append_where(struct buf *out, const json_t *record, const json_t *finding, struct error *err)
{
    static const char *const names[] = {"end", "reason", "jail", "query", "filter", NULL};
    size_t from = out->len;
    const char *path = text_at(finding, "path");

    if (finding == NULL) {
        return append_cell(out, first_text(record, names), WHERE_WIDTH, err);
    }
    return mask_append_visible(out, span_str(path), err) &&
           buf_appendf(out, err, "%s%lld", path[0] == '\0' ? "" : " ", (long long)json_integer_value(json_object_get(finding, "start"))) &&
           pad(out, from, WHERE_WIDTH, err);
}

static bool append_score(struct buf *out, const json_t *record, const json_t *finding, struct error *err)
{
    size_t n = json_array_size(json_object_get(record, "findings"));

    if (finding == NULL) {
        return buf_append_str(out, "-\n", err);
    }
    return buf_appendf(out, err, "%.2f", json_number_value(json_object_get(finding, "score"))) &&
           (n < 2 || buf_appendf(out, err, "  +%zu", n - 1)) && buf_append_char(out, '\n', err);
}

static bool append_row(struct log_output *v, const json_t *record, struct error *err)
{
    static const char *const rules[] = {"rule", "what", NULL};
    const json_t *seq = json_object_get(record, "seq"), *finding = finding_of(record);
    const char *ts = text_at(record, "ts");
    struct buf *out = &v->out;

    return (json_is_integer(seq) ? buf_appendf(out, err, "%*lld  ", SEQ_WIDTH, (long long)json_integer_value(seq))
                                 : buf_appendf(out, err, "%*s  ", SEQ_WIDTH, "-")) &&
           mask_append_visible(out, span_of(ts, strcspn(ts, ".Z")), err) && buf_append_str(out, ts[0] == '\0' ? "-  " : "Z  ", err) &&
           append_action(v, record, err) && append_cell(out, first_text(record, rules), RULE_WIDTH, err) &&
           append_who(out, record, err) && append_where(out, record, finding, err) && append_score(out, record, finding, err);
}

static bool append_header(struct buf *out, struct error *err)
{
    return buf_appendf(out, err, "%*s  %-20s  %-*s  %-*s  %-*s  %-*s  %s\n", SEQ_WIDTH, "SEQ", "WHEN", ACTION_WIDTH, "ACTION", RULE_WIDTH, "RULE",
                       WHO_WIDTH, "WHO", WHERE_WIDTH, "WHERE", "SCORE");
}

static bool append_table(struct log_output *v, struct span line, struct error *err)
{
    json_error_t why;
    json_t *record = json_loadb(line.ptr, line.len, 0, &why);
    bool is_appended = (!v->has_header || v->n > 0 || append_header(&v->out, err)) &&
                       (json_is_object(record) || error_set(err, ERROR_MALFORMED, "a JSON object expected: %s", why.text)) &&
                       append_row(v, record, err);

    json_decref(record);
    return is_appended;
}

/* --- as they are --------------------------------------------------------------- */

static bool append_json(struct log_output *v, struct span line, struct error *err)
{
    bool is_array = v->form == LOG_JSON;
    const char *before = !is_array ? "" : v->n == 0 ? "[\n" : ",\n";

    return buf_append_str(&v->out, before, err) && buf_append(&v->out, line, err) &&
           (is_array || buf_append_char(&v->out, '\n', err));
}

bool log_output_line(struct log_output *v, struct span line, struct error *err)
{
    if (!(v->form == LOG_TABLE ? append_table(v, line, err) : append_json(v, line, err))) {
        return false;
    }
    v->n++;
    return v->out.len < FLUSH_AT || log_output_flush(v, err);
}

bool log_output_end(struct log_output *v, struct error *err)
{
    return (v->form != LOG_JSON || buf_append_str(&v->out, v->n == 0 ? "[]\n" : "\n]\n", err)) && log_output_flush(v, err);
}

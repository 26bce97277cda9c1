/* presidio_anonymize.c - POST /anonymize and POST /deanonymize: spans of a text replaced by operators.
 *
 * Spans are settled as Presidio 2.2.366 does (presidio_anonymizer: anonymizer_engine.py, core/text_replace_builder.py): sorted; of the
 * same type merged where they overlap; dropped where another contains them; neighbours of the same type merged where only
 * spaces are between them. Where two of different types overlap in part, an operator sees all of each, and what it makes of the earlier takes the
 * place of the text up to the later. */
#include <stdlib.h>

#include "contracts/presidio.h"
#include "contracts/presidio_operator.h"
#include "http/fault.h"

enum {
    PIECES_MAX = 4096, /* settling compares each with each */
    WORK_MAX = 16 * 1024 * 1024, /* bytes that operators read beyond twice the text: where results overlap in part, each reads all of its own */
};

struct piece {
    size_t from, to; /* code points of the text, then bytes */
    size_t cut;      /* bytes: where it ends in the output, as the next one begins there */
    bool is_dropped;
    double score;
    struct span score_text; /* as the request has it; empty: none */
    struct span entity;
    struct span output;
    const char *operator_name;
    size_t out_from, out_to; /* code points of the output */
};

struct named_operator {
    struct span name;
    struct presidio_operator op;
};

struct anonymization {
    const struct contract_call *call;
    bool is_reverse;
    struct span text;
    size_t *byte_of; /* of each code point, and of the end */
    size_t n_characters;
    struct piece *pieces;
    size_t n;
    struct json_value configured; /* the operators, as the request has them */
    struct named_operator *operators; /* sorted */
    size_t n_operators;
    struct filter_fault *fault;
};

/* --- the request ---------------------------------------------------------- */

static bool is_lead(char c)
{
    return ((unsigned char)c & 0xc0) != 0x80;
}

static bool index_text(struct anonymization *a)
{
    struct error err;

    a->byte_of = arena_array(a->call->arena, a->text.len + 1, sizeof(*a->byte_of), &err);
    if (a->byte_of == NULL) {
        return fault_set_error(a->fault, &err);
    }
    for (size_t i = 0; i < a->text.len; i++) {
        if (is_lead(a->text.ptr[i])) {
            a->byte_of[a->n_characters++] = i;
        }
    }
    a->byte_of[a->n_characters] = a->text.len;
    return true;
}

static bool read_index(struct json_value number, const char *name, size_t *out, struct filter_fault *fault)
{
    if (number.raw.ptr == NULL) {
        return fault_set(fault, 422, "", "Invalid input, result must contain %s", name);
    }
    return shape_count(number, out) || fault_set(fault, 422, "", "Invalid input, result start and end must be positive");
}

static bool check_range(const struct anonymization *a, const struct piece *p)
{
    if (p->from > p->to) {
        return fault_set(a->fault, 422, "", "Invalid input, start index '%zu' must be smaller than end index '%zu'", p->from, p->to);
    }
    return p->to <= a->n_characters ||
           fault_set(a->fault, 422, "", "Invalid analyzer result, start: %zu and end: %zu, while text length is only %zu.", p->from,
                     p->to, a->n_characters);
}

static bool read_piece(struct anonymization *a, struct json_value item, struct piece *p)
{
    struct json_value start, end, score, entity;
    const struct shape_member members[] = {{"start", SHAPE_ANY, false, &start}, {"end", SHAPE_ANY, false, &end},
                                           {"score", SHAPE_ANY, false, &score}, {"entity_type", SHAPE_ANY, false, &entity}, {0}};

    *p = (struct piece){0};
    if (!shape_read(a->call, item, "", members, a->fault) || !read_index(start, "start", &p->from, a->fault) ||
        !read_index(end, "end", &p->to, a->fault)) {
        return false;
    }
    if (entity.raw.ptr == NULL || entity.kind != JSON_KIND_STRING) {
        return fault_set(a->fault, 422, "", "Invalid input, result must contain entity_type");
    }
    if (!a->is_reverse && (score.raw.ptr == NULL || score.kind != JSON_KIND_NUMBER)) {
        return fault_set(a->fault, 422, "", "Invalid input, analyzer result must contain score");
    }
    p->score_text = score.kind == JSON_KIND_NUMBER && score.raw.ptr != NULL ? score.raw : span_of("", 0);
    p->score = p->score_text.len == 0 ? 0 : strtod(score.raw.ptr, NULL); /* what follows a value in JSON is no part of a number */
    return shape_text(a->call, entity, &p->entity, a->fault) && check_range(a, p);
}

static bool read_pieces(struct anonymization *a, struct json_value results)
{
    struct json_value *items;
    struct error err;

    if (!shape_items(a->call, results, "/analyzer_results", SHAPE_OBJECT, &items, &a->n, a->fault)) {
        return false;
    }
    if (a->n > PIECES_MAX) {
        return fault_set(a->fault, 413, "", "at most %d results expected", PIECES_MAX);
    }
    a->pieces = arena_array(a->call->arena, a->n, sizeof(*a->pieces), &err);
    if (a->pieces == NULL) {
        return fault_set_error(a->fault, &err);
    }
    for (size_t i = 0; i < a->n; i++) {
        if (!read_piece(a, items[i], &a->pieces[i])) {
            return false;
        }
    }
    return true;
}

static bool read_body(struct anonymization *a)
{
    static const char *const results_names[] = {"analyzer_results", "anonymizer_results"};
    static const char *const operators_names[] = {"anonymizers", "deanonymizers"};
    struct json_value root, text, results;
    const struct shape_member members[] = {{"text", SHAPE_STRING, false, &text},
                                           {results_names[a->is_reverse], SHAPE_ARRAY, false, &results},
                                           {operators_names[a->is_reverse], SHAPE_OBJECT, false, &a->configured}, {0}};

    if (!shape_root(a->call, &root, a->fault)) {
        return fault_set(a->fault, 400, "", "Invalid request json");
    }
    if (!shape_read(a->call, root, "", members, a->fault) || !shape_text(a->call, text, &a->text, a->fault) || !index_text(a)) {
        return false;
    }
    if (results.raw.ptr == NULL) {
        struct json_iterator it = json_iterate(root);
        struct json_value item;
        struct span name;
        if (!json_next(&it, &name, &item)) {
            return fault_set(a->fault, 400, "", "Invalid request json");
        }
        return a->is_reverse || fault_set(a->fault, 422, "", "Invalid input, request must contain analyzer results");
    }
    return read_pieces(a, results);
}

/* --- spans ---------------------------------------------------------------- */

static int compare(const void *left, const void *right)
{
    const struct piece *a = left, *b = right;

    if (a->from != b->from) {
        return a->from < b->from ? -1 : 1;
    }
    return (a->to > b->to) - (a->to < b->to);
}

/* At least one space, and nothing else but a last newline. */
static bool are_spaces(const struct anonymization *a, size_t from, size_t to)
{
    size_t at = a->byte_of[from], end = to > from ? a->byte_of[to] : at;

    while (at < end && a->text.ptr[at] == ' ') {
        at++;
    }
    return at > a->byte_of[from] && (at == end || (at + 1 == end && a->text.ptr[at] == '\n'));
}

static void remove_dropped(struct anonymization *a)
{
    size_t n = 0;

    for (size_t i = 0; i < a->n; i++) {
        if (!a->pieces[i].is_dropped) {
            a->pieces[n++] = a->pieces[i];
        }
    }
    a->n = n;
}

static bool do_overlap(const struct piece *p, const struct piece *q)
{
    size_t from = p->from > q->from ? p->from : q->from, to = p->to < q->to ? p->to : q->to;

    return from < to;
}

static void merge(struct piece *p, struct piece *into)
{
    into->from = p->from < into->from ? p->from : into->from;
    into->to = p->to > into->to ? p->to : into->to;
    if (p->score > into->score) {
        into->score = p->score;
        into->score_text = p->score_text;
    }
    p->is_dropped = true;
}

/* Each piece into the next of its type, if they overlap: the last has their place in the order. */
static void merge_same_types(struct anonymization *a)
{
    for (size_t i = 0; i < a->n; i++) {
        struct piece *p = &a->pieces[i];
        size_t k = i + 1;
        while (k < a->n && !span_equal(p->entity, a->pieces[k].entity)) {
            k++;
        }
        if (k < a->n && do_overlap(p, &a->pieces[k])) {
            merge(p, &a->pieces[k]);
        }
    }
    remove_dropped(a);
}

static bool is_contained(const struct piece *p, const struct piece *in, bool is_earlier)
{
    bool is_equal = p->from == in->from && p->to == in->to;

    return p->from >= in->from && p->to <= in->to && (!is_equal || p->score < in->score || (p->score == in->score && is_earlier));
}

static void drop_contained(struct anonymization *a)
{
    for (size_t i = 0; i < a->n; i++) {
        for (size_t k = 0; k < a->n && !a->pieces[i].is_dropped; k++) {
            a->pieces[i].is_dropped = k != i && is_contained(&a->pieces[i], &a->pieces[k], i < k);
        }
    }
    remove_dropped(a);
}

static void merge_neighbours(struct anonymization *a)
{
    for (size_t i = 1; i < a->n; i++) {
        struct piece *p = &a->pieces[i - 1], *q = &a->pieces[i];
        if (span_equal(p->entity, q->entity) && p->to < q->from && are_spaces(a, p->to, q->from)) {
            q->from = p->from;
            p->is_dropped = true;
        }
    }
    remove_dropped(a);
}

static void settle(struct anonymization *a)
{
    if (a->n == 0) {
        return;
    }
    qsort(a->pieces, a->n, sizeof(*a->pieces), compare);
    if (!a->is_reverse) {
        merge_same_types(a);
        drop_contained(a);
        merge_neighbours(a);
        qsort(a->pieces, a->n, sizeof(*a->pieces), compare);
    }
    for (size_t i = 0; i < a->n; i++) {
        struct piece *p = &a->pieces[i];
        p->from = a->byte_of[p->from];
        p->to = a->byte_of[p->to];
    }
    for (size_t i = 0; i < a->n; i++) {
        struct piece *p = &a->pieces[i];
        p->cut = i + 1 < a->n && p->to > a->pieces[i + 1].from ? a->pieces[i + 1].from : p->to;
    }
}

/* --- the answer ----------------------------------------------------------- */

static int compare_operators(const void *left, const void *right)
{
    const struct named_operator *a = left, *b = right;
    int order = presidio_compare(&a->name, &b->name);

    return order != 0 ? order : (a->op.config.raw.ptr > b->op.config.raw.ptr) - (a->op.config.raw.ptr < b->op.config.raw.ptr);
}

/* Every configured operator must be one, used or not. */
static bool read_operators(struct anonymization *a)
{
    struct json_iterator it = json_iterate(a->configured);
    struct json_value item;
    struct span name;
    struct error err;
    size_t n = 0;

    while (a->configured.raw.ptr != NULL && json_next(&it, &name, &item)) {
        n++;
    }
    a->operators = arena_array(a->call->arena, n, sizeof(*a->operators), &err);
    if (a->operators == NULL) {
        return fault_set_error(a->fault, &err);
    }
    it = json_iterate(a->configured);
    for (struct named_operator *o = a->operators; a->n_operators < n && json_next(&it, &name, &item); o++, a->n_operators++) {
        if (item.kind != JSON_KIND_OBJECT) {
            return fault_set(a->fault, 422, "", "Invalid input, operator config must contain operator_name");
        }
        if (!presidio_operator_read(a->call, item, a->is_reverse, &o->op, a->fault)) {
            return false;
        }
        if (!json_unescape(a->call->arena, name, &o->name, &err)) {
            return fault_set_error(a->fault, &err);
        }
    }
    qsort(a->operators, a->n_operators, sizeof(*a->operators), compare_operators);
    return true;
}

/* The last of that name; NULL: none. */
static const struct presidio_operator *named(const struct anonymization *a, struct span name)
{
    size_t low = 0, high = a->n_operators;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (presidio_compare(&a->operators[middle].name, &name) <= 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 && span_equal(a->operators[low - 1].name, name) ? &a->operators[low - 1].op : NULL;
}

static struct presidio_operator find_operator(const struct anonymization *a, struct span entity)
{
    const struct presidio_operator *own = named(a, entity), *common = own != NULL ? own : named(a, span_str("DEFAULT"));

    return common != NULL ? *common : presidio_operator_default(a->is_reverse);
}

static size_t count_characters(struct span text)
{
    size_t n = 0;

    for (size_t i = 0; i < text.len; i++) {
        n += is_lead(text.ptr[i]);
    }
    return n;
}

static bool apply(struct anonymization *a, struct buf *text)
{
    size_t at = 0, characters = 0, work = 0;
    struct error err;

    for (size_t i = 0; i < a->n; i++) {
        struct piece *p = &a->pieces[i];
        struct presidio_operator op = find_operator(a, p->entity);
        struct span before = span_slice(a->text, at, p->from), value = span_slice(a->text, p->from, p->to);
        work += value.len + op.config.raw.len;
        if (work > 2 * a->text.len + WORK_MAX) {
            return fault_set(a->fault, 413, "", "results that overlap less, or shorter operators expected");
        }
        if (!presidio_operator_apply(a->call, &op, p->entity, value, &p->output, a->fault)) {
            return false;
        }
        if (!buf_append(text, before, &err) || !buf_append(text, p->output, &err)) {
            return fault_set_error(a->fault, &err);
        }
        p->operator_name = presidio_operator_name(&op);
        p->out_from = characters + count_characters(before);
        p->out_to = characters = p->out_from + count_characters(p->output);
        at = p->cut;
    }
    return buf_append(text, span_slice(a->text, at, a->text.len), &err) || fault_set_error(a->fault, &err);
}

/* As the request has it. */
static void put_score(struct writer *w, struct span text)
{
    if (text.len == 0) {
        put(w, "null");
    } else {
        w->is_ok = w->is_ok && buf_append(w->out, text, w->err);
    }
}

static void put_answer(const struct anonymization *a, struct span text, struct writer *w)
{
    put(w, "{\"text\":");
    put_string(w, text);
    put(w, ",\"items\":[");
    for (size_t i = a->n; i-- > 0;) {
        const struct piece *p = &a->pieces[i];
        put(w, i + 1 == a->n ? "{\"start\":" : ",{\"start\":");
        put_number(w, p->out_from);
        put(w, ",\"end\":");
        put_number(w, p->out_to);
        put(w, ",\"entity_type\":");
        put_string(w, p->entity);
        put(w, ",\"text\":");
        put_string(w, p->output);
        put(w, ",\"operator\":");
        put_string(w, span_str(p->operator_name));
        put(w, ",\"score\":");
        put_score(w, p->score_text);
        put(w, "}");
    }
    put(w, "]}");
}

static unsigned transform(const struct contract_call *call, bool is_reverse, struct writer *w)
{
    struct filter_fault fault = {0};
    struct anonymization a = {.call = call, .is_reverse = is_reverse, .fault = &fault};
    struct buf text;

    buf_init(&text, 2 * call->text_max);
    bool is_done = read_body(&a) && read_operators(&a);
    if (is_done) {
        settle(&a);
        is_done = apply(&a, &text);
    }
    if (is_done) {
        put_answer(&a, buf_span(&text), w);
    } else {
        put(w, "{\"error\":");
        put_string(w, span_str(fault.detail));
        put(w, "}");
    }
    buf_deinit(&text);
    return is_done ? 200 : fault.status;
}

unsigned presidio_anonymize(const struct contract_call *call, struct writer *w)
{
    return transform(call, false, w);
}

unsigned presidio_deanonymize(const struct contract_call *call, struct writer *w)
{
    return transform(call, true, w);
}

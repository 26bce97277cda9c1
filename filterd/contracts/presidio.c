/* presidio.c - POST /analyze and the lists of entity types. */
#include "contracts/presidio.h"

#include <ctype.h>
#include <stdlib.h>

#include "contracts/contracts.h"
#include "contracts/shape.h"
#include "http/fault.h"
#include "http/offsets.h"
#include "policy/rule_set.h"

struct analysis {
    struct json_value *entities, *allowed; /* strings */
    size_t n_entities, n_allowed;
    double threshold; /* negative: the policy decides what is reported */
    bool is_list, explains;
};

bool presidio_has_language(struct span language)
{
    static const char codes[][4] = {"en", "de", "fr", "es", "it", "pt", "nl", "pl", "sv", "no", "nb", "da", "fi", "cs", "hu", "tr",
                                    "ro", "el", "hr", "sl", "lt", "mk", "uk", "ru", "ar", "fa", "hi", "th", "zh", "ja", "ko", "ca"};

    for (size_t i = 0; i < COUNT(codes); i++) {
        if (span_is(language, codes[i])) {
            return true;
        }
    }
    return false;
}

bool presidio_entity(const struct names *names, const struct rule *rule, struct arena *a, struct span *out, struct error *err)
{
    struct span_list known = names == NULL ? (struct span_list){0} : names_of(names, rule->id, NAMING_PRESIDIO);

    if (known.n > 0) {
        *out = known.items[0];
        return true;
    }
    char *text = arena_alloc(a, rule->id.len, err);
    if (text == NULL) {
        return false;
    }
    for (size_t i = 0; i < rule->id.len; i++) {
        char c = rule->id.ptr[i];
        text[i] = (char)(isalnum((unsigned char)c) ? toupper((unsigned char)c) : '_');
    }
    *out = span_of(text, rule->id.len);
    return true;
}

/* --- the request ---------------------------------------------------------- */

/* Presidio answers these with 500. */
static bool refuse_as_500(struct filter_fault *fault, const char *sentence)
{
    return fault_set(fault, 500, "", "%s", sentence);
}

static bool read_threshold(struct json_value number, struct analysis *a, struct filter_fault *fault)
{
    char text[32];

    a->threshold = -1;
    if (number.raw.ptr == NULL) {
        return true;
    }
    if (number.raw.len >= sizeof(text)) {
        return fault_set(fault, 400, "/score_threshold", "a number from 0 to 1 expected");
    }
    memcpy(text, number.raw.ptr, number.raw.len);
    text[number.raw.len] = '\0';
    a->threshold = strtod(text, NULL);
    return (a->threshold >= 0 && a->threshold <= 1) || fault_set(fault, 400, "/score_threshold", "a number from 0 to 1 expected");
}

static bool is_true(struct json_value flag)
{
    return flag.raw.ptr != NULL && (flag.kind == JSON_KIND_TRUE || (flag.kind == JSON_KIND_NUMBER && span_is(flag.raw, "1")));
}

struct analyze_body {
    struct json_value root, text, language, entities, threshold, explain, recognizers, allowed, match;
};

static bool read_body(const struct contract_call *call, struct analyze_body *b, struct filter_fault *fault)
{
    const struct shape_member members[] = {{"text", SHAPE_STRING | SHAPE_ARRAY, false, &b->text},
                                           {"language", SHAPE_STRING, false, &b->language},
                                           {"entities", SHAPE_ARRAY, false, &b->entities},
                                           {"score_threshold", SHAPE_NUMBER, false, &b->threshold},
                                           {"return_decision_process", SHAPE_FLAG | SHAPE_NUMBER, false, &b->explain},
                                           {"ad_hoc_recognizers", SHAPE_ARRAY, false, &b->recognizers},
                                           {"allow_list", SHAPE_ARRAY, false, &b->allowed},
                                           {"allow_list_match", SHAPE_STRING, false, &b->match}, {0}};
    struct span language;

    if (!shape_root(call, &b->root, fault) || !shape_read(call, b->root, "", members, fault)) {
        return false;
    }
    if (b->text.raw.ptr == NULL || span_is(b->text.raw, "\"\"")) {
        return refuse_as_500(fault, "No text provided");
    }
    if (!shape_text(call, b->language, &language, fault)) {
        return false;
    }
    if (language.len == 0) {
        return refuse_as_500(fault, "No language provided");
    }
    return presidio_has_language(language) ||
           refuse_as_500(fault, "No matching recognizers were found to serve the request.");
}

/* What the caller asked for, and is not there, must not be silently left out. */
static bool refuse_unserved(const struct analyze_body *b, struct filter_fault *fault)
{
    struct json_iterator it = json_iterate(b->recognizers);
    struct json_value item;
    struct span name;

    if (b->recognizers.raw.ptr != NULL && json_next(&it, &name, &item)) {
        return fault_set(fault, 400, "", "Failed to parse /analyze request: ad_hoc_recognizers are rules of filterd's rule files");
    }
    return b->match.raw.ptr == NULL || span_is(b->match.raw, "\"exact\"") ||
           fault_set(fault, 400, "", "Failed to parse /analyze request: allow_list_match \"exact\" expected");
}

static bool read_list(const struct contract_call *call, struct json_value array, const char *pointer, struct json_value **items,
                      size_t *n, struct filter_fault *fault)
{
    *n = 0;
    return array.raw.ptr == NULL || shape_items(call, array, pointer, SHAPE_STRING, items, n, fault);
}

static bool read(const struct contract_call *call, struct contract_exchange *out, struct filter_fault *fault)
{
    struct analyze_body b;
    struct json_value *texts = &b.text;
    size_t n = 1;
    struct error err;
    struct analysis *a = arena_alloc(call->arena, sizeof(*a), &err);

    if (a == NULL) {
        return fault_set_error(fault, &err);
    }
    *a = (struct analysis){0};
    out->state = a;
    if (!read_body(call, &b, fault) || !refuse_unserved(&b, fault) || !read_threshold(b.threshold, a, fault) ||
        !read_list(call, b.entities, "/entities", &a->entities, &a->n_entities, fault) ||
        !read_list(call, b.allowed, "/allow_list", &a->allowed, &a->n_allowed, fault)) {
        return false;
    }
    a->explains = is_true(b.explain);
    a->is_list = b.text.kind == JSON_KIND_ARRAY;
    if (a->is_list && !shape_items(call, b.text, "/text", SHAPE_STRING, &texts, &n, fault)) {
        return false;
    }
    return shape_channels(call, texts, n, "/text", a->is_list, out, fault);
}

static void refuse(struct writer *w, const struct filter_fault *fault)
{
    put(w, "{\"error\":");
    put_string(w, span_str(fault->detail));
    put(w, "}");
}

/* --- the answer ----------------------------------------------------------- */

struct result {
    const struct finding *finding;
    struct span entity;
};

static bool has_string(const struct contract_call *call, const struct json_value *items, size_t n, struct span wanted)
{
    struct filter_fault fault;
    struct span text;

    for (size_t i = 0; i < n; i++) {
        if (shape_text(call, items[i], &text, &fault) && span_equal(text, wanted)) {
            return true;
        }
    }
    return false;
}

/* By which of its names the finding is asked for. */
static bool is_wanted(const struct contract_call *call, const struct analysis *a, const struct finding *f, struct span *entity)
{
    struct span_list known = call->names == NULL ? (struct span_list){0} : names_of(call->names, f->rule->id, NAMING_PRESIDIO);

    if (a->n_entities == 0) {
        return f->rule->category == CATEGORY_PII || f->rule->category == CATEGORY_SECRET;
    }
    for (size_t i = 0; i < known.n; i++) {
        if (has_string(call, a->entities, a->n_entities, known.items[i])) {
            *entity = known.items[i];
            return true;
        }
    }
    return has_string(call, a->entities, a->n_entities, *entity);
}

static bool is_reported(const struct contract_call *call, const struct analysis *a, const struct exchange *x,
                        const struct finding *f)
{
    struct span text = span_slice(x->channels[f->channel].text, f->from, f->to);
    bool is_enough = a->threshold < 0 ? f->action != ACTION_ALLOW : f->confidence >= a->threshold;

    return is_enough && !f->is_shadow && !f->is_excepted && !has_string(call, a->allowed, a->n_allowed, text);
}

/* Highest score first, then the earlier, then the longer. */
static int compare(const void *left, const void *right)
{
    const struct finding *a = ((const struct result *)left)->finding, *b = ((const struct result *)right)->finding;

    if (a->confidence != b->confidence) {
        return a->confidence > b->confidence ? -1 : 1;
    }
    if (a->from != b->from) {
        return a->from < b->from ? -1 : 1;
    }
    return a->to == b->to ? 0 : a->to > b->to ? -1 : 1;
}

/* Whether one with a higher score is of the same type and contains it. */
static bool is_repeated(const struct result *results, size_t at)
{
    const struct finding *f = results[at].finding;

    for (size_t i = 0; i < at; i++) {
        const struct finding *g = results[i].finding;
        if (span_equal(results[i].entity, results[at].entity) && g->from <= f->from && g->to >= f->to) {
            return true;
        }
    }
    return false;
}

static void put_explanation(struct writer *w, const struct finding *f)
{
    put(w, "{\"recognizer\":");
    put_string(w, f->rule->id);
    put(w, ",\"pattern_name\":null,\"pattern\":null,\"original_score\":");
    put_fraction(w, f->rule->confidence);
    put(w, ",\"score\":");
    put_fraction(w, f->confidence);
    put(w, ",\"textual_explanation\":");
    put_string(w, f->rule->title);
    put(w, ",\"score_context_improvement\":0,\"supportive_context_word\":\"\",\"validation_result\":null}");
}

static void put_result(struct writer *w, const struct analysis *a, const struct offsets *offsets, const struct result *result)
{
    const struct finding *f = result->finding;

    put(w, "{\"analysis_explanation\":");
    if (a->explains) {
        put_explanation(w, f);
    } else {
        put(w, "null");
    }
    put(w, ",\"end\":");
    put_number(w, offsets_find(offsets, f->to).chars);
    put(w, ",\"entity_type\":");
    put_string(w, result->entity);
    put(w, ",\"score\":");
    put_fraction(w, f->confidence);
    put(w, ",\"start\":");
    put_number(w, offsets_find(offsets, f->from).chars);
    put(w, "}");
}

static void put_results(struct writer *w, const struct contract_call *call, const struct analysis *a, const struct exchange *x,
                        size_t channel)
{
    struct offsets offsets;
    size_t n = 0;
    struct result *results = arena_array(call->arena, x->n_findings, sizeof(*results), w->err);

    w->is_ok = w->is_ok && results != NULL && offsets_init(call->arena, x->channels[channel].text, &offsets, w->err);
    for (size_t i = 0; w->is_ok && i < x->n_findings; i++) {
        const struct finding *f = &x->findings[i];
        results[n].finding = f;
        w->is_ok = presidio_entity(call->names, f->rule, call->arena, &results[n].entity, w->err);
        n += w->is_ok && f->channel == channel && is_reported(call, a, x, f) && is_wanted(call, a, f, &results[n].entity);
    }
    if (!w->is_ok) {
        return;
    }
    qsort(results, n, sizeof(*results), compare);
    put(w, "[");
    bool is_first = true;
    for (size_t i = 0; i < n; i++) {
        if (!is_repeated(results, i)) {
            put(w, is_first ? "" : ",");
            put_result(w, a, &offsets, &results[i]);
            is_first = false;
        }
    }
    put(w, "]");
}

static unsigned write(struct writer *w, const struct contract_call *call, const struct contract_exchange *c,
                      const struct exchange *x)
{
    const struct analysis *a = c->state;

    if (contract_is_blocked_without_finding(x)) {
        refuse(w, &(struct filter_fault){.detail = "the text could not be judged"});
        return 500;
    }
    put(w, a->is_list ? "[" : "");
    for (size_t i = 0; i < c->n_channels; i++) {
        put(w, i == 0 ? "" : ",");
        put_results(w, call, a, x, i);
    }
    put(w, a->is_list ? "]" : "");
    return 200;
}

const struct contract contract_presidio_analyze = {"/analyze", read, write, refuse};

/* --- lists ---------------------------------------------------------------- */

static int compare_spans(const void *left, const void *right)
{
    const struct span *a = left, *b = right;
    int order = memcmp(a->ptr, b->ptr, a->len < b->len ? a->len : b->len);

    return order != 0 ? order : (a->len > b->len) - (a->len < b->len);
}

static bool is_personal(const struct rule *rule)
{
    return rule->category == CATEGORY_PII || rule->category == CATEGORY_SECRET;
}

bool presidio_write_entities(const struct names *names, const struct rule_set *rules, struct arena *a, struct writer *w)
{
    size_t n = 0;
    struct span *entities = arena_array(a, rules->n_rules, sizeof(*entities), w->err);

    for (size_t i = 0; entities != NULL && i < rules->n_rules; i++) {
        if (is_personal(&rules->rules[i]) && !presidio_entity(names, &rules->rules[i], a, &entities[n++], w->err)) {
            return false;
        }
    }
    if (entities == NULL) {
        return false;
    }
    qsort(entities, n, sizeof(*entities), compare_spans);
    put(w, "[");
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || !span_equal(entities[i], entities[i - 1])) {
            put(w, i == 0 ? "" : ",");
            put_string(w, entities[i]);
        }
    }
    put(w, "]");
    return w->is_ok;
}

void presidio_write_recognizers(const struct rule_set *rules, struct writer *w)
{
    bool is_first = true;

    put(w, "[");
    for (size_t i = 0; i < rules->n_rules; i++) {
        if (is_personal(&rules->rules[i])) {
            put(w, is_first ? "" : ",");
            put_string(w, rules->rules[i].id);
            is_first = false;
        }
    }
    put(w, "]");
}

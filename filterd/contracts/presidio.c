/* presidio.c - POST /analyze: findings of rules and of the request's own recognizers as Presidio's results. */
#include "contracts/presidio.h"

#include <stdlib.h>

#include "contracts/contracts.h"
#include "contracts/presidio_ad_hoc.h"
#include "contracts/presidio_overlaps.h"
#include "contracts/shape.h"
#include "http/fault.h"
#include "http/offsets.h"
#include "policy/rule_set.h"

enum { ALLOW_FLAGS_DEFAULT = CALLER_PATTERN_CASELESS | CALLER_PATTERN_MULTILINE | CALLER_PATTERN_DOTALL, WORDS_MAX = 16384, ENTITIES_MAX = 1024 };

struct analysis {
    struct span *entities, *allowed; /* `allowed` is sorted; empty when `allow_pattern` is there */
    size_t n_entities, n_allowed;
    struct span allow_pattern;
    unsigned allow_flags;
    struct ad_hoc_results ad_hoc;
    double threshold; /* negative: the policy decides what is reported */
    bool is_list, explains;
};

/* --- the request ---------------------------------------------------------- */

static const char no_recognizers[] = "No matching recognizers were found to serve the request.";

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
    struct json_value root, text, language, entities, threshold, explain, recognizers, context, allowed, match, flags;
    struct span language_name;
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
                                           {"allow_list_match", SHAPE_STRING, false, &b->match},
                                           {"context", SHAPE_ARRAY, false, &b->context},
                                           {"regex_flags", SHAPE_NUMBER, false, &b->flags}, {0}};

    if (!shape_root(call, &b->root, fault) || !shape_read(call, b->root, "", members, fault)) {
        return false;
    }
    if (b->text.raw.ptr == NULL || span_is(b->text.raw, "\"\"")) {
        return refuse_as_500(fault, "No text provided");
    }
    if (!shape_text(call, b->language, &b->language_name, fault)) {
        return false;
    }
    if (b->language_name.len == 0) {
        return refuse_as_500(fault, "No language provided");
    }
    return presidio_has_language(b->language_name) ||
           refuse_as_500(fault, no_recognizers);
}

/* One pattern of all that the list has, as Presidio makes it. Compiled only to see whether it can be. */
static bool read_allow_pattern(const struct contract_call *call, struct analysis *a, struct filter_fault *fault)
{
    struct error err;
    struct buf joined;
    bool is_done = true;

    buf_init(&joined, CALLER_PATTERN_MAX + 1);
    for (size_t i = 0; i < a->n_allowed && is_done; i++) {
        is_done = a->allowed[i].len == 0 || ((joined.len == 0 || buf_append_str(&joined, "|", &err)) && buf_append(&joined, a->allowed[i], &err));
    }
    is_done = is_done && arena_copy(call->arena, buf_span(&joined), &a->allow_pattern, &err);
    buf_deinit(&joined);
    a->n_allowed = 0;
    if (!is_done) {
        return fault_set(fault, 400, "", "Failed to parse /analyze request for AnalyzerEngine.analyze(). allow_list: at most %d bytes of patterns expected",
                         CALLER_PATTERN_MAX);
    }
    struct caller_pattern *p = caller_pattern_new(a->allow_pattern, a->allow_flags, &err);
    caller_pattern_free(p);
    return p != NULL || fault_set(fault, 500, "", "Invalid regex pattern: %s", err.text);
}

static bool read_allow_list(const struct contract_call *call, const struct analyze_body *b, struct analysis *a, struct filter_fault *fault)
{
    bool is_pattern = b->match.raw.ptr != NULL && span_is(b->match.raw, "\"regex\"");
    size_t flags = ALLOW_FLAGS_DEFAULT;

    if (!presidio_read_words(call, b->allowed, "/allow_list", WORDS_MAX, &a->allowed, &a->n_allowed, fault)) {
        return false;
    }
    if (a->n_allowed == 0) {
        return true;
    }
    if (!is_pattern && b->match.raw.ptr != NULL && !span_is(b->match.raw, "\"exact\"")) {
        return refuse_as_500(fault, "allow_list_match must either be set to 'exact' or 'regex'.");
    }
    if (b->flags.raw.ptr != NULL && (!shape_count(b->flags, &flags) || !caller_pattern_has_flags((unsigned)flags))) {
        return fault_set(fault, 400, "", "Failed to parse /analyze request for AnalyzerEngine.analyze(). regex_flags: a sum of 2, 8, 16, 32 and 64 expected");
    }
    a->allow_flags = (unsigned)flags;
    if (is_pattern) {
        return read_allow_pattern(call, a, fault);
    }
    qsort(a->allowed, a->n_allowed, sizeof(*a->allowed), presidio_compare);
    return true;
}

static bool find_ad_hoc(const struct contract_call *call, const struct analyze_body *b, const struct contract_exchange *c, struct analysis *a,
                        struct filter_fault *fault)
{
    struct ad_hoc_scope scope = {.language = b->language_name, .entities = a->entities, .n_entities = a->n_entities,
                                 .channels = c->channels, .n_channels = c->n_channels};
    struct caller_budget budget = caller_budget_for(c->bytes);
    struct span *context = NULL;

    if (!presidio_read_words(call, b->context, "/context", AD_HOC_CONTEXT_MAX, &context, &scope.n_context, fault)) {
        return false;
    }
    scope.context = context;
    return presidio_ad_hoc_find(call, b->recognizers, &scope, &budget, &a->ad_hoc, fault);
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
    if (!read_body(call, &b, fault) || !read_threshold(b.threshold, a, fault) ||
        !presidio_read_words(call, b.entities, "/entities", ENTITIES_MAX, &a->entities, &a->n_entities, fault) ||
        !read_allow_list(call, &b, a, fault)) {
        return false;
    }
    a->explains = is_true(b.explain);
    a->is_list = b.text.kind == JSON_KIND_ARRAY;
    if (a->is_list && !shape_items(call, b.text, "/text", SHAPE_STRING, &texts, &n, fault)) {
        return false;
    }
    return shape_channels(call, texts, n, "/text", a->is_list, out, fault) && find_ad_hoc(call, &b, out, a, fault);
}

static void refuse(struct writer *w, const struct filter_fault *fault)
{
    put(w, "{\"error\":");
    put_string(w, span_str(fault->detail));
    put(w, "}");
}

/* --- the answer ----------------------------------------------------------- */

struct result {
    size_t from, to;
    double score;
    struct span entity;
    const struct finding *finding;      /* of a rule */
    const struct ad_hoc_result *ad_hoc; /* or of the request's recognizers */
};

/* What the answer is made of. */
struct answer {
    const struct contract_call *call;
    struct analysis *analysis;
    const struct exchange *x;
    struct caller_pattern *allowed; /* NULL: the list's words count */
    struct caller_budget allow_budget;
};

static bool has_string(const struct span *items, size_t n, struct span wanted)
{
    for (size_t i = 0; i < n; i++) {
        if (span_equal(items[i], wanted)) {
            return true;
        }
    }
    return false;
}

/* By which of its names the rule is asked for. Without names: all that is personal or secret, and whatever else the policy acts on. */
static bool is_wanted(const struct answer *answer, const struct rule *rule, enum action action, struct span *entity)
{
    const struct analysis *a = answer->analysis;
    struct span_list known = answer->call->names == NULL ? (struct span_list){0} : names_of(answer->call->names, rule->id, NAMING_PRESIDIO);

    if (a->n_entities == 0) {
        return rule->category == CATEGORY_PII || rule->category == CATEGORY_SECRET || action != ACTION_ALLOW;
    }
    for (size_t i = 0; i < known.n; i++) {
        if (has_string(a->entities, a->n_entities, known.items[i])) {
            *entity = known.items[i];
            return true;
        }
    }
    return has_string(a->entities, a->n_entities, *entity);
}

/* A pattern that takes too many steps allows nothing. */
static bool is_allowed(struct answer *answer, struct span text)
{
    const struct analysis *a = answer->analysis;
    size_t from, to;

    if (answer->allowed != NULL) {
        return caller_pattern_search(answer->allowed, &answer->allow_budget, text, 0, &from, &to) == REGEX_MATCH;
    }
    return a->n_allowed > 0 && bsearch(&text, a->allowed, a->n_allowed, sizeof(text), presidio_compare) != NULL;
}

static bool is_reported(const struct analysis *a, const struct finding *f)
{
    bool is_enough = a->threshold < 0 ? f->action != ACTION_ALLOW : f->confidence >= a->threshold;

    return is_enough && !f->is_shadow && !f->is_excepted;
}

/* Highest score first, then the earlier, then the longer, so that of two of which one contains the other it comes first. */
static int compare(const void *left, const void *right)
{
    const struct result *a = left, *b = right;

    if (a->score != b->score) {
        return a->score > b->score ? -1 : 1;
    }
    if (a->from != b->from) {
        return a->from < b->from ? -1 : 1;
    }
    return a->to == b->to ? 0 : a->to > b->to ? -1 : 1;
}

/* Those are repeated that another of their type contains whose score is as high. */
static bool find_repeated(const struct answer *answer, const struct result *results, size_t n, struct presidio_place **places,
                          struct error *err)
{
    *places = arena_array(answer->call->arena, n, sizeof(**places), err);
    for (size_t i = 0; *places != NULL && i < n; i++) {
        (*places)[i] = (struct presidio_place){.from = results[i].from, .to = results[i].to, .entity = results[i].entity};
    }
    return *places != NULL && presidio_mark_repeated(*places, n, answer->call->arena, err);
}

static void put_rule_explanation(struct writer *w, const struct finding *f)
{
    put(w, "{\"original_score\":");
    put_fraction(w, f->rule->confidence);
    put(w, ",\"pattern\":null,\"pattern_name\":null,\"recognizer\":");
    put_string(w, f->rule->id);
    put(w, ",\"regex_flags\":null,\"score\":");
    put_fraction(w, f->confidence);
    put(w, ",\"score_context_improvement\":0,\"supportive_context_word\":\"\",\"textual_explanation\":");
    put_string(w, f->rule->title);
    put(w, ",\"validation_result\":null}");
}

static void put_ad_hoc_explanation(struct writer *w, const struct contract_call *call, const struct ad_hoc_result *r)
{
    struct buf sentence;

    buf_init(&sentence, call->text_max);
    w->is_ok = w->is_ok && buf_append_str(&sentence, "Detected by `", w->err) && buf_append(&sentence, r->recognizer, w->err) &&
               buf_append_str(&sentence, "` using pattern `", w->err) && buf_append(&sentence, r->pattern_name, w->err) &&
               buf_append_str(&sentence, "`", w->err);
    put(w, "{\"original_score\":");
    put_fraction(w, r->original_score);
    put(w, ",\"pattern\":");
    put_string(w, r->pattern);
    put(w, ",\"pattern_name\":");
    put_string(w, r->pattern_name);
    put(w, ",\"recognizer\":");
    put_string(w, r->recognizer);
    put(w, ",\"regex_flags\":");
    put_number(w, r->flags);
    put(w, ",\"score\":");
    put_fraction(w, r->score);
    put(w, ",\"score_context_improvement\":");
    put_fraction(w, r->score - r->original_score);
    put(w, ",\"supportive_context_word\":");
    put_string(w, r->supportive_word);
    put(w, ",\"textual_explanation\":");
    put_string(w, buf_span(&sentence));
    put(w, ",\"validation_result\":null}");
    buf_deinit(&sentence);
}

static void put_result(struct writer *w, const struct answer *answer, const struct offsets *offsets, const struct result *result)
{
    put(w, "{\"analysis_explanation\":");
    if (!answer->analysis->explains) {
        put(w, "null");
    } else if (result->finding != NULL) {
        put_rule_explanation(w, result->finding);
    } else {
        put_ad_hoc_explanation(w, answer->call, result->ad_hoc);
    }
    put(w, ",\"end\":");
    put_number(w, offsets_find(offsets, result->to).chars);
    put(w, ",\"entity_type\":");
    put_string(w, result->entity);
    put(w, ",\"score\":");
    put_fraction(w, result->score);
    put(w, ",\"start\":");
    put_number(w, offsets_find(offsets, result->from).chars);
    put(w, "}");
}

static size_t count_findings(const struct exchange *x, size_t channel)
{
    size_t n, n_behind;

    (void)contract_findings_from(x, channel, &n);
    (void)contract_findings_from(x, channel + 1, &n_behind);
    return n - n_behind;
}

static size_t count_ad_hoc(const struct analysis *a, size_t channel)
{
    size_t n = 0;

    for (size_t i = 0; i < a->ad_hoc.n; i++) {
        n += a->ad_hoc.items[i].channel == channel;
    }
    return n;
}

static size_t collect_findings(struct answer *answer, size_t channel, struct result *results, struct writer *w)
{
    const struct exchange *x = answer->x;
    size_t n = 0, n_left;
    const struct finding *f = contract_findings_from(x, channel, &n_left);

    for (; w->is_ok && n_left > 0 && f->channel == channel; f++, n_left--) {
        struct result *r = &results[n];
        *r = (struct result){.from = f->from, .to = f->to, .score = f->confidence, .finding = f};
        w->is_ok = presidio_entity(answer->call->names, f->rule, answer->call->arena, &r->entity, w->err);
        n += w->is_ok && is_reported(answer->analysis, f) && is_wanted(answer, f->rule, f->action, &r->entity) &&
             !is_allowed(answer, span_slice(x->channels[channel].text, f->from, f->to));
    }
    return n;
}

static size_t collect_ad_hoc(struct answer *answer, size_t channel, struct result *results, size_t n)
{
    const struct analysis *a = answer->analysis;

    for (size_t i = 0; i < a->ad_hoc.n; i++) {
        const struct ad_hoc_result *r = &a->ad_hoc.items[i];
        if (r->channel == channel && r->score >= a->threshold &&
            !is_allowed(answer, span_slice(answer->x->channels[channel].text, r->from, r->to))) {
            results[n++] = (struct result){.from = r->from, .to = r->to, .score = r->score, .entity = r->entity, .ad_hoc = r};
        }
    }
    return n;
}

static void put_results(struct writer *w, struct answer *answer, size_t channel)
{
    struct offsets offsets;
    struct presidio_place *places;
    size_t n_max = count_findings(answer->x, channel) + count_ad_hoc(answer->analysis, channel);
    struct result *results = arena_array(answer->call->arena, n_max, sizeof(*results), w->err);

    w->is_ok = w->is_ok && results != NULL && offsets_init(answer->call->arena, answer->x->channels[channel].text, &offsets, w->err);
    if (!w->is_ok) {
        return;
    }
    size_t n = collect_ad_hoc(answer, channel, results, collect_findings(answer, channel, results, w));
    if (n > 0) {
        qsort(results, n, sizeof(*results), compare);
    }
    w->is_ok = w->is_ok && find_repeated(answer, results, n, &places, w->err);
    put(w, "[");
    bool is_first = true;
    for (size_t i = 0; w->is_ok && i < n; i++) {
        if (!places[i].is_repeated) {
            put(w, is_first ? "" : ",");
            put_result(w, answer, &offsets, &results[i]);
            is_first = false;
        }
    }
    put(w, "]");
}

/* Whether any rule, or recognizer of the request, is for one of the entities that are asked for. */
static bool has_entities(const struct answer *answer, struct writer *w)
{
    const struct rule_set *rules = answer->x->snapshot == NULL ? NULL : answer->x->snapshot->rules;
    struct span entity;

    if (answer->analysis->n_entities == 0 || answer->analysis->ad_hoc.has_entity || answer->x->n_findings > 0) {
        return true;
    }
    for (size_t i = 0; rules != NULL && i < rules->n_rules; i++) {
        w->is_ok = w->is_ok && presidio_entity(answer->call->names, &rules->rules[i], answer->call->arena, &entity, w->err);
        if (!w->is_ok || is_wanted(answer, &rules->rules[i], ACTION_ALLOW, &entity)) {
            return true;
        }
    }
    return rules == NULL;
}

static void put_answer(struct writer *w, struct answer *answer, size_t n_channels)
{
    put(w, answer->analysis->is_list ? "[" : "");
    for (size_t i = 0; i < n_channels; i++) {
        put(w, i == 0 ? "" : ",");
        put_results(w, answer, i);
    }
    put(w, answer->analysis->is_list ? "]" : "");
}

static unsigned write(struct writer *w, const struct contract_call *call, const struct contract_exchange *c,
                      const struct exchange *x)
{
    struct answer answer = {.call = call, .analysis = c->state, .x = x, .allow_budget = caller_budget_for(c->bytes)};

    if (contract_is_blocked_without_finding(x)) {
        refuse(w, &(struct filter_fault){.detail = "the text could not be judged"});
        return 500;
    }
    if (!has_entities(&answer, w)) {
        refuse(w, &(struct filter_fault){.detail = "No matching recognizers were found to serve the request."});
        return 500;
    }
    if (answer.analysis->allow_pattern.len > 0) {
        answer.allowed = caller_pattern_new(answer.analysis->allow_pattern, answer.analysis->allow_flags, w->err);
        w->is_ok = w->is_ok && answer.allowed != NULL;
    }
    put_answer(w, &answer, c->n_channels);
    caller_pattern_free(answer.allowed);
    return 200;
}

const struct contract contract_presidio_analyze = {"/analyze", read, write, refuse};

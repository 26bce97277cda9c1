#include "contracts/presidio_ad_hoc.h"

#include <stdlib.h>

#include "contracts/presidio_context.h"
#include "contracts/shape.h"
#include "http/fault.h"

enum { FLAGS_DEFAULT = CALLER_PATTERN_CASELESS | CALLER_PATTERN_MULTILINE | CALLER_PATTERN_DOTALL, WORD_MAX = 256, CONTEXT_STEPS = 4, COMPILE_STEPS = 8 }; /* of a byte of a pattern */

#define PARSE "Failed to parse /analyze request for AnalyzerEngine.analyze(). "

struct recognizer {
    struct span name, entity, language;
    struct json_value *patterns;
    size_t n_patterns;
    struct span *words, *context;
    size_t n_words, n_context;
    double words_score;
    unsigned flags;
};

struct search {
    const struct contract_call *call;
    const struct ad_hoc_scope *scope;
    struct caller_budget *budget;
    struct ad_hoc_results *out;
    struct filter_fault *fault;
};

/* --- members -------------------------------------------------------------- */

/* Python's sentence for a keyword that a function does not know. */
static bool refuse_keyword(struct filter_fault *fault, const char *function, struct span name)
{
    struct filter_fault shown = {0};

    (void)fault_set_unknown(&shown, name, "");
    return shown.pointer[0] != '\0' ? fault_set(fault, 400, "", PARSE "%s got an unexpected keyword argument '%s'", function, shown.pointer + 1)
                                    : fault_set(fault, 400, "", PARSE "%s got an unexpected keyword argument", function);
}

/* Reads the members of the table; others are refused, as Presidio does. */
static bool read_members(struct search *s, struct json_value object, const char *function, const struct shape_member *members)
{
    struct json_iterator it = json_iterate(object);
    struct json_value item;
    struct span raw, name;
    struct error err;

    while (json_next(&it, &raw, &item)) {
        const struct shape_member *m = members;
        if (!json_unescape(s->call->arena, raw, &name, &err)) {
            return fault_set_error(s->fault, &err);
        }
        while (m->name != NULL && !span_is(name, m->name)) {
            m++;
        }
        if (m->name == NULL) {
            return refuse_keyword(s->fault, function, name);
        }
    }
    return shape_read(s->call, object, "/ad_hoc_recognizers", members, s->fault);
}

bool presidio_read_words(const struct contract_call *call, struct json_value array, const char *pointer, size_t max,
                         struct span **words, size_t *n, struct filter_fault *fault)
{
    struct json_value *items;
    struct error err;

    *n = 0;
    if (array.raw.ptr == NULL) {
        return true;
    }
    if (!shape_items(call, array, pointer, SHAPE_STRING, &items, n, fault)) {
        return false;
    }
    if (*n > max) {
        return fault_set(fault, 400, pointer, PARSE "at most %zu words expected in a list", max);
    }
    *words = arena_array(call->arena, *n, sizeof(**words), &err);
    if (*words == NULL) {
        return fault_set_error(fault, &err);
    }
    for (size_t i = 0; i < *n; i++) {
        if (!shape_text(call, items[i], &(*words)[i], fault)) {
            return false;
        }
    }
    return true;
}

static bool read_score(struct search *s, struct json_value number, double absent, double *score)
{
    *score = number.raw.ptr == NULL ? absent : strtod(number.raw.ptr, NULL); /* what follows a value in JSON is no part of a number */
    return (*score >= 0 && *score <= 1) || fault_set(s->fault, 500, "", "Invalid score. Score should be between 0 and 1");
}

static bool read_flags(struct search *s, struct json_value number, unsigned *flags)
{
    size_t value = FLAGS_DEFAULT;

    if (number.raw.ptr != NULL && (!shape_count(number, &value) || !caller_pattern_has_flags((unsigned)value))) {
        return fault_set(s->fault, 400, "", PARSE "global_regex_flags: a sum of 2, 8, 16, 32 and 64 expected");
    }
    *flags = value == 0 ? (unsigned)FLAGS_DEFAULT : (unsigned)value;
    return true;
}

/* supported_entity, or the first of supported_entities. */
static bool read_entity(struct search *s, struct json_value one, struct json_value several, struct span *entity)
{
    struct json_iterator it = json_iterate(several);
    struct json_value item;
    struct span name;

    if (one.raw.ptr != NULL && several.raw.ptr != NULL) {
        return fault_set(s->fault, 500, "", "Both 'supported_entity' and 'supported_entities' are present in the input dictionary. "
                                            "Only one should be provided.");
    }
    if (several.raw.ptr != NULL && json_next(&it, &name, &item)) {
        one = item;
    }
    if (one.raw.ptr == NULL) {
        return fault_set(s->fault, 400, "", PARSE "PatternRecognizer.__init__() missing 1 required positional argument: 'supported_entity'");
    }
    if (one.kind != JSON_KIND_STRING || !shape_text(s->call, one, entity, s->fault)) {
        return fault_set(s->fault, 400, "", PARSE "supported_entity: a string expected");
    }
    if (entity->len > WORD_MAX) {
        return fault_set(s->fault, 400, "", PARSE "supported_entity: at most %d bytes expected", WORD_MAX);
    }
    return entity->len > 0 || fault_set(s->fault, 500, "", "Pattern recognizer should be initialized with entity");
}

static bool read_patterns(struct search *s, struct json_value array, struct recognizer *r)
{
    r->n_patterns = 0;
    if (array.raw.ptr != NULL && !shape_items(s->call, array, "/ad_hoc_recognizers", SHAPE_OBJECT, &r->patterns, &r->n_patterns, s->fault)) {
        return false;
    }
    if (r->n_patterns > AD_HOC_PATTERNS_MAX) {
        return fault_set(s->fault, 400, "", PARSE "at most %d patterns expected in a recognizer", AD_HOC_PATTERNS_MAX);
    }
    return r->n_patterns > 0 || r->n_words > 0 ||
           fault_set(s->fault, 500, "", "Pattern recognizer should be initialized with patterns or with deny list");
}

static bool read_recognizer(struct search *s, struct json_value object, struct recognizer *r)
{
    struct json_value name, entity, entities, language, patterns, words, score, context, flags, ignored[2];
    const struct shape_member members[] = {{"name", SHAPE_STRING, false, &name},
                                           {"supported_entity", SHAPE_ANY, false, &entity},
                                           {"supported_entities", SHAPE_ARRAY, false, &entities},
                                           {"supported_language", SHAPE_STRING, false, &language},
                                           {"patterns", SHAPE_ARRAY, false, &patterns},
                                           {"deny_list", SHAPE_ARRAY, false, &words},
                                           {"deny_list_score", SHAPE_NUMBER, false, &score},
                                           {"context", SHAPE_ARRAY, false, &context},
                                           {"global_regex_flags", SHAPE_NUMBER, false, &flags},
                                           {"version", SHAPE_ANY, false, &ignored[0]},
                                           {"country_code", SHAPE_ANY, false, &ignored[1]}, {0}};

    *r = (struct recognizer){0};
    if (!read_members(s, object, "PatternRecognizer.__init__()", members) || !read_entity(s, entity, entities, &r->entity) ||
        !presidio_read_words(s->call, words, "/ad_hoc_recognizers", AD_HOC_WORDS_MAX, &r->words, &r->n_words, s->fault) ||
        !presidio_read_words(s->call, context, "/ad_hoc_recognizers", AD_HOC_CONTEXT_MAX, &r->context, &r->n_context, s->fault) ||
        !read_patterns(s, patterns, r) || !read_score(s, score, 1, &r->words_score) || !read_flags(s, flags, &r->flags) ||
        !shape_text(s->call, name, &r->name, s->fault) || !shape_text(s->call, language, &r->language, s->fault)) {
        return false;
    }
    r->name = name.raw.ptr == NULL ? span_str("PatternRecognizer") : r->name;
    r->language = language.raw.ptr == NULL ? span_str("en") : r->language;
    return r->name.len <= WORD_MAX || fault_set(s->fault, 400, "", PARSE "name: at most %d bytes expected", WORD_MAX);
}

/* --- searching ------------------------------------------------------------ */

static bool refuse_dear(struct search *s)
{
    return fault_set(s->fault, 400, "", PARSE "ad_hoc_recognizers: their patterns take too many steps for these texts; simpler patterns or "
                                              "shorter texts expected");
}

static bool charge(struct search *s, uint64_t steps)
{
    if (steps > s->budget->steps) {
        return refuse_dear(s);
    }
    s->budget->steps -= steps;
    return true;
}

static bool add_result(struct search *s, const struct recognizer *r, const struct ad_hoc_result *model, size_t from, size_t to)
{
    struct error err;
    struct ad_hoc_result *result;

    if (s->out->items == NULL && (s->out->items = arena_array(s->call->arena, AD_HOC_RESULTS_MAX, sizeof(*result), &err)) == NULL) {
        return fault_set_error(s->fault, &err);
    }
    if (s->out->n == AD_HOC_RESULTS_MAX) {
        return fault_set(s->fault, 400, "", PARSE "ad_hoc_recognizers: at most %d results expected", AD_HOC_RESULTS_MAX);
    }
    if (!charge(s, (s->scope->n_context + 1) * r->n_context * CONTEXT_STEPS)) {
        return false;
    }
    result = &s->out->items[s->out->n++];
    *result = *model;
    result->from = from;
    result->to = to;
    result->supportive_word = presidio_context_find(s->scope->channels[model->channel].text, from, s->scope->context, s->scope->n_context,
                                                    r->context, r->n_context);
    if (result->supportive_word.len > 0) {
        result->score = presidio_context_score(result->score);
    }
    return true;
}

static bool search_channel(struct search *s, const struct recognizer *r, struct caller_pattern *p, const struct ad_hoc_result *model)
{
    struct span text = s->scope->channels[model->channel].text;
    enum regex_result found = REGEX_MATCH;

    for (size_t at = 0, from, to; found == REGEX_MATCH; at = to) {
        found = caller_pattern_search(p, s->budget, text, at, &from, &to);
        if (found == REGEX_MATCH && !add_result(s, r, model, from, to)) {
            return false;
        }
    }
    return found == REGEX_NO_MATCH || refuse_dear(s);
}

/* Of a recognizer for another language or entity nothing is searched: its pattern is only checked. */
static bool is_used(const struct search *s, const struct recognizer *r)
{
    bool is_wanted = s->scope->n_entities == 0;

    for (size_t i = 0; i < s->scope->n_entities && !is_wanted; i++) {
        is_wanted = span_equal(s->scope->entities[i], r->entity);
    }
    return is_wanted && span_equal(r->language, s->scope->language);
}

static bool search_pattern(struct search *s, const struct recognizer *r, struct caller_pattern *p, struct ad_hoc_result *model)
{
    for (model->channel = 0; is_used(s, r) && model->channel < s->scope->n_channels; model->channel++) {
        if (model->score > 0 && !search_channel(s, r, p, model)) {
            return false;
        }
    }
    return true;
}

static bool refuse_pattern(struct search *s, const struct error *err)
{
    return err->kind == ERROR_NO_MEMORY ? fault_set_error(s->fault, err)
                                        : fault_set(s->fault, 500, "", "Invalid regex pattern: %s", err->text);
}

static bool run_pattern(struct search *s, const struct recognizer *r, struct json_value object)
{
    struct json_value name, regex, score;
    const struct shape_member members[] = {{"name", SHAPE_STRING, false, &name}, {"regex", SHAPE_STRING, false, &regex},
                                           {"score", SHAPE_NUMBER, false, &score}, {0}};
    struct ad_hoc_result model = {.entity = r->entity, .recognizer = r->name, .flags = r->flags};
    struct error err;

    if (!read_members(s, object, "Pattern.__init__()", members)) {
        return false;
    }
    for (const struct shape_member *m = members; m->name != NULL; m++) {
        if (m->value->raw.ptr == NULL) {
            return fault_set(s->fault, 400, "", PARSE "Pattern.__init__() missing 1 required positional argument: '%s'", m->name);
        }
    }
    if (!shape_text(s->call, name, &model.pattern_name, s->fault) || !shape_text(s->call, regex, &model.pattern, s->fault) ||
        !read_score(s, score, 0, &model.score)) {
        return false;
    }
    model.original_score = model.score;
    if (!charge(s, (model.pattern.len + WORD_MAX) * COMPILE_STEPS)) {
        return false;
    }
    struct caller_pattern *p = caller_pattern_new(model.pattern, r->flags, &err);
    bool is_done = p != NULL ? search_pattern(s, r, p, &model) : refuse_pattern(s, &err);
    caller_pattern_free(p);
    return is_done;
}

static bool run_words(struct search *s, const struct recognizer *r)
{
    struct ad_hoc_result model = {.entity = r->entity, .recognizer = r->name, .flags = r->flags, .pattern_name = span_str("deny_list"),
                                  .score = r->words_score, .original_score = r->words_score};
    struct error err;

    if (r->n_words == 0) {
        return true;
    }
    struct caller_pattern *p = caller_pattern_new_words(r->words, r->n_words, r->flags, s->call->arena, &model.pattern, &err);
    bool is_done = p != NULL ? search_pattern(s, r, p, &model) : refuse_pattern(s, &err);
    caller_pattern_free(p);
    return is_done;
}

static bool run_recognizer(struct search *s, struct json_value object)
{
    struct recognizer r;

    if (!read_recognizer(s, object, &r)) {
        return false;
    }
    s->out->has_entity = s->out->has_entity || is_used(s, &r);
    for (size_t i = 0; i < r.n_patterns; i++) {
        if (!run_pattern(s, &r, r.patterns[i])) {
            return false;
        }
    }
    return run_words(s, &r);
}

bool presidio_ad_hoc_find(const struct contract_call *call, struct json_value recognizers, const struct ad_hoc_scope *scope,
                          struct caller_budget *budget, struct ad_hoc_results *out, struct filter_fault *fault)
{
    struct search s = {.call = call, .scope = scope, .budget = budget, .out = out, .fault = fault};
    struct json_value *items;
    size_t n = 0;

    *out = (struct ad_hoc_results){0};
    if (recognizers.raw.ptr == NULL) {
        return true;
    }
    if (!shape_items(call, recognizers, "/ad_hoc_recognizers", SHAPE_OBJECT, &items, &n, fault)) {
        return false;
    }
    if (n > AD_HOC_RECOGNIZERS_MAX) {
        return fault_set(fault, 400, "", PARSE "ad_hoc_recognizers: at most %d expected", AD_HOC_RECOGNIZERS_MAX);
    }
    for (size_t i = 0; i < n; i++) {
        if (!run_recognizer(&s, items[i])) {
            return false;
        }
    }
    return true;
}

/* moderations.c - OpenAI's POST /v1/moderations.
 *
 * Shape: https://github.com/openai/openai-openapi, CreateModerationRequest and -Response. A category is true when the policy
 * acts on a finding of it; its score is the highest confidence of its findings, acted on or not. Categories that no rule of
 * filterd detects stay false with score 0. Three categories of filterd's own follow OpenAI's thirteen, so that a flagged result
 * always has its reason. */
#include "base/uuid.h"
#include "contracts/contracts.h"
#include "contracts/shape.h"
#include "http/fault.h"

/* A result is a kilobyte, however short its input. OpenAI names no number of inputs here; for embeddings it is this. */
enum { INPUTS_MAX = 2048 };

static const char default_model[] = "omni-moderation-latest";

struct moderation {
    struct span model;
    bool is_one; /* all channels are parts of one input, which has one result */
};

static bool take_part(const struct contract_call *call, struct json_value part, struct json_value *text,
                      struct filter_fault *fault)
{
    struct json_value type;
    const struct shape_member members[] = {{"type", SHAPE_STRING, true, &type}, {"text", SHAPE_STRING, false, text}, {0}};

    if (!shape_read(call, part, "/input", members, fault)) {
        return false;
    }
    return (span_is(type.raw, "\"text\"") && text->raw.ptr != NULL) ||
           fault_set(fault, 422, "/input", "parts of type \"text\" expected: images are not judged");
}

static bool read_list(const struct contract_call *call, struct json_value input, struct contract_exchange *out,
                      struct moderation *m, struct filter_fault *fault)
{
    struct json_value *items;
    size_t n;

    if (!shape_at_most(input, "/input", INPUTS_MAX, "inputs", fault) ||
        !shape_items(call, input, "/input", SHAPE_STRING | SHAPE_OBJECT, &items, &n, fault)) {
        return false;
    }
    m->is_one = n > 0 && items[0].kind == JSON_KIND_OBJECT;
    for (size_t i = 0; i < n; i++) {
        if ((items[i].kind == JSON_KIND_OBJECT) != m->is_one) {
            return fault_set(fault, 422, "/input", "strings alone or parts alone expected");
        }
        struct json_value part = items[i];
        if (m->is_one && !take_part(call, part, &items[i], fault)) {
            return false;
        }
    }
    bool is_read = shape_channels(call, items, n, "/input", true, out, fault) &&
                   (!m->is_one || shape_rest(call, input, "/input", items, n, out, fault));
    out->n_rest = 0; /* nothing is redacted */
    return is_read;
}

static bool read(const struct contract_call *call, struct contract_exchange *out, struct filter_fault *fault)
{
    struct json_value root, input, model;
    const struct shape_member members[] = {
        {"input", SHAPE_STRING | SHAPE_ARRAY, true, &input}, {"model", SHAPE_STRING, false, &model}, {0}};
    struct error err;
    struct moderation *m = arena_alloc(call->arena, sizeof(*m), &err);

    if (m == NULL) {
        return fault_set_error(fault, &err);
    }
    *m = (struct moderation){0};
    out->state = m;
    if (!shape_root(call, &root, fault) || !shape_read(call, root, "", members, fault) ||
        !shape_text(call, model, &m->model, fault)) {
        return false;
    }
    m->model = m->model.len > 0 && m->model.len <= FILTER_NAME_MAX ? m->model : span_str(default_model);
    return input.kind == JSON_KIND_ARRAY ? read_list(call, input, out, m, fault)
                                         : shape_channels(call, &input, 1, "/input", false, out, fault);
}

/* What is a finding of a category: the rules whose id begins so, or all of one of filterd's categories. */
struct moderation_category {
    const char *name;
    const char *rules[3];
    enum category category; /* SYSTEM: by rules */
};

static const struct moderation_category categories[] = {
    {"hate", {"classifier-hate", "slur-"}, CATEGORY_SYSTEM},
    {"hate/threatening", {NULL}, CATEGORY_SYSTEM},
    {"harassment", {"classifier-toxicity", "profanity-"}, CATEGORY_SYSTEM},
    {"harassment/threatening", {NULL}, CATEGORY_SYSTEM},
    {"illicit", {"classifier-harm"}, CATEGORY_SYSTEM},
    {"illicit/violent", {NULL}, CATEGORY_SYSTEM},
    {"self-harm", {NULL}, CATEGORY_SYSTEM},
    {"self-harm/intent", {NULL}, CATEGORY_SYSTEM},
    {"self-harm/instructions", {NULL}, CATEGORY_SYSTEM},
    {"sexual", {"sexual-terms-"}, CATEGORY_SYSTEM},
    {"sexual/minors", {NULL}, CATEGORY_SYSTEM},
    {"violence", {NULL}, CATEGORY_SYSTEM},
    {"violence/graphic", {NULL}, CATEGORY_SYSTEM},
    {"filterd/secret", {NULL}, CATEGORY_SECRET},
    {"filterd/pii", {NULL}, CATEGORY_PII},
    {"filterd/injection", {NULL}, CATEGORY_INJECTION},
};

static bool is_of(const struct moderation_category *c, const struct rule *rule)
{
    for (size_t i = 0; i < COUNT(c->rules) && c->rules[i] != NULL; i++) {
        if (span_starts_with(rule->id, span_str(c->rules[i]))) {
            return true;
        }
    }
    return c->category != CATEGORY_SYSTEM && rule->category == c->category;
}

struct score {
    double score;
    bool is_flagged;
};

/* The channels [from, to) are the input of one result. */
static bool score_all(const struct exchange *x, size_t from, size_t to, struct score scores[COUNT(categories)])
{
    bool is_flagged = false;
    size_t n;
    const struct finding *f = contract_findings_from(x, from, &n);

    memset(scores, 0, COUNT(categories) * sizeof(*scores));
    for (; n > 0 && f->channel < to; f++, n--) {
        if (f->is_excepted) {
            continue;
        }
        bool is_acted = f->action != ACTION_ALLOW && !f->is_shadow;
        is_flagged = is_flagged || is_acted;
        for (size_t k = 0; k < COUNT(categories); k++) {
            if (is_of(&categories[k], f->rule)) {
                scores[k].score = f->confidence > scores[k].score ? f->confidence : scores[k].score;
                scores[k].is_flagged = scores[k].is_flagged || is_acted;
            }
        }
    }
    return is_flagged;
}

enum map { MAP_FLAGS, MAP_SCORES, MAP_INPUTS };

static void put_map(struct writer *w, enum map map, const struct score *scores)
{
    for (size_t k = 0; k < COUNT(categories); k++) {
        put(w, k == 0 ? "{" : ",");
        put_string(w, span_str(categories[k].name));
        put(w, ":");
        if (map == MAP_SCORES) {
            put_fraction(w, scores[k].score);
        } else if (map == MAP_FLAGS) {
            put(w, scores[k].is_flagged ? "true" : "false");
        } else {
            put(w, "[\"text\"]");
        }
    }
    put(w, "}");
}

static void put_result(struct writer *w, const struct exchange *x, size_t from, size_t to)
{
    struct score scores[COUNT(categories)];

    put(w, score_all(x, from, to, scores) ? "{\"flagged\":true" : "{\"flagged\":false");
    put(w, ",\"categories\":");
    put_map(w, MAP_FLAGS, scores);
    put(w, ",\"category_scores\":");
    put_map(w, MAP_SCORES, scores);
    put(w, ",\"category_applied_input_types\":");
    put_map(w, MAP_INPUTS, scores);
    put(w, "}");
}

static void refuse(struct writer *w, const struct filter_fault *fault)
{
    put(w, "{\"error\":{\"message\":");
    put_string(w, span_str(fault->detail));
    put(w, fault->status < 500 ? ",\"type\":\"invalid_request_error\",\"param\":" : ",\"type\":\"server_error\",\"param\":");
    if (fault->pointer[0] == '/') {
        put_string(w, span_str(fault->pointer + 1));
    } else {
        put(w, "null");
    }
    put(w, ",\"code\":null}}");
}

static unsigned write(struct writer *w, const struct contract_call *call, const struct contract_exchange *c,
                      const struct exchange *x)
{
    const struct moderation *m = c->state;
    size_t step = m->is_one ? c->n_channels : 1;
    char id[UUID_TEXT + 1];

    (void)call;
    if (contract_is_blocked_without_finding(x)) {
        refuse(w, &(struct filter_fault){.status = 500, .detail = "the input could not be judged"});
        return 500;
    }
    uuid_format(x->id.bytes, id);
    put(w, "{\"id\":\"modr-");
    put(w, id);
    put(w, "\",\"model\":");
    put_string(w, m->model);
    put(w, ",\"results\":[");
    for (size_t i = 0; i < c->n_channels; i += step) {
        put(w, i == 0 ? "" : ",");
        put_result(w, x, i, i + step);
    }
    put(w, "]}");
    return 200;
}

const struct contract contract_moderations = {"/v1/moderations", read, write, refuse};

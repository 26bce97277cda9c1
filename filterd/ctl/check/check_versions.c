/* check_versions.c - versions of files in a repository: judges what each of them changed.
 *
 * What is changed is looked at with a little context first. The parts of a whole chain are searched as one text: most are
 * small, and a text has a price of its own. Parts in which nothing is found, whatever may be around them, are done; the others
 * are judged with wide context. */
#include <stdlib.h>

#include "base/cleanup.h"
#include "ctl/check/check.h"
#include "ctl/file_text.h"
#include "ctl/source/changed.h"
#include "view/view.h"

/* Between parts: no word, no line, no encoded data goes on through it. */
static const char separator[] = "\n\x1d\n";

/* A part in the text of all of them. */
struct place {
    size_t from, to;
    bool is_clean;
};

struct version {
    struct batch *batch;
    enum input_kind kind;
    struct span text;
    bool is_plain;       /* text, as the blob has it */
    bool has_parts;      /* else it is judged as a whole */
    struct changed near;
    size_t first_place;
};

struct versions {
    const struct check *check;
    struct worker *worker;
    struct changed_key key;
    struct version items[BATCH_CHAIN_MAX];
    size_t n;
    struct place *places;
    size_t n_places;
};

static void versions_deinit(struct versions *v)
{
    for (size_t i = 0; i < v->n; i++) {
        changed_deinit(&v->items[i].near);
    }
    free(v->places);
}

/* Parts that are most of the text are not worth it. */
static bool is_most(const struct changed *changed, size_t len)
{
    size_t sum = 0;

    for (size_t i = 0; i < changed->n; i++) {
        sum += changed->parts[i].to - changed->parts[i].from;
    }
    return sum > len / 4 * 3;
}

/* For struct redacted_near: what a redaction changed is looked at as what a version did. */
static bool append_near(void *context, const struct channel *c, const struct redacted_places *places, struct buf *out, struct error *err)
{
    struct changed near CLEANUP(changed_deinit) = {0};
    bool is_ok = true;

    (void)context;
    for (size_t i = 0; is_ok && i < places->n; i++) {
        is_ok = changed_near(&near, c->output, places->items[i].out_from, places->items[i].out_to, err);
    }
    for (size_t i = 0; is_ok && i < near.n && !is_most(&near, c->output.len); i++) {
        is_ok = buf_append(out, span_slice(c->output, near.parts[i].from, near.parts[i].to), err) && buf_append_str(out, separator, err);
    }
    return is_ok;
}

/* The whole text, or what a version changed. */
static void judge_part(const struct check *c, struct worker *w, struct batch *b, enum input_kind kind, struct span whole,
                       const struct changed_part *changed)
{
    struct span text = span_slice(whole, changed->from, changed->to);
    const struct check_part part = {.first_line = changed->first_line,
                                    .from = changed->reported_from - changed->from,
                                    .to = changed->reported_to - changed->from};
    static const struct redacted_near near = {.append = append_near};
    struct judging j;

    if (kind == INPUT_NDJSON) {
        check_judge_lines(c, w, b, text, changed->first_line);
    } else if (kind == INPUT_JSON) {
        check_judge_json_or_text(c, w, b, text, changed->first_line, false);
    } else {
        judging_text_near(c->session, w, text, &near, &j);
        j.offset = changed->from;
        check_report(c, b, &j, &part);
    }
}

void check_judge_version(const struct check *c, struct worker *w, struct batch *b, struct span text)
{
    const struct changed_part whole = {.to = text.len, .reported_to = text.len, .first_line = 1};

    judge_part(c, w, b, check_input_kind(c->args, b->file), text, &whole);
}

/* --- with little context ----------------------------------------------------- */

/* Each content is looked at once, though most are a version and what the next one replaces. */
static bool is_plain(struct content *content)
{
    enum { UNKNOWN, PLAIN, OTHER };
    int form = atomic_load_explicit(&content->form, memory_order_relaxed);

    if (form == UNKNOWN) {
        form = file_text_is_plain(span_of(content->bytes, content->len)) ? PLAIN : OTHER;
        atomic_store_explicit(&content->form, form, memory_order_relaxed);
    }
    return form == PLAIN;
}

static void find_parts(struct version *v, const struct changed_key *key)
{
    struct content *before = v->batch->blob.before;
    struct error err;

    if (!v->is_plain || before == NULL || v->kind == INPUT_JSON) {
        return;
    }
    struct span old = span_of(before->bytes, before->len);
    v->has_parts = is_plain(before) && changed_find(&v->near, key, old, v->text, &err) && !is_most(&v->near, v->text.len);
}

static void add_version(struct versions *v, struct batch *b)
{
    struct content *content = b->blob.content;
    struct version *version = &v->items[v->n++];

    *version = (struct version){.batch = b};
    if (content != NULL) {
        version->text = span_of(content->bytes, content->len);
        version->kind = check_input_kind(v->check->args, b->file);
        version->is_plain = is_plain(content);
        find_parts(version, &v->key);
    }
    version->first_place = v->n_places;
    v->n_places += version->has_parts ? version->near.n : 0;
}

/* Cells of tables may be anywhere in a record, and classifiers judge a text as a whole: both need the wide context. */
static bool may_be_clean(const struct check *c)
{
    const struct rule_set *rules = c->session->snapshot->rules;

    return rules->n_tables == 0 && !rule_set_has_use(rules, c->session->policy->has_rule);
}

static bool join_parts(struct versions *v, struct buf *joined, struct error *err)
{
    for (size_t i = 0; i < v->n; i++) {
        const struct version *version = &v->items[i];
        for (size_t k = 0; version->has_parts && version->kind == INPUT_TEXT && k < version->near.n; k++) {
            const struct changed_part *part = &version->near.parts[k];
            struct place *place = &v->places[version->first_place + k];
            place->from = joined->len;
            place->to = joined->len + (part->to - part->from);
            if (!buf_append(joined, span_slice(version->text, part->from, part->to), err) ||
                !buf_append_str(joined, separator, err)) {
                return false;
            }
        }
    }
    return true;
}

/* Of places in order, those that the finding touches. */
static void note_finding(struct versions *v, const struct finding *f)
{
    size_t from = f->match_from < f->from ? f->match_from : f->from, low = 0;

    for (size_t high = v->n_places; low < high;) {
        size_t middle = low + (high - low) / 2;
        if (v->places[middle].to + sizeof(separator) < from) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (; low < v->n_places && v->places[low].from <= f->to + sizeof(separator); low++) {
        v->places[low].is_clean = false;
    }
}

/* Says which parts are clean; none is where that could not be found out. */
static void search_parts(struct versions *v)
{
    struct buf joined CLEANUP(buf_deinit);
    struct judging j;
    struct error err;

    buf_init(&joined, VIEW_TEXT_MAX);
    if (v->places == NULL || !may_be_clean(v->check) || !join_parts(v, &joined, &err) ||
        !judging_find(v->check->session, v->worker, buf_span(&joined), &j, &err)) {
        return;
    }
    for (size_t i = 0; i < v->n_places; i++) {
        v->places[i].is_clean = v->places[i].to > v->places[i].from;
    }
    for (size_t i = 0; i < j.exchange.n_findings; i++) {
        note_finding(v, &j.exchange.findings[i]);
    }
}

/* --- with wide context ---------------------------------------------------------- */

/* Counts the parts that are clean, which are judged, and widens the others. */
static bool widen_parts(const struct versions *v, const struct version *version, struct changed *wide, struct error *err)
{
    for (size_t i = 0; i < version->near.n; i++) {
        if (v->places != NULL && v->places[version->first_place + i].is_clean) {
            version->batch->totals.texts++;
            version->batch->totals.verdicts[ACTION_ALLOW]++;
        } else if (!changed_widen(wide, version->text, &version->near.parts[i], err)) {
            return false;
        }
    }
    return true;
}

static void judge_version(const struct versions *v, const struct version *version)
{
    struct changed wide CLEANUP(changed_deinit) = {0};
    struct error err;

    if (version->batch->blob.content == NULL) {
        return; /* it could not be read, which is noted */
    }
    if (!version->is_plain) {
        check_judge_file(v->check, v->worker, version->batch);
        return;
    }
    version->batch->totals.bytes += version->text.len;
    if (!version->has_parts || !widen_parts(v, version, &wide, &err) || is_most(&wide, version->text.len)) {
        check_judge_version(v->check, v->worker, version->batch, version->text);
        return;
    }
    changed_number(&wide, version->text);
    for (size_t i = 0; i < wide.n; i++) {
        judge_part(v->check, v->worker, version->batch, version->kind, version->text, &wide.parts[i]);
    }
}

void check_versions(const struct check *c, struct worker *w, struct batch *first)
{
    struct versions v CLEANUP(versions_deinit) = {.check = c, .worker = w, .key = changed_key_new()};

    for (struct batch *b = first; b != NULL && v.n < BATCH_CHAIN_MAX; b = b->next) {
        add_version(&v, b);
    }
    if (v.n_places > 0) {
        v.places = calloc(v.n_places, sizeof(*v.places));
        search_parts(&v);
    }
    for (size_t i = 0; i < v.n; i++) {
        judge_version(&v, &v.items[i]);
    }
}

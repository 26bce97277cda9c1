#include "classifiers/tagger_judge.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "classifiers/tagger_exceptions.h"
#include "classifiers/tagger_no_address.h"
#include "classifiers/tagger_word_lists.h"

_Static_assert((int)TAGGER_JUDGE_HEADS <= (int)CLASSIFIER_HEADS_MAX, "every head can be asked for");

/* --- a scratch for each thread -------------------------------------------- */

static pthread_key_t scratch_key;
static bool has_scratch_key;

static void make_scratch_key(void)
{
    has_scratch_key = pthread_key_create(&scratch_key, free) == 0;
}

/* NULL when memory ran out. Freed as the thread ends. */
static struct tagger_scratch *own_scratch(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    static _Thread_local struct tagger_scratch *own;

    if (own != NULL) {
        return own;
    }
    (void)pthread_once(&once, make_scratch_key);
    struct tagger_scratch *made = has_scratch_key ? calloc(1, sizeof(*made)) : NULL;
    if (made != NULL && pthread_setspecific(scratch_key, made) != 0) {
        free(made);
        made = NULL;
    }
    own = made;
    return own;
}

/* --- judging --------------------------------------------------------------- */

enum { PERSONS = 16 };

struct person {
    size_t from, to; /* in the line */
};

/* One unit under judgement. */
struct judgement {
    struct span line;
    size_t line_from; /* in the unit */
    struct tagger_search searches[TAGGER_JUDGE_MAX]; /* of those that are wanted */
    unsigned first_heads[TAGGER_JUDGE_MAX];          /* of the classes of each */
    unsigned n;
    const double *least; /* by head */
    struct person persons[PERSONS]; /* reported last of the line, in turns */
    size_t n_persons;               /* that were reported of it */
    bool is_word; /* the line is a word of a list of words */
    classifier_found_fn *found;
    void *context;
    struct error *err;
    bool has_failed;
};

static unsigned head_of(const void *self, struct span name)
{
    const struct tagger_judge *j = self;

    for (unsigned i = 0; i < TAGGER_JUDGE_HEADS; i++) {
        if (j->heads[i] != NULL && span_is(name, j->heads[i])) {
            return i;
        }
    }
    return CLASSIFIER_HEADS_MAX;
}

static bool is_comma(struct span text)
{
    size_t n_commas = 0;

    for (size_t i = 0; i < text.len; i++) {
        n_commas += text.ptr[i] == ',';
        if (text.ptr[i] != ',' && text.ptr[i] != ' ') {
            return false;
        }
    }
    return n_commas == 1;
}

/* Whether a person that was reported is what is in front of the address, with nothing but a comma between. */
static bool is_to_person(const struct judgement *j, const struct tagger_entity *address)
{
    size_t n = j->n_persons < PERSONS ? j->n_persons : PERSONS;

    for (size_t i = 0; i < n; i++) {
        const struct person *p = &j->persons[i];
        if (p->from <= address->from && p->to > address->from && p->to < address->place_from &&
            is_comma(span_slice(j->line, p->to, address->place_from))) {
            return true;
        }
    }
    return false;
}

static bool is_wanted(const struct judgement *j, unsigned head, double score)
{
    return j->least[head] <= 1 && score >= j->least[head];
}

/* Whether all that stands apart in an address is asked for, so that nothing is lost that is taken out of it. */
static bool wants_parts(const struct judgement *j, const struct tagger_entity *entity, const struct classifier_place *address)
{
    for (unsigned i = 0; i < TAGGER_PARTS; i++) {
        if (entity->parts[i].to > 0 && !is_wanted(j, address->head + 1 + i, address->score)) {
            return false;
        }
    }
    return true;
}

/* What is left of an address in front of its town; nothing of a town and its code. */
static void take_parts_out(const struct judgement *j, const struct tagger_entity *entity, struct classifier_place *address)
{
    const struct tagger_range *place = &entity->parts[TAGGER_PART_PLACE];
    const struct tagger_range *code = &entity->parts[TAGGER_PART_CODE];
    size_t end = code->to > 0 && code->from < place->from ? code->from : place->from;
    struct span in = span_slice(j->line, end > entity->from + 3 ? end - 4 : end, end);

    end -= span_is(in, " in ") ? in.len : 0;
    while (end > entity->from && strchr(", ", j->line.ptr[end - 1]) != NULL) {
        end--;
    }
    address->whole_from = address->from;
    address->whole_to = address->to;
    address->to = j->line_from + end > address->from ? j->line_from + end : address->from;
}

/* An address, and what of it has heads of its own, when one of them is asked for. */
static void tell_address(struct judgement *j, const struct tagger_entity *entity, struct classifier_place *address)
{
    const double part_max = 0.99; /* a rule that finds the town in an address is surer */
    if (wants_parts(j, entity, address)) {
        take_parts_out(j, entity, address);
    }
    j->has_failed = !j->found(j->context, address, j->err);
    for (unsigned i = 0; i < TAGGER_PARTS && !j->has_failed; i++) {
        const struct tagger_range *part = &entity->parts[i];
        const struct classifier_place place = {.head = address->head + 1 + i,
                                               .from = j->line_from + part->from,
                                               .to = j->line_from + part->to,
                                               .is_part = true,
                                               .score = address->score < part_max ? address->score : part_max};
        bool is_reported = part->to > 0 && is_wanted(j, place.head, address->score);
        j->has_failed = is_reported && !j->found(j->context, &place, j->err);
    }
}

/* Whether a head of the entity's own, or of a part of it, is asked for. */
static bool is_asked_for(const struct judgement *j, const struct tagger_entity *entity, const struct classifier_place *place)
{
    bool is_any = is_wanted(j, place->head, place->score);

    for (unsigned i = 0; i < TAGGER_PARTS && !is_any; i++) {
        is_any = entity->parts[i].to > 0 && is_wanted(j, place->head + 1 + i, place->score);
    }
    return is_any;
}

/* An address has a lower confidence than its parts may have: a rule that finds these may be right where the tagger sees one address. */
static double score_of(const struct tagger_entity *entity, bool is_address)
{
    const double address_max = 0.98;
    double score = (double)entity->confidence;

    return is_address && score > address_max ? address_max : score;
}

static bool is_in_small_letters(struct span name)
{
    for (size_t i = 0; i < name.len; i++) {
        if ((unsigned char)(name.ptr[i] - 'A') < 26 || (name.ptr[i] & 0x80) != 0) {
            return false;
        }
    }
    return true;
}

/* A short form: of letters of ASCII alone, as a name in capitals may have others. */
static bool is_word_in_capitals(struct span name)
{
    for (size_t i = 0; i < name.len; i++) {
        if ((unsigned char)(name.ptr[i] - 'A') >= 26) {
            return false;
        }
    }
    return true;
}

/* J.Olm, without a space. */
static bool is_initial_and_word(struct span name)
{
    return name.len > 2 && name.ptr[1] == '.' && name.ptr[2] != ' ';
}

/* Below these a name of documentation is more often none than one: in lines of other languages than ordinary text, in small letters
 * where no words around say the language, and a word alone that is of no list or in capitals, as are the names of most programs. */
static bool is_doubtful(const struct tagger_entity *entity, struct span line)
{
    static const double least_unlisted = 0.6, least_in_capitals = 0.7, least_initial = 0.9;
    static const double least[] = {[TAGGER_LANGUAGE_UNKNOWN] = 0.45, [TAGGER_LANGUAGE_OURS] = 0, [TAGGER_LANGUAGE_MIXED] = 0.5, [TAGGER_LANGUAGE_OTHER] = 0.6};
    static const double least_small = 0.8;
    struct span name = span_slice(line, entity->from, entity->to);
    bool is_alone = !entity->is_listed && memchr(name.ptr, ' ', name.len) == NULL;
    bool is_small = entity->language != TAGGER_LANGUAGE_OURS && is_in_small_letters(name);
    double wanted = is_small ? least_small : least[entity->language];

    wanted = is_alone && wanted < least_unlisted ? least_unlisted : wanted;
    wanted = is_word_in_capitals(name) && wanted < least_in_capitals ? least_in_capitals : wanted;
    wanted = is_alone && is_initial_and_word(name) ? least_initial : wanted;
    return (double)entity->confidence < wanted;
}

static bool is_exception(const struct judgement *j, const struct tagger_entity *entity, bool is_address, bool is_person)
{
    if (is_address) {
        return tagger_is_no_address(j->line, entity->from, entity->to);
    }
    return is_person && (j->is_word || is_doubtful(entity, j->line) || tagger_is_no_name(j->line, entity->from, entity->to));
}

/* Persons are sought before addresses. */
static void tell(void *ctx, const struct tagger_entity *entity)
{
    struct judgement *j = ctx;
    bool is_address = j->searches[entity->tagger].tagger->task == &tagger_addresses;
    bool is_person = j->searches[entity->tagger].tagger->task == &tagger_names && entity->class == TAGGER_CLASS_PERSON;
    size_t from = !is_person && is_to_person(j, entity) ? entity->place_from : entity->from;
    struct classifier_place place = {.head = j->first_heads[entity->tagger] + entity->class,
                                           .from = j->line_from + from,
                                           .to = j->line_from + entity->to,
                                           .score = score_of(entity, is_address)};

    if (j->has_failed || is_exception(j, entity, is_address, is_person) || !is_asked_for(j, entity, &place)) {
        return;
    }
    if (entity->parts[TAGGER_PART_PLACE].to > 0) {
        tell_address(j, entity, &place);
        return;
    }
    j->has_failed = !j->found(j->context, &place, j->err);
    if (is_person) {
        j->persons[j->n_persons++ % PERSONS] = (struct person){entity->from, entity->to};
    }
}

static size_t line_end(struct span text, size_t from)
{
    const char *end = memchr(text.ptr + from, '\n', text.len - from);

    return end == NULL ? text.len : (size_t)(end - text.ptr);
}

static void choose_wanted(const struct tagger_judge *t,
                          const double wanted[CLASSIFIER_HEADS_MAX], struct judgement *j)
{
    for (unsigned i = 0; i < t->n; i++) {
        unsigned first = i * TAGGER_CLASSES;
        unsigned classes = 0;
        for (unsigned k = 0; k < TAGGER_CLASSES; k++) {
            classes |= (unsigned)(t->heads[first + k] != NULL && wanted[first + k] <= 1) << k;
        }
        /* Parts of an address are of its class. */
        classes |= (classes >> t->taggers[i].n_classes) != 0;
        if (classes != 0) {
            j->searches[j->n] = (struct tagger_search){&t->taggers[i], classes};
            j->first_heads[j->n] = first;
            j->n++;
        }
    }
}

static void count_person(void *ctx, const struct tagger_entity *entity)
{
    size_t *n = ctx;

    *n += entity->class == TAGGER_CLASS_PERSON;
}

/* Whether few of n lines hold a person: a list of names in the order of the alphabet holds one in most. */
static bool are_few_names(const struct judgement *j, struct tagger_scratch *scratch, struct span unit, size_t n_lines)
{
    enum { ONE_IN = 3 };
    size_t n = 0;

    for (unsigned i = 0; i < j->n; i++) {
        if (j->searches[i].tagger->task != &tagger_names) {
            continue;
        }
        for (size_t at = 0; at < unit.len;) {
            size_t end = line_end(unit, at);
            tagger_find(&j->searches[i], scratch, span_slice(unit, at, end), count_person, &n);
            at = end + 1;
        }
    }
    return n * ONE_IN <= n_lines;
}

static bool is_word_list(const struct judgement *j, struct tagger_scratch *scratch, struct span unit)
{
    size_t n_lines;
    enum tagger_word_list list = tagger_word_list_of(unit, &n_lines);

    return list == TAGGER_WORD_LIST || (list == TAGGER_SORTED_WORDS && are_few_names(j, scratch, unit, n_lines));
}

static bool judge(const void *self, struct span unit, const double wanted[CLASSIFIER_HEADS_MAX],
                  classifier_found_fn *found, void *context, struct error *err)
{
    struct judgement j = {.least = wanted, .found = found, .context = context, .err = err};
    struct tagger_scratch *scratch = own_scratch();

    if (scratch == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "taggers: no memory");
    }
    choose_wanted(self, wanted, &j);
    bool is_list = j.n > 0 && is_word_list(&j, scratch, unit);
    for (size_t at = 0; at < unit.len && !j.has_failed && j.n > 0;) {
        size_t end = line_end(unit, at);
        j.line_from = at;
        j.n_persons = 0;
        j.line = span_slice(unit, at, end);
        j.is_word = is_list && tagger_is_word_of_list(j.line);
        tagger_find_all(j.searches, j.n, scratch, j.line, tell, &j);
        at = end + 1;
    }
    return !j.has_failed;
}

/* Puts the reason where it belongs by its weight; the weakest falls out of a full list. */
static size_t insert_reason(struct classifier_reason *reasons, size_t n, size_t max,
                            const struct classifier_reason *reason)
{
    size_t i = n < max ? n : max;

    if (i == max && (max == 0 || reasons[max - 1].weight >= reason->weight)) {
        return n;
    }
    i = i == max ? max - 1 : i;
    while (i > 0 && reasons[i - 1].weight < reason->weight) {
        reasons[i] = reasons[i - 1];
        i--;
    }
    reasons[i] = *reason;
    return n < max ? n + 1 : n;
}

static unsigned class_of(const struct tagger *t, unsigned head)
{
    return head % TAGGER_CLASSES < t->n_classes ? head % TAGGER_CLASSES : 0;
}

static size_t explain(const void *self, unsigned head, struct span text,
                      struct classifier_reason *reasons, size_t max)
{
    const struct tagger_judge *t = self;
    struct tagger_scratch *scratch = own_scratch();
    struct tagger_view view[TAGGER_RUN];
    size_t n_reasons = 0;
    bool can_look = scratch != NULL && head < TAGGER_JUDGE_HEADS && t->heads[head] != NULL;
    size_t n = can_look ? tagger_look(&t->taggers[head / TAGGER_CLASSES], class_of(&t->taggers[head / TAGGER_CLASSES], head), scratch, text, view, TAGGER_RUN) : 0;

    for (size_t i = 0; i < n; i++) {
        const struct classifier_reason reason = {view[i].from, view[i].to, (double)view[i].score};
        n_reasons = insert_reason(reasons, n_reasons, max, &reason);
    }
    return n_reasons;
}

static struct span digest(const void *self)
{
    const struct tagger_judge *t = self;

    return span_of(t->digest, DIGEST_SHA256_HEX);
}

static bool only_reports(const void *self, unsigned head)
{
    const struct tagger_judge *t = self;

    const struct tagger *tagger = &t->taggers[head / TAGGER_CLASSES];

    return tagger->classes[class_of(tagger, head)].acts == 0;
}

static bool digest_all(const struct tagger_judge_part *parts, unsigned n,
                       char hex[DIGEST_SHA256_HEX + 1], struct error *err)
{
    char digests[TAGGER_JUDGE_MAX * DIGEST_SHA256_HEX];
    size_t len = 0;

    for (unsigned i = 0; i < n; i++) {
        struct span digest = model_digest(parts[i].model);
        memcpy(digests + len, digest.ptr, digest.len);
        len += digest.len;
    }
    return digest_sha256(span_of(digests, len), hex, err);
}

bool tagger_judge_open(struct tagger_judge *j, const struct tagger_judge_part *parts, unsigned n,
                       struct classifier *out, struct error *err)
{
    if (n == 0 || n > TAGGER_JUDGE_MAX) {
        return error_set(err, ERROR_INTERNAL, "taggers: 1 to %d expected", TAGGER_JUDGE_MAX);
    }
    for (unsigned i = 0; i < n; i++) {
        if (!tagger_open(&j->taggers[i], parts[i].model, err)) {
            return false;
        }
        for (unsigned k = 0; k < TAGGER_CLASSES; k++) {
            bool is_part = j->taggers[i].task->find_parts != NULL && k <= TAGGER_PARTS;
            j->heads[i * TAGGER_CLASSES + k] = k < j->taggers[i].n_classes || is_part ? parts[i].heads[k] : NULL;
        }
    }
    j->n = n;
    *out = (struct classifier){
        .self = j, .head = head_of, .judge = judge, .explain = explain, .digest = digest, .only_reports = only_reports};
    return digest_all(parts, n, j->digest, err);
}

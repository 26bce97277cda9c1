#include "testing.h"

#include <math.h>
#include <stdlib.h>

#include "classifiers/linear.h"
#include "classifiers/linear_judge.h"
#include "classifiers/model_write.h"
#include "view/segment.h"

enum { BITS = 12, HALF = 40 };

/* A model that speaks for head 0 where a word stands, and head 1 where another does, which discounts head 0. */
struct parts {
    struct linear_settings settings;
    struct linear_head heads[LINEAR_HEADS];
    struct linear_row rows[1 << BITS];
};

static void speak_for(struct parts *p, unsigned head, const char *word)
{
    uint32_t rows[FEATURES_MAX];
    size_t n = features_of(span_str(word), BITS, rows);

    for (size_t i = 0; i < n; i++) {
        p->rows[rows[i]].weights[head] = 100;
    }
}

static struct parts *example(void)
{
    struct parts *p = calloc(1, sizeof(*p));

    assert_non_null(p);
    p->settings = (struct linear_settings){.features = FEATURES_VERSION, .bits = BITS, .half = HALF};
    for (size_t i = 0; i < LINEAR_HEADS; i++) {
        p->heads[i] = (struct linear_head){.step = 0.1F, .bias = -6, .slope = 1, .discount_by = LINEAR_HEADS};
    }
    memcpy(p->heads[0].name, "danger", 6);
    memcpy(p->heads[1].name, "calm", 4);
    p->heads[0].discount_by = 1;
    p->heads[0].discount = 2;
    speak_for(p, 0, "dynamite");
    speak_for(p, 1, "cushion");
    return p;
}

static struct linear *opened(const struct parts *p, void **memory, struct error *err)
{
    const struct model_part parts[] = {{"settings", &p->settings, sizeof(p->settings)},
                                       {"heads", p->heads, sizeof(p->heads)},
                                       {"rows", p->rows, sizeof(p->rows)}};
    struct buf out;

    buf_init(&out, MODEL_SIZE_MAX);
    assert_true(model_write("linear", "test", parts, COUNT(parts), &out, err));
    *memory = aligned_alloc(MODEL_ALIGN, (out.len + 63) / 64 * 64);
    assert_non_null(*memory);
    memcpy(*memory, out.data, out.len);
    struct model *m = model_open_bytes(span_of(*memory, out.len), "test", "linear", err);
    buf_deinit(&out);
    assert_non_null(m);
    return linear_open(m, err);
}

struct seen {
    struct linear_window windows[64];
    size_t n, until;
};

static bool note(void *context, const struct linear_window *window)
{
    struct seen *seen = context;

    assert_true(seen->n < COUNT(seen->windows));
    seen->windows[seen->n++] = *window;
    return seen->n != seen->until;
}

static void the_window_with_the_word_scores_most(void **state)
{
    static const char text[] = "The shop sells bread, milk and cheese of many kinds. In the cellar there is a crate of "
                               "dynamite, they say. Nobody has seen it, and the owner denies it as well.";
    struct parts *p = example();
    struct seen seen = {0};
    void *memory;
    struct error err;
    size_t best = 0;
    (void)state;
    struct linear *l = opened(p, &memory, &err);
    assert_non_null(l);
    assert_true(linear_scan(l, span_str(text), note, &seen));
    for (size_t i = 1; i < seen.n; i++) {
        best = seen.windows[i].z[0] > seen.windows[best].z[0] ? i : best;
    }
    struct span window = span_slice(span_str(text), seen.windows[best].from, seen.windows[best].to);
    assert_non_null(memmem(window.ptr, window.len, "dynamite", 8));
    assert_true(linear_score(l, 0, (double)seen.windows[best].z[0]) > 0.5);
    assert_true(linear_score(l, 1, (double)seen.windows[best].z[1]) < 0.01);
    linear_close(l);
    free(memory);
    free(p);
}

static void windows_cover_the_text_and_overlap_by_halves(void **state)
{
    static const char text[] = "One sentence that is longer than forty bytes. Another one that is longer than forty. Short. Words. "
                               "A third one that is longer than forty bytes.";
    struct parts *p = example();
    struct seen seen = {0};
    void *memory;
    struct error err;
    size_t covered = 0;
    (void)state;
    struct linear *l = opened(p, &memory, &err);
    assert_true(linear_scan(l, span_str(text), note, &seen));
    for (size_t i = 0; i < seen.n; i++) {
        assert_true(seen.windows[i].from <= covered && seen.windows[i].to >= covered);
        covered = seen.windows[i].to;
    }
    assert_int_equal(covered, strlen(text));
    assert_int_equal(seen.windows[0].from, 0);
    assert_int_equal(seen.windows[1].from, 0);
    assert_true(seen.windows[1].to > seen.windows[0].to);
    linear_close(l);
    free(memory);
    free(p);
}

static void one_head_discounts_another(void **state)
{
    struct parts *p = example();
    struct seen plain = {0}, discounted = {0};
    void *memory;
    struct error err;
    (void)state;
    struct linear *l = opened(p, &memory, &err);
    assert_true(linear_scan(l, span_str("dynamite dynamite"), note, &plain));
    assert_true(linear_scan(l, span_str("dynamite cushion cushion"), note, &discounted));
    assert_true(plain.windows[0].z[0] > 0);
    assert_true(discounted.windows[0].z[1] > 0);
    assert_true(discounted.windows[0].z[0] < plain.windows[0].z[0] - discounted.windows[0].z[1]);
    linear_close(l);
    free(memory);
    free(p);
}

static void another_script_counts_by_its_share_of_the_window(void **state)
{
    struct parts *p = example();
    struct seen latin = {0}, half = {0}, greek = {0};
    struct linear_reason reasons[4];
    void *memory;
    struct error err;
    (void)state;
    p->heads[2].other_script = 12;
    struct linear *l = opened(p, &memory, &err);
    assert_true(linear_scan(l, span_str("no word of these is known to it"), note, &latin));
    assert_true(linear_scan(l, span_str("ουδεμία γνωστή λέξη"), note, &greek));
    assert_true(linear_scan(l, span_str("here it is λέξη"), note, &half));
    assert_true(fabsf(latin.windows[0].z[2] + 6) < 1e-3F);
    assert_true(fabsf(greek.windows[0].z[2] - (-6 + 12 * 34.0F / 36)) < 1e-3F); /* all bytes but two spaces */
    assert_true(fabsf(half.windows[0].z[2] - (-6 + 12 * 8.0F / 19)) < 1e-3F);
    assert_true(fabsf(greek.windows[0].z[1] + 6) < 1e-3F); /* no other head asks for it */
    assert_int_equal(linear_explain(l, 2, span_str("here it is λέξη"), reasons, COUNT(reasons)), 1);
    assert_int_equal(reasons[0].from, 11);
    assert_true(fabsf(reasons[0].weight - 12 * 8.0F / 19) < 1e-3F);
    linear_close(l);
    free(memory);
    free(p);
}

static void a_scan_ends_on_request(void **state)
{
    struct parts *p = example();
    struct seen seen = {.until = 2};
    void *memory;
    struct error err;
    char text[4000];
    (void)state;
    for (size_t i = 0; i < sizeof(text); i++) {
        text[i] = "word"[i % 4];
    }
    struct linear *l = opened(p, &memory, &err);
    assert_false(linear_scan(l, span_of(text, sizeof(text)), note, &seen));
    assert_int_equal(seen.n, 2);
    linear_close(l);
    free(memory);
    free(p);
}

static void a_score_and_its_z_are_the_same(void **state)
{
    struct parts *p = example();
    void *memory;
    struct error err;
    (void)state;
    p->heads[2].slope = 1.7F;
    p->heads[2].offset = -0.4F;
    struct linear *l = opened(p, &memory, &err);
    for (double score = 0.05; score < 1; score += 0.05) {
        assert_true(fabs(linear_score(l, 2, linear_z(l, 2, score)) - score) < 1e-9);
    }
    assert_true(linear_score(l, 2, -1e300) >= 0 && linear_score(l, 2, 1e300) <= 1);
    assert_true(linear_z(l, 2, 0) < -1e30 && linear_z(l, 2, 1) > 1e30);
    linear_close(l);
    free(memory);
    free(p);
}

static void the_reason_is_the_word(void **state)
{
    static const char text[] = "There is a crate of dynamite here.";
    struct linear_reason reasons[4];
    struct parts *p = example();
    void *memory;
    struct error err;
    (void)state;
    struct linear *l = opened(p, &memory, &err);
    size_t n = linear_explain(l, 0, span_str(text), reasons, COUNT(reasons));
    assert_true(n >= 1 && n <= COUNT(reasons));
    assert_true(reasons[0].from >= 19 && reasons[0].to <= 29);
    assert_true(reasons[0].weight > 0);
    for (size_t i = 1; i < n; i++) {
        assert_true(reasons[i].weight <= reasons[i - 1].weight);
        assert_true(reasons[i].to <= reasons[i - 1].from || reasons[i].from >= reasons[i - 1].to);
    }
    assert_int_equal(linear_explain(l, 0, span_str(""), reasons, COUNT(reasons)), 0);
    linear_close(l);
    free(memory);
    free(p);
}

static void heads_are_known_by_name(void **state)
{
    struct parts *p = example();
    void *memory;
    struct error err;
    (void)state;
    struct linear *l = opened(p, &memory, &err);
    assert_int_equal(linear_head_of(l, span_str("danger")), 0);
    assert_int_equal(linear_head_of(l, span_str("calm")), 1);
    assert_int_equal(linear_head_of(l, span_str("dange")), LINEAR_HEADS);
    assert_int_equal(linear_head_of(l, span_str("")), LINEAR_HEADS);
    linear_close(l);
    free(memory);
    free(p);
}

static void a_head_only_reports_unless_the_model_says_that_it_acts(void **state)
{
    struct parts *p = example();
    void *memory;
    struct error err;
    (void)state;
    p->heads[1].acts = 1;
    struct linear *l = opened(p, &memory, &err);
    const struct classifier c = linear_judge(l);
    assert_false(linear_acts(l, 0));
    assert_true(linear_acts(l, 1));
    assert_false(linear_acts(l, LINEAR_HEADS));
    assert_true(c.only_reports(c.self, 0));
    assert_false(c.only_reports(c.self, 1));
    linear_close(l);
    free(memory);
    free(p);
}

struct told {
    struct classifier_place places[8];
    size_t n;
};

static bool note_place(void *context, const struct classifier_place *place, struct error *err)
{
    struct told *told = context;

    (void)err;
    assert_true(told->n < COUNT(told->places));
    told->places[told->n++] = *place;
    return true;
}

/* The score of the only place of head 1, 0: none. */
static double judged(const struct linear *l, const char *text, double threshold, struct classifier_place *place)
{
    const struct classifier c = linear_judge(l);
    double wanted[CLASSIFIER_HEADS_MAX];
    struct told told = {0};
    struct error err;

    for (size_t i = 0; i < COUNT(wanted); i++) {
        wanted[i] = i == 1 ? threshold : 2;
    }
    assert_true(c.judge(c.self, span_str(text), wanted, note_place, &told, &err));
    assert_true(told.n <= 1);
    *place = told.places[0];
    return told.n == 1 ? told.places[0].score : 0;
}

/* By the mean of its windows, each weighing its bytes. */
static void a_head_judges_a_unit_as_a_whole(void **state)
{
    static const char throughout[] = "A cushion is what they all sit on. The cushion is red, it is a cushion of wool. Nobody has seen a "
                                     "cushion like this cushion anywhere.";
    static const char begins[] = "A cushion is what they all sit on. The bread is fresh, and it has been cut into slices. Nobody has "
                                 "seen a loaf like this one anywhere.";
    struct parts *p = example();
    struct linear_unit unit = {0};
    struct classifier_place place;
    struct seen seen = {0};
    double highest = -100;
    void *memory;
    struct error err;
    (void)state;
    p->heads[1].judges_unit = 1;
    struct linear *l = opened(p, &memory, &err);
    const struct classifier c = linear_judge(l);
    assert_true(c.needs_all(c.self, 1));
    assert_false(c.needs_all(c.self, 0));
    assert_false(c.needs_all(c.self, LINEAR_HEADS));
    assert_true(linear_scan(l, span_str(begins), note, &seen));
    for (size_t i = 0; i < seen.n; i++) {
        linear_unit_add(&unit, (double)seen.windows[i].z[1], seen.windows[i].to - seen.windows[i].from);
        highest = fmax(highest, (double)seen.windows[i].z[1]);
    }
    assert_true(seen.n > 2 && linear_unit_z(&unit) < highest - 1);
    double score = judged(l, begins, 0, &place);
    assert_true(fabs(score - linear_score(l, 1, linear_unit_z(&unit))) < 1e-9);
    assert_int_equal(place.from, 0);
    assert_int_equal(place.to, strlen(begins));
    assert_true(judged(l, throughout, 0, &place) > score);
    assert_true(judged(l, begins, score + 1e-6, &place) < 1e-9); /* not its highest window */
    assert_true(judged(l, "| | | |", 0, &place) < 1e-9);
    linear_close(l);
    free(memory);
    free(p);
}

static void spoil(struct parts *p, int how)
{
    switch (how) {
    case 0: p->settings.features++; break;
    case 1: p->settings.bits = 11; break;
    case 2: p->settings.bits = 40; break;
    case 3: p->settings.half = 0; break;
    case 4: p->settings.half = UINT32_MAX; break;
    case 5: p->heads[3].step = NAN; break;
    case 6: p->heads[3].bias = INFINITY; break;
    case 7: p->heads[3].slope = 0; break;
    case 8: p->heads[3].discount_by = LINEAR_HEADS + 1; break;
    case 9: p->heads[3].discount = -1; break;
    case 10: p->heads[3].other_script = NAN; break;
    case 11: p->heads[3].acts = 2; break;
    case 12: p->heads[3].judges_unit = 2; break;
    default: p->heads[0].offset = 1e30F; break;
    }
}

static void a_model_that_lies_is_refused(void **state)
{
    (void)state;
    for (int how = 0; how <= 13; how++) {
        struct parts *p = example();
        void *memory;
        struct error err = {0};
        spoil(p, how);
        assert_null(opened(p, &memory, &err));
        assert_true(err.text[0] != '\0');
        free(memory);
        free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_window_with_the_word_scores_most),
        cmocka_unit_test(windows_cover_the_text_and_overlap_by_halves),
        cmocka_unit_test(one_head_discounts_another),
        cmocka_unit_test(another_script_counts_by_its_share_of_the_window),
        cmocka_unit_test(a_scan_ends_on_request),
        cmocka_unit_test(a_score_and_its_z_are_the_same),
        cmocka_unit_test(the_reason_is_the_word),
        cmocka_unit_test(heads_are_known_by_name),
        cmocka_unit_test(a_head_only_reports_unless_the_model_says_that_it_acts),
        cmocka_unit_test(a_head_judges_a_unit_as_a_whole),
        cmocka_unit_test(a_model_that_lies_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

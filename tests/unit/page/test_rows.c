#include "testing.h"

#include "markup.h"
#include "page/items.h"
#include "page/line_parts.h"
#include "page/rows.h"

/* What agents and callers may call themselves. */
static const char *const names[] = {
    "",
    "support-7",
    "</th></tr><script>alert(1)</script>",
    "\" onmouseover=\"alert(1)",
    "'><img src=x>",
    "&lt;b&gt; & more",
    "\xe2\x80\xae" "gnp.exe",
    "e\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81",
    "\xff\xfe\x00",
    "a/b?c#d%00&x=1",
};

static struct error err;
static struct buf out;
static struct page p;

static void begin(enum language language)
{
    buf_deinit(&out);
    buf_init(&out, HTML_PAGE_MAX);
    p = (struct page){.caller = {.name = "anna", .roles = ROLE_REVIEWER, .how = CALLER_TOKEN}};
    html_init(&p.html, &out, language, &err);
}

/* The markup is ours alone: closed in order, and no name has become a tag, an attribute or a handler. */
static void assert_is_ours(void)
{
    struct error ignored;

    assert_false(p.html.has_failed);
    assert_true(buf_append_char(&out, '\0', &ignored));
    const char *fault = markup_fault(out.data);
    if (fault != NULL) {
        fail_msg("not well-formed at: %.60s", fault);
    }
    assert_null(strstr(out.data, "<script"));
    assert_null(strstr(out.data, "<img"));
    assert_null(strstr(out.data, " onmouseover=\""));
    assert_null(strstr(out.data, "\xe2\x80\xae"));
}

static struct review_item make_item(const char *name)
{
    struct review_item i = {.item = {.seq = 7, .reviewers = 1}, .ts_ms = 1795446072000, .due_ms = 1795446072000, .why = REVIEW_ACTION,
                            .action = INDEX_BLOCK, .severity = 4, .confidence = 9000, .group_row = 1, .priority = {.total = 341}};

    for (size_t w = 0; w < REVIEW_WORDS; w++) {
        (void)snprintf(i.words[w], sizeof(i.words[w]), "%s", name);
    }
    (void)snprintf(i.item.assignee, sizeof(i.item.assignee), "%s", name);
    return i;
}

static void items_of_any_name_are_rows(void **state)
{
    (void)state;
    for (size_t n = 0; n < COUNT(names); n++) {
        for (int s = ITEM_NEW; s < ITEM_STATES; s++) {
            struct review_item i = make_item(names[n]);
            i.item.state = (enum item_state)s;
            i.action = (int)n % 4 - 1;
            begin((enum language)(n % LANGUAGE_COUNT));
            part_table_begin(&p.html, TEXT_QUEUE, items_columns, true);
            items_row(&p, &i, 1795446072000 + (n % 2 == 0 ? 1 : -1) * 86400000, true);
            part_table_end(&p.html);
            assert_is_ours();
        }
    }
}

/* A sample says neither verdict nor rule nor score until it has its answer. */
static void assert_is_blind_until_closed(enum review_why why)
{
    struct review_item i = make_item("a-rule");

    i.why = why;
    i.words[REVIEW_AGENT][0] = i.words[REVIEW_TENANT][0] = i.words[REVIEW_APP][0] = '\0';
    begin(LANGUAGE_ENGLISH);
    items_row(&p, &i, 0, false);
    assert_is_ours();
    assert_null(strstr(out.data, "a-rule"));
    assert_null(strstr(out.data, "block"));
    assert_null(strstr(out.data, "90 %"));
    assert_null(strstr(out.data, "critical"));
    i.item.state = ITEM_CLOSED;
    begin(LANGUAGE_ENGLISH);
    items_row(&p, &i, 0, false);
    assert_is_ours();
    assert_non_null(strstr(out.data, "a-rule"));
    assert_non_null(strstr(out.data, "block"));
}

static void a_sample_is_blind_until_it_is_closed(void **state)
{
    (void)state;
    assert_is_blind_until_closed(REVIEW_SAMPLE);
    assert_is_blind_until_closed(REVIEW_RULE_SAMPLE);
}

static void groups_and_rules_of_any_name_are_shown(void **state)
{
    (void)state;
    const uint64_t trend[REVIEW_DAYS] = {[3] = 7}, hits[INDEX_BLOCK + 1] = {1, 2, 3};
    struct quality q = {.n_rows = 1, .samples = {10, 1}, .rule_samples = {20, 2}};

    q.all.n[ITEM_FALSE_POSITIVE] = q.rows[0].n[ITEM_FALSE_POSITIVE] = 40;
    for (size_t n = 0; n < COUNT(names); n++) {
        struct review_group g = {.row = 1, .n = 14, .state = (enum review_group_state)(n % REVIEW_GROUP_STATES)};
        (void)snprintf(g.rule, sizeof(g.rule), "%s", names[n]);
        (void)snprintf(g.tenant, sizeof(g.tenant), "%s", names[n]);
        (void)snprintf(q.rows[0].digest, sizeof(q.rows[0].digest), "%s", names[n]);
        begin((enum language)(n % LANGUAGE_COUNT));
        groups_row(&p.html, &g, trend);
        assert_is_ours();
        begin((enum language)(n % LANGUAGE_COUNT));
        rules_put_quality(&p.html, span_str(names[n]), &q, hits, 1000);
        assert_is_ours();
        assert_non_null(strstr(out.data, ", why: more often wrong than right}"));
    }
}

/* A page never shows a number for what is not known. */
static void what_is_not_known_is_no_number(void **state)
{
    (void)state;
    const uint64_t hits[INDEX_BLOCK + 1] = {0};
    const struct quality q = {.n_rows = 0};

    begin(LANGUAGE_ENGLISH);
    rules_put_quality(&p.html, span_str("r"), &q, hits, 0);
    assert_is_ours();
    const char *first = strstr(out.data, "unknown");
    assert_non_null(first);
    assert_non_null(strstr(first + 1, "unknown"));
    assert_null(strstr(out.data, ", why: more often wrong than right}"));
}

static void the_precision_of_a_rule_has_its_interval(void **state)
{
    const uint64_t none[ITEM_DISPOSITIONS] = {[ITEM_BENIGN] = 9, [ITEM_UNSURE] = 9};
    const uint64_t some[ITEM_DISPOSITIONS] = {[ITEM_TRUE_POSITIVE] = 8, [ITEM_FALSE_POSITIVE] = 2, [ITEM_BENIGN] = 90};
    (void)state;

    begin(LANGUAGE_ENGLISH);
    rules_put_precision(&p.html, none);
    assert_is_ours();
    assert_string_equal(out.data, "unknown");
    begin(LANGUAGE_ENGLISH);
    rules_put_precision(&p.html, some);
    assert_is_ours();
    assert_non_null(strstr(out.data, "80.0 %"));
    assert_non_null(strstr(out.data, "49.0 % – 94.3 %")); /* Wilson's interval of 8 in 10 */
}

static void put_line(const struct line_view *l)
{
    begin(LANGUAGE_ENGLISH);
    records_row(&p.html, l);
    line_parts_put_found(&p, l);
    line_parts_put_facts(&p, l, false);
    line_parts_put_links(&p, l);
    line_parts_put_raw(&p, l);
    assert_is_ours();
}

static void lines_of_any_name_are_shown(void **state)
{
    (void)state;
    static struct line_view l;

    for (size_t n = 0; n < COUNT(names); n++) {
        const struct span name = span_str(names[n]);
        l = (struct line_view){.text = name, .seq = 7, .type = span_str("decision"), .tenant = name, .app = name, .agent = name,
                               .session = name, .req_id = name, .rule = name, .reason = name, .action = span_str("redact"),
                               .policy = {name, name, false}, .n_findings = 1, .n_channels = 1, .findings_more = 3};
        l.findings[0] = (struct line_finding){.source = name, .rule = name, .severity = name, .path = name, .action = name,
                                              .checks = name, .value_tok = name, .start = 5, .end = 9, .score = 10000};
        l.channels[0] = (struct line_channel){.path = name, .bytes = 200, .judged = 200};
        l.sealed.blob = l.sealed.expires = name;
        put_line(&l);
    }
    l = (struct line_view){.text = {"", 0}};
    put_line(&l);
}

/* The largest line there can be fits a page, with what is around it. */
static void a_line_of_the_greatest_length_fits_a_page(void **state)
{
    (void)state;
    static struct line_view l;
    static char text[65535], word[128];

    memset(text, '"', sizeof(text));
    memset(word, '&', sizeof(word));
    l = (struct line_view){.text = {text, sizeof(text)}, .seq = UINT64_MAX, .type = span_str("decision"), .n_findings = LINE_FINDINGS};
    for (size_t i = 0; i < LINE_FINDINGS; i++) {
        l.findings[i] = (struct line_finding){.rule = span_of(word, 40), .severity = span_str("critical"), .action = span_str("block"),
                                              .checks = span_of(word, 40), .start = UINT64_MAX, .end = UINT64_MAX};
    }
    put_line(&l);
    assert_true(out.len < HTML_PAGE_MAX - 10000);
}

/* As many rows as a page of the queue has, all with the longest names there are. */
static void a_page_of_the_longest_names_is_within_its_ceiling(void **state)
{
    (void)state;
    char name[REVIEW_WORD_MAX + 1] = "";

    memset(name, '"', REVIEW_WORD_MAX);
    const struct review_item i = make_item(name);
    begin(LANGUAGE_GERMAN);
    part_table_begin(&p.html, TEXT_QUEUE, items_columns, true);
    for (int row = 0; row < 25; row++) {
        items_row(&p, &i, 0, true);
    }
    part_table_end(&p.html);
    assert_is_ours();
    assert_true(out.len < HTML_PAGE_MAX - 10000);
}

static void hours_without_anything_are_no_chart(void **state)
{
    (void)state;
    struct hours hours = {.first = 500000};

    begin(LANGUAGE_ENGLISH);
    hours_put(&p.html, &hours);
    assert_int_equal(out.len, 0);
    hours.bars[HOURS_SHOWN - 1] = (struct chart_bar){3, 4};
    hours_put(&p.html, &hours);
    assert_is_ours();
    assert_non_null(strstr(out.data, "<svg"));
    assert_non_null(strstr(out.data, "<table"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_of_any_name_are_rows),
        cmocka_unit_test(a_sample_is_blind_until_it_is_closed),
        cmocka_unit_test(groups_and_rules_of_any_name_are_shown),
        cmocka_unit_test(what_is_not_known_is_no_number),
        cmocka_unit_test(the_precision_of_a_rule_has_its_interval),
        cmocka_unit_test(lines_of_any_name_are_shown),
        cmocka_unit_test(a_line_of_the_greatest_length_fits_a_page),
        cmocka_unit_test(a_page_of_the_longest_names_is_within_its_ceiling),
        cmocka_unit_test(hours_without_anything_are_no_chart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

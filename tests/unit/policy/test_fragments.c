#include "testing.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "policy/pattern_source.h"
#include "support/judge.h"

static struct error err;

#define RULE_HEAD "rules:\n  - id: x-y\n    title: t\n    category: pii\n    severity: low\n    confidence: 0.5\n"
#define SHARED_PATH "rules/local/shared.yaml"

/* With a second file of the same folder, if `shared` is not NULL. */
static struct rule_set *load_with(const char *shared, const char *yaml, bool is_beside)
{
    const struct rule_file files[] = {{.path = "rules/local/f.yaml", .content = span_str(yaml)},
                                      {SHARED_PATH, span_str(shared != NULL ? shared : ""), is_beside}};
    const struct rule_set_options options = {0};

    err.text[0] = '\0';
    return rule_set_load(files, shared != NULL ? 2 : 1, &options, &err);
}

static void assert_pattern(const char *shared, const char *yaml, const char *expected)
{
    struct rule_set *set = load_with(shared, yaml, false);

    if (set == NULL) {
        fail_msg("%s", err.text);
    }
    const struct rule *rule = rule_set_find(set, span_str("x-y"));
    if (!span_is(rule->patterns.items[0], expected)) {
        fail_msg("'%s' expected, '" SPAN_FMT "' found", expected, SPAN_ARG(rule->patterns.items[0]));
    }
    rule_set_unref(set);
}

static void a_fragment_is_put_in_as_it_stands(void **state)
{
    (void)state;
    assert_pattern(NULL, "fragments: {hex: '[0-9a-f]'}\n" RULE_HEAD "    pattern: 'k-{hex}{4}-{hex}'\n", "k-[0-9a-f]{4}-[0-9a-f]");
    assert_pattern(NULL, "fragments: {pair: '{hex}{2}', hex: '[0-9a-f]'}\n" RULE_HEAD "    pattern: 'k-{pair}'\n",
                   "k-[0-9a-f]{2}");
    assert_pattern("fragments: {hex: '[0-9a-f]'}\n", RULE_HEAD "    pattern: 'k-{hex}'\n", "k-[0-9a-f]");
    assert_pattern("fragments: {hex: '[0-9a-f]'}\n", "fragments: {pair: '{hex}{2}'}\n" RULE_HEAD "    pattern: 'k-{pair}'\n",
                   "k-[0-9a-f]{2}");
}

static void braces_of_pcre2_are_no_fragments(void **state)
{
    static const char *const patterns[] = {"abc{2}", "abc{2,3}", "abc\\x{e9}", "abc\\p{lu}", "abc[{a}]", "abc\\{a}", "abc{A}",
                                           "abc{a b}", "(?<one>abc)\\k{one}", "(?<one>abc)\\g{one}"};

    (void)state;
    for (size_t i = 0; i < COUNT(patterns); i++) {
        char yaml[512];
        (void)snprintf(yaml, sizeof(yaml), RULE_HEAD "    pattern: '%s'\n", patterns[i]);
        struct rule_set *set = load_with(NULL, yaml, false);
        if (strstr(err.text, "fragment") != NULL) {
            fail_msg("%s: %s", patterns[i], err.text);
        }
        if (set != NULL) {
            assert_true(span_is(set->rules[0].patterns.items[0], patterns[i]));
        }
        rule_set_unref(set);
    }
}

static void triggers_and_allowed_values_have_fragments_too(void **state)
{
    (void)state;
    struct rule_set *set = load_with(NULL, "fragments: {k: 'key-'}\n" RULE_HEAD
                                           "    pattern: '{k}[a-z]{9}'\n    trigger: ['{k}']\n    lead: 4\n    allow: ['{k}z{9}']\n",
                                     false);
    assert_non_null(set);
    assert_true(span_is(set->rules[0].triggers.items[0], "key-"));
    assert_true(span_is(set->rules[0].allow.items[0], "key-z{9}"));
    rule_set_unref(set);
}

static void layout_goes_and_everything_else_stays(void **state)
{
    static const struct {
        const char *lines, *expected;
    } cases[] = {
        {"(?x)\n      abc  # a comment with (, [ and {name}\n      [0-9 #]{2}\n", "abc[0-9 #]{2}"},
        {"(?x) abc\\ d\\#e\n", "abc d#e"},
        {"(?x)(?i) abc (?: d | e )\n", "(?i)abc(?:d|e)"},
        {"(?x) abc (?# not # this ) d\n", "abc(?# not # this )d"},
        {"(?x) abc \\x{41} \\x41 \\\\ \\[ d\n", "abc\\x{41}\\x41\\\\\\[d"},
        {"(?x) abc []#] [^] ] d\n", "abc[]#][^] ]d"},
        {"(?x) (?<secret> abc ) \\k<secret>\n", "(?<secret>abc)\\k<secret>"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char yaml[512];
        (void)snprintf(yaml, sizeof(yaml), RULE_HEAD "    pattern: |\n      %s", cases[i].lines);
        assert_pattern(NULL, yaml, cases[i].expected);
    }
}

static void faults_are_named_with_their_place(void **state)
{
    static const struct {
        const char *yaml, *expected;
    } cases[] = {
        {RULE_HEAD "    pattern: 'abc{hex}'\n", "f.yaml:7:18: there is no fragment 'hex'"},
        {"fragments: {b: 'b'}\n" RULE_HEAD "    pattern: 'abc'\n", "f.yaml:1:13: fragment 'b' is used nowhere"},
        {"fragments: {b: '{c}', c: 'x{b}'}\n" RULE_HEAD "    pattern: 'abc{b}'\n", "f.yaml:1:28: fragment 'b' uses itself"},
        {"fragments: {B: b}\n" RULE_HEAD "    pattern: 'abc'\n", "f.yaml:1:13: a name of a-z"},
        {"fragments: {b: ''}\n" RULE_HEAD "    pattern: 'abc{b}'\n", "f.yaml:1:16: a pattern expected"},
        {"fragments: {b: 'b|c'}\n" RULE_HEAD "    pattern: 'abc{b}'\n", "f.yaml:1:16: alternatives of a fragment"},
        {"fragments: {b: '(b'}\n" RULE_HEAD "    pattern: 'abc{b}'\n", "f.yaml:1:16: a fragment closes each group"},
        {"fragments: {b: '[b'}\n" RULE_HEAD "    pattern: 'abc{b}'\n", "f.yaml:1:16: a fragment closes each group"},
        {"fragments: {b: '?b'}\n" RULE_HEAD "    pattern: 'abc{b}'\n", "f.yaml:1:16: a fragment does not begin with a repeat"},
        {"fragments: {b: '(?i)b'}\n" RULE_HEAD "    pattern: 'abc{b}'\n", "f.yaml:1:16: options of a fragment"},
        {"fragments: {b: 'bc'}\n" RULE_HEAD "    pattern: 'abc{b}{2}'\n", "f.yaml:8:18: fragment 'b' is more than one item"},
        {"fragments: [b]\n" RULE_HEAD "    pattern: 'abc'\n", "f.yaml:1:12: fragments: a mapping expected"},
        /* PCRE2's own errors, where they are written. */
        {"fragments: {b: 'x(?<1>b)'}\n" RULE_HEAD "    pattern: 'abc{b}'\n",
         "f.yaml:1:21: rule 'x-y': fragment 'b': pattern: subpattern name must start"},
        {RULE_HEAD "    pattern: |\n      (?x)\n      abc  # one\n      d (?<1> e)\n",
         "f.yaml:10:12: rule 'x-y': pattern: subpattern name must start"},
        /* Layout that PCRE2 reads otherwise. */
        {RULE_HEAD "    pattern: '(?x)abc {2}'\n", "f.yaml:7:22: a repeat right behind"},
        {RULE_HEAD "    pattern: '(?x)abc ?'\n", "f.yaml:7:22: a repeat right behind"},
        {RULE_HEAD "    pattern: '(?x)abc( ?:d)'\n", "f.yaml:7:23: a repeat right behind"},
        {RULE_HEAD "    pattern: '(?x)abc{2, 3}'\n", "f.yaml:7:22: white space inside a repeat"},
        {RULE_HEAD "    pattern: '(?x)(abc)\\1 2'\n", "f.yaml:7:26: white space inside or right behind an escape"},
        {RULE_HEAD "    pattern: '(?x)abc\\x4 1'\n", "f.yaml:7:25: white space inside or right behind an escape"},
        {RULE_HEAD "    pattern: '(?x)abc(?< n>d)'\n", "white space inside the opening of a group"},
        {RULE_HEAD "    pattern: '(?x)abc(?-x: d)'\n", "(?x) stands in front of a pattern"},
        {RULE_HEAD "    pattern: 'abc(?x: d)'\n", "(?x) stands in front of a pattern"},
        {RULE_HEAD "    pattern: '(?ix)abc'\n", "(?x) stands in front of a pattern"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_null(load_with(NULL, cases[i].yaml, false));
        if (strstr(err.text, cases[i].expected) == NULL) {
            fail_msg("case %zu: %s", i, err.text);
        }
    }
}

static void shared_fragments_stand_in_a_file_without_rules(void **state)
{
    static const struct {
        const char *shared, *yaml, *expected;
    } cases[] = {
        {"fragments: {b: b}\n", RULE_HEAD "    pattern: abc\n", SHARED_PATH ":1:13: fragment 'b' is used nowhere"},
        {"fragments: {b: b}\n", "fragments: {b: c}\n" RULE_HEAD "    pattern: 'abc{b}'\n",
         "f.yaml:1:13: fragment 'b' is also defined at " SHARED_PATH ":1"},
        {"fragments: {b: '{c}'}\n", "fragments: {c: c}\n" RULE_HEAD "    pattern: 'abc{b}'\n",
         SHARED_PATH ":1:17: there is no fragment 'c'"},
        {"rules: []\n", RULE_HEAD "    pattern: abc\n", SHARED_PATH ":1:1: key 'rules' is not known here: expected fragments, checks"},
        {"", RULE_HEAD "    pattern: abc\n", SHARED_PATH ":1:1: 'fragments' or 'checks' expected"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_null(load_with(cases[i].shared, cases[i].yaml, false));
        if (strstr(err.text, cases[i].expected) == NULL) {
            fail_msg("case %zu: %s", i, err.text);
        }
    }
    struct rule_set *set = load_with("fragments: {b: b}\n", RULE_HEAD "    pattern: abc\n", true);
    assert_non_null(set); /* its users may be elsewhere */
    rule_set_unref(set);
}

static void assert_checks(const char *shared, const char *yaml, const char *first, const char *second)
{
    struct rule_set *set = load_with(shared, yaml, false);
    const char *const expected[] = {first, second};
    size_t n = first == NULL ? 0 : second == NULL ? 1 : 2;

    if (set == NULL) {
        fail_msg("%s", err.text);
    }
    assert_int_equal(set->rules[0].n_checks, n);
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(set->rules[0].checks[i].type->name, expected[i]);
    }
    rule_set_unref(set);
}

static void every_rule_has_the_checks_of_its_folder_but_for_those_it_names(void **state)
{
    static const char shared[] = "checks: [not_placeholder: {on_fail: lower, lower: 0.6}]\n";

    (void)state;
    assert_checks(NULL, RULE_HEAD "    pattern: abcd\n", NULL, NULL);
    assert_checks(shared, RULE_HEAD "    pattern: abcd\n", "not_placeholder", NULL);
    assert_checks(shared, RULE_HEAD "    pattern: abcd\n    checks: [not_code]\n", "not_code", "not_placeholder");
    assert_checks(shared, RULE_HEAD "    pattern: abcd\n    checks: [not_placeholder, not_code]\n", "not_placeholder", "not_code");
    assert_checks(shared, RULE_HEAD "    pattern: abcd\n    checks: [not_placeholder: false]\n", NULL, NULL);
    assert_checks(shared, "checks: [not_code]\n" RULE_HEAD "    pattern: abcd\n", "not_code", NULL);
    /* What a region may not have, it may not have from its folder either. */
    assert_null(load_with("checks: [not_code]\n",
                          "rules:\n  - {id: a, title: t, category: secret, severity: critical, confidence: 1, pattern: abc, region: true}\n",
                          false));
    assert_non_null(strstr(err.text, "a region is critical"));
    assert_null(load_with(NULL, RULE_HEAD "    pattern: abcd\n    checks: [no_check: false]\n", false));
    assert_non_null(strstr(err.text, "there is no check 'no_check'"));
}

static void a_pattern_grows_to_its_bound_and_no_further(void **state)
{
    char yaml[2048] = "fragments:\n  f0: '(?:aaaaaaaaaaaaaaaa)'\n";

    (void)state;
    for (int i = 1; i < 12; i++) {
        (void)snprintf(yaml + strlen(yaml), sizeof(yaml) - strlen(yaml), "  f%d: '{f%d}{f%d}'\n", i, i - 1, i - 1);
    }
    (void)snprintf(yaml + strlen(yaml), sizeof(yaml) - strlen(yaml), RULE_HEAD "    pattern: '{f11}'\n");
    assert_null(load_with(NULL, yaml, false));
    assert_non_null(strstr(err.text, "f.yaml:12:8: at most 16384 bytes with all fragments expected"));
}

/* --- layout, against PCRE2 ------------------------------------------------------- */

/* What the loader leaves of a text without fragments. */
static bool leave(const char *written, struct buf *out)
{
    struct pattern_source source;
    struct piece piece;

    buf_clear(out);
    pattern_source_init(&source, span_str(written));
    while (pattern_source_next(&source, &piece)) {
        assert_true(buf_append(out, piece.text, &err));
    }
    return source.problem == NULL;
}

static void assert_alike(const char *written, struct span left, struct regex_scratch *scratch)
{
    static const char *const texts[] = {"", "a", "aa", "ab", "a b", "a#b", "ba1", "AaB", "aaba 1#", "b ]a", "A1ab1"};
    struct regex *one = regex_new(span_str(written), &err), *two = regex_new(left, &err);

    for (size_t i = 0; one != NULL && two != NULL && i < COUNT(texts); i++) {
        struct span text = span_str(texts[i]);
        bool found_one = regex_matches(one, scratch, text), all_one = regex_matches_all(one, scratch, text);
        if (found_one != regex_matches(two, scratch, text) || all_one != regex_matches_all(two, scratch, text)) {
            fail_msg("'%s' and '" SPAN_FMT "' differ on '%s'", written, SPAN_ARG(left), texts[i]);
        }
    }
    regex_free(one);
    regex_free(two);
}

/* Patterns of random pieces: what the loader accepts, PCRE2 accepts, and what is left means the same to it. */
static void what_is_left_means_what_pcre2_reads(void **state)
{
    static const char *const pieces[] = {"a", "b",    " ",      "\n",       "\\ ",  "\\#", "[ #a]", "# x]\n", "(?:", "(",   ")",  "|", "{2}",
                                         "?", "+",    "\\1",    "1",        "\\x4", "\\x{61}", "(?i)",  "(?=",  ".",   "^",  "\t", "[^]", "]"};
    struct regex_scratch *scratch = regex_scratch_new(&err);
    struct buf left CLEANUP(buf_deinit);
    unsigned seed = 1, n_accepted = 0;
    size_t at;

    (void)state;
    buf_init(&left, 256);
    for (size_t run = 0; run < 60000; run++) {
        char written[96] = "(?x)";
        size_t len = strlen(written);
        for (size_t i = 0; i < 1 + run % 8; i++) {
            seed = seed * 1103515245 + 12345;
            len += (size_t)snprintf(written + len, sizeof(written) - len, "%s", pieces[(seed >> 16) % COUNT(pieces)]);
        }
        if (!leave(written, &left) || left.len == 0 || !regex_check(buf_span(&left), &at, &err)) {
            continue; /* refused: it has no meaning */
        }
        n_accepted++;
        if (!regex_check(span_str(written), &at, &err)) {
            fail_msg("PCRE2 refuses '%s', not '" SPAN_FMT "'", written, SPAN_ARG(buf_span(&left)));
        }
        assert_alike(written, buf_span(&left), scratch);
    }
    regex_scratch_free(scratch);
    assert_true(n_accepted > 5000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fragment_is_put_in_as_it_stands),
        cmocka_unit_test(braces_of_pcre2_are_no_fragments),
        cmocka_unit_test(triggers_and_allowed_values_have_fragments_too),
        cmocka_unit_test(layout_goes_and_everything_else_stays),
        cmocka_unit_test(faults_are_named_with_their_place),
        cmocka_unit_test(shared_fragments_stand_in_a_file_without_rules),
        cmocka_unit_test(every_rule_has_the_checks_of_its_folder_but_for_those_it_names),
        cmocka_unit_test(a_pattern_grows_to_its_bound_and_no_further),
        cmocka_unit_test(what_is_left_means_what_pcre2_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

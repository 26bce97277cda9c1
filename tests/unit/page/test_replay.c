#include "testing.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "page/replay.h"

static const char *put(const char *json)
{
    static struct buf out;
    char folder[] = "/tmp/test_replay.XXXXXX", path[64];
    struct page p = {.fault = 0};
    struct error err;

    buf_deinit(&out);
    buf_init(&out, HTML_PAGE_MAX);
    html_init(&p.html, &out, LANGUAGE_ENGLISH, &err);
    arena_init(&p.memory, 0, 1 << 20);
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof(path), "%s/" REPLAY_FILE, folder);
    assert_true(json == NULL || file_write_atomic(path, span_str(json), 0600, &err));
    replay_put(&p, folder);
    assert_false(p.html.has_failed);
    assert_true(buf_append_char(&out, '\0', &err));
    (void)unlink(path);
    (void)rmdir(folder);
    arena_deinit(&p.memory);
    return out.data;
}

static void sums_moves_and_lines_are_shown(void **state)
{
    const char *html = put("{\"v\":1,\"candidate\":{\"file\":\"new.yaml\",\"digest\":\"sha256:ab\"},\"judged\":599,\"changed\":37,"
                           "\"failed\":0,\"moves\":[{\"from\":\"block\",\"to\":\"redact\",\"n\":37}],\"changes\":[{\"seq\":1211,"
                           "\"before\":{\"action\":\"block\",\"rule\":\"iban\"},\"after\":{\"action\":\"redact\",\"rule\":\"iban\"}}]}");

    (void)state;
    assert_non_null(strstr(html, "599 sealed exchanges"));
    assert_non_null(strstr(html, "37 verdicts"));
    assert_non_null(strstr(html, "href=\"/review/records/1211\""));
    assert_non_null(strstr(html, "new.yaml"));
}

static void what_is_no_summary_shows_nothing(void **state)
{
    static const char *const cases[] = {NULL, "", "[]", "{}", "{\"v\":2}", "{\"v\":1", "7", "\"text\""};

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_string_equal(put(cases[i]), "");
    }
}

static void names_are_text_and_lists_have_an_end(void **state)
{
    static char json[64 * 1024];
    size_t len = (size_t)snprintf(json, sizeof(json), "{\"v\":1,\"candidate\":{\"file\":\"<script>x</script>\"},\"changed\":100,"
                                                      "\"moves\":[{\"from\":\"<b>\",\"to\":7}],\"changes\":[");
    size_t rows = 0;

    (void)state;
    for (int i = 0; i < 100; i++) {
        len += (size_t)snprintf(json + len, sizeof(json) - len, "%s{\"seq\":%d,\"before\":{\"rule\":\"\\\"><img>\"}}", i > 0 ? "," : "", i);
    }
    (void)snprintf(json + len, sizeof(json) - len, "]}");
    const char *html = put(json);
    assert_null(strstr(html, "<script"));
    assert_null(strstr(html, "<img"));
    assert_null(strstr(html, "<b>"));
    for (const char *at = html; (at = strstr(at, "/review/records/")) != NULL; at++) {
        rows++;
    }
    assert_int_equal(rows, REPLAY_ROWS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_moves_and_lines_are_shown),
        cmocka_unit_test(what_is_no_summary_shows_nothing),
        cmocka_unit_test(names_are_text_and_lists_have_an_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

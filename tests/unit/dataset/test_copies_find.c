/* test_copies_find.c - copies of documents are found however they are written, and nothing else is. */
#include "dataset_testing.h"

#include "dataset/copies_build.h"
#include "dataset/copies_find.h"
#include "dataset/letters.h"
#include "dataset/table_parts.h"
#include "support/random.h"

enum { DOCUMENTS = 40, WORDS = 400, DOCUMENT_MAX = 8192 };

static char documents[DOCUMENTS][DOCUMENT_MAX];
static struct table *set;

static void make_document(struct random *r, char *out)
{
    static const char *const parts[] = {"tri", "lo", "ma", "ven", "ster", "qua", "ni", "pol", "gra", "xu", "be", "ol", "fin", "da"};
    size_t n = 0;

    for (unsigned i = 0; i < WORDS; i++) {
        for (size_t k = 1 + random_below(r, 4); k > 0; k--) {
            const char *part = parts[random_below(r, COUNT(parts))];
            memcpy(out + n, part, strlen(part));
            n += strlen(part);
        }
        out[n++] = random_below(r, 12) == 0 ? '\n' : ' ';
    }
    out[n] = '\0';
}

static int set_up(void **state)
{
    struct random r = {.state = 4711};
    struct dataset_key key;
    struct table_header header;
    struct error err;
    char path[128];
    size_t n;

    (void)make_folder(state);
    make_key("key", &key);
    (void)snprintf(path, sizeof(path), "%s", path_of("set.idm"));
    struct copies_build *b = copies_build_new(path, &key, &err);
    assert_non_null(b);
    for (unsigned i = 0; i < DOCUMENTS; i++) {
        make_document(&r, documents[i]);
        assert_true(copies_build_add(b, span_str(documents[i]), false, &n, &err));
        assert_true(n > 50);
    }
    assert_true(copies_build_finish(b, 1, &header, &err));
    copies_build_free(b);
    set = table_open(path_of("set.idm"), path_of("key"), TABLE_DOCUMENTS, &err);
    return set != NULL ? 0 : -1;
}

static int tear_down(void **state)
{
    table_close(set);
    return remove_folder(state);
}

struct runs {
    size_t n, from, to, bytes;
};

static bool keep(void *context, size_t from, size_t to, struct error *err)
{
    struct runs *runs = context;

    (void)err;
    assert_true(from < to);
    runs->n++;
    runs->from = from;
    runs->to = to;
    runs->bytes += to - from;
    return true;
}

static struct copies_wanted want(const struct table *t, size_t run, unsigned share)
{
    struct copies_wanted wanted;
    struct error err;

    assert_true(copies_want(t, run, share, &wanted, &err));
    return wanted;
}

static struct runs find_share(const struct table *t, unsigned share, const char *text)
{
    const struct copies_wanted wanted = want(t, 200, share);
    struct runs runs = {0};
    struct error err;

    assert_true(copies_find(t, &wanted, span_str(text), false, keep, &runs, NULL, &err));
    return runs;
}

static struct runs find_in(const struct table *t, const char *text)
{
    return find_share(t, 0, text);
}

static struct runs find(const char *text)
{
    return find_in(set, text);
}

/* 200 bytes from anywhere, between other words; what is not found at its beginning is short, and letters around it may be alike by chance. */
static void every_copy_of_the_least_length_is_found(void **state)
{
    struct random r = {.state = 99};

    (void)state;
    for (unsigned i = 0; i < 400; i++) {
        char text[1024];
        const char *document = documents[random_below(&r, DOCUMENTS)];
        size_t from = random_below(&r, strlen(document) - 200);
        int before = snprintf(text, sizeof(text), "As it was said at the meeting: ");
        (void)snprintf(text + before, sizeof(text) - (size_t)before, "%.200s -- which is what we know of it.", document + from);
        struct runs runs = find(text);
        if (runs.n != 1 || runs.from + 6 < (size_t)before || runs.from > (size_t)before + 24 || runs.to > (size_t)before + 206 ||
            runs.to + 1 < (size_t)before + 200) {
            fail_msg("copy %u: %zu runs, %zu to %zu, not %d to %d", i, runs.n, runs.from, runs.to, before, before + 200);
        }
    }
}

/* No document has the letters around it. */
static void no_copy_of_fewer_bytes_is_found(void **state)
{
    struct random r = {.state = 98};

    (void)state;
    for (unsigned i = 0; i < 400; i++) {
        char text[1024];
        const char *document = documents[random_below(&r, DOCUMENTS)];
        size_t from = random_below(&r, strlen(document) - 200);
        (void)snprintf(text, sizeof(text), "As I say, by a thick hawk: %.190s -- why, you know.", document + from);
        if (find(text).n != 0) {
            fail_msg("copy %u is found", i);
        }
    }
}

/* Pieces of documents and of other texts, in several letters, with gaps. */
static size_t mix(struct random *r, const char *other, char *text, size_t size)
{
    size_t n = 0;

    for (unsigned parts = 1 + (unsigned)random_below(r, 8); parts > 0; parts--) {
        const char *from = random_below(r, 2) == 0 ? other : documents[random_below(r, DOCUMENTS)];
        const size_t begin = random_below(r, strlen(from)), wanted = random_below(r, random_below(r, 2) == 0 ? 300 : 2000);
        const unsigned form = (unsigned)random_below(r, 5);
        const char *const joins[] = {"", " ", "\n\n- ", "\xe2\x80\x8b\xef\xac\x83 ", "\xe4\xb8\xad\xe6\x96\x87, \xe6\x96\x87"};
        for (size_t i = 0; i < wanted && from[begin + i] != '\0' && n + 256 < size; i++) {
            const char c = from[begin + i];
            const bool is_wide = form == 1 && c == 'e';
            n += (size_t)snprintf(text + n, size - n, is_wide ? "\xc3\xa9" : form == 2 && c == ' ' ? "%c          " : "%c", c);
        }
        n += n + 256 < size ? (size_t)snprintf(text + n, size - n, "%s%*s", joins[random_below(r, 5)],
                                               random_below(r, 4) == 0 ? (int)random_below(r, 150) : 0, "") : 0;
    }
    return n;
}

struct places {
    size_t n;
    struct {
        size_t from, to;
    } items[256];
};

static bool keep_place(void *context, size_t from, size_t to, struct error *err)
{
    struct places *places = context;

    (void)err;
    assert_true(places->n < COUNT(places->items));
    places->items[places->n].from = from;
    places->items[places->n++].to = to;
    return true;
}

/* Where a text may go on, all of it is winnowed. */
static void windows_apart_find_what_all_windows_find(void **state)
{
    static const size_t runs[] = {100, 150, 200, 300, 1000};
    static const unsigned shares[] = {0, 3, 0, 6, 20, 60, 0};
    static char other[DOCUMENT_MAX], text[4 * DOCUMENT_MAX];
    struct random r = {.state = 31};
    size_t found = 0, open;
    struct error err;

    (void)state;
    for (unsigned i = 0; i < 1500; i++) {
        make_document(&r, other);
        struct span all = span_of(text, mix(&r, other, text, sizeof(text)));
        struct places some = {0}, every = {0};
        const struct copies_wanted wanted = want(set, runs[i % COUNT(runs)], shares[i % COUNT(shares)]);
        assert_true(copies_find(set, &wanted, all, false, keep_place, &some, NULL, &err));
        assert_true(copies_find(set, &wanted, all, false, keep_place, &every, &open, &err));
        if (some.n != every.n || memcmp(&some.items, &every.items, some.n * sizeof(some.items[0])) != 0) {
            fail_msg("text %u of %zu bytes, run %zu, share %u: %zu copies, not %zu", i, all.len, wanted.run, wanted.share, some.n, every.n);
        }
        found += every.n;
    }
    assert_true(found > 1000);
}

static void a_copy_is_found_in_other_letters_and_spaces(void **state)
{
    static char text[4 * DOCUMENT_MAX];
    size_t n = 0;

    (void)state;
    for (size_t i = 100; i < 500; i++) {
        char c = documents[3][i];
        if (c == ' ') {
            n += (size_t)snprintf(text + n, sizeof(text) - n, "%s", i % 3 == 0 ? "\n  > " : i % 3 == 1 ? " **" : "\xc2\xa0");
        } else if (c == 'e') {
            n += (size_t)snprintf(text + n, sizeof(text) - n, "\xc3\x89");
        } else if (c == 'a') {
            n += (size_t)snprintf(text + n, sizeof(text) - n, "\xd0\xb0\xe2\x80\x8b");
        } else {
            text[n++] = (char)(c >= 'a' && c <= 'z' && i % 2 == 0 ? c - 32 : c);
        }
    }
    text[n] = '\0';
    struct runs runs = find(text);
    assert_int_equal(runs.n, 1);
    assert_true(runs.bytes > n - 160);
}

/* A table of one document, which has `*n` fingerprints. */
static struct table *table_of(const char *text, size_t *n)
{
    struct dataset_key key;
    struct table_header header;
    struct error err;
    char path[128];

    make_key("key", &key);
    (void)snprintf(path, sizeof(path), "%s", path_of("one.idm"));
    struct copies_build *b = copies_build_new(path, &key, &err);
    assert_non_null(b);
    assert_true(copies_build_add(b, span_str(text), false, n, &err));
    assert_true(copies_build_finish(b, 1, &header, &err));
    copies_build_free(b);
    struct table *t = table_open(path, path_of("key"), TABLE_DOCUMENTS, &err);
    assert_non_null(t);
    return t;
}

/* What is no letter at the ends of a copy belongs to its 200 bytes. */
static void a_copy_that_begins_and_ends_with_no_letter_is_found(void **state)
{
    char document[1024], text[1024];
    size_t n;

    (void)state;
    for (int i = 0; i < 40; i++) {
        const char *words = documents[i] + 100;
        (void)snprintf(document, sizeof(document), "%.90s ----------- %.174s +++++++++++ %.90s", words, words + 200, words + 500);
        struct table *t = table_of(document, &n);
        (void)snprintf(text, sizeof(text), "He said, once at noon:%.200s And so on it goes.", document + 90);
        if (find_in(t, text).n != 1) {
            fail_msg("copy %d: %zu runs", i, find_in(t, text).n);
        }
        table_close(t);
    }
}

/* What is no letter makes no copy of a few letters. */
static void a_few_letters_between_gaps_are_no_copy(void **state)
{
    char document[1024], text[1024];
    size_t n;

    (void)state;
    for (int i = 0; i < 20; i++) {
        (void)snprintf(document, sizeof(document), "%.200s%0130d%.45s%0130d%.200s", documents[i], 0, documents[i] + 300, 0, documents[i] + 600);
        for (char *c = document; (c = strchr(c, '0')) != NULL;) {
            *c = '-';
        }
        (void)snprintf(text, sizeof(text), "%.305s", document + 200);
        struct table *t = table_of(document, &n);
        assert_int_equal(find_in(t, text).n, 0);
        table_close(t);
    }
}

/* A letter that is repeated is no document. */
static void one_letter_again_and_again_is_no_copy(void **state)
{
    char text[400];
    size_t n;

    (void)state;
    memset(text, 'a', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    struct table *t = table_of(text, &n);
    assert_int_equal(n, 0);
    assert_int_equal(find_in(t, text).n, 0);
    table_close(t);
}

static void a_file_of_an_earlier_version_is_to_be_built_again(void **state)
{
    struct buf file CLEANUP(buf_deinit);
    struct error err;

    (void)state;
    buf_init(&file, 1 << 24);
    assert_true(file_read(path_of("set.idm"), &file, &err));
    memcpy(file.data, "FILTERDS", 8);
    assert_true(file_write_atomic(path_of("old.idm"), buf_span(&file), 0600, &err));
    assert_null(table_open(path_of("old.idm"), path_of("key"), TABLE_DOCUMENTS, &err));
    assert_non_null(strstr(err.text, "build it again"));
}

static void a_share_of_a_document_is_found_and_less_is_not(void **state)
{
    char document[1024], text[1024];
    size_t n;

    (void)state;
    for (int i = 0; i < 40; i++) {
        const int length = 60 + 3 * i;
        (void)snprintf(document, sizeof(document), "%.*s", length, documents[i] + 100);
        size_t letters = 0, copied = 0;
        for (const char *c = document; *c != '\0'; c++) {
            letters += *c > ' ';
        }
        struct table *t = table_of(document, &n);
        for (int bytes = 30; bytes < length; bytes++) {
            copied = 0;
            for (int k = 0; k < bytes; k++) {
                copied += document[k] > ' ';
            }
            (void)snprintf(text, sizeof(text), "Why so: %.*s - 77 ought.", bytes, document);
            const bool is_found = find_share(t, 70, text).n == 1, is_expected = copied >= 47 && 100 * copied >= 70 * letters;
            const bool is_near = copied + 3 > 47 && 100 * (copied + 3) >= 70 * letters; /* letters around it may be alike */
            if (is_found != is_expected && !(is_found && is_near)) {
                fail_msg("document %d of %zu letters, %zu copied: %sfound", i, letters, copied, is_found ? "" : "not ");
            }
            assert_int_equal(find_share(t, 0, text).n, 0);
        }
        table_close(t);
    }
}

/* So a copy of a share has at least three quarters as many bytes as letters. */
static void three_bytes_are_at_most_four_letters(void **state)
{
    (void)state;
    for (uint32_t c = 0x80; c < 0x110000; c++) {
        const char bytes[] = {(char)(c < 0x800 ? 0xc0 | c >> 6 : c < 0x10000 ? 0xe0 | c >> 12 : 0xf0 | c >> 18),
                              (char)(c < 0x800 ? 0x80 | (c & 63) : c < 0x10000 ? 0x80 | (c >> 6 & 63) : 0x80 | (c >> 12 & 63)),
                              (char)(c < 0x10000 ? 0x80 | (c & 63) : 0x80 | (c >> 6 & 63)), (char)(0x80 | (c & 63))};
        if (c < 0xd800 || c > 0xdfff) {
            const struct letter letter = letter_wide(span_of(bytes, c < 0x800 ? 2 : c < 0x10000 ? 3 : 4), 0);
            const unsigned letters = (unsigned char)letter.bytes[0] < 0x80 ? letter.n : 1;
            if (3 * letters > 4 * letter.len) {
                fail_msg("U+%04X: %u letters", c, letters);
            }
        }
    }
}

static void a_file_without_lengths_is_read_but_has_no_shares(void **state)
{
    struct buf file CLEANUP(buf_deinit);
    struct copies_wanted wanted;
    struct table_header header;
    struct dataset_key key;
    struct error err;

    (void)state;
    make_key("key", &key);
    buf_init(&file, 1 << 24);
    assert_true(file_read(path_of("set.idm"), &file, &err));
    memcpy(&header, file.data, sizeof(header));
    header.kind = TABLE_DOCUMENTS_2;
    memcpy(file.data, &header, sizeof(header));
    table_authenticate(&key, (const uint8_t *)file.data, file.len, header.mac);
    memcpy(file.data, &header, sizeof(header));
    assert_true(file_write_atomic(path_of("old.idm"), buf_span(&file), 0600, &err));
    struct table *t = table_open(path_of("old.idm"), path_of("key"), TABLE_DOCUMENTS, &err);
    assert_non_null(t);
    assert_true(find_in(t, documents[7]).n > 0);
    assert_false(copies_want(t, 200, 50, &wanted, &err));
    assert_string_equal(err.text, "share: the file was made by an earlier version and has no lengths; build it again");
    table_close(t);
}

static void short_copies_and_other_texts_are_not_found(void **state)
{
    struct random r = {.state = 12};
    static char other[DOCUMENT_MAX];
    char text[400];

    (void)state;
    make_document(&r, other);
    assert_int_equal(find(other).n, 0);
    (void)snprintf(text, sizeof(text), "He wrote %.100s and no more than that, as far as anybody knows here.", documents[5] + 300);
    assert_int_equal(find(text).n, 0);
    memset(text, 'a', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    assert_int_equal(find(text).n, 0);
}

static void of_html_only_what_is_shown_is_left(void **state)
{
    char text[] = "<html><!-- no > --><head><style>b { no }</style></head><body>One <b>two</b>, 3 < 4.<script>no()</script> five</body>";
    size_t len = strlen(text);

    (void)state;
    copies_strip_html(text, &len);
    text[len] = '\0';
    assert_null(strstr(text, "no"));
    assert_non_null(strstr(text, "One  two , 3 < 4.  five"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_copy_of_the_least_length_is_found),
        cmocka_unit_test(no_copy_of_fewer_bytes_is_found),
        cmocka_unit_test(windows_apart_find_what_all_windows_find),
        cmocka_unit_test(a_copy_is_found_in_other_letters_and_spaces),
        cmocka_unit_test(a_copy_that_begins_and_ends_with_no_letter_is_found),
        cmocka_unit_test(a_few_letters_between_gaps_are_no_copy),
        cmocka_unit_test(one_letter_again_and_again_is_no_copy),
        cmocka_unit_test(a_file_of_an_earlier_version_is_to_be_built_again),
        cmocka_unit_test(a_share_of_a_document_is_found_and_less_is_not),
        cmocka_unit_test(three_bytes_are_at_most_four_letters),
        cmocka_unit_test(a_file_without_lengths_is_read_but_has_no_shares),
        cmocka_unit_test(short_copies_and_other_texts_are_not_found),
        cmocka_unit_test(of_html_only_what_is_shown_is_left),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

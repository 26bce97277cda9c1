/* Packs that are made here byte by byte; tests/e2e/filterctl/packs.sh has git's own. */
#include "testing.h"

#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/file.h"
#include "ctl/source/packs.h"

enum { ID = 20, OBJECTS_MAX = 200, ROOM = 1 << 20, MAX = 64 * 1024 };

/* Object i has the id i, 0, 0, ... */
struct made {
    struct buf bytes;
    size_t offsets[OBJECTS_MAX];
    uint8_t n;
};

static char folder[64];

static void put(struct buf *b, const void *bytes, size_t len)
{
    struct error err;

    assert_true(buf_append(b, span_of(bytes, len), &err));
}

static void put_word(struct buf *b, uint32_t word)
{
    const uint8_t bytes[] = {(uint8_t)(word >> 24), (uint8_t)(word >> 16), (uint8_t)(word >> 8), (uint8_t)word};

    put(b, bytes, sizeof(bytes));
}

static void put_head(struct buf *b, enum pack_type type, size_t size)
{
    uint8_t c = (uint8_t)(type << 4 | (size & 0xf));

    for (size >>= 4; size > 0; size >>= 7) {
        c |= 0x80;
        put(b, &c, 1);
        c = size & 0x7f;
    }
    put(b, &c, 1);
}

static void begin(struct made *m)
{
    *m = (struct made){0};
    buf_init(&m->bytes, ROOM);
    put(&m->bytes, "PACK", 4);
    put_word(&m->bytes, 2);
    put_word(&m->bytes, 0);
}

static void put_deflated(struct made *m, struct span content)
{
    static uint8_t packed[2 * MAX];
    unsigned long len = sizeof(packed);

    assert_int_equal(compress(packed, &len, (const uint8_t *)content.ptr, content.len), Z_OK);
    put(&m->bytes, packed, len);
}

static void add(struct made *m, enum pack_type type, struct span content)
{
    m->offsets[m->n++] = m->bytes.len;
    put_head(&m->bytes, type, content.len);
    put_deflated(m, content);
}

/* By how far in front the base is. */
static void add_offset_delta(struct made *m, size_t distance, struct span delta)
{
    uint8_t code[10];
    size_t at = sizeof(code) - 1;

    m->offsets[m->n++] = m->bytes.len;
    put_head(&m->bytes, PACK_OFFSET_DELTA, delta.len);
    code[at] = distance & 0x7f;
    while (distance >>= 7) {
        code[--at] = (uint8_t)(0x80 | (--distance & 0x7f));
    }
    put(&m->bytes, code + at, sizeof(code) - at);
    put_deflated(m, delta);
}

static void add_id_delta(struct made *m, uint8_t base, struct span delta)
{
    const uint8_t id[ID] = {base};

    m->offsets[m->n++] = m->bytes.len;
    put_head(&m->bytes, PACK_ID_DELTA, delta.len);
    put(&m->bytes, id, sizeof(id));
    put_deflated(m, delta);
}

static void put_index(const struct made *m, struct buf *index, bool has_large, const uint8_t sum[ID])
{
    const uint8_t ids[ID] = {0};

    put(index, "\377tOc\0\0\0\2", 8);
    for (uint32_t i = 0; i < 256; i++) {
        put_word(index, i < m->n ? i + 1 : m->n);
    }
    for (uint8_t i = 0; i < m->n; i++) {
        put(index, &i, 1);
        put(index, ids, sizeof(ids) - 1);
    }
    for (uint8_t i = 0; i < m->n; i++) {
        put_word(index, 0);
    }
    for (uint32_t i = 0; i < m->n; i++) {
        put_word(index, has_large ? 0x80000000U | i : (uint32_t)m->offsets[i]);
    }
    for (uint8_t i = 0; has_large && i < m->n; i++) {
        put_word(index, 0);
        put_word(index, (uint32_t)m->offsets[i]);
    }
    put(index, sum, ID);
    put(index, sum, ID);
}

static void write_file(const char *name, struct span bytes)
{
    char path[128];
    struct error err;

    (void)snprintf(path, sizeof(path), "%s/pack/%s", folder, name);
    assert_true(file_write_atomic(path, bytes, 0600, &err));
}

/* Writes both files. */
static void end(struct made *m, bool has_large)
{
    static const uint8_t sum[ID] = "a checksum";
    struct buf index;

    buf_init(&index, ROOM);
    m->bytes.data[11] = (char)m->n;
    put(&m->bytes, sum, sizeof(sum));
    put_index(m, &index, has_large, sum);
    write_file("pack-1.pack", buf_span(&m->bytes));
    write_file("pack-1.idx", buf_span(&index));
    buf_deinit(&index);
    buf_deinit(&m->bytes);
}

static void open_packs(struct packs *p)
{
    struct error err;

    assert_true(packs_open(p, folder, ID, PACK_BLOB, MAX, &err));
}

static bool find(const struct packs *p, uint8_t i, struct pack **pack, size_t *offset)
{
    char id[2 * ID + 1];

    (void)snprintf(id, sizeof(id), "%02x%038d", i, 0);
    return packs_find(p, span_str(id), pack, offset);
}

static struct content *read_object(struct packs *p, uint8_t i, struct error *err)
{
    struct pack *pack;
    size_t offset;

    assert_true(find(p, i, &pack, &offset));
    return packs_read(p, pack, offset, err);
}

static void expect(struct packs *p, uint8_t i, const char *text)
{
    struct error err;
    struct content *content = read_object(p, i, &err);

    assert_non_null(content);
    assert_int_equal(content->len, strlen(text));
    assert_memory_equal(content->bytes, text, content->len);
    content_release(content);
}

static void expect_error(struct packs *p, uint8_t i, enum error_kind kind)
{
    struct error err;

    assert_null(read_object(p, i, &err));
    assert_int_equal(err.kind, kind);
}

/* --- tests ------------------------------------------------------------------------ */

static void blobs_and_deltas_are_read(void **state)
{
    for (int has_large = 0; has_large < 2; has_large++) {
        struct made m;
        struct packs p;
        struct pack *pack;
        size_t offset;
        (void)state;
        begin(&m);
        add(&m, PACK_BLOB, span_str("0123456789"));
        add_offset_delta(&m, m.bytes.len - m.offsets[0], span_of("\x0a\x05\x05hello", 8));
        add_id_delta(&m, 1, span_of("\x05\x0a\x90\x05\x05world", 10));
        add(&m, PACK_BLOB, span_str(""));
        end(&m, has_large);
        open_packs(&p);
        expect(&p, 2, "helloworld");
        expect(&p, 1, "hello");
        expect(&p, 0, "0123456789");
        expect(&p, 3, "");
        assert_false(find(&p, 4, &pack, &offset));
        assert_false(packs_find(&p, span_str("00"), &pack, &offset));
        packs_close(&p);
    }
}

/* Over several windows of the file, or out of all of it, and with a base far in front. */
static void large_blobs_are_read(void **state)
{
    static char large[MAX + 1];
    struct made m;
    struct packs p;
    uint32_t word = 1;

    (void)state;
    for (size_t i = 0; i < MAX; i++) {
        word = word * 1664525 + 1013904223;
        large[i] = (char)('!' + (word >> 24) % 90);
    }
    begin(&m);
    add(&m, PACK_BLOB, span_str("0123456789"));
    add(&m, PACK_BLOB, span_of(large, MAX));
    add(&m, PACK_BLOB, span_of(large, MAX / 2));
    add_offset_delta(&m, m.bytes.len - m.offsets[0], span_of("\x0a\x05\x05hello", 8));
    end(&m, false);
    for (int is_whole = 0; is_whole < 2; is_whole++) {
        open_packs(&p);
        packs_expect(&p, is_whole ? 1000 : 1);
        assert_int_equal(p.items[0].window.len > 0, is_whole);
        expect(&p, 3, "hello");
        expect(&p, 1, large);
        char last = large[MAX / 2];
        large[MAX / 2] = '\0';
        expect(&p, 2, large);
        large[MAX / 2] = last;
        packs_close(&p);
    }
}

static void a_chain_is_read_in_any_order(void **state)
{
    enum { LINKS = 199 };
    struct made m;
    struct packs p;

    (void)state;
    begin(&m);
    add(&m, PACK_BLOB, span_str("x"));
    for (uint8_t i = 1; i <= LINKS; i++) { /* a copy, and one character more */
        const char delta[] = {(char)(0x7f & i), (char)(0x7f & (i + 1)), (char)0x90, (char)i, 1, (char)('a' + i % 26)};
        const char longer[] = {(char)(0x80 | i), 1, (char)(0x80 | (i + 1)), 1, (char)0x90, (char)i, 1, (char)('a' + i % 26)};
        const char edge[] = {(char)i, (char)(0x80 | (i + 1)), 1, (char)0x90, (char)i, 1, (char)('a' + i % 26)};
        struct span used = i < 127 ? span_of(delta, sizeof(delta)) : i == 127 ? span_of(edge, sizeof(edge)) : span_of(longer, sizeof(longer));
        add_offset_delta(&m, m.bytes.len - m.offsets[i - 1], used);
    }
    end(&m, false);
    open_packs(&p);
    for (int i = LINKS; i >= 0; i -= 33) {
        char text[LINKS + 2] = "x";
        for (int k = 1; k <= i; k++) {
            text[k] = (char)('a' + k % 26);
        }
        expect(&p, (uint8_t)i, text);
    }
    expect(&p, 1, "xb");
    packs_close(&p);
}

static void what_cannot_be_read_is_an_error(void **state)
{
    static char large[2 * MAX];
    struct made m;
    struct packs p;

    (void)state;
    begin(&m);
    add(&m, PACK_TREE, span_str("0123456789"));
    add_offset_delta(&m, m.bytes.len - m.offsets[0], span_of("\x0a\x05\x05hello", 8)); /* of no blob */
    add_id_delta(&m, 2, span_of("\x05\x05\x90\x05", 4));                               /* of itself */
    add_id_delta(&m, 99, span_of("\x05\x05\x90\x05", 4));                              /* of what is not there */
    add_offset_delta(&m, m.bytes.len + 1, span_of("\x0a\x05\x05hello", 8));            /* in front of the pack */
    add(&m, PACK_BLOB, span_str("0123456789"));
    add_offset_delta(&m, m.bytes.len - m.offsets[5], span_of("\x0b\x05\x05hello", 8)); /* of another size */
    add(&m, (enum pack_type)5, span_str("reserved"));
    add(&m, PACK_BLOB, span_of(large, MAX + 1));
    add(&m, PACK_BLOB, span_str("broken"));
    m.bytes.data[m.bytes.len - 1] ^= 1; /* zlib's checksum */
    add_offset_delta(&m, m.bytes.len - m.offsets[5], span_of("\x0a\x80\x80\x80\x80\x01\x05hello", 12)); /* of many bytes */
    end(&m, false);
    open_packs(&p);
    expect_error(&p, 0, ERROR_INVALID);
    expect_error(&p, 1, ERROR_INVALID);
    expect_error(&p, 2, ERROR_LIMIT);
    expect_error(&p, 3, ERROR_MALFORMED);
    expect_error(&p, 4, ERROR_MALFORMED);
    expect(&p, 5, "0123456789");
    expect_error(&p, 6, ERROR_MALFORMED);
    expect_error(&p, 7, ERROR_INVALID);
    expect_error(&p, 8, ERROR_LIMIT);
    expect_error(&p, 9, ERROR_MALFORMED);
    expect_error(&p, 10, ERROR_LIMIT);
    packs_close(&p);
}

static size_t count_packs(void)
{
    struct packs p;

    open_packs(&p);
    size_t n = p.n;
    packs_close(&p);
    return n;
}

/* A byte of the file that is not as it should be, or none at all. */
static void packs_that_are_not_intact_are_left_out(void **state)
{
    static const struct {
        const char *name;
        long at; /* from the end where it is negative */
    } rows[] = {{"pack-1.pack", 0}, {"pack-1.pack", 7}, {"pack-1.pack", 11}, {"pack-1.pack", -1},
                {"pack-1.idx", 0},  {"pack-1.idx", 7},  {"pack-1.idx", 8},   {"pack-1.idx", 8 + 255 * 4}};
    char path[128];

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct made m;
        begin(&m);
        add(&m, PACK_BLOB, span_str("0123456789"));
        end(&m, false);
        assert_int_equal(count_packs(), 1);
        (void)snprintf(path, sizeof(path), "%s/pack/%s", folder, rows[i].name);
        FILE *file = fopen(path, "r+");
        assert_non_null(file);
        assert_int_equal(fseek(file, rows[i].at, rows[i].at < 0 ? SEEK_END : SEEK_SET), 0);
        assert_int_equal(fputc(0x41, file), 0x41);
        assert_int_equal(fclose(file), 0);
        assert_int_equal(count_packs(), 0);
        assert_int_equal(truncate(path, 9), 0);
        assert_int_equal(count_packs(), 0);
        assert_int_equal(unlink(path), 0);
        assert_int_equal(count_packs(), 0);
        assert_int_equal(mkfifo(path, 0600), 0); /* nothing waits for a writer */
        assert_int_equal(count_packs(), 0);
        assert_int_equal(unlink(path), 0);
    }
}

/* A pack that becomes shorter while it is open, as somebody writes to it. */
static void a_pack_that_is_cut_is_an_error(void **state)
{
    struct made m;
    struct packs p;
    char path[128];

    (void)state;
    begin(&m);
    add(&m, PACK_BLOB, span_str("0123456789"));
    end(&m, false);
    open_packs(&p);
    (void)snprintf(path, sizeof(path), "%s/pack/pack-1.pack", folder);
    assert_int_equal(truncate(path, 14), 0);
    expect_error(&p, 0, ERROR_MALFORMED);
    packs_close(&p);
}

static int make_folder(void **state)
{
    char path[128];

    (void)state;
    testing_folder(folder, sizeof(folder));
    (void)snprintf(path, sizeof(path), "%s/pack", folder);
    return mkdir(path, 0700);
}

static int remove_folder(void **state)
{
    static const char *const names[] = {"pack/pack-1.pack", "pack/pack-1.idx", "pack", ""};
    char path[128];

    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
        (void)remove(path);
    }
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blobs_and_deltas_are_read),
        cmocka_unit_test(large_blobs_are_read),
        cmocka_unit_test(a_chain_is_read_in_any_order),
        cmocka_unit_test(what_cannot_be_read_is_an_error),
        cmocka_unit_test(packs_that_are_not_intact_are_left_out),
        cmocka_unit_test(a_pack_that_is_cut_is_an_error),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

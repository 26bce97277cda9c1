/* Any bytes as trees of git: what changed is a list that history_parse reads, and of a tree and itself nothing changed. The input has the
 * trees, each behind its length in two bytes; tree i has the id i, 0, 0, ... The first is the commit's, the next two its parents'. */
#include <zlib.h>

#include "ctl/source/history.h"
#include "ctl/source/tree_changes.h"
#include "tests/fuzz/source/pack_folder.h"

enum { ID = 20, TREES = 16, TREE_MAX = 4096, PACK_HEAD = 12, ROOM = 1 << 20 };

#define COMMIT "1111111111111111111111111111111111111111\0001\0A\0a@example.org\0"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put(struct buf *b, const void *bytes, size_t len)
{
    struct error err;

    require(buf_append(b, span_of(bytes, len), &err));
}

static void put_word(struct buf *b, uint32_t word)
{
    const uint8_t bytes[] = {(uint8_t)(word >> 24), (uint8_t)(word >> 16), (uint8_t)(word >> 8), (uint8_t)word};

    put(b, bytes, sizeof(bytes));
}

/* Type and size in two bytes or one, and what zlib makes of it. */
static void put_tree(struct buf *pack, const uint8_t *bytes, size_t len)
{
    uint8_t packed[TREE_MAX + 64];
    unsigned long packed_len = sizeof(packed);
    const uint8_t head[] = {(uint8_t)(0x80 | PACK_TREE << 4 | (len & 15)), (uint8_t)(0x80 | (len >> 4 & 0x7f)), (uint8_t)(len >> 11)};

    require(compress2(packed, &packed_len, bytes, len, 0) == Z_OK);
    put(pack, head, sizeof(head));
    put(pack, packed, packed_len);
}

static uint8_t write_packs(const uint8_t *data, size_t size)
{
    static const uint8_t zeroes[ID], sum[ID] = "a checksum";
    struct buf pack, index;
    size_t offsets[TREES];
    uint8_t n = 0;

    buf_init(&pack, ROOM);
    buf_init(&index, ROOM);
    put(&pack, "PACK\0\0\0\2\0\0\0\0", PACK_HEAD);
    for (size_t at = 0; at + 2 <= size && n < TREES;) {
        size_t len = ((size_t)data[at] << 8 | data[at + 1]) % (TREE_MAX + 1);
        at += 2;
        len = len < size - at ? len : size - at;
        offsets[n++] = pack.len;
        put_tree(&pack, data + at, len);
        at += len;
    }
    pack.data[PACK_HEAD - 1] = (char)n;
    put(&pack, sum, ID);
    put(&index, "\377tOc\0\0\0\2", 8);
    for (uint32_t i = 0; i < 256; i++) {
        put_word(&index, i < n ? i + 1 : n);
    }
    for (uint8_t i = 0; i < n; i++) {
        put(&index, &i, 1);
        put(&index, zeroes, ID - 1);
    }
    for (uint8_t i = 0; i < n; i++) {
        put_word(&index, 0);
    }
    for (uint8_t i = 0; i < n; i++) {
        put_word(&index, (uint32_t)offsets[i]);
    }
    put(&index, sum, ID);
    put(&index, sum, ID);
    write_file("1.pack", (const uint8_t *)pack.data, pack.len);
    write_file("1.idx", (const uint8_t *)index.data, index.len);
    buf_deinit(&pack);
    buf_deinit(&index);
    return n;
}

static void compare(struct tree_changes *t, const struct span *ids, size_t parents)
{
    struct history h;
    struct error err = {0};

    history_init(&h);
    put(&h.text, COMMIT, sizeof(COMMIT) - 1);
    if (tree_changes_append(t, ids[0], ids + 1, parents, &h.text, &err)) {
        require(history_parse(&h, &err) || err.kind == ERROR_MALFORMED); /* a file without a name */
        require(h.n_commits == 1);
    } else {
        require(err.text[0] != '\0');
    }
    history_deinit(&h);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tree_changes t;
    struct error err;
    char texts[3][2 * ID + 1];
    struct span ids[4];
    struct buf out;

    make_folder();
    if (write_packs(data, size) < COUNT(texts)) {
        return 0;
    }
    for (size_t i = 0; i < COUNT(texts); i++) {
        (void)snprintf(texts[i], sizeof(texts[i]), "%02zx%038d", i, 0);
        ids[i] = span_str(texts[i]);
    }
    require(tree_changes_open(&t, folder, ID, &err));
    for (size_t parents = 0; parents < COUNT(texts); parents++) {
        compare(&t, ids, parents);
    }
    buf_init(&out, ROOM);
    require(!tree_changes_append(&t, ids[0], ids, 1, &out, &err) || out.len == 0);
    buf_deinit(&out);
    tree_changes_close(&t);
    return 0;
}

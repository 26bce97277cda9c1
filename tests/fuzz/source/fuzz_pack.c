/* Any bytes as a pack and its index: what can be read is no larger than it may be, whatever the two say. Byte 0 says how long ids are, the
 * next three how long the index is. The pack's number of objects and its checksum are made those of the index, as else it would be left out. */
#include "ctl/source/packs.h"
#include "tests/fuzz/source/pack_folder.h"

enum { HEAD = 4, BLOB_MAX = 64 * 1024, INDEX_FIXED = 8 + 256 * 4, READ_MAX = 100, PACK_HEAD = 12 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_all(struct packs *p, const uint8_t *index, size_t len)
{
    for (size_t i = 0; i < READ_MAX && INDEX_FIXED + (i + 1) * p->id_bytes <= len; i++) {
        char id[2 * 32 + 1];
        struct pack *pack;
        size_t offset;
        struct error err = {0};
        for (size_t k = 0; k < p->id_bytes; k++) {
            (void)snprintf(id + 2 * k, 3, "%02x", index[INDEX_FIXED + i * p->id_bytes + k]);
        }
        if (!packs_find(p, span_str(id), &pack, &offset)) {
            continue;
        }
        struct content *content = packs_read(p, pack, offset, &err);
        require(content != NULL ? content->len <= BLOB_MAX : err.text[0] != '\0');
        content_release(content);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct packs p;
    struct error err;

    if (size < HEAD) {
        return 0;
    }
    size_t id_bytes = data[0] % 2 == 0 ? 20 : 32, index_len = (size_t)data[1] << 16 | (size_t)data[2] << 8 | data[3];
    size_t pack_len = size - HEAD < index_len ? 0 : size - HEAD - index_len;
    if (pack_len < PACK_HEAD + id_bytes || index_len < INDEX_FIXED + 2 * id_bytes) {
        return 0;
    }
    uint8_t *pack CLEANUP(cleanup_free) = malloc(pack_len);
    require(pack != NULL);
    memcpy(pack, data + HEAD + index_len, pack_len);
    memcpy(pack + PACK_HEAD - 4, data + HEAD + INDEX_FIXED - 4, 4);
    memcpy(pack + pack_len - id_bytes, data + HEAD + index_len - 2 * id_bytes, id_bytes);
    make_folder();
    write_file("1.idx", data + HEAD, index_len);
    write_file("1.pack", pack, pack_len);
    require(packs_open(&p, folder, id_bytes, PACK_BLOB, BLOB_MAX, &err));
    packs_expect(&p, pack_len % 2 == 0 ? pack_len : 0); /* as a whole, or in windows */
    read_all(&p, data + HEAD, index_len);
    packs_close(&p);
    return 0;
}

#include "ctl/source/pack.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <libdeflate.h>

#include "base/cleanup.h"
#include "base/file.h"

enum {
    FANOUT = 256,
    WORD = 4,
    INDEX_HEAD = 8, /* magic, version */
    NAMES = INDEX_HEAD + FANOUT * WORD,
    PACK_HEAD = 12, /* magic, version, number of objects */
    ID_MAX = 32,
    HEAD_MAX = 10 + ID_MAX,
    WINDOW = 8 * 1024,
    WINDOW_BEFORE = 6 * 1024, /* a chain of deltas goes towards the front of a file */
};

static bool malformed(struct error *err)
{
    return error_set(err, ERROR_MALFORMED, "pack: an intact one expected");
}

static uint32_t word_at(const char *at)
{
    uint32_t word;

    memcpy(&word, at, sizeof(word));
    return be32toh(word);
}

/* --- opening ------------------------------------------------------------------- */

static int open_file(const char *path, size_t *size, struct error *err)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

    if (fd < 0 || fstat(fd, &status) != 0) {
        error_errno(err, "pack");
    } else if (!S_ISREG(status.st_mode)) {
        error_set(err, ERROR_INVALID, "pack: a regular file expected");
    } else {
        *size = (size_t)status.st_size;
        return fd;
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    return -1;
}

static bool read_at(int fd, size_t from, char *to, size_t len, struct error *err)
{
    for (size_t done = 0; done < len;) {
        ssize_t n = pread(fd, to + done, len - done, (off_t)(from + done));
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return n < 0 ? error_errno(err, "pack") : malformed(err);
        }
        done += (size_t)n;
    }
    return true;
}

/* The tables behind the names: checksums, offsets, large offsets. */
static size_t offsets_from(const struct pack *p)
{
    return NAMES + p->n * (p->id_bytes + WORD);
}

static size_t large_from(const struct pack *p)
{
    return offsets_from(p) + (size_t)p->n * WORD;
}

static size_t index_end(const struct pack *p)
{
    return p->index.len - 2 * p->id_bytes;
}

static uint32_t fanout(const struct pack *p, unsigned byte)
{
    return word_at(p->index.data + INDEX_HEAD + byte * WORD);
}

static bool check_index(struct pack *p, struct error *err)
{
    static const char head[] = {'\377', 't', 'O', 'c', 0, 0, 0, 2};

    if (p->index.len < NAMES + 2 * p->id_bytes || memcmp(p->index.data, head, sizeof(head)) != 0) {
        return malformed(err);
    }
    for (unsigned i = 1; i < FANOUT; i++) {
        if (fanout(p, i) < fanout(p, i - 1)) {
            return malformed(err);
        }
    }
    p->n = fanout(p, FANOUT - 1);
    return (p->n <= p->index.len && large_from(p) <= index_end(p)) || malformed(err);
}

/* The pack ends with its checksum, which the index has, too. */
static bool check_pack(struct pack *p, size_t size, struct error *err)
{
    char head[PACK_HEAD], sum[ID_MAX];

    if (size < PACK_HEAD + p->id_bytes) {
        return malformed(err);
    }
    p->end = size - p->id_bytes;
    if (!read_at(p->fd, 0, head, sizeof(head), err) || !read_at(p->fd, p->end, sum, p->id_bytes, err)) {
        return false;
    }
    uint32_t version = word_at(head + WORD);
    bool is_pair = memcmp(head, "PACK", WORD) == 0 && (version == 2 || version == 3) && word_at(head + 2 * WORD) == p->n &&
                   memcmp(sum, p->index.data + index_end(p), p->id_bytes) == 0;
    return is_pair || malformed(err);
}

static bool read_index(struct pack *p, const char *path, struct error *err)
{
    size_t size;
    int fd = open_file(path, &size, err);
    bool is_read = fd >= 0 && file_read_fd(fd, "pack", &p->index, err);

    if (fd >= 0) {
        (void)close(fd);
    }
    return is_read && check_index(p, err);
}

bool pack_open(struct pack *p, const char *index, size_t id_bytes, size_t index_max, struct error *err)
{
    char path[PATH_MAX];
    size_t stem = strlen(index), size;

    *p = (struct pack){.fd = -1, .id_bytes = id_bytes};
    buf_init(&p->index, index_max);
    buf_init(&p->window, WINDOW);
    stem -= stem >= strlen(".idx") ? strlen(".idx") : stem;
    if (id_bytes > ID_MAX || (size_t)snprintf(path, sizeof(path), "%.*s.pack", (int)stem, index) >= sizeof(path)) {
        return error_set(err, ERROR_LIMIT, "pack: a shorter path expected");
    }
    bool is_open = read_index(p, index, err) && (p->fd = open_file(path, &size, err)) >= 0 && check_pack(p, size, err);
    if (!is_open) {
        pack_close(p);
    }
    return is_open;
}

void pack_close(struct pack *p)
{
    if (p->fd >= 0) {
        (void)close(p->fd);
    }
    buf_deinit(&p->index);
    buf_deinit(&p->window);
    *p = (struct pack)PACK_NONE;
}

/* --- objects -------------------------------------------------------------------- */

/* False where the index has no offset inside the pack. */
static bool offset_at(const struct pack *p, uint32_t i, size_t *offset)
{
    static const uint64_t is_large = 0x80000000;
    uint64_t number = word_at(p->index.data + offsets_from(p) + (size_t)i * WORD);

    if (number & is_large) {
        size_t at = large_from(p) + (number & ~is_large) * sizeof(number);
        if (at + sizeof(number) > index_end(p)) {
            return false;
        }
        memcpy(&number, p->index.data + at, sizeof(number));
        number = be64toh(number);
    }
    *offset = (size_t)number;
    return number >= PACK_HEAD && number < p->end;
}

bool pack_find(const struct pack *p, const uint8_t *id, size_t *offset)
{
    uint32_t low = id[0] > 0 ? fanout(p, id[0] - 1U) : 0;

    for (uint32_t high = fanout(p, id[0]); low < high;) {
        uint32_t middle = low + (high - low) / 2;
        int order = memcmp(id, p->index.data + NAMES + middle * p->id_bytes, p->id_bytes);
        if (order == 0) {
            return offset_at(p, middle, offset);
        }
        *(order < 0 ? &high : &low) = order < 0 ? middle : middle + 1;
    }
    return false;
}

void pack_read_whole(struct pack *p)
{
    struct buf whole;
    struct error err;

    buf_init(&whole, p->end);
    if (!buf_reserve(&whole, p->end, &err) || !read_at(p->fd, 0, whole.data, p->end, &err)) {
        buf_deinit(&whole);
        return;
    }
    whole.len = p->end;
    buf_deinit(&p->window);
    p->window = whole;
    p->window_from = 0;
}

static bool is_in_window(const struct pack *p, size_t at, size_t len)
{
    return at >= p->window_from && at + len <= p->window_from + p->window.len;
}

/* What is read of the file from `at` on: at least `least` bytes, fewer only where the objects end. */
static bool look(struct pack *p, size_t at, size_t least, size_t before, struct span *bytes, struct error *err)
{
    least = p->end - at < least ? p->end - at : least;
    if (!is_in_window(p, at, least)) {
        size_t from = at > before ? at - before : 0;
        size_t len = p->end - from < WINDOW ? p->end - from : WINDOW;
        buf_clear(&p->window);
        if (!buf_reserve(&p->window, len, err) || !read_at(p->fd, from, p->window.data, len, err)) {
            return false;
        }
        p->window.len = len;
        p->window_from = from;
    }
    *bytes = span_slice(buf_span(&p->window), at - p->window_from, p->window.len);
    return true;
}

static bool take_byte(struct span *head, unsigned *byte)
{
    if (head->len == 0) {
        return false;
    }
    *byte = (unsigned char)head->ptr[0];
    *head = span_slice(*head, 1, head->len);
    return true;
}

/* Type and size: three bits, and four, then seven a byte, the lowest first. */
static bool take_type(struct span *head, struct pack_object *o)
{
    unsigned c;

    if (!take_byte(head, &c)) {
        return false;
    }
    o->type = (enum pack_type)(c >> 4 & 7);
    o->size = c & 0xf;
    for (unsigned shift = 4; c >= 0x80; shift += 7) {
        if (shift > sizeof(o->size) * CHAR_BIT - 8 || !take_byte(head, &c)) {
            return false;
        }
        o->size |= (size_t)(c & 0x7f) << shift;
    }
    return true;
}

/* How far in front the base is: seven bits a byte, the highest first, each but the last with one added. */
static bool take_distance(struct span *head, size_t *distance)
{
    unsigned c;

    if (!take_byte(head, &c)) {
        return false;
    }
    *distance = c & 0x7f;
    while (c >= 0x80) {
        if (*distance >= SIZE_MAX >> 8 || !take_byte(head, &c)) {
            return false;
        }
        *distance = ((*distance + 1) << 7) + (c & 0x7f);
    }
    return true;
}

static bool take_base(const struct pack *p, size_t offset, struct span *head, struct pack_object *o)
{
    size_t distance;

    if (o->type == PACK_ID_DELTA) {
        bool is_found = head->len >= p->id_bytes && pack_find(p, (const uint8_t *)head->ptr, &o->base);
        *head = span_slice(*head, is_found ? p->id_bytes : 0, head->len);
        return is_found;
    }
    if (!take_distance(head, &distance) || distance == 0 || distance > offset - PACK_HEAD) {
        return false;
    }
    o->base = offset - distance;
    return true;
}

bool pack_head(struct pack *p, size_t offset, struct pack_object *o, struct error *err)
{
    struct span head;

    *o = (struct pack_object){0};
    if (offset < PACK_HEAD || offset >= p->end) {
        return malformed(err);
    }
    if (!look(p, offset, HEAD_MAX, WINDOW_BEFORE, &head, err)) {
        return false;
    }
    const char *start = head.ptr;
    bool is_whole = take_type(&head, o) &&
                    ((o->type != PACK_OFFSET_DELTA && o->type != PACK_ID_DELTA) || take_base(p, offset, &head, o));
    o->data = offset + (size_t)(head.ptr - start);
    return is_whole || malformed(err);
}

/* What deflate makes of so many bytes at most, by any encoder that stores what it cannot compress. */
static size_t deflated_max(size_t size)
{
    return size + size / 8 + 64;
}

static bool inflate_all(struct libdeflate_decompressor *d, struct span bytes, const struct pack_object *o, char *to, struct error *err)
{
    return libdeflate_zlib_decompress(d, bytes.ptr, bytes.len, to, o->size, NULL) == LIBDEFLATE_SUCCESS || malformed(err);
}

/* It is in the memory as a whole, which libdeflate needs; its end is where the decompressor says. */
bool pack_inflate(struct pack *p, struct libdeflate_decompressor *d, const struct pack_object *o, char *to, struct error *err)
{
    size_t most = deflated_max(o->size);
    struct buf large CLEANUP(buf_deinit);
    struct span bytes;

    buf_init(&large, most);
    if (o->data >= p->end || o->size > SIZE_MAX / 2) {
        return malformed(err);
    }
    size_t len = p->end - o->data;
    len = len < most ? len : most;
    if (most <= WINDOW - WINDOW_BEFORE || is_in_window(p, o->data, len)) {
        return look(p, o->data, len, WINDOW_BEFORE, &bytes, err) && inflate_all(d, span_slice(bytes, 0, len), o, to, err);
    }
    if (!buf_reserve(&large, len, err) || !read_at(p->fd, o->data, large.data, len, err)) {
        return false;
    }
    return inflate_all(d, span_of(large.data, len), o, to, err);
}

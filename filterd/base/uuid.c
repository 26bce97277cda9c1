#include "base/uuid.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/random.h>

/* The kernel gives so many at once or none: what is at most 256 bytes is never cut short. */
enum { RANDOM_BYTES = 8, RANDOM_BLOCK = 256 };

/* Random bytes drawn ahead, as each call of the kernel costs more than the rest of an id. */
struct random_block {
    uint8_t bytes[RANDOM_BLOCK];
    size_t n_left;
    uint64_t generation; /* of the process that drew them */
};

/* A child has its parent's blocks and must not use them. */
static _Atomic uint64_t generation;

static void count_generation(void)
{
    (void)atomic_fetch_add_explicit(&generation, 1, memory_order_relaxed);
}

static void watch_forks(void)
{
    /* Without memory for the handler no block is used, see draw_ahead. */
    if (pthread_atfork(NULL, NULL, count_generation) == 0) {
        count_generation();
    }
}

static bool draw(uint8_t *bytes, size_t n, struct error *err)
{
    ssize_t got;

    do {
        got = getrandom(bytes, n, 0);
    } while (got < 0 && errno == EINTR);
    return got == (ssize_t)n || error_errno(err, "uuid: random bytes");
}

static bool draw_ahead(uint8_t out[RANDOM_BYTES], struct error *err)
{
    static _Thread_local struct random_block block;
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, watch_forks);
    uint64_t now = atomic_load_explicit(&generation, memory_order_relaxed);
    if (now == 0) {
        return draw(out, RANDOM_BYTES, err);
    }
    if (block.generation != now || block.n_left == 0) {
        block.n_left = 0;
        if (!draw(block.bytes, RANDOM_BLOCK, err)) {
            return false;
        }
        block.n_left = RANDOM_BLOCK;
        block.generation = now;
    }
    block.n_left -= RANDOM_BYTES;
    memcpy(out, block.bytes + block.n_left, RANDOM_BYTES);
    return true;
}

/* The time of the youngest UUID, in units of a millisecond's 4096th part. */
static _Atomic uint64_t youngest;

static uint64_t next_time(int64_t utc_ns)
{
    uint64_t ns = utc_ns < 0 ? 0 : (uint64_t)utc_ns;
    uint64_t now = (ns / 1000000 << 12) | (ns % 1000000 * 4096 / 1000000);
    uint64_t last = atomic_load_explicit(&youngest, memory_order_relaxed);
    uint64_t mine;

    do {
        mine = now > last ? now : last + 1;
    } while (!atomic_compare_exchange_weak_explicit(&youngest, &last, mine, memory_order_relaxed,
                                                    memory_order_relaxed));
    return mine;
}

bool uuid_make(int64_t utc_ns, uint8_t uuid[UUID_BYTES], struct error *err)
{
    if (!draw_ahead(uuid + 8, err)) {
        return false;
    }
    uint64_t time = next_time(utc_ns);
    for (int i = 0; i < 6; i++) {
        uuid[i] = (uint8_t)(time >> (52 - 8 * i));
    }
    uuid[6] = (uint8_t)(0x70 | (time >> 8 & 0x0f));
    uuid[7] = (uint8_t)time;
    uuid[8] = (uint8_t)(0x80 | (uuid[8] & 0x3f));
    return true;
}

/* Whether a dash is before byte i in the text form. */
static bool has_dash(size_t i)
{
    return i == 4 || i == 6 || i == 8 || i == 10;
}

void uuid_format(const uint8_t uuid[UUID_BYTES], char text[UUID_TEXT + 1])
{
    static const char digits[] = "0123456789abcdef";
    size_t at = 0;

    for (size_t i = 0; i < UUID_BYTES; i++) {
        if (has_dash(i)) {
            text[at++] = '-';
        }
        text[at++] = digits[uuid[i] >> 4];
        text[at++] = digits[uuid[i] & 15];
    }
    text[at] = '\0';
}

static int digit_value(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

bool uuid_parse(struct span text, uint8_t uuid[UUID_BYTES])
{
    uint8_t bytes[UUID_BYTES];
    size_t at = 0;

    if (text.len != UUID_TEXT) {
        return false;
    }
    for (size_t i = 0; i < UUID_BYTES; i++) {
        if (has_dash(i) && text.ptr[at++] != '-') {
            return false;
        }
        int high = digit_value(text.ptr[at++]);
        int low = digit_value(text.ptr[at++]);
        if (high < 0 || low < 0) {
            return false;
        }
        bytes[i] = (uint8_t)(high * 16 + low);
    }
    memcpy(uuid, bytes, UUID_BYTES);
    return true;
}

#include "base/uuid.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/random.h>

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
    ssize_t n;

    do {
        n = getrandom(uuid + 8, 8, 0);
    } while (n < 0 && errno == EINTR);
    if (n != 8) {
        return error_errno(err, "uuid: random bytes");
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

/* Whether a dash stands before byte i in the text form. */
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

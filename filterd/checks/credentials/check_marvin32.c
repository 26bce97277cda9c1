#include "formats/base64.h"
#include "checks/check_argument.h"
#include "checks/checks_table.h"
#include "formats/marvin32.h"

enum { SEEDS, URL };
enum { SEED_LENGTH = 8, KEY_MAX = 96, CHECKSUM = 4 };

static bool marvin32_passes(struct span value, const struct check_args *args)
{
    const struct check_value *seeds = &args->value[SEEDS];
    uint8_t key[KEY_MAX];
    size_t len = 0;
    enum base64_alphabet alphabet = argument_flag(args, URL) ? BASE64_URL : BASE64_STANDARD;

    if (!args->is_given[SEEDS] || !base64_decode(value, alphabet, key, sizeof(key), &len) ||
        len <= CHECKSUM) {
        return false;
    }
    const uint8_t *last = key + len - CHECKSUM;
    uint32_t stored = (uint32_t)last[0] | (uint32_t)last[1] << 8 | (uint32_t)last[2] << 16 |
                      (uint32_t)last[3] << 24;
    for (size_t i = 0; i < seeds->n; i++) {
        if (seeds->texts[i].len == SEED_LENGTH &&
            marvin32(key, len - CHECKSUM, marvin32_seed(seeds->texts[i].ptr)) == stored) {
            return true;
        }
    }
    return false;
}

static bool marvin32_accepts(const struct check_args *args, struct error *err)
{
    const struct check_value *seeds = &args->value[SEEDS];

    if (!args->is_given[SEEDS] || seeds->n == 0) {
        return error_set(err, ERROR_INVALID, "seeds: expected at least one");
    }
    for (size_t i = 0; i < seeds->n; i++) {
        if (seeds->texts[i].len != SEED_LENGTH) {
            return error_set(err, ERROR_INVALID, "seeds: expected names of %d characters",
                             SEED_LENGTH);
        }
    }
    return true;
}

const struct check_type check_marvin32 = {
    .name = "marvin32",
    .summary = "passes when an Azure key ends in its Marvin32 under one of the seeds",
    .parameters = {{"seeds", CHECK_TEXTS, true}, {"url", CHECK_FLAG, false}},
    .passes = marvin32_passes,
    .accepts = marvin32_accepts,
};

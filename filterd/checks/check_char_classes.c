#include "base/ascii.h"
#include "checks/check_argument.h"
#include "checks/checks_table.h"

enum { LOWER, UPPER, DIGIT, SPECIAL, CLASSES, DISTINCT, N_ARGUMENTS };

struct census {
    size_t count[N_ARGUMENTS]; /* by argument */
};

static inline size_t class_of(char c)
{
    static const uint8_t of_class[] = {SPECIAL, DIGIT, UPPER, SPECIAL, LOWER};

    return of_class[ascii_classes[(unsigned char)c] & ASCII_ALNUM];
}

/* A character of several bytes counts once, as special; white space is of no class. */
static struct census census_of(struct span text)
{
    struct census census = {{0}};
    uint64_t seen[256 / 64] = {0};

    for (size_t i = 0; i < text.len; i++) {
        unsigned char byte = (unsigned char)text.ptr[i];
        if (ascii_is_space(text.ptr[i]) || (byte & 0xc0u) == 0x80u) {
            continue;
        }
        census.count[class_of(text.ptr[i])]++;
        census.count[DISTINCT] += (seen[byte / 64] >> byte % 64 & 1) ^ 1;
        seen[byte / 64] |= UINT64_C(1) << byte % 64;
    }
    for (size_t kind = LOWER; kind <= SPECIAL; kind++) {
        census.count[CLASSES] += census.count[kind] > 0 ? 1 : 0;
    }
    return census;
}

static bool char_classes_passes(struct span value, const struct check_args *args)
{
    struct census census = census_of(value);

    for (size_t i = 0; i < N_ARGUMENTS; i++) {
        if (census.count[i] < argument_count(args, i, 0)) {
            return false;
        }
    }
    return true;
}

static bool char_classes_accepts(const struct check_args *args, struct error *err)
{
    static const double highest[N_ARGUMENTS] = {
        CHECK_SPAN_MAX, CHECK_SPAN_MAX, CHECK_SPAN_MAX, CHECK_SPAN_MAX, 4, 256};

    for (size_t i = 0; i < N_ARGUMENTS; i++) {
        if (!argument_accept_whole(args, i, 0, highest[i], err)) {
            return false;
        }
    }
    return true;
}

const struct check_type check_char_classes = {
    .name = "char_classes",
    .summary = "passes when there are at least that many characters of each kind",
    .parameters =
        {
            {"lowercase", CHECK_NUMBER, false},
            {"uppercase", CHECK_NUMBER, false},
            {"digit", CHECK_NUMBER, false},
            {"special", CHECK_NUMBER, false},
            {"classes", CHECK_NUMBER, false},
            {"distinct", CHECK_NUMBER, false},
        },
    .passes = char_classes_passes,
    .accepts = char_classes_accepts,
};

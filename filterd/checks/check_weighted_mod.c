#include "checks/check_argument.h"
#include "checks/checks_table.h"
#include "lexical/symbols.h"

enum { WEIGHTS, MODULUS, SCHEME, TEN, POSITION, DIGIT_SUM };
enum scheme { ZERO, REMAINDER, COMPLEMENT, COMPLEMENT_DIGIT, N_SCHEMES };
enum ten { TEN_NEVER, TEN_AS_0, TEN_AS_X, TEN_AS_A, TEN_AS_K, N_TENS };

enum { MODULUS_DEFAULT = 11, MODULUS_MAX = 1000, WEIGHT_MAX = 1000 };

static const char *const schemes[N_SCHEMES] = {"zero", "remainder", "complement", "complement_digit"};
static const char *const tens[N_TENS] = {"never", "0", "X", "A", "K"};
/* The symbol that stands for 10; "never" has none. */
static const uint8_t ten_symbols[N_TENS] = {0xff, 0, 33, 10, 20};

struct weighting {
    const double *weights;
    size_t n;
    long modulus;
    enum scheme scheme;
    enum ten ten;
    size_t position; /* of the check character */
    bool sums_digits;
};

static struct weighting weighting_of(const struct check_args *args, const struct symbols *s)
{
    return (struct weighting){
        .weights = args->value[WEIGHTS].numbers,
        .n = args->is_given[WEIGHTS] ? args->value[WEIGHTS].n : 0,
        .modulus = (long)argument_number(args, MODULUS, MODULUS_DEFAULT),
        .scheme = (enum scheme)argument_choice(args, SCHEME, schemes, N_SCHEMES),
        .ten = (enum ten)argument_choice(args, TEN, tens, N_TENS),
        .position = argument_count(args, POSITION, s->n - 1),
        .sums_digits = argument_flag(args, DIGIT_SUM),
    };
}

static long digit_sum(long product)
{
    long sum = 0;

    for (long rest = product < 0 ? -product : product; rest > 0; rest /= 10) {
        sum += rest % 10;
    }
    return product < 0 ? -sum : sum;
}

/* Scheme zero covers the check character, too, where its letter may stand for 10. */
static long weighted_value(const struct weighting *w, const struct symbols *s, size_t i)
{
    bool stands_for_ten = w->scheme == ZERO && i == w->position && w->ten != TEN_NEVER &&
                          w->ten != TEN_AS_0 && s->value[i] == ten_symbols[w->ten];

    return stands_for_ten ? 10 : s->value[i];
}

static long weighted_sum(const struct weighting *w, const struct symbols *s)
{
    long sum = 0;
    size_t used = 0;

    for (size_t i = 0; i < s->n; i++) {
        if (w->scheme != ZERO && i == w->position) {
            continue;
        }
        long product = (long)w->weights[used++] * weighted_value(w, s, i);
        sum += w->sums_digits ? digit_sum(product) : product;
    }
    return sum;
}

static bool is_check_symbol(const struct weighting *w, long remainder, uint8_t symbol)
{
    if (remainder == 10) {
        return w->ten != TEN_NEVER && symbol == ten_symbols[w->ten];
    }
    return symbol == remainder;
}

static bool weighted_mod_passes(struct span value, const struct check_args *args)
{
    struct symbols s;

    if (!symbols_read(value, &s) || symbols_all_equal(&s)) {
        return false;
    }
    struct weighting w = weighting_of(args, &s);
    size_t weighted = w.scheme == ZERO ? s.n : s.n - 1;
    if (w.n != weighted || w.position >= s.n || w.modulus < 2) {
        return false;
    }
    long remainder = weighted_sum(&w, &s) % w.modulus;
    remainder = remainder < 0 ? remainder + w.modulus : remainder;
    if (w.scheme == ZERO) {
        return remainder == 0;
    }
    if (w.scheme == COMPLEMENT_DIGIT) {
        remainder = (w.modulus - remainder) % 10; /* the modulus itself has a last digit, too */
    }
    if (w.scheme == COMPLEMENT) {
        remainder = (w.modulus - remainder) % w.modulus;
    }
    return is_check_symbol(&w, remainder, s.value[w.position]);
}

static bool weighted_mod_accepts(const struct check_args *args, struct error *err)
{
    const struct check_value *weights = &args->value[WEIGHTS];

    if (!args->is_given[WEIGHTS] || weights->n == 0 || weights->n > SYMBOLS_MAX) {
        return error_set(err, ERROR_INVALID, "weights: expected 1 to %d numbers", SYMBOLS_MAX);
    }
    for (size_t i = 0; i < weights->n; i++) {
        double weight = weights->numbers[i];
        if (!(weight >= -WEIGHT_MAX && weight <= WEIGHT_MAX) || (double)(long)weight != weight) {
            return error_set(err, ERROR_INVALID, "weights: expected whole numbers");
        }
    }
    if (args->is_given[MODULUS] && !argument_accept_whole(args, MODULUS, 2, MODULUS_MAX, err)) {
        return false;
    }
    if (!argument_accept_choice(args, SCHEME, schemes, N_SCHEMES, err) ||
        !argument_accept_choice(args, TEN, tens, N_TENS, err)) {
        return false;
    }
    return argument_accept_whole(args, POSITION, 0, (double)weights->n, err);
}

const struct check_type check_weighted_mod = {
    .name = "weighted_mod",
    .summary = "passes when the weighted sum of the characters agrees with the check character",
    .parameters =
        {
            {"weights", CHECK_NUMBERS, true},
            {"modulus", CHECK_NUMBER, false},
            {"scheme", CHECK_TEXT, true},
            {"ten", CHECK_TEXT, false},
            {"position", CHECK_NUMBER, false},
            {"digit_sum", CHECK_FLAG, false},
        },
    .passes = weighted_mod_passes,
    .accepts = weighted_mod_accepts,
};

#include <pthread.h>

#include "base/ascii.h"
#include "lexical/placeholder.h"

/* A value has a pattern when this share of its letters and digits, in tenths, is in order. */
enum { SHARE_TENTHS = 6 };
enum {
    WALK_MIN = 3,
    LONG_WALK_MIN = 8,   /* of letters: once in a billion random tokens */
    LONG_WALK_SHARE = 3, /* of digits it must be one part in so many of the value: a counter may be behind a key */
    ZIPPED_MIN = 8,
    REPEAT_MIN = 3,
    LENGTH_MIN = 6,
    COUNTER_MIN = 3,
    COUNTER_MAX = 4,
    PERIOD_MAX = 16,
    SAMPLE = 1024,
    STEP_MAX = 2
};
static const unsigned any_way = ~0u;
static const unsigned of_digits = 3; /* the first walk of ways() */

struct sample {
    char c[SAMPLE];
    size_t n;
};

static void take_sample(struct span text, struct sample *s)
{
    s->n = 0;
    for (size_t i = 0; i < text.len && s->n < SAMPLE; i++) {
        if (ascii_is_alnum(text.ptr[i])) {
            s->c[s->n++] = ascii_lower(text.ptr[i]);
        }
    }
}

/* The walks on which b follows a, a bit for each direction of each. */
static unsigned find_ways(char a, char b)
{
    static const char *const walks[] = {
        "01234567890", "abcdefghijklmnopqrstuvwxyz",           "qwertyuiop", "asdfghjkl",
        "zxcvbnm",     "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p",
    };
    unsigned found = 0;

    for (size_t i = 0; i < COUNT(walks); i++) {
        for (const char *at = strchr(walks[i], a); at != NULL && *at != '\0';
             at = strchr(at + 1, a)) {
            found |= at[1] == b ? 1u << 2 * i : 0;
            found |= at > walks[i] && at[-1] == b ? 2u << 2 * i : 0;
        }
    }
    return found;
}

/* All of them: samples are of small letters and digits. */
enum { SIGNS = 36 };
static uint16_t all_ways[SIGNS][SIGNS];
static pthread_once_t all_ways_once = PTHREAD_ONCE_INIT;

static size_t number_of(char c)
{
    return (size_t)(ascii_is_digit(c) ? c - '0' : c - 'a' + 10);
}

static void index_ways(void)
{
    static const char signs[] = "0123456789abcdefghijklmnopqrstuvwxyz";

    for (size_t i = 0; i < SIGNS; i++) {
        for (size_t k = 0; k < SIGNS; k++) {
            all_ways[i][k] = (uint16_t)find_ways(signs[i], signs[k]);
        }
    }
}

static unsigned ways(char a, char b)
{
    return all_ways[number_of(a)][number_of(b)];
}

/* How many characters are in runs of at least `min` whose step-th neighbours keep to one walk of `allowed`. */
static size_t walked(const struct sample *s, size_t step, size_t min, unsigned allowed)
{
    unsigned on[STEP_MAX] = {any_way, any_way};
    size_t covered = 0;
    size_t run = step;

    for (size_t i = step; i <= s->n && s->n >= min; i++) {
        const size_t way = i & (step - 1); /* one of one or two */
        unsigned found = i < s->n ? ways(s->c[i - step], s->c[i]) & allowed : 0;
        if ((on[way] & found) != 0) {
            on[way] &= found;
            run++;
            continue;
        }
        covered += run >= min ? run : 0;
        on[0] = on[1] = any_way;
        on[way] = found != 0 ? found : any_way;
        run = found != 0 ? step + 1 : step;
    }
    return covered;
}

/* Whether as many characters in a row each go on from the step-th one before, on whichever walk. */
static bool may_walk(const struct sample *s, size_t step, size_t min)
{
    size_t run = step;

    for (size_t i = step; i < s->n && run < min; i++) {
        run = ways(s->c[i - step], s->c[i]) != 0 ? run + 1 : step;
    }
    return run >= min;
}

static size_t repeated(const struct sample *s)
{
    size_t covered = 0;
    size_t run = 1;

    for (size_t i = 1; i <= s->n; i++) {
        if (i < s->n && s->c[i] == s->c[i - 1]) {
            run++;
            continue;
        }
        covered += run >= REPEAT_MIN ? run : 0;
        run = 1;
    }
    return covered;
}

/* The same few characters over and over: abcabc, adminadmin, deadbeefdeadbeef. */
static bool is_periodic(const struct sample *s)
{
    for (size_t period = 1; period <= PERIOD_MAX && period * 2 <= s->n; period++) {
        if (s->c[0] == s->c[period] && memcmp(s->c, s->c + period, s->n - period) == 0) {
            return true;
        }
    }
    return false;
}

static bool has_few_characters(const struct sample *s)
{
    uint64_t seen = 0; /* by number_of */
    size_t distinct = 0;

    for (size_t i = 0; i < s->n; i++) {
        const size_t number = number_of(s->c[i]);
        distinct += (seen >> number & 1) ^ 1;
        seen |= UINT64_C(1) << number;
    }
    return s->n >= 8 && (distinct <= 2 || (s->n >= 20 && distinct <= 4));
}

static struct sample part_of(const struct sample *s, size_t from, size_t to)
{
    struct sample part = {.n = to - from};

    memcpy(part.c, s->c + from, part.n);
    return part;
}

/* qwerty8362: a walk of letters, then three or four digits in no row and no year. People make passwords so. */
static bool is_counted_walk(const struct sample *s)
{
    size_t letters = s->n;

    while (letters > 0 && ascii_is_digit(s->c[letters - 1])) {
        letters--;
    }
    size_t n = s->n - letters;
    if (letters < WALK_MIN || n < COUNTER_MIN || n > COUNTER_MAX) {
        return false;
    }
    struct sample head = part_of(s, 0, letters);
    struct sample digits = part_of(s, letters, s->n);
    bool is_year = n == COUNTER_MAX && (memcmp(digits.c, "19", 2) == 0 || memcmp(digits.c, "20", 2) == 0);
    return !is_year && walked(&head, 1, WALK_MIN, any_way) == letters && !is_periodic(&head) &&
           walked(&digits, 1, WALK_MIN, any_way) + repeated(&digits) == 0 && !is_periodic(&digits);
}

bool placeholder_is_pattern(struct span text)
{
    struct sample s;

    take_sample(text, &s);
    (void)pthread_once(&all_ways_once, index_ways);
    if (is_counted_walk(&s)) {
        return false;
    }
    if (s.n < LENGTH_MIN) {
        return s.n > 1 && (walked(&s, 1, s.n, any_way) == s.n || (s.n > REPEAT_MIN && repeated(&s) == s.n));
    }
    /* Steps of two are a1b2c3d4; such pairs come by chance more often, so they must be longer. */
    const bool has_walk = may_walk(&s, 1, WALK_MIN);
    size_t in_order = (has_walk ? walked(&s, 1, WALK_MIN, any_way) : 0) + repeated(&s);
    size_t zipped = may_walk(&s, 2, ZIPPED_MIN) ? walked(&s, 2, ZIPPED_MIN, any_way) : 0;
    size_t most = in_order > zipped ? in_order : zipped;
    const bool has_long_walk = has_walk && (walked(&s, 1, LONG_WALK_MIN, ~of_digits) > 0 ||
                                            walked(&s, 1, LONG_WALK_MIN, of_digits) * LONG_WALK_SHARE >= s.n);
    return most * 10 >= s.n * SHARE_TENTHS || has_long_walk || is_periodic(&s) || has_few_characters(&s);
}

#include "disclosure/system_prompt.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/ascii.h"
#include "dataset/letters.h"
#include "disclosure/addresses.h"
#include "disclosure/automaton.h"
#include "text/fold_table.h"

enum {
    BREAK = 1,       /* in place of too much white space: in no prompt */
    WORDS_MAX = 16,
    WORDS_MIN = 4,   /* of a run that counts, or … */
    LETTERS_MIN = SYSTEM_PROMPT_RUN / 2, /* … bytes of its words */
};

struct system_prompt {
    atomic_uint references;
    struct automaton prompt, known; /* what the user wrote, and sentences of many prompts */
    struct addresses addresses;     /* of the prompt */
    size_t prompt_len, known_len;
};

/* Sentences that tell nothing of the prompt they are in. */
static const char *const common[] = {
    "You are a helpful assistant. You are a helpful, respectful and honest assistant. ",
    "You are a helpful AI assistant. You are an AI assistant that helps people find information. ",
    "You are ChatGPT, a large language model trained by OpenAI. As an AI language model, I ",
    "If you don't know the answer, just say that you don't know. Let's think step by step. ",
    "Answer the question based on the context below. Answer the following question. ",
};

/* --- folding ---------------------------------------------------------------- */

/* The bytes of the character at `at`; 1 for what is none. */
static size_t character_len(struct span text, size_t at)
{
    unsigned char first = (unsigned char)text.ptr[at];
    size_t len = first < 0xc2 || first > 0xf4 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;

    for (size_t i = 1; i < len; i++) {
        if (at + i == text.len || ((unsigned char)text.ptr[at + i] & 0xc0) != 0x80) {
            return 1;
        }
    }
    return len;
}

/* In Latin Extended-A capitals are even, or odd, and their small letters follow them; U+0138 and U+0149 have no other. */
static bool is_extended_capital(unsigned code)
{
    bool is_odd = (code > 0x138 && code < 0x149) || (code > 0x178 && code < 0x17f);

    return code >= 0x100 && code < 0x17f && code != 0x138 && code != 0x149 && code != 0x178 && code % 2 == is_odd;
}

/* The lower case of the letter in two bytes, when that has two bytes, too. */
static void lower_pair(unsigned char pair[2])
{
    unsigned code = (pair[0] & 0x1fU) << 6 | (pair[1] & 0x3fU);
    bool is_latin = code >= 0xc0 && code <= 0xde && code != 0xd7;
    bool is_greek = code >= 0x391 && code <= 0x3a9;
    bool is_cyrillic = code >= 0x410 && code <= 0x42f;

    code += is_latin || is_greek || is_cyrillic ? 0x20 : 0;
    code += code >= 0x400 && code <= 0x40f ? 0x50 : 0;
    code += is_extended_capital(code);
    pair[0] = (unsigned char)(0xc0 | code >> 6);
    pair[1] = (unsigned char)(0x80 | (code & 0x3f));
}

/* How the character of several bytes is folded; its bytes in lower case. */
static uint16_t fold_character(struct span text, size_t at, size_t len, unsigned char bytes[4])
{
    size_t ignored;

    memcpy(bytes, text.ptr + at, len);
    if (len == 2) {
        lower_pair(bytes);
    }
    return fold_value_of(bytes, &ignored);
}

/* Characters without a width, and marks on the one before. */
static size_t skip_invisible(struct span text, size_t at)
{
    unsigned char bytes[4];

    while (at < text.len) {
        size_t len = character_len(text, at);
        enum fold_kind kind = len == 1 ? FOLD_BREAK : fold_kind(fold_character(text, at, len, bytes));
        if (kind != FOLD_DROP && kind != FOLD_MARK) {
            break;
        }
        at += len;
    }
    return at;
}

static size_t skip_spaces(struct span text, size_t at)
{
    unsigned char bytes[4];

    while (at < text.len) {
        size_t len = character_len(text, at);
        bool is_space = len == 1 ? ascii_is_space(text.ptr[at])
                                 : fold_kind(fold_character(text, at, len, bytes)) == FOLD_SPACE;
        if (!is_space) {
            break;
        }
        at = skip_invisible(text, at + len);
    }
    return at;
}

/* The byte of a character of several: its first, with the others to come, or the only one of what it is folded to. */
static uint8_t next_of_several(struct span text, size_t *at, size_t len)
{
    unsigned char bytes[4];
    uint16_t value = fold_character(text, *at, len, bytes);

    switch (fold_kind(value)) {
    case FOLD_CONFUSABLE:
    case FOLD_LATIN:
    case FOLD_COMPAT:
        *at += len;
        return (uint8_t)ascii_lower((char)fold_payload(value));
    case FOLD_DASH:
        *at += len;
        return '-';
    case FOLD_BREAK:
    case FOLD_DROP:
    case FOLD_MARK:
    case FOLD_FOREIGN:
    case FOLD_STRING:
    case FOLD_SPACE:
        break;
    }
    *at += 1;
    return bytes[0];
}

/* The second byte of a letter that is not folded to another. */
static uint8_t second_byte(struct span text, size_t at)
{
    unsigned char pair[2] = {(unsigned char)text.ptr[at - 1], (unsigned char)text.ptr[at]};

    lower_pair(pair);
    return pair[1];
}

static bool is_plain(struct span text, size_t at)
{
    return at < text.len && (unsigned char)text.ptr[at] < 0x80 && !ascii_is_space(text.ptr[at]);
}

/* The next folded byte; *at moves behind what it stands for, with the invisible characters that follow. */
static uint8_t next_folded(struct span text, size_t *at)
{
    size_t from = *at, end;
    uint8_t byte = BREAK;

    if (is_plain(text, from) && (from + 1 == text.len || (unsigned char)text.ptr[from + 1] < 0x80)) {
        *at = from + 1;
        return (uint8_t)ascii_lower(text.ptr[from]);
    }
    *at = from = skip_invisible(text, from);
    if (from == text.len) {
        return BREAK;
    }
    size_t len = character_len(text, from);
    if ((end = skip_spaces(text, from)) > from) {
        *at = end;
        return end - from > SYSTEM_PROMPT_SPACE_MAX ? BREAK : ' ';
    }
    if (len > 1) {
        byte = next_of_several(text, at, len);
    } else {
        bool is_second = from > 0 && character_len(text, from - 1) == 2;
        byte = is_second ? second_byte(text, from) : (uint8_t)ascii_lower(text.ptr[from]);
        *at = from + 1;
    }
    *at = skip_invisible(text, *at);
    return byte;
}

static bool add_text(struct automaton *a, struct span text, struct error *err)
{
    automaton_break(a);
    for (size_t at = 0; at < text.len;) {
        uint8_t byte = next_folded(text, &at);
        if (byte == BREAK) {
            automaton_break(a);
        } else if (!automaton_add(a, byte, err)) {
            return false;
        }
    }
    return true;
}

/* --- the prompt ----------------------------------------------------------------- */

struct system_prompt *system_prompt_new(struct error *err)
{
    struct system_prompt *p = calloc(1, sizeof(*p));
    bool is_made = p != NULL;

    if (p == NULL) {
        error_set(err, ERROR_NO_MEMORY, "system prompt: no memory");
        return NULL;
    }
    atomic_init(&p->references, 1);
    for (size_t i = 0; i < COUNT(common) && is_made; i++) {
        is_made = add_text(&p->known, span_str(common[i]), err);
    }
    if (!is_made) {
        system_prompt_unref(p);
        return NULL;
    }
    return p;
}

struct system_prompt *system_prompt_ref(struct system_prompt *p)
{
    (void)atomic_fetch_add_explicit(&p->references, 1, memory_order_relaxed);
    return p;
}

void system_prompt_unref(struct system_prompt *p)
{
    if (p != NULL && atomic_fetch_sub_explicit(&p->references, 1, memory_order_acq_rel) == 1) {
        automaton_deinit(&p->prompt);
        automaton_deinit(&p->known);
        addresses_deinit(&p->addresses);
        free(p);
    }
}

bool system_prompt_add(struct system_prompt *p, struct span text, struct error *err)
{
    if (text.len > SYSTEM_PROMPT_MAX - p->prompt_len) {
        return error_set(err, ERROR_LIMIT, "system prompt: at most %d bytes expected", SYSTEM_PROMPT_MAX);
    }
    p->prompt_len += text.len;
    return add_text(&p->prompt, text, err) && addresses_add(&p->addresses, text, err);
}

bool system_prompt_add_user(struct system_prompt *p, struct span text, struct error *err)
{
    size_t room = SYSTEM_PROMPT_MAX - p->known_len;

    text.len = text.len < room ? text.len : room;
    p->known_len += text.len;
    return add_text(&p->known, text, err);
}

bool system_prompt_is_empty(const struct system_prompt *p)
{
    return p->prompt_len == 0;
}

size_t system_prompt_size(const struct system_prompt *p)
{
    const struct automaton *both[] = {p == NULL ? NULL : &p->prompt, p == NULL ? NULL : &p->known};
    size_t size = p == NULL ? 0 : sizeof(*p) + p->addresses.n_slots * sizeof(*p->addresses.slots);

    for (size_t i = 0; i < COUNT(both) && p != NULL; i++) {
        size += both[i]->states_cap * sizeof(*both[i]->states) + both[i]->edges_cap * sizeof(*both[i]->edges);
    }
    return size;
}

/* --- parts ------------------------------------------------------------------------ */

/* A text as it is read: [from, to) is the longest end of what was read that is in the prompt. `from` follows behind. */
struct comparison {
    const struct system_prompt *p;
    struct span text;
    size_t from, to;
    struct automaton_place prompt;
    struct automaton_place known; /* of runs that are long enough */
    bool knows;
};

static void drop_first(struct comparison *r, size_t n)
{
    while (n-- > 0) {
        (void)next_folded(r->text, &r->from);
    }
}

/* Whether the user wrote a run is asked from its thirty-second byte on: few texts have one. */
static void read_known(struct comparison *r, uint8_t byte)
{
    if (r->knows && r->prompt.len >= SYSTEM_PROMPT_RUN) {
        automaton_read(&r->p->known, &r->known, byte);
        return;
    }
    r->knows = r->prompt.len >= SYSTEM_PROMPT_RUN;
    r->known = (struct automaton_place){0};
    for (size_t at = r->from; r->knows && at < r->to;) {
        automaton_read(&r->p->known, &r->known, next_folded(r->text, &at));
    }
}

/* Reads the next byte; the run that was there before it has ended when the new one is no longer. */
static void read_next(struct comparison *r)
{
    uint32_t before = r->prompt.len;
    uint8_t byte = next_folded(r->text, &r->to);

    automaton_read(&r->p->prompt, &r->prompt, byte);
    drop_first(r, before + 1 - r->prompt.len);
    read_known(r, byte);
}

/* The byte that would be read next does not go on with the run. */
static bool is_at_end(const struct comparison *r)
{
    struct comparison ahead = *r;
    uint8_t byte;

    if (r->to == r->text.len) {
        return true;
    }
    byte = next_folded(ahead.text, &ahead.to);
    automaton_read(&r->p->prompt, &ahead.prompt, byte);
    return ahead.prompt.len != r->prompt.len + 1;
}

static uint32_t hash_word(struct span word)
{
    uint32_t hash = 2166136261U;

    for (size_t at = 0; at < word.len;) {
        hash = (hash ^ next_folded(word, &at)) * 16777619U;
    }
    return hash;
}

/* What is between letters of one word, as in addresses, which tell no more than where somebody can be reached. */
static bool is_joint(char c)
{
    return c != '\0' && strchr(".-_:/@?=&%#+~", c) != NULL;
}

/* The end of the word at `at`, or of what is no letter there. An ideograph is a word of its own. */
static size_t word_end(struct span text, size_t at, bool *is_word)
{
    struct letter letter = letter_at(text, at);
    size_t end = at + letter.len;

    *is_word = letter.kind != LETTER_GAP;
    if (letter.kind == LETTER_GAP || letter.kind == LETTER_IDEOGRAPH) {
        return end;
    }
    for (size_t next = end; next < text.len; next += letter.len) {
        letter = letter_at(text, next);
        if (letter.kind == LETTER_IDEOGRAPH || (letter.kind == LETTER_GAP && !is_joint(text.ptr[next]))) {
            break;
        }
        end = letter.kind == LETTER_GAP ? end : next + letter.len;
    }
    return end;
}

/* Different words of a run, of two bytes and more. */
struct words {
    uint32_t seen[WORDS_MAX];
    unsigned n;
    size_t letters; /* bytes of them */
};

static void add_word(struct words *w, struct span word)
{
    uint32_t hash = hash_word(word);
    bool is_new = word.len >= 2 && w->n < WORDS_MAX;

    for (unsigned i = 0; i < w->n; i++) {
        is_new = is_new && w->seen[i] != hash;
    }
    if (is_new) {
        w->seen[w->n++] = hash;
        w->letters += word.len;
    }
}

static bool has_words(struct span run, unsigned least)
{
    struct words w = {0};

    for (size_t at = 0, end; at < run.len && w.n < least; at = end) {
        bool is_word;
        end = word_end(run, at, &is_word);
        add_word(&w, span_slice(run, at, is_word ? end : at));
    }
    return w.n >= least;
}

static size_t folded_len(struct span text)
{
    size_t n = 0;

    for (size_t at = 0; at < text.len; n++) {
        (void)next_folded(text, &at);
    }
    return n;
}

/* Whether a run that is long enough is so without the addresses that anyone may have, and no ruler or pattern. */
static bool is_telling(const struct system_prompt *p, struct span text, struct copied_part part)
{
    struct span behind = span_slice(text, part.from, text.len), run = span_slice(text, part.from, part.to);
    struct words w = {0};
    size_t addresses = 0;

    for (size_t at = 0, end; at < run.len; at = end) {
        bool is_word = false;
        end = addresses_end(&p->addresses, behind, at, run.len);
        if (end > at) {
            addresses += folded_len(span_slice(run, at, end));
            continue;
        }
        end = word_end(run, at, &is_word);
        add_word(&w, span_slice(run, at, is_word ? end : at));
    }
    bool is_long = addresses == 0 || folded_len(run) - addresses >= SYSTEM_PROMPT_RUN;
    return is_long && (w.n >= WORDS_MIN || w.letters >= LETTERS_MIN);
}

/* Whole characters, without white space around. */
static struct copied_part trim(struct span text, struct copied_part part)
{
    while (part.from > 0 && ((unsigned char)text.ptr[part.from] & 0xc0) == 0x80) {
        part.from--;
    }
    while (part.to < text.len && ((unsigned char)text.ptr[part.to] & 0xc0) == 0x80) {
        part.to++;
    }
    while (part.to > part.from && ascii_is_space(text.ptr[part.to - 1])) {
        part.to--;
    }
    while (part.from < part.to && ascii_is_space(text.ptr[part.from])) {
        part.from++;
    }
    return part;
}

static bool is_copied(const struct comparison *r, unsigned words)
{
    const struct copied_part whole = trim(r->text, (struct copied_part){r->from, r->to});

    if (r->prompt.len < SYSTEM_PROMPT_RUN || r->known.len >= r->prompt.len) {
        return false;
    }
    return words == 0 ? is_telling(r->p, r->text, whole) : has_words(span_slice(r->text, whole.from, whole.to), words);
}

bool system_prompt_each(const struct system_prompt *p, unsigned words, struct span text, copied_part_fn *found,
                        void *context, struct error *err)
{
    struct comparison r = {.p = p, .text = text};
    struct copied_part part = {0};

    while (r.to < text.len) {
        read_next(&r);
        if (r.prompt.len < SYSTEM_PROMPT_RUN || !is_at_end(&r) || !is_copied(&r, words)) {
            continue;
        }
        if (part.to > r.from) {
            part.to = r.to;
            continue;
        }
        const struct copied_part whole = trim(text, part);
        if (part.to > 0 && !found(context, &whole, err)) {
            return false;
        }
        part = (struct copied_part){r.from, r.to};
    }
    const struct copied_part whole = part.to > 0 ? trim(text, part) : part;
    return part.to == 0 || found(context, &whole, err);
}

size_t system_prompt_live(const struct system_prompt *p, struct span text)
{
    struct comparison r = {.p = p, .text = text};

    while (r.to < text.len) {
        read_next(&r);
    }
    while (r.from > 0 && r.from < text.len && ((unsigned char)text.ptr[r.from] & 0xc0) == 0x80) {
        r.from--;
    }
    return ascii_run_end(text, r.from, ASCII_SPACE); /* a part has no white space in front */
}

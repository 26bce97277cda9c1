#include "classifiers/tagger_word_lists.h"

#include <string.h>
#include <strings.h>

static bool is_lower(char c)
{
    return (unsigned char)(c - 'a') < 26;
}

static bool is_alnum(char c)
{
    return (unsigned char)((c | 0x20) - 'a') < 26 || (unsigned char)(c - '0') < 10;
}

/* Flags of a spelling checker, PN and L'D'Q': no two small letters in a row, as names have. */
static bool are_flags(struct span text)
{
    for (size_t i = 0; i < text.len; i++) {
        bool is_flag = is_alnum(text.ptr[i]) || text.ptr[i] == '\'' || text.ptr[i] == '!';
        if (!is_flag || (i > 0 && is_lower(text.ptr[i]) && is_lower(text.ptr[i - 1]))) {
            return false;
        }
    }
    return text.len > 0;
}

static struct span up_to(struct span text, char end)
{
    const char *at = memchr(text.ptr, end, text.len);

    return at == NULL ? text : span_slice(text, 0, (size_t)(at - text.ptr));
}

/* word/FLAGS, with more behind a space; the word has small letters. */
static bool has_flags(struct span line)
{
    struct span word = up_to(line, '/');

    if (word.len < 2 || word.len == line.len || memchr(word.ptr, ' ', word.len) != NULL || !(is_lower(word.ptr[word.len - 1]) || (word.ptr[1] & 0x80) != 0)) {
        return false;
    }
    return are_flags(up_to(span_slice(line, word.len + 1, line.len), ' '));
}

/* A word and fields behind it, each of two letters, a colon and a value, Alda po:noun is:plural: the entry of a spelling checker with
 * what it knows of the word. */
static bool has_fields(struct span line)
{
    struct span word = up_to(line, ' ');
    struct span field = span_slice(line, word.len < line.len ? word.len + 1 : line.len, line.len);

    return word.len > 0 && field.len > 3 && is_lower(field.ptr[0]) && is_lower(field.ptr[1]) && field.ptr[2] == ':' && field.ptr[3] > ' ';
}

static bool is_genitive(struct span line)
{
    return line.len > 3 && memchr(line.ptr, ' ', line.len) == NULL && memcmp(line.ptr + line.len - 2, "'s", 2) == 0;
}

/* A key in small letters, an offset and a length in base64, at most four and two digits, between tabs. */
static bool is_of_index(struct span line)
{
    enum { OFFSET = 4, LENGTH = 2 };
    struct span key = up_to(line, '\t');
    struct span offset = key.len < line.len ? up_to(span_slice(line, key.len + 1, line.len), '\t') : span_of(line.ptr, 0);
    size_t before = key.len + 1 + offset.len + 1;

    for (size_t i = 0; i < key.len; i++) {
        if ((unsigned char)(key.ptr[i] - 'A') < 26) {
            return false;
        }
    }
    bool is_row = key.len > 0 && offset.len > 0 && offset.len <= OFFSET && before < line.len && line.len - before <= LENGTH;
    return is_row && memchr(line.ptr + before, '\t', line.len - before) == NULL;
}

static bool is_word(struct span line)
{
    return line.len > 0 && line.len < 48 && memchr(line.ptr, ' ', line.len) == NULL && memchr(line.ptr, '\t', line.len) == NULL;
}

bool tagger_is_word_of_list(struct span line)
{
    return is_word(line) || has_flags(line) || has_fields(line) || is_of_index(line);
}

/* bare: how much of the line is in front of its first space; a line without tabs is of no index. */
static bool is_entry(struct span line, size_t bare, bool has_tabs)
{
    return (memchr(line.ptr, '/', bare) != NULL && has_flags(line)) || has_fields(line) || (bare == line.len && is_genitive(line)) || (has_tabs && is_of_index(line));
}

static bool is_before(struct span word, struct span next)
{
    size_t n = word.len < next.len ? word.len : next.len;
    int order = strncasecmp(word.ptr, next.ptr, n);

    return order < 0 || (order == 0 && word.len <= next.len);
}

/* Fewer lines say nothing; of those of a list one in so many has its form, or is out of order. */
enum { FORMS = 4, SORTED = 16, ONE_IN = 8, DISORDER_IN = 16 };

enum tagger_word_list tagger_word_list_of(struct span unit, size_t *n_lines)
{
    size_t n_entries = 0;
    size_t n_others = 0;
    struct span last = span_of(unit.ptr, 0);
    bool has_tabs = unit.len > 0 && memchr(unit.ptr, '\t', unit.len) != NULL;

    *n_lines = 0;
    while (unit.len > 0) {
        struct span line = up_to(unit, '\n');
        size_t bare = up_to(line, ' ').len;
        bool is_in_order = bare == line.len && is_word(line) && is_before(last, line);
        ++*n_lines;
        n_entries += is_entry(line, bare, has_tabs);
        n_others += !is_in_order;
        last = line;
        unit = span_slice(unit, line.len < unit.len ? line.len + 1 : line.len, unit.len);
    }
    if (n_entries >= FORMS && n_entries * ONE_IN >= *n_lines) {
        return TAGGER_WORD_LIST;
    }
    return *n_lines >= SORTED && n_others * DISORDER_IN <= *n_lines ? TAGGER_SORTED_WORDS : TAGGER_NO_WORD_LIST;
}

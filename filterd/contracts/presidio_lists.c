/* presidio_lists.c - the languages, entity types and recognizers that filterd offers to clients of Presidio. */
#include <ctype.h>
#include <stdlib.h>

#include "contracts/presidio.h"
#include "policy/rule_set.h"

bool presidio_has_language(struct span language)
{
    static const char codes[][4] = {"en", "de", "fr", "es", "it", "pt", "nl", "pl", "sv", "no", "nb", "da", "fi", "cs", "hu", "tr",
                                    "ro", "el", "hr", "sl", "lt", "mk", "uk", "ru", "ar", "fa", "hi", "th", "zh", "ja", "ko", "ca"};

    for (size_t i = 0; i < COUNT(codes); i++) {
        if (span_is(language, codes[i])) {
            return true;
        }
    }
    return false;
}

static struct span_list names_in_presidio(const struct names *names, const struct rule *rule)
{
    return names == NULL ? (struct span_list){0} : names_of(names, rule->id, NAMING_PRESIDIO);
}

bool presidio_entity(const struct names *names, const struct rule *rule, struct arena *a, struct span *out, struct error *err)
{
    struct span_list known = names_in_presidio(names, rule);

    if (known.n > 0) {
        *out = known.items[0];
        return true;
    }
    char *text = arena_alloc(a, rule->id.len, err);
    if (text == NULL) {
        return false;
    }
    for (size_t i = 0; i < rule->id.len; i++) {
        char c = rule->id.ptr[i];
        text[i] = (char)(isalnum((unsigned char)c) ? toupper((unsigned char)c) : '_');
    }
    *out = span_of(text, rule->id.len);
    return true;
}

int presidio_compare(const void *left, const void *right)
{
    const struct span *a = left, *b = right;
    int order = memcmp(a->ptr, b->ptr, a->len < b->len ? a->len : b->len);

    return order != 0 ? order : (a->len > b->len) - (a->len < b->len);
}

static bool is_personal(const struct rule *rule)
{
    return rule->category == CATEGORY_PII || rule->category == CATEGORY_SECRET;
}

/* All by which the rule can be asked for; the first is the one in results. */
static bool add_entities(const struct names *names, const struct rule *rule, struct arena *a, struct span *out, size_t *n,
                         struct error *err)
{
    struct span_list known = names_in_presidio(names, rule);

    for (size_t i = 0; i < known.n; i++) {
        out[(*n)++] = known.items[i];
    }
    return known.n > 0 || presidio_entity(names, rule, a, &out[(*n)++], err);
}

bool presidio_write_entities(const struct names *names, const struct rule_set *rules, struct arena *a, struct writer *w)
{
    size_t n = 0, max = rules->n_rules;

    for (size_t i = 0; i < rules->n_rules; i++) {
        max += names_in_presidio(names, &rules->rules[i]).n;
    }
    struct span *entities = arena_array(a, max, sizeof(*entities), w->err);
    for (size_t i = 0; entities != NULL && i < rules->n_rules; i++) {
        if (is_personal(&rules->rules[i]) && !add_entities(names, &rules->rules[i], a, entities, &n, w->err)) {
            return false;
        }
    }
    if (entities == NULL) {
        return false;
    }
    qsort(entities, n, sizeof(*entities), presidio_compare);
    put(w, "[");
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || !span_equal(entities[i], entities[i - 1])) {
            put(w, i == 0 ? "" : ",");
            put_string(w, entities[i]);
        }
    }
    put(w, "]");
    return w->is_ok;
}

void presidio_write_recognizers(const struct rule_set *rules, struct writer *w)
{
    bool is_first = true;

    put(w, "[");
    for (size_t i = 0; i < rules->n_rules; i++) {
        if (is_personal(&rules->rules[i])) {
            put(w, is_first ? "" : ",");
            put_string(w, rules->rules[i].id);
            is_first = false;
        }
    }
    put(w, "]");
}

/* names.h - what other systems call the things that the rules find: Presidio's entity types, Google's
 * infoTypes, the types of AWS, Azure and GitHub. docs/man/filterd-rules.5 has the form of the file.
 *
 * For answers that speak another system's contract, which give its name in place of a rule's id and
 * take it in requests, and for people who come from there. Only true counterparts are listed: a rule
 * without one has none, and then the contract says what to do. Several rules may have one name, and a
 * rule several, the usual one first. Immutable once loaded; any thread may ask. */
#ifndef FILTERD_POLICY_NAMES_H
#define FILTERD_POLICY_NAMES_H

#include "base/fields.h"
#include "policy/rule_set.h"

/* Of an entry of the file (base/fields.h). */
extern const struct field names_entry_fields[];

enum naming {
    NAMING_PRESIDIO,
    NAMING_GOOGLE,
    NAMING_AWS, /* Comprehend first, then Macie where it differs */
    NAMING_BEDROCK,
    NAMING_AZURE,
    NAMING_GITHUB,
    NAMING_COUNT
};
const char *naming_name(enum naming naming);
/* False when no system is called so. */
bool naming_find(const char *name, enum naming *out);

struct names;

/* YAML; err holds "file:line:column: what was expected". Refused are ids listed twice, names that the system could not
 * have (NAMES_MAX_LEN characters of its alphabet), and a name given twice to one rule. `path` is borrowed for errors. */
enum { NAMES_MAX_LEN = 80 };
struct names *names_load(const char *path, struct span yaml, struct error *err);
/* Those of DIR/names.yaml; with NULL, or without such a file, the built-in ones. */
struct names *names_open(const char *rules_directory, struct error *err);
void names_free(struct names *n);

/* Empty when the rule has none there. Borrowed from `n`. */
struct span_list names_of(const struct names *n, struct span rule_id, enum naming naming);
/* The other way round, rule by rule. */
bool names_has(const struct names *n, struct span rule_id, enum naming naming, struct span name);
size_t names_count(const struct names *n); /* rules with a name somewhere */
bool names_are_built_in(const struct names *n);

/* Fails, with the place in the file, on the first id that no rule has. */
MUST_CHECK bool names_check(const struct names *n, const struct rule_set *rules, struct error *err);

#endif

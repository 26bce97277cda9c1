/* names.h - the names that other systems use for what the rules find: Presidio's entity types, Google's
 * infoTypes, the types of AWS, Azure and GitHub. docs/man/filterd-rules.5 describes the file.
 *
 * For answers in another system's format, which have its name instead of a rule's id, and for
 * users of that system. The first name of a rule is its exact counterpart; those behind it may mean a part of what the rule finds, as
 * US_PASSPORT does of passport numbers: who asks for one gets the rule's findings under it. Other rules have no name.
 * Several rules may share a name, and a rule may have several, the usual one first.
 * Immutable once loaded; any thread. */
#ifndef FILTERD_POLICY_NAMES_H
#define FILTERD_POLICY_NAMES_H

#include "base/fields.h"
#include "policy/rule_set.h"

/* The keys of an entry of the file (base/fields.h). */
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
/* False when there is no system of that name. */
bool naming_find(const char *name, enum naming *out);

struct names;

/* Parses YAML; err is "file:line:column: what was expected". Errors are duplicate ids, names that the system cannot
 * have (NAMES_MAX_LEN characters of its alphabet), and duplicate names of a rule. `path` is borrowed for errors. */
enum { NAMES_MAX_LEN = 80 };
struct names *names_load(const char *path, struct span yaml, struct error *err);
/* Loads DIR/names.yaml; with NULL, or without such a file, the built-in names. */
struct names *names_open(const char *rules_directory, struct error *err);
void names_free(struct names *n);

/* The rule's names in that system; may be empty. Borrowed from `n`. */
struct span_list names_of(const struct names *n, struct span rule_id, enum naming naming);
/* Whether the rule has that name. */
bool names_has(const struct names *n, struct span rule_id, enum naming naming, struct span name);
size_t names_count(const struct names *n); /* rules with a name in any system */
bool names_are_built_in(const struct names *n);

/* Fails, with the place in the file, at the first id that no rule has. */
MUST_CHECK bool names_check(const struct names *n, const struct rule_set *rules, struct error *err);

#endif

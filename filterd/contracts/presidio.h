/* presidio.h - what Presidio's analyzer and anonymizer serve beside POST /analyze (contracts.h): lists of names, and
 * operators on results.
 *
 * Shape: https://github.com/microsoft/presidio, presidio-analyzer/app.py, presidio-anonymizer/app.py and docs/api-docs. Offsets are code
 * points. Memory is the arena's or borrowed from the body. No state; any thread. */
#ifndef FILTERD_CONTRACTS_PRESIDIO_H
#define FILTERD_CONTRACTS_PRESIDIO_H

#include "contracts/contract.h"

/* Whether analysis is offered in that language. filterd's rules do not depend on it; a language that filterd has no
 * lists of words for is refused, as Presidio refuses those that it has no recognizers for. */
bool presidio_has_language(struct span language);

/* Writes the entity types that rules of the set have, each once, as a JSON array. */
MUST_CHECK bool presidio_write_entities(const struct names *names, const struct rule_set *rules, struct arena *a, struct writer *w);
/* Writes the ids of rules that have an entity type, as a JSON array. */
void presidio_write_recognizers(const struct rule_set *rules, struct writer *w);

/* POST /anonymize and POST /deanonymize: replaces the body's results by its operators. Nothing is judged. Returns the HTTP
 * status; the body is written in either case. */
unsigned presidio_anonymize(const struct contract_call *call, struct writer *w);
unsigned presidio_deanonymize(const struct contract_call *call, struct writer *w);

/* The entity type of a rule: its name in names.yaml, or its id in capitals with underscores, in the arena. */
MUST_CHECK bool presidio_entity(const struct names *names, const struct rule *rule, struct arena *a, struct span *out,
                                struct error *err);

/* The order of two spans, for qsort and bsearch: by their bytes. */
int presidio_compare(const void *left, const void *right);

#endif

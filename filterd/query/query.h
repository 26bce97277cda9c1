/* query.h - a small query language for lines of a decision log: parsed, compiled, matched.
 *
 *     action:block,redact agent:support-* -rule:iban since:7d
 *
 * A query is terms separated by spaces, all of which must match; an empty query matches every line. A term is a field, a colon
 * and values separated by commas, of which one must match; '-' negates a term. A value with a space, a
 * comma, a quote, a backslash or an asterisk is quoted, with \" and \\ inside. An asterisk after a value, outside of its
 * quotes, matches any suffix. Fields:
 *
 *     tenant app agent session trace req policy who state  text of the line: policy is name or digest, who is `by` or an approver
 *     rule category severity token                       of the line, or of any of its findings
 *     action type disposition severity                   one of a list
 *     seq                                                number or range: 7, 7..9, 7.., ..9
 *     since until                                        from that time on, before it: RFC 3339, or 30s 15m 6h 7d 2w ago
 *
 * Every query has one canonical text: fields in the order of the language, values sorted and each once, terms with '-' of a
 * field in one, times absolute. It compiles to the same query, and its canonical text is itself.
 *
 * Pure: no clock, no files. A query is immutable; any number of threads may match with it. */
#ifndef FILTERD_QUERY_QUERY_H
#define FILTERD_QUERY_QUERY_H

#include <stdint.h>

#include "base/error.h"
#include "base/span.h"

enum { QUERY_TEXT_MAX = 4096, QUERY_TERMS_MAX = 32, QUERY_VALUES_MAX = 256 };

struct query;

/* `now_ns` (UTC) is what ages count from. NULL: INVALID or LIMIT, with "query: column N: what was expected"; columns are bytes
 * from 1. */
struct query *query_compile(struct span text, int64_t now_ns, struct error *err);
void query_free(struct query *q); /* accepts NULL */

/* At most QUERY_TEXT_MAX bytes; lives as long as the query. */
struct span query_canonical(const struct query *q);

/* `line` is a JSON object that json_validate has accepted. */
bool query_matches(const struct query *q, struct span line);

/* No line outside of these matches; ends are exclusive. */
struct query_bounds {
    int64_t since_ns, until_ns; /* UTC; INT64_MIN, INT64_MAX: none */
    uint64_t first, end;        /* of seq; 0, UINT64_MAX: none */
};
struct query_bounds query_bounds(const struct query *q);

#endif

/* export_texts.h - what a bundle says in words: its README, the program that verifies it, rules and policies in force. */
#ifndef FILTERD_EVIDENCE_EXPORT_TEXTS_H
#define FILTERD_EVIDENCE_EXPORT_TEXTS_H

#include "evidence/bundle.h"
#include "evidence/export.h"

/* The README and verify.py. */
MUST_CHECK bool export_texts_put(struct bundle *b, bool is_range, struct error *err);
/* When one of the digests is that of a policy of the request's snapshot: rules/<16 digits of the rules' digest>/, with the rules
 * as they were loaded and policy.yaml. *is_put says whether. */
MUST_CHECK bool export_texts_put_rules(struct bundle *b, const struct export_request *request, const struct span *policies, size_t n,
                                       bool *is_put, struct error *err);

#endif

/* texts.h - texts made to be hard: the rules' own examples and labels, cut, doubled, joined and damaged. */
#ifndef FILTERD_TESTS_SUPPORT_TEXTS_H
#define FILTERD_TESTS_SUPPORT_TEXTS_H

#include "base/buf.h"
#include "policy/rule_set.h"
#include "support/random.h"

/* Replaces the buf's content; valid UTF-8 unless is_damaged. */
void make_text(struct random *r, const struct rule_set *rules, bool is_damaged, struct buf *out);

/* Such texts, one after another, and between them tokens in an obfuscation; most are cut short. Never empty. */
void make_obfuscated_text(struct random *r, const struct rule_set *rules, struct buf *out);

/* A policy that redacts what all rules find, or a few, from some confidence on. */
void make_policy(struct random *r, const struct rule_set *rules, struct buf *out);

#endif

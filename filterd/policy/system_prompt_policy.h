/* system_prompt_policy.h - what a policy says of system prompts: its key `system_prompt`, and the rule `system-prompt`.
 *
 * The rule is in no set: what it looks for is another text in each exchange (disclosure/system_prompt.h). */
#ifndef FILTERD_POLICY_SYSTEM_PROMPT_POLICY_H
#define FILTERD_POLICY_SYSTEM_PROMPT_POLICY_H

#include "policy/rule.h"

struct policy_system_prompt {
    unsigned words; /* the least number of different words in a part that counts; 0: by its letters (disclosure/system_prompt.h) */
};

extern const struct rule system_prompt_rule;

#endif

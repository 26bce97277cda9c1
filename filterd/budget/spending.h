/* spending.h - what one exchange discloses, charged to the budgets of its policy.
 *
 * The verdict about a value is made when it is first found, and is the same for the rest of the exchange. A stream judges the
 * same text again and again until it is final: what was charged since the last commit is undone by spending_rewind, and
 * charged again in the order of the text. So the verdicts of an exchange do not depend on how it is cut.
 *
 * The memory is an arena's; there is nothing to free. One thread at a time. */
#ifndef FILTERD_BUDGET_SPENDING_H
#define FILTERD_BUDGET_SPENDING_H

#include "base/arena.h"
#include "budget/budgets.h"
#include "policy/budget_policy.h"

struct spending;

/* NULL with NO_MEMORY. The policy and `budgets` live longer; names are read now. */
struct spending *spending_new(struct arena *a, struct budgets *budgets, const struct policy *policy, const struct identity *who,
                              int64_t now_ns, struct error *err);

/* Nothing that was charged since the last commit is disclosed. */
void spending_rewind(struct spending *s);
/* The same for an exchange that is blocked; which values exceeded a budget is still reported. */
void spending_withdraw(struct spending *s);
/* All of it is. */
void spending_commit(struct spending *s);

/* Charges the value to the budgets of `covering`, a bit for each of the policy's. Returns the bits of those that it exceeds.
 * When one of them withholds it, it is charged to none. */
unsigned spending_charge(struct spending *s, unsigned covering, struct span value);
/* The same for a value that was found in what redaction made of the text: it is charged to none. One that the text as sent
 * did not show exceeds the budgets that withhold. */
unsigned spending_charge_redacted(struct spending *s, unsigned covering, struct span value);

/* What the exchange did with one budget, and how full the account is at its end. */
struct spent {
    uint64_t values;   /* in the account */
    uint64_t disclosed, over; /* values of this exchange */
    bool is_estimated;
};
/* False: the exchange has nothing that the budget counts. */
bool spending_report(const struct spending *s, size_t budget, struct spent *out);

/* Seconds until the next exchange of that sender is accepted; 0: it is. */
uint32_t spending_wait(struct budgets *budgets, const struct policy *policy, const struct identity *who, int64_t now_ns);

#endif

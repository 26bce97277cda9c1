/* endpoint_read.h - the values of a supervisors file; for endpoints.c. */
#ifndef FILTERD_SUPERVISOR_LLM_ENDPOINT_READ_H
#define FILTERD_SUPERVISOR_LLM_ENDPOINT_READ_H

#include "supervisor-llm/endpoints.h"

/* One supervisor, the webhook, and the keys beside them, into the set. */
MUST_CHECK bool endpoint_read(struct arena *a, const struct yaml_node *node, struct endpoint *out, struct error *err);
MUST_CHECK bool webhook_read(struct arena *a, const struct yaml_node *node, struct webhook *out, struct error *err);
/* *is_known is false for a key that is none of the numbers and texts of the whole set. */
MUST_CHECK bool setting_read(struct arena *a, const struct yaml_node *node, struct endpoints *out, bool *is_known,
                             struct error *err);

#endif

/* endpoint_read.h - the keys of a supervisors file; for endpoints.c and tests. */
#ifndef FILTERD_SUPERVISOR_LLM_ENDPOINT_READ_H
#define FILTERD_SUPERVISOR_LLM_ENDPOINT_READ_H

#include "base/fields.h"
#include "supervisor-llm/endpoints.h"

/* Of the file, one supervisor and the webhook: into struct endpoints, endpoint and webhook. */
extern const struct field endpoints_fields[], endpoint_fields[], webhook_fields[];

#endif

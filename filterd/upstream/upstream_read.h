/* upstream_read.h - one upstream from YAML; for upstream.c alone. */
#ifndef FILTERD_UPSTREAM_UPSTREAM_READ_H
#define FILTERD_UPSTREAM_UPSTREAM_READ_H

#include "base/yaml.h"
#include "upstream/upstream.h"

/* Texts are copied into the arena or borrowed from the node. */
MUST_CHECK bool upstream_read(struct arena *a, const struct yaml_node *node, struct upstream *out,
                              struct error *err);

#endif

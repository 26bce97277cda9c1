#include "protocol/dialect.h"

const struct protocol protocol_anthropic = {.name = "anthropic"};

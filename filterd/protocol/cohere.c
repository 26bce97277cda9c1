#include "protocol/dialect.h"

const struct protocol protocol_cohere = {.name = "cohere"};

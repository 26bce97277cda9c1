#include "protocol/dialect.h"

const struct protocol protocol_gemini = {.name = "gemini"};

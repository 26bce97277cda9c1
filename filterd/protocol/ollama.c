#include "protocol/dialect.h"

const struct protocol protocol_ollama = {.name = "ollama"};

#include "policy/text_role.h"

#include <stddef.h>

const char *const text_role_names[] = {
    [TEXT_ROLE_OTHER] = "other",
    [TEXT_ROLE_SYSTEM] = "system",
    [TEXT_ROLE_DEVELOPER] = "developer",
    [TEXT_ROLE_USER] = "user",
    [TEXT_ROLE_ASSISTANT] = "assistant",
    [TEXT_ROLE_TOOLS] = "tools",
    [TEXT_ROLE_TOOL_RESULT] = "tool_result",
    [TEXT_ROLE_ATTACHMENT] = "attachment",
    [TEXT_ROLES] = NULL,
};

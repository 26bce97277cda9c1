/* text_role.h - who says a text of a request to a model, or what it is there for. */
#ifndef FILTERD_POLICY_TEXT_ROLE_H
#define FILTERD_POLICY_TEXT_ROLE_H

/* Zero is the role of a text of which nothing is known, and of every text of an answer. */
enum text_role {
    TEXT_ROLE_OTHER,
    TEXT_ROLE_SYSTEM,
    TEXT_ROLE_DEVELOPER,
    TEXT_ROLE_USER,
    TEXT_ROLE_ASSISTANT,   /* earlier answers of the model, its tool calls included */
    TEXT_ROLE_TOOLS,       /* definitions of tools */
    TEXT_ROLE_TOOL_RESULT, /* what a tool call returned */
    TEXT_ROLE_ATTACHMENT,  /* documents, and files that are text */
    TEXT_ROLES
};

extern const char *const text_role_names[]; /* NULL-terminated */

#endif

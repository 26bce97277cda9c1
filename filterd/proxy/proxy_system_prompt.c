/* proxy_system_prompt.c - the system prompt of a request, of which no part may be in its answer (disclosure/system_prompt.h). */
#include "base/cleanup.h"
#include "disclosure/system_prompt.h"
#include "policy/system_prompt_policy.h"
#include "prompt/prompt_texts.h"
#include "protocol/protocol.h"
#include "proxy/proxy.h"

static bool add_text(struct system_prompt *prompt, const struct channel *c, struct error *err)
{
    if (c->is_member_name) {
        return true;
    }
    if (c->role == TEXT_ROLE_SYSTEM || c->role == TEXT_ROLE_DEVELOPER) {
        return system_prompt_add(prompt, c->text, err);
    }
    return c->role != TEXT_ROLE_USER || system_prompt_add_user(prompt, c->text, err);
}

/* The last first: of a user's texts only so many bytes are known. */
static bool add_texts(struct system_prompt *prompt, const struct prompt_texts *texts, struct error *err)
{
    for (size_t i = texts->document.n; i-- > 0;) {
        if (texts->use[i] == PROMPT_TEXT && !add_text(prompt, &texts->document.channels[i], err)) {
            return err->kind != ERROR_LIMIT ? false
                                            : error_set(err, ERROR_DENIED, "a system prompt of at most %d bytes expected",
                                                        SYSTEM_PROMPT_MAX);
        }
    }
    return true;
}

static bool take_room(struct proxy *p, const struct system_prompt *prompt, struct error *err)
{
    size_t room = system_prompt_size(prompt);

    if (!service_hold(p->service, room)) {
        return error_set(err, ERROR_LIMIT, "no room");
    }
    p->room += room;
    return true;
}

bool proxy_read_system_prompt(struct proxy *p, struct system_prompt **out, struct error *err)
{
    struct system_prompt *prompt CLEANUP(system_prompt_drop) = NULL;
    struct arena memory CLEANUP(arena_deinit);
    struct prompt_texts texts;

    *out = NULL;
    arena_init(&memory, 0, worker_limits_default().memory_max);
    if (p->policy->system_prompt == NULL || p->up.body.len == 0 || p->type.len > 0) {
        return true;
    }
    prompt = system_prompt_new(err);
    if (prompt == NULL ||
        !(p->is_json ? prompt_texts_read_valid : prompt_texts_read)(&memory, protocol_route_name(p->route), buf_span(&p->up.body),
                                                                    &texts, err) ||
        !add_texts(prompt, &texts, err)) {
        return false;
    }
    if (system_prompt_is_empty(prompt)) {
        return true;
    }
    if (!take_room(p, prompt, err)) {
        return false;
    }
    *out = TAKE(prompt);
    return true;
}

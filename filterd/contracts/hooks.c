/* hooks.c - hooks of coding agents: Claude Code's hooks of type http or command, and those of Codex, which has the same events.
 *
 * Source: the hooks reference of Claude Code, https://code.claude.com/docs/en/hooks, and codex-rs/hooks/schema of
 * https://github.com/openai/codex, which runs the call when an answer has a member that it does not know. Before a tool call its
 * input is judged, after it its response, and a person's prompt when it is submitted; of other events everything.
 * A clean event is answered {}, which leaves the decision to the agent's own permissions: "allow" would skip them. What would be
 * redacted is denied, because a command with a label in it does something else. The agent sees the policy's notice and no rule.
 *
 * A tool's response is there already. Codex gives its model the reason of a block in its place. Claude Code gives it both, and
 * drops the response only for another one of the tool's own shape (updatedToolOutput): redacted, or of notices. What has another
 * shape after all, or is of a tool that failed, is found by PostToolBatch, which has what the model is about to read; a
 * block there stops the agent. */
#include "contracts/contracts.h"
#include "contracts/shape.h"
#include "http/fault.h"

struct hook {
    const struct hook_event *event;
    struct document document; /* what is judged */
    bool is_claude_code;
};

struct hook_event {
    const char *name;
    const char *judged;  /* member that is judged; NULL: the whole body */
    const char *of_each; /* member of each of its elements that is judged, or all of one without it; NULL: all of each */
    void (*deny)(struct writer *w, struct hook *hook, const struct exchange *x);
};

static bool is_made_of(struct span text, const char *letters)
{
    size_t n = 0;

    while (n < text.len && text.ptr[n] != '\0' && strchr(letters, text.ptr[n]) != NULL) {
        n++;
    }
    return n == text.len;
}

/* One of the few words that a tool's shape allows there, such as "text" or "files_with_matches". */
static bool is_enumerated(const struct channel *c)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz_/-";
    enum { WORD_MAX = 24 };

    return (span_is(c->key, "type") || span_is(c->key, "mode") || span_is(c->key, "status")) && c->text.len <= WORD_MAX &&
           is_made_of(c->text, letters);
}

static bool has_finding(const struct exchange *x, size_t channel)
{
    size_t n;
    const struct finding *f = contract_findings_from(x, channel, &n);

    for (; n > 0 && f->channel == channel; f++, n--) {
        if (f->action != ACTION_ALLOW && !f->is_shadow) {
            return true;
        }
    }
    return false;
}

/* A name that a tool's shape may have, and a secret not. */
static bool is_plain_name(struct span name)
{
    enum { NAME_MAX = 24 };

    return name.len <= NAME_MAX && is_made_of(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_");
}

/* The response with notices in the place of its texts, and of the numbers and arrays with a finding; of all, when nothing was judged.
 * False: a name must not be shown either, and has no other place. */
static bool withhold(struct document *d, const struct exchange *x)
{
    bool is_unjudged = contract_is_blocked_without_finding(x);

    for (size_t i = 0; i < d->n; i++) {
        struct channel *c = &d->channels[i];
        bool is_string = d->json.ptr[d->tokens[i].from] == '"', is_bad = is_unjudged || has_finding(x, i);
        if (c->is_member_name) {
            if (is_bad && !(is_unjudged && is_plain_name(c->text))) {
                return false;
            }
            c->output = c->text;
        } else if (is_string) {
            c->output = c->text.len > 0 && (has_finding(x, i) || !is_enumerated(c)) ? x->policy->notice : c->text;
        } else {
            c->output = is_bad ? x->policy->notice : c->text;
        }
    }
    return true;
}

static void put_block(struct writer *w, struct span notice)
{
    put(w, "\"decision\":\"block\",\"reason\":");
    put_string(w, notice);
}

static void deny_call(struct writer *w, struct hook *hook, const struct exchange *x)
{
    (void)hook;
    put(w, "\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"deny\",\"permissionDecisionReason\":");
    put_string(w, x->policy->notice);
    put(w, "}");
}

static void deny_permission(struct writer *w, struct hook *hook, const struct exchange *x)
{
    (void)hook;
    put(w, "\"hookSpecificOutput\":{\"hookEventName\":\"PermissionRequest\",\"decision\":{\"behavior\":\"deny\",\"message\":");
    put_string(w, x->policy->notice);
    put(w, "}}");
}

static void deny_response(struct writer *w, struct hook *hook, const struct exchange *x)
{
    bool is_blocked = x->action == ACTION_BLOCK, has_shape = !is_blocked || withhold(&hook->document, x);

    if (is_blocked) {
        put_block(w, x->policy->notice);
    }
    if (hook->is_claude_code) {
        put(w, is_blocked ? "," : "");
        put(w, "\"hookSpecificOutput\":{\"hookEventName\":\"PostToolUse\",\"updatedToolOutput\":");
        if (has_shape) {
            w->is_ok = w->is_ok && document_write(&hook->document, w->out, w->err);
        } else {
            put_string(w, x->policy->notice);
        }
        put(w, "}");
    }
}

static void deny_responses(struct writer *w, struct hook *hook, const struct exchange *x)
{
    (void)hook;
    put_block(w, x->policy->notice);
}

/* Claude Code shows the prompt with the reason unless it is suppressed. */
static void deny_prompt(struct writer *w, struct hook *hook, const struct exchange *x)
{
    put_block(w, x->policy->notice);
    if (hook->is_claude_code) {
        put(w, ",\"hookSpecificOutput\":{\"hookEventName\":\"UserPromptSubmit\",\"suppressOriginalPrompt\":true}");
    }
}

static void stop_agent(struct writer *w, struct hook *hook, const struct exchange *x)
{
    (void)hook;
    put(w, "\"continue\":false,\"stopReason\":");
    put_string(w, x->policy->notice);
}

static const struct hook_event events[] = {
    {"", NULL, NULL, stop_agent}, /* any other */
    {"PreToolUse", "tool_input", NULL, deny_call},
    {"PermissionRequest", "tool_input", NULL, deny_permission},
    {"PostToolUse", "tool_response", NULL, deny_response},
    {"PostToolBatch", "tool_calls", "tool_response", deny_responses},
    {"UserPromptSubmit", "prompt", NULL, deny_prompt},
};

static const struct hook_event *find_event(struct span name)
{
    for (size_t i = 1; i < COUNT(events); i++) {
        if (span_is(name, events[i].name)) {
            return &events[i];
        }
    }
    return &events[0];
}

/* That member of each element, where it is there. */
static bool read_each(const struct contract_call *call, struct json_value array, const char *member, struct document *out,
                      struct contract_exchange *c, struct filter_fault *fault)
{
    struct json_value *items, value;
    const struct shape_member members[] = {{member, SHAPE_ANY, false, &value}, {0}};
    struct error err;
    size_t n, n_parts = 0;
    char path[24];

    if (!shape_items(call, array, "", SHAPE_OBJECT, &items, &n, fault)) {
        return false;
    }
    struct document *parts = arena_alloc(call->arena, n * sizeof(*parts) + 1, &err);
    if (parts == NULL) {
        return fault_set_error(fault, &err);
    }
    for (size_t i = 0; i < n; i++) {
        (void)snprintf(path, sizeof(path), "/%zu", i);
        if (!shape_read(call, items[i], path, members, fault) ||
            !shape_document(call, value.raw.ptr != NULL ? value : items[i], path, &parts[n_parts++], c, fault)) {
            return false;
        }
    }
    if (!document_join(call->arena, call->body, parts, n_parts, out, &err)) {
        return fault_set_error(fault, &err);
    }
    c->channels = out->channels;
    c->n_channels = out->n;
    return true;
}

static bool read(const struct contract_call *call, bool is_claude_code, struct contract_exchange *out, struct filter_fault *fault)
{
    struct json_value root, name, session, judged = {0};
    const struct shape_member members[] = {
        {"hook_event_name", SHAPE_STRING, true, &name}, {"session_id", SHAPE_STRING, false, &session}, {0}};
    struct span text;
    struct error err;
    struct hook *hook = arena_alloc(call->arena, sizeof(*hook), &err);

    if (hook == NULL) {
        return fault_set_error(fault, &err);
    }
    if (!shape_root(call, &root, fault) || !shape_read(call, root, "", members, fault) || !shape_text(call, name, &text, fault) ||
        !shape_text(call, session, &out->who.session, fault)) {
        return false;
    }
    const struct hook_event *event = find_event(text);
    const struct shape_member content[] = {{event->judged, event->of_each == NULL ? SHAPE_ANY : SHAPE_ARRAY, true, &judged}, {0}};
    if (event->judged != NULL && !shape_read(call, root, "", content, fault)) {
        return false;
    }
    *hook = (struct hook){.event = event, .is_claude_code = is_claude_code};
    out->state = hook;
    out->takes_no_change = event->deny != deny_response || !is_claude_code;
    return event->of_each != NULL ? read_each(call, judged, event->of_each, &hook->document, out, fault)
                                  : shape_document(call, event->judged == NULL ? root : judged, "", &hook->document, out, fault);
}

static bool read_claude_code(const struct contract_call *call, struct contract_exchange *out, struct filter_fault *fault)
{
    return read(call, true, out, fault);
}

static bool read_codex(const struct contract_call *call, struct contract_exchange *out, struct filter_fault *fault)
{
    return read(call, false, out, fault);
}

static void refuse(struct writer *w, const struct filter_fault *fault)
{
    put(w, "{\"decision\":\"block\",\"reason\":");
    put_string(w, span_str(fault->detail));
    put(w, "}");
}

static unsigned write(struct writer *w, const struct contract_call *call, const struct contract_exchange *c,
                      const struct exchange *x)
{
    struct hook *hook = c->state;

    (void)call;
    put(w, "{");
    if (x->action != ACTION_ALLOW) {
        hook->event->deny(w, hook, x);
    }
    put(w, "}");
    return 200;
}

const struct contract contract_hooks_claude_code = {"/v1/hooks/claude-code", read_claude_code, write, refuse},
                      contract_hooks_codex = {"/v1/hooks/codex", read_codex, write, refuse};

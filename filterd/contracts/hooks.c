/* hooks.c - hooks of coding agents: Claude Code's hooks of type http, and those of Codex, which have the same shape.
 *
 * Source: the hooks reference of Claude Code, https://code.claude.com/docs/en/hooks. Before a tool call its input is judged, after it its
 * response, and a person's prompt when it is submitted; of other events everything. A clean event is answered {}, which leaves the
 * decision to the agent's own permissions: "allow" would skip them. What would be redacted is denied, because a command with
 * a label in it does something else. The agent sees the policy's notice and no rule. */
#include "contracts/contracts.h"
#include "contracts/shape.h"
#include "http/fault.h"

struct hook_event {
    const char *name;
    const char *judged; /* member that is judged; NULL: the whole body */
    bool has_permission; /* the answer denies a permission; otherwise it blocks */
};

static const struct hook_event events[] = {
    {"", NULL, false}, /* any other */
    {"PreToolUse", "tool_input", true},
    {"PermissionRequest", "tool_input", false},
    {"PostToolUse", "tool_response", false},
    {"UserPromptSubmit", "prompt", false},
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

static bool read(const struct contract_call *call, struct contract_exchange *out, struct filter_fault *fault)
{
    struct json_value root, name, session, judged = {0};
    const struct shape_member members[] = {
        {"hook_event_name", SHAPE_STRING, true, &name}, {"session_id", SHAPE_STRING, false, &session}, {0}};
    struct span text;
    struct document document;

    if (!shape_root(call, &root, fault) || !shape_read(call, root, "", members, fault) || !shape_text(call, name, &text, fault) ||
        !shape_text(call, session, &out->who.session, fault)) {
        return false;
    }
    const struct hook_event *event = find_event(text);
    const struct shape_member content[] = {{event->judged, SHAPE_ANY, true, &judged}, {0}};
    if (event->judged != NULL && !shape_read(call, root, "", content, fault)) {
        return false;
    }
    out->state = (void *)(uintptr_t)event; /* constant */
    out->takes_no_change = true;
    return shape_document(call, event->judged == NULL ? root : judged, "", &document, out, fault);
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
    const struct hook_event *event = c->state;

    (void)call;
    if (x->action == ACTION_ALLOW) {
        put(w, "{}");
        return 200;
    }
    put(w, event->has_permission ? "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"deny\","
                                   "\"permissionDecisionReason\":"
                                 : "{\"decision\":\"block\",\"reason\":");
    put_string(w, x->policy->notice);
    put(w, event->has_permission ? "}}" : "}");
    return 200;
}

const struct contract contract_hooks_claude_code = {"/v1/hooks/claude-code", read, write, refuse},
                      contract_hooks_codex = {"/v1/hooks/codex", read, write, refuse};

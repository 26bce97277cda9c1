#include "page/screens.h"

enum {
    READERS = ROLE_REVIEWER | ROLE_APPROVER | ROLE_AUDITOR,
    EVERYBODY = ROLE_REVIEWER | ROLE_APPROVER | ROLE_AUDITOR | ROLE_OPERATOR,
};

/* In the order of the navigation. */
const struct screen screens[] = {
    {.path = "/queue", .title = TEXT_QUEUE, .roles = READERS, .show = queue_show, .post = queue_post, .is_for_tenants = true, .count = queue_count},
    {.path = "/items/{seq}", .title = TEXT_ITEM, .roles = READERS, .show = item_show, .post = item_post, .is_for_tenants = true},
    {.path = "/undo/{line}", .title = TEXT_UNDO, .roles = ROLE_REVIEWER, .post = undo_post, .is_for_tenants = true},
    {.path = "/fleet", .title = TEXT_FLEET, .roles = READERS, .show = fleet_show, .post = fleet_post, .is_for_tenants = true, .needs_replicas = true},
    {.path = "/fleet/groups", .title = TEXT_FLEET_GROUPS, .roles = READERS, .show = fleet_groups_show, .is_for_tenants = true, .needs_replicas = true},
    {.path = "/fleet/groups/{id}", .title = TEXT_FLEET_GROUPS, .roles = READERS, .show = fleet_group_show, .post = fleet_group_post, .is_for_tenants = true, .needs_replicas = true},
    {.path = "/fleet/exceptions", .title = TEXT_FLEET_EXCEPTIONS, .roles = READERS, .show = fleet_exceptions_show, .is_for_tenants = true, .needs_replicas = true},
    {.path = "/fleet/exceptions/{ref}", .title = TEXT_FLEET_EXCEPTIONS, .roles = READERS, .post = fleet_exception_post, .needs_fresh = true, .is_for_tenants = true, .needs_replicas = true},
    {.path = "/fleet/reveals/{ref}", .title = TEXT_FLEET_REVEALS, .roles = READERS, .post = fleet_reveal_post, .needs_fresh = true, .is_for_tenants = true, .needs_replicas = true},
    {.path = "/fleet/reveals", .title = TEXT_FLEET_REVEALS, .roles = READERS, .show = fleet_reveals_show, .is_for_tenants = true, .needs_replicas = true},
    {.path = "/fleet/records", .title = TEXT_FLEET_RECORDS, .roles = READERS, .show = fleet_records_show, .is_for_tenants = true, .needs_replicas = true},
    {.path = "/fleet/lines/{ref}", .title = TEXT_LINE, .roles = READERS, .show = fleet_line_show, .post = fleet_line_post, .is_for_tenants = true, .needs_replicas = true},
    {.path = "/fleet/lines/{ref}/proof", .title = TEXT_PROOF, .roles = READERS, .show = fleet_proof_show, .is_for_tenants = true, .needs_replicas = true},
    {.path = "/records", .title = TEXT_RECORDS, .roles = READERS, .show = records_show, .is_for_tenants = true},
    {.path = "/records/{seq}", .title = TEXT_RECORD, .roles = READERS, .show = record_line_show, .is_for_tenants = true},
    {.path = "/groups", .title = TEXT_GROUPS, .roles = READERS, .show = groups_show, .is_for_tenants = true},
    {.path = "/groups/{id}", .title = TEXT_GROUP, .roles = READERS, .show = group_show, .post = group_post, .is_for_tenants = true},
    {.path = "/rules", .title = TEXT_RULES, .roles = READERS, .show = rules_show, .is_for_tenants = true},
    {.path = "/rules/{id}", .title = TEXT_RULE, .roles = READERS, .show = rule_show, .is_for_tenants = true},
    {.path = "/exceptions", .title = TEXT_EXCEPTIONS, .roles = READERS, .show = exceptions_show, .post = exceptions_post, .is_for_tenants = true, .count = exceptions_count},
    {.path = "/exceptions/{id}", .title = TEXT_EXCEPTIONS, .roles = READERS, .post = exception_post, .needs_fresh = true, .is_for_tenants = true},
    {.path = "/reveals", .title = TEXT_REVEALS, .roles = READERS, .show = reveals_show, .post = reveals_post, .is_for_tenants = true, .opens_originals = true, .count = reveals_count},
    {.path = "/reveals/{id}", .title = TEXT_REVEALS, .roles = READERS, .post = reveal_post, .needs_fresh = true, .is_for_tenants = true},
    {.path = "/reveals/{id}/file", .title = TEXT_REVEALS, .roles = ROLE_REVIEWER, .post = reveal_file_post, .needs_fresh = true, .is_for_tenants = true},
    {.path = "/reveals/{id}/key", .title = TEXT_REVEALS, .roles = ROLE_REVIEWER, .post = reveal_key_post, .needs_fresh = true, .is_for_tenants = true},
    {.path = "/sampling", .title = TEXT_SAMPLING, .roles = READERS, .show = sampling_show, .is_for_tenants = true},
    {.path = "/agents", .title = TEXT_AGENTS, .roles = EVERYBODY, .show = agents_show, .is_for_tenants = true},
    {.path = "/agents/change", .title = TEXT_CHANGE, .roles = ROLE_OPERATOR, .post = agent_change_post, .is_urgent = true, .is_for_tenants = true},
    {.path = "/policies", .title = TEXT_POLICIES, .roles = EVERYBODY, .show = policies_show},
    {.path = "/policies/{digest}", .title = TEXT_POLICY, .roles = EVERYBODY, .show = policy_show},
    {.path = "/exports", .title = TEXT_EXPORTS, .roles = ROLE_AUDITOR, .show = exports_show, .post = exports_post},
    {.path = "/exports/{id}", .title = TEXT_EXPORT, .roles = ROLE_AUDITOR, .show = export_show},
    {.path = "/exports/{id}/file", .title = TEXT_EXPORT, .roles = ROLE_AUDITOR, .show = export_file_show},
    {.path = "/access", .title = TEXT_ACCESS, .roles = ROLE_AUDITOR, .show = access_show},
    {.path = "/record", .title = TEXT_RECORD, .roles = EVERYBODY, .show = record_show, .is_for_tenants = true},
    {.path = "/records/{seq}/proof", .title = TEXT_PROOF, .roles = EVERYBODY, .show = proof_show, .is_for_tenants = true},
    {.path = "/record/verify", .title = TEXT_VERIFY, .roles = EVERYBODY, .post = record_verify_post, .is_for_tenants = true},
    {.path = "/record/checkpoint", .title = TEXT_CHECKPOINT_NOW, .roles = EVERYBODY, .post = record_checkpoint_post, .is_for_tenants = true},
    {.path = "/login", .title = TEXT_SIGN_IN, .show = login_show, .post = login_post},
    {.path = "/logout", .title = TEXT_SIGN_OUT, .roles = EVERYBODY, .post = logout_post, .is_for_tenants = true, .accepts_pending = true},
    {.path = "/confirm", .title = TEXT_CONFIRM, .roles = EVERYBODY, .show = confirm_show, .post = confirm_post, .is_for_tenants = true, .accepts_pending = true, .uses_passkeys = true},
    {.path = "/passkeys", .title = TEXT_PASSKEYS, .roles = EVERYBODY, .show = passkeys_show, .is_for_tenants = true, .uses_passkeys = true},
    {.path = "/passkeys/add", .title = TEXT_PASSKEYS, .roles = EVERYBODY, .post = passkeys_add_post, .is_for_tenants = true, .accepts_pending = true, .needs_fresh = true},
    {.path = "/passkeys/remove", .title = TEXT_PASSKEYS, .roles = EVERYBODY, .post = passkeys_remove_post, .is_for_tenants = true, .needs_fresh = true},
    {.path = "/passkeys/reset", .title = TEXT_PASSKEYS, .roles = ROLE_ADMIN, .post = passkeys_reset_post, .needs_fresh = true},
    {.path = "/extend", .title = TEXT_EXTEND, .roles = EVERYBODY, .post = extend_post, .is_for_tenants = true},
};
const size_t n_screens = COUNT(screens);

/* Matches the part for the braces. */
static bool matches(const char *pattern, struct span path, struct span *part)
{
    const char *brace = strchr(pattern, '{');
    size_t before = brace == NULL ? strlen(pattern) : (size_t)(brace - pattern);
    struct span behind = span_str(brace == NULL ? "" : strchr(brace, '}') + 1);

    if (brace == NULL) {
        return span_is(path, pattern);
    }
    if (path.len <= before + behind.len || memcmp(path.ptr, pattern, before) != 0 ||
        !span_equal(span_slice(path, path.len - behind.len, path.len), behind)) {
        return false;
    }
    *part = span_slice(path, before, path.len - behind.len);
    return memchr(part->ptr, '/', part->len) == NULL;
}

const struct screen *screen_find(struct span path, struct span *part)
{
    *part = span_of("", 0);
    for (size_t i = 0; i < n_screens; i++) {
        if (matches(screens[i].path, path, part)) {
            return &screens[i];
        }
    }
    return NULL;
}

bool screen_is_for(const struct screen *s, const struct caller *c)
{
    return s->roles != 0 && caller_has(c, s->roles) && (s->is_for_tenants || c->tenant[0] == '\0');
}

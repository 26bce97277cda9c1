/* commands.c - the table of commands. */
#include "ctl/command.h"

static const struct command *const commands[] = {
    &command_check,       &command_redact,       &command_reveal,         &command_rules_list,
    &command_rules_show,  &command_rules_test,   &command_rules_lint,     &command_rules_explain,
    &command_rules_score, &command_policy_check, &command_policy_explain, &command_policy_diff, &command_policy_replay,
    &command_log,         &command_ready, &command_hook, &command_agents_list,  &command_agents_show,    &command_agents_kill,
    &command_agents_revive, &command_agents_attach, &command_fleet, &command_review_list, &command_review_show, &command_review_dispose,
    &command_review_stats, &command_review_fleet, &command_outputs_list, &command_outputs_show,   &command_outputs_diff,
    &command_outputs_promote, &command_outputs_reject, &command_seal_open, &command_seal_rewrap,
    &command_seal_recipients, &command_edm_build, &command_idm_build, &command_bundle_key, &command_bundle_make, &command_bundle_sign, &command_bundle_verify,
    &command_completions,
};

const struct command *command_at(size_t i)
{
    return i < COUNT(commands) ? commands[i] : record_commands[i - COUNT(commands)];
}

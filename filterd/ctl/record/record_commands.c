/* record_commands.c - the commands of `filterctl record`: one file and one row each. */
#include "ctl/command.h"

const struct command *const record_commands[] = {
    &command_record_verify,
    &command_record_prove,
    &command_record_consistency,
    &command_record_receipt,
    &command_record_export,
    &command_record_verify_bundle,
    &command_record_hash, &command_record_keys, &command_record_hold, &command_record_erase, &command_record_prune,
    &command_record_reindex,
    &command_record_close,
    NULL,
};

/* command_run.c - filterd-jail run: runs the command in its jail and prints the outcome. */
#include <inttypes.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/plural.h"
#include "jail/ctl/command.h"
#include "jail/launcher/launch.h"
#include "jail/launcher/run.h"
#include "jail/report/report.h"

static void say_missing(const struct jail_mechanisms *w)
{
    for (unsigned i = 0; i < JAIL_MECHANISM_COUNT; i++) {
        if ((w->missing & 1U << i) != 0) {
            (void)fprintf(stderr, "filterd-jail: degraded: mechanism '%s' is missing: %s\n",
                          jail_mechanism_name((enum jail_mechanism)i), w->reasons[i].text);
        }
    }
}

static void say_end(const struct jail_outcome *o)
{
    const struct jail_kill_report *k = &o->kill;

    if (o->is_out_of_memory) {
        (void)fprintf(stderr, "filterd-jail: the memory limit was reached\n");
    }
    if (!o->was_killed) {
        if (o->end == JAIL_END_FILTER) {
            (void)fprintf(stderr, "filterd-jail: killed: %s: %s\n", jail_end_text(o->end), o->why);
        }
        return;
    }
    (void)fprintf(stderr, "filterd-jail: killed: %s%s%s; ", jail_end_text(o->end), o->why[0] == '\0' ? "" : ": ", o->why);
    if (!k->is_verified) {
        (void)fprintf(stderr, "NOT VERIFIED: processes may be left (%" PRId64 " seen)\n", k->survivors);
    } else if (k->processes >= 0) {
        (void)fprintf(stderr, "%" PRId64 " processes ended in %" PRId64 ".%03d ms, none is left\n", k->processes,
                      k->total_us / 1000, (int)(k->total_us % 1000));
    } else {
        (void)fprintf(stderr, "all ended in %" PRId64 ".%03d ms, none is left\n", k->total_us / 1000,
                      (int)(k->total_us % 1000));
    }
}

static void say_outputs(const struct jail_outcome *o)
{
    const struct jail_outputs_report *r = &o->outputs;
    int64_t refused = jail_outputs_refused(r);

    if (!o->has_outputs || (r->files == 0 && refused == 0)) {
        return;
    }
    (void)fprintf(stderr, "filterd-jail: outputs: %" PRId64 " file%s, %" PRId64 " byte%s, %" PRId64 " refused", r->files,
                  plural_s((size_t)r->files), r->bytes, plural_s((size_t)r->bytes), refused);
    for (unsigned i = 0; i < JAIL_OUTPUTS_REFUSALS; i++) {
        if (r->refused[i] > 0) {
            (void)fprintf(stderr, ", %s %" PRId64, jail_outputs_refusal_name((enum jail_outputs_refusal)i), r->refused[i]);
        }
    }
    (void)fprintf(stderr, "%s%s\n", r->folder[0] != '\0' ? ": " : "", r->folder);
}

/* How often, and the first of each kind. */
static void say_events(const struct jail_events *e)
{
    uint64_t said = 0;

    for (size_t i = 0; i < e->n; i++) {
        const struct jail_event *event = &e->items[i];
        if ((said & UINT64_C(1) << event->kind) == 0) {
            said |= UINT64_C(1) << event->kind;
            (void)fprintf(stderr, "filterd-jail: %s: %" PRIu64 ", first: %s\n", jail_event_name(event->kind),
                          e->counts[event->kind], event->detail);
        }
    }
}

static bool run_and_say(struct jail_run *r, char *const *command, struct jail_outcome *outcome, struct error *err)
{
    if (!jail_run_command(r, command, NULL, err)) {
        return false;
    }
    say_missing(&outcome->mechanisms);
    say_end(outcome);
    say_events(&outcome->events);
    say_outputs(outcome);
    return true;
}

static bool run_reported(struct jail_run *r, const struct jail_policy *p, char *const *command, struct jail_outcome *outcome,
                         struct error *err)
{
    struct jail_report report CLEANUP(jail_report_close) = {.folder = -1};
    struct error why;

    if (p->report == NULL) {
        return run_and_say(r, command, outcome, err);
    }
    if (!jail_report_begin(&report, p, command, err)) {
        return false;
    }
    bool was_run = run_and_say(r, command, outcome, err);
    if (!jail_report_end(&report, outcome, was_run ? NULL : err, &why)) {
        outcome->exit_code = JAIL_EXIT_REFUSED; /* no record, no success */
        (void)fprintf(stderr, "filterd-jail: %s\n", why.text);
    }
    return was_run;
}

static int run(const struct jail_arguments *args)
{
    static struct jail_outcome outcome;
    struct error err;
    struct jail_policy *p = jail_policy_load(args->policy, &err);

    jail_outcome_init(&outcome);
    struct jail_run *r = p == NULL ? NULL : jail_run_begin(p, &outcome, &err);
    if (r == NULL || !run_reported(r, p, args->operands, &outcome, &err)) {
        (void)jail_command_failed(&err);
        jail_run_end(r);
    }
    return outcome.exit_code; /* the exit frees what is left, sooner */
}

const struct jail_command jail_command_run = {
    .name = "run",
    .operands = "[--] COMMAND [ARGUMENT…]",
    .summary = "Run a command in a jail",
    .details = "Exit code: the command's; 128 and the signal's number when a signal ended it; 124 when a limit of time,\n"
               "idleness or output was reached, or filterd ended it; 125 when the jail was refused and nothing ran; 126 when the\n"
               "command cannot be run, 127 when it is not found.\n",
    .needs_policy = true,
    .min_operands = 1,
    .max_operands = -1,
    .run = run,
};

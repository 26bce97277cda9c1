#include "ctl/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/similar.h"
#include "ctl/command.h"
#include "ctl/complain.h"

enum option_kind { KIND_FLAG, KIND_TEXT, KIND_CHOICE, KIND_SHARE, KIND_COUNT };

enum { JOBS_MAX = 256 };
enum { OPTION_FIRST = 256 }; /* what getopt_long returns for the first: no character */

struct option_spec {
    const char *name;
    const char *argument; /* NULL: a flag; the words of a choice */
    enum option_kind kind;
    size_t offset; /* in struct arguments */
    const char *help;
};

#define AT(member) offsetof(struct arguments, member)

static const struct option_spec specs[OPTION_COUNT] = {
    [OPTION_RULES] = {"rules", "DIR", KIND_TEXT, AT(rules),
                      "use rules from DIR/<pack>/*.yaml instead of the built-in ones"},
    [OPTION_POLICY] = {"policy", "FILE", KIND_TEXT, AT(policy),
                       "use this policy file instead of that in the rules directory"},
    [OPTION_POLICY_NAME] = {"policy-name", "NAME", KIND_TEXT, AT(policy_name),
                            "use the policy of that name instead of the tenant's"},
    [OPTION_TENANT] = {"tenant", "NAME", KIND_TEXT, AT(tenant), "judge for this tenant"},
    [OPTION_APP] = {"app", "NAME", KIND_TEXT, AT(app), "judge for this application"},
    [OPTION_ROUTE] = {"route", "NAME", KIND_TEXT, AT(route), "judge for this route"},
    [OPTION_AGENT] = {"agent", "NAME", KIND_TEXT, AT(agent), "judge for this agent"},
    [OPTION_KEYS] = {"keys", "DIR", KIND_TEXT, AT(keys),
                     "hash and encrypt with the keys in DIR/keys, filterd's state directory (random keys)"},
    [OPTION_CACHE] = {"cache", "DIR", KIND_TEXT, AT(cache),
                      "keep compiled rules in DIR; none: compile at every start (~/.cache/filterd)"},
    [OPTION_NO_CACHE] = {"no-cache", NULL, KIND_FLAG, AT(is_uncached), "the same as --cache none"},
    [OPTION_FORMAT] = {"format", "FORMAT", KIND_TEXT, AT(format), "output format"},
    [OPTION_JSON] = {"json", NULL, KIND_FLAG, AT(is_json), "the same as --format json"},
    [OPTION_COLOR] = {"color", "auto|always|never", KIND_CHOICE, AT(color),
                      "use colours in text output (auto)"},
    [OPTION_JOBS] = {"jobs", "N", KIND_COUNT, AT(jobs), "threads (number of processors)"},
    [OPTION_MIN_CONFIDENCE] = {"min-confidence", "0..1", KIND_SHARE, AT(min_confidence),
                               "count only findings of at least this confidence"},
    [OPTION_ALL] = {"all", NULL, KIND_FLAG, AT(is_all),
                    "also list findings that are weak, in shadow, or excepted"},
    [OPTION_FAIL_ON] = {"fail-on", "allow|redact|block", KIND_CHOICE, AT(fail_on),
                        "exit code 1 when a finding has this action, or a stricter one (redact)"},
    [OPTION_FAIL_ON_SKIPPED] = {"fail-on-skipped", NULL, KIND_FLAG, AT(fails_on_skipped),
                                "exit code 2 when a file was skipped: binary, or packed in a form that is not read"},
    [OPTION_GIT] = {"git", NULL, KIND_FLAG, AT(is_git),
                    "scan what each commit changed, of all branches or of the ranges given, as main..HEAD"},
    [OPTION_STAGED] = {"staged", NULL, KIND_FLAG, AT(is_staged), "scan what is staged for the next commit"},
    [OPTION_IGNORES] = {"ignores", "on|off", KIND_CHOICE, AT(ignores),
                        "obey .gitignore, .filterdignore and filterd:allow comments (on for git, else off)"},
    [OPTION_IGNORE_FILE] = {"ignore-file", "FILE", KIND_TEXT, AT(ignore_file),
                            "obey this file instead of .filterdignore"},
    [OPTION_BASELINE] = {"baseline", "FILE", KIND_TEXT, AT(baseline), "do not report the findings in this file"},
    [OPTION_WRITE_BASELINE] = {"write-baseline", "FILE", KIND_TEXT, AT(write_baseline),
                               "write the fingerprints of all findings to this file; findings then do not change the exit code"},
    [OPTION_VERBOSE] = {"verbose", NULL, KIND_FLAG, AT(is_verbose), "name each file that was skipped"},
    [OPTION_QUIET] = {"quiet", NULL, KIND_FLAG, AT(is_quiet), "print only errors"},
    [OPTION_INPUT] = {"input", "text|json|ndjson", KIND_CHOICE, AT(input),
                      "input format (by file name; stdin: text)"},
    [OPTION_FIELD] = {"field", "NAME", KIND_TEXT, AT(field),
                      "judge only this member of each line; a name or a JSON pointer"},
    [OPTION_PIPE] = {"pipe", NULL, KIND_FLAG, AT(is_pipe),
                     "read NDJSON from stdin, write one answer per line to stdout, in order"},
    [OPTION_ANSWER] = {"answer", "json|rsyslog", KIND_CHOICE, AT(answer),
                       "what --pipe answers with: a verdict, or with --field what rsyslog is to change (json)"},
    [OPTION_TO_JSON] = {"to-json", NULL, KIND_FLAG, AT(to_json), "read one JSON document"},
    [OPTION_REQUEST] = {"request",
                        "openai-chat|openai-completions|openai-responses|openai-embeddings|anthropic-messages|gemini-generate|"
                        "ollama-chat|ollama-generate|cohere-chat",
                        KIND_CHOICE, AT(request), "read the body of a request to a model by this route"},
    [OPTION_ON] = {"on", "FILE", KIND_TEXT, AT(on), "texts to run on: NDJSON, may be gzipped"},
    [OPTION_VIEW] = {"view", "raw|folded|decoded", KIND_CHOICE, AT(view),
                     "count only findings made in this view"},
    [OPTION_CATEGORY] = {"category", "secret|pii|injection", KIND_CHOICE, AT(category),
                         "use only rules of this category"},
    [OPTION_BY] = {"by", "provider|rule|origin|source|label", KIND_CHOICE, AT(by),
                   "group rows by this member (rule)"},
    [OPTION_LEVEL] = {"level", "report|redact|block", KIND_CHOICE, AT(level),
                      "count findings with this action or a stricter one; report: all (redact)"},
    [OPTION_POSITIVE] = {"positive", "LABEL,…", KIND_TEXT, AT(positive),
                         "labels of rows that are to be found (secret,pii,injection)"},
    [OPTION_CLASSIFIER] = {"classifier", "HEAD", KIND_TEXT, AT(classifier),
                           "score rows by this head of a local model, whatever the policy finds"},
    [OPTION_SVG] = {"svg", "FILE", KIND_TEXT, AT(svg),
                    "draw ROC, precision and recall, and the distribution of scores into this file"},
    [OPTION_MISSES] = {"misses", NULL, KIND_FLAG, AT(misses),
                       "list the misses: row, source, rule, provider"},
    [OPTION_FALSE] = {"false", NULL, KIND_FLAG, AT(falses),
                      "list the false findings: row, rule, place"},
    [OPTION_CHECKS] = {"checks", NULL, KIND_FLAG, AT(checks),
                       "print the table of checks and their arguments"},
    [OPTION_AS] = {"as", "presidio|google|aws|bedrock|azure|github", KIND_CHOICE, AT(as),
                   "list the names that this system uses for what the rules find"},
    [OPTION_COUNTED] = {"counted", NULL, KIND_FLAG, AT(is_counted),
                        "do not measure times: the result is then the same on every machine"},
    [OPTION_EXPANDED] = {"expanded", NULL, KIND_FLAG, AT(is_expanded),
                         "patterns as PCRE2 gets them: without layout, fragments in their places"},
    [OPTION_QUERY] = {"query", "QUERY", KIND_TEXT, AT(query), "only lines that match this query and the other options"},
    [OPTION_FOLLOW] = {"follow", NULL, KIND_FLAG, AT(is_following), "-f; then wait for more, also over rotations"},
    [OPTION_CONFIG] = {"config", "FILE", KIND_TEXT, AT(config), "the configuration file of filterd, which says where its log is"},
    [OPTION_RANGE] = {"range", "A..B", KIND_TEXT, AT(range), "all lines from number A up to B"},
    [OPTION_OUT] = {"out", "FILE", KIND_TEXT, AT(out), "the file that is written"},
    [OPTION_RULE] = {"rule", "ID", KIND_TEXT, AT(rule),
                     "only records that this rule decided or has a finding in"},
    [OPTION_ACTION] = {"action", "allow|redact|block", KIND_CHOICE, AT(action),
                       "only records with this action"},
    [OPTION_SINCE] = {"since", "TIME", KIND_TEXT, AT(since),
                      "from this time on: 2026-11-21, 2026-11-21T08:00:00Z, or 30m, 6h, 7d ago"},
    [OPTION_UNTIL] = {"until", "TIME", KIND_TEXT, AT(until), "before this time"},
    [OPTION_OPERATORS] = {"operators", "ADDRESS", KIND_TEXT, AT(operators),
                          "filterd's operators' listener: a path, unix:/path, address:port or https://host:port (filterd's default)"},
    [OPTION_TOKEN] = {"token", "FILE", KIND_TEXT, AT(token),
                      "file with the bearer token; root and filterd's user do not need it on the socket"},
    [OPTION_WHY] = {"why", "TEXT", KIND_TEXT, AT(why), "the reason, for the record; at most 100 bytes"},
    [OPTION_AGENTS] = {"agents", "SOCKET", KIND_TEXT, AT(agents),
                       "filterd's socket for agents (filterd's default)"},
    [OPTION_REPLACE] = {"replace", NULL, KIND_FLAG, AT(is_replacing),
                        "replace other files at the target"},
    [OPTION_OBEYED] = {"obeyed", NULL, KIND_FLAG, AT(is_obeyed),
                       "also names that tools obey: settings, hooks, instructions to agents"},
    [OPTION_FROM] = {"from", "FILE", KIND_TEXT, AT(from),
                     "a checkpoint verified before: read only the lines behind it"},
    [OPTION_RECORD] = {"record", "DIR", KIND_TEXT, AT(record),
                       "folder of tiles and checkpoints (record, beside the log's files)"},
    [OPTION_IDENTITY] = {"identity", "FILE", KIND_TEXT, AT(identity), "private keys, as age-keygen writes them"},
    [OPTION_SHRED] = {"shred", "FILE", KIND_TEXT, AT(shred), "the keys of originals: shred/shred.db of filterd's state"},
    [OPTION_KEKS] = {"keks", "URL", KIND_TEXT, AT(keks), "the filterd that has the key: https://host:port, or a Unix socket's path"},
    [OPTION_RECIPIENTS] = {"recipients", "FILE", KIND_TEXT, AT(recipients), "the group to seal to"},
    [OPTION_LOG] = {"log", "FILE", KIND_TEXT, AT(log), "the decision log; files beside it are read, too"},
    [OPTION_SUBJECT] = {"subject", "FILE", KIND_TEXT, AT(subject),
                        "holds the name of whom or what it is about, which goes on record as a token"},
    [OPTION_APPROVER] = {"approver", "NAME", KIND_TEXT, AT(approver), "who approved it; another person than who asks"},
    [OPTION_FILTER] = {"filter", "QUERY", KIND_TEXT, AT(filter), "the lines that are meant, at most 128 bytes (all)"},
    [OPTION_LIFT] = {"lift", NULL, KIND_FLAG, AT(is_lifting), "end the hold"},
    [OPTION_COLUMNS] = {"columns", "NAME:KIND,…", KIND_TEXT, AT(columns), "the columns that are looked for, and how they are compared"},
    [OPTION_KEY] = {"key", "FILE", KIND_TEXT, AT(key), "the key of the hashes, mode 0600; made where there is none"},
    [OPTION_HELP] = {"help", NULL, KIND_FLAG, AT(help), "print this help"},
};

bool options_is_one_of(const char *list, const char *word)
{
    size_t len = strlen(word);

    for (const char *at = list; at != NULL && *at != '\0';) {
        size_t n = strcspn(at, "|");
        if (n == len && memcmp(at, word, n) == 0) {
            return true;
        }
        at += at[n] == '|' ? n + 1 : n;
    }
    return false;
}

static bool mistake(const struct command *command, const char *name, const char *expected)
{
    complain_of("filterctl %s: --%s: %s expected", command->name, name, expected);
    return false;
}

/* What getopt_long made nothing of. */
static bool refuse(const struct command *command, const char *word, bool lacks_value, const struct option *known)
{
    char hint[SIMILAR_HINT_MAX];
    size_t len = strcspn(word, "=");
    struct similar similar;

    if (lacks_value) {
        complain_of("filterctl %s: %s: a value expected, as %s=VALUE or %s VALUE", command->name, word, word, word);
        return false;
    }
    similar_init(&similar, span_of(word, len));
    if (len > 2 && strncmp(word, "--", 2) == 0) {
        similar_init(&similar, span_of(word + 2, len - 2));
    }
    for (; known->name != NULL; known++) {
        if (known->has_arg == no_argument && span_is(similar.word, known->name)) {
            complain_of("filterctl %s: --%s: no value expected", command->name, known->name);
            return false;
        }
        similar_offer(&similar, span_str(known->name));
    }
    complain_of("filterctl %s: unknown option '%.*s'%s; see filterctl %s --help", command->name, (int)len, word,
             similar_hint(&similar, "--", hint), command->name);
    return false;
}

static bool parse_share(const char *text, double *out)
{
    char *end;

    errno = 0;
    double value = strtod(text, &end);
    if (errno != 0 || end == text || *end != '\0' || !(value >= 0 && value <= 1)) {
        return false;
    }
    *out = value;
    return true;
}

static bool parse_count(const char *text, unsigned *out)
{
    char *end;

    errno = 0;
    unsigned long value = strtoul(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || value == 0 || value > JOBS_MAX) {
        return false;
    }
    *out = (unsigned)value;
    return true;
}

static bool set_value(const struct command *command, const struct option_spec *spec, char *text,
                      struct arguments *out)
{
    char *member = (char *)out + spec->offset;

    switch (spec->kind) {
    case KIND_FLAG:
        *(bool *)member = true;
        return true;
    case KIND_CHOICE:
        if (!options_is_one_of(spec->argument, text)) {
            return mistake(command, spec->name, spec->argument);
        }
        break;
    case KIND_SHARE:
        return parse_share(text, (double *)(void *)member) ||
               mistake(command, spec->name, "a number from 0 to 1");
    case KIND_COUNT:
        return parse_count(text, (unsigned *)(void *)member) ||
               mistake(command, spec->name, "a number from 1 to 256");
    case KIND_TEXT:
        break;
    }
    *(const char **)(void *)member = text;
    return true;
}

static void fill_long_options(option_set wanted, struct option *out)
{
    size_t n = 0;

    for (int id = 0; id < OPTION_COUNT; id++) {
        if ((wanted & OPTION_BIT(id)) != 0) {
            out[n++] = (struct option){.name = specs[id].name,
                                       .has_arg = specs[id].argument != NULL ? required_argument
                                                                             : no_argument,
                                       .val = OPTION_FIRST + id};
        }
    }
    out[n] = (struct option){0};
}

static bool check_operands(const struct command *command, const struct arguments *args)
{
    if (args->help) {
        return true;
    }
    if (args->format != NULL && !options_is_one_of(command->formats, args->format)) {
        return mistake(command, "format", command->formats);
    }
    bool too_many = command->max_operands >= 0 && args->n_operands > command->max_operands;
    if (args->n_operands < command->min_operands || too_many) {
        complain_of("filterctl %s: %s expected; see filterctl %s --help", command->name,
                 command->operands[0] != '\0' ? command->operands : "no operand", command->name);
        return false;
    }
    return true;
}

bool options_parse(const struct command *command, int argc, char **argv, struct arguments *out)
{
    struct option long_options[OPTION_COUNT + 1];
    int id;

    *out = (struct arguments){.command = command, .min_confidence = -1};
    fill_long_options(command->options | OPTION_BIT(OPTION_HELP) |
                          (command->formats != NULL ? OPTION_BIT(OPTION_FORMAT) : 0),
                      long_options);
    optind = 0; /* GNU: start anew */
    opterr = 0;
    const char *letters = (command->options & OPTION_BIT(OPTION_FOLLOW)) != 0 ? ":f" : ":";
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): no thread has started */
    while ((id = getopt_long(argc, argv, letters, long_options, NULL)) != -1) {
        id = id == 'f' ? OPTION_FIRST + OPTION_FOLLOW : id;
        if (id == '?' || id == ':') {
            const char letter[] = {'-', (char)optopt, '\0'}; /* it may be among others in one word */
            bool is_letter = optopt > 0 && optopt < OPTION_FIRST;
            return refuse(command, is_letter ? letter : argv[optind - 1], id == ':', long_options);
        }
        if (!set_value(command, &specs[id - OPTION_FIRST], optarg, out)) {
            return false;
        }
    }
    out->operands = argv + optind;
    out->n_operands = argc - optind;
    return check_operands(command, out);
}

static const char *option_text(const struct command *command, enum option_id id)
{
    for (size_t i = 0; i < COUNT(command->texts) && command->texts[i].text != NULL; i++) {
        if (command->texts[i].option == id) {
            return command->texts[i].text;
        }
    }
    return specs[id].help;
}

static option_set taken_by(const struct command *command)
{
    return command->options | OPTION_BIT(OPTION_HELP) | (command->formats != NULL ? OPTION_BIT(OPTION_FORMAT) : 0);
}

bool options_describe(const struct command *command, enum option_id id, struct option_description *out)
{
    if ((taken_by(command) & OPTION_BIT(id)) == 0) {
        return false;
    }
    *out = (struct option_description){.name = specs[id].name, .argument = specs[id].argument,
                                       .is_choice = specs[id].kind == KIND_CHOICE, .help = option_text(command, id)};
    if (id == OPTION_FORMAT) {
        out->argument = command->formats;
        out->is_choice = true;
    }
    return true;
}

bool options_help(const struct command *command, struct buf *out, struct error *err)
{
    struct option_description option;

    if (!buf_appendf(out, err, "usage: filterctl %s [OPTION…] %s\n%s.\n", command->name,
                     command->operands, command->summary) ||
        (command->details != NULL && !buf_appendf(out, err, "\n%s\n", command->details)) ||
        !buf_append_str(out, "\nOptions:\n", err)) {
        return false;
    }
    for (int id = 0; id < OPTION_COUNT; id++) {
        char left[80];
        if (!options_describe(command, (enum option_id)id, &option)) {
            continue;
        }
        (void)snprintf(left, sizeof(left), "--%s%s%s", option.name, option.argument != NULL ? " " : "",
                       option.argument != NULL ? option.argument : "");
        if (!buf_appendf(out, err, "  %-36s %s\n", left, option.help)) {
            return false;
        }
    }
    return buf_append_str(
        out, "\nExit code: 0 clean, 1 something was found, 2 error.\n", err);
}

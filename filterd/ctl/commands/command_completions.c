/* command_completions.c - filterctl completions: a script for a shell, made from the tables of commands and options. */
#include <string.h>

#include "base/cleanup.h"
#include "ctl/command.h"

enum { SCRIPT_MAX = 1024 * 1024 };

static int run(const struct arguments *args);

const struct command command_completions = {
    .name = "completions",
    .operands = "bash|zsh|fish",
    .summary = "Print a script that completes commands and options in a shell",
    .details = "bash: into /etc/bash_completion.d or ~/.local/share/bash-completion/completions/filterctl; zsh: as _filterctl into a\n"
               "folder of fpath; fish: into ~/.config/fish/completions/filterctl.fish. make install does so.",
    .min_operands = 1,
    .max_operands = 1,
    .run = run,
};

/* What a shell offers for the value of an option. */
enum value { VALUE_NONE, VALUE_WORDS, VALUE_FILES, VALUE_FOLDERS, VALUE_OTHER };

static enum value value_of(const struct option_description *option)
{
    static const char *const files[] = {"FILE", "SOCKET", "ADDRESS"};

    if (option->argument == NULL) {
        return VALUE_NONE;
    }
    for (size_t i = 0; i < COUNT(files); i++) {
        if (strcmp(option->argument, files[i]) == 0) {
            return VALUE_FILES;
        }
    }
    return option->is_choice                        ? VALUE_WORDS
           : strcmp(option->argument, "DIR") == 0 ? VALUE_FOLDERS
                                                    : VALUE_OTHER;
}

/* Each character of `special` gets a backslash in front; an apostrophe becomes that of the shell inside apostrophes. */
static bool append_quoted(struct buf *out, const char *text, const char *special, struct error *err)
{
    for (const char *c = text; *c != '\0'; c++) {
        bool is_ok = *c == '\''                    ? buf_append_str(out, "'\\''", err)
                     : strchr(special, *c) != NULL ? buf_append_char(out, '\\', err) && buf_append_char(out, *c, err)
                                                   : buf_append_char(out, *c, err);
        if (!is_ok) {
            return false;
        }
    }
    return true;
}

/* "a|b|c" with blanks between. */
static bool append_words(struct buf *out, const char *list, struct error *err)
{
    for (const char *c = list; *c != '\0'; c++) {
        if (!buf_append_char(out, *c == '|' ? ' ' : *c, err)) {
            return false;
        }
    }
    return true;
}

static bool has_group(const struct command *command)
{
    return strchr(command->name, ' ') != NULL;
}

static int group_length(const struct command *command)
{
    return (int)strcspn(command->name, " ");
}

/* The first command of a group, or one without a group. */
static bool is_first(size_t at)
{
    const struct command *command = command_at(at);

    for (size_t i = 0; i < at; i++) {
        if (group_length(command_at(i)) == group_length(command) &&
            strncmp(command_at(i)->name, command->name, (size_t)group_length(command)) == 0) {
            return false;
        }
    }
    return true;
}

/* The second words of the group that this command is of. */
static bool append_group(struct buf *out, const struct command *command, struct error *err)
{
    int len = group_length(command);

    for (size_t i = 0; command_at(i) != NULL; i++) {
        const struct command *other = command_at(i);
        if (group_length(other) == len && strncmp(other->name, command->name, (size_t)len) == 0 && has_group(other) &&
            !buf_appendf(out, err, "%s ", other->name + len + 1)) {
            return false;
        }
    }
    return true;
}

/* --- bash ----------------------------------------------------------------------- */

/* bash makes words of their own of "=" and what is behind it. */
static const char bash_begin[] =
    "# Completion of filterctl for bash, made by: filterctl completions bash\n"
    "_filterctl() {\n"
    "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} words='' value=''\n"
    "    COMPREPLY=()\n"
    "    if [[ $current == = ]]; then current=''; elif [[ $previous == = ]]; then previous=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
    "    if (( COMP_CWORD > 2 )); then command+=\" ${COMP_WORDS[2]}\"; fi\n"
    "    case $command in\n";

static bool bash_value(struct buf *out, const char *command, const struct option_description *option, struct error *err)
{
    static const char *const made_by[] = {[VALUE_FILES] = "files", [VALUE_FOLDERS] = "folders", [VALUE_OTHER] = "other"};
    enum value value = value_of(option);

    if (value == VALUE_NONE) {
        return true;
    }
    if (!buf_appendf(out, err, "    '%s --%s') value=", command, option->name)) {
        return false;
    }
    if (value != VALUE_WORDS) {
        return buf_appendf(out, err, "%s ;;\n", made_by[value]);
    }
    return buf_append_str(out, "words words='", err) && append_words(out, option->argument, err) && buf_append_str(out, "' ;;\n", err);
}

static bool bash_options(struct buf *out, const struct command *command, struct error *err)
{
    struct option_description option;

    if (!buf_appendf(out, err, "    '%s'%s) command='%s' words='", command->name, has_group(command) ? "" : "*", command->name)) {
        return false;
    }
    for (int id = 0; id < OPTION_COUNT; id++) {
        if (options_describe(command, (enum option_id)id, &option) && !buf_appendf(out, err, "--%s ", option.name)) {
            return false;
        }
    }
    return buf_append_str(out, "' ;;\n", err);
}

static bool bash_groups(struct buf *out, struct error *err)
{
    bool is_ok = buf_append_str(out, "    esac\n    if (( COMP_CWORD == 1 )); then\n        words='--help --version ", err);

    for (size_t i = 0; is_ok && command_at(i) != NULL; i++) {
        is_ok = !is_first(i) || buf_appendf(out, err, "%.*s ", group_length(command_at(i)), command_at(i)->name);
    }
    is_ok = is_ok && buf_append_str(out, "'\n    elif (( COMP_CWORD == 2 )); then\n        case ${COMP_WORDS[1]} in\n", err);
    for (size_t i = 0; is_ok && command_at(i) != NULL; i++) {
        const struct command *command = command_at(i);
        is_ok = !is_first(i) || !has_group(command) ||
                (buf_appendf(out, err, "        %.*s) words='", group_length(command), command->name) &&
                 append_group(out, command, err) && buf_append_str(out, "' ;;\n", err));
    }
    return is_ok && buf_append_str(out, "        esac\n    fi\n    case \"$command $previous\" in\n", err);
}

static bool bash_script(struct buf *out, struct error *err)
{
    struct option_description option;
    bool is_ok = buf_append_str(out, bash_begin, err);

    for (size_t i = 0; is_ok && command_at(i) != NULL; i++) {
        is_ok = bash_options(out, command_at(i), err);
    }
    is_ok = is_ok && bash_groups(out, err);
    for (size_t i = 0; is_ok && command_at(i) != NULL; i++) {
        for (int id = 0; is_ok && id < OPTION_COUNT; id++) {
            is_ok = !options_describe(command_at(i), (enum option_id)id, &option) ||
                    bash_value(out, command_at(i)->name, &option, err);
        }
    }
    return is_ok && buf_append_str(out,
                                   "    esac\n"
                                   "    case $value in\n"
                                   "    words) ;;\n"
                                   "    folders) compopt -o filenames 2> /dev/null; mapfile -t COMPREPLY < <(compgen -d -- \"$current\"); return ;;\n"
                                   "    other) return ;;\n"
                                   "    *) if [[ $value == files || ($current != -* && $COMP_CWORD -gt 1 && ($COMP_CWORD -gt 2 || -z $words || $words == -*)) ]]; then\n"
                                   "        compopt -o filenames 2> /dev/null; mapfile -t COMPREPLY < <(compgen -f -- \"$current\"); return\n"
                                   "    fi ;;\n"
                                   "    esac\n"
                                   "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
                                   "}\n"
                                   "complete -F _filterctl filterctl\n",
                                   err);
}

/* --- zsh ------------------------------------------------------------------------ */

static bool zsh_option(struct buf *out, const struct option_description *option, struct error *err)
{
    static const char *const actions[] = {[VALUE_FILES] = ":_files", [VALUE_FOLDERS] = ":_files -/", [VALUE_OTHER] = ": "};
    enum value value = value_of(option);
    bool is_ok = buf_appendf(out, err, " \\\n            '--%s%s[", option->name, value == VALUE_NONE ? "" : "=") &&
                 append_quoted(out, option->help, "[]:\\", err) && buf_append_char(out, ']', err);

    if (value == VALUE_WORDS) {
        is_ok = is_ok && buf_append_str(out, ":value:(", err) && append_words(out, option->argument, err) && buf_append_char(out, ')', err);
    } else if (value != VALUE_NONE) {
        is_ok = is_ok && buf_append_str(out, ":value", err) && buf_append_str(out, actions[value], err);
    }
    return is_ok && buf_append_char(out, '\'', err);
}

static bool zsh_command(struct buf *out, const struct command *command, struct error *err)
{
    struct option_description option;
    bool is_ok = buf_appendf(out, err, "    '%s'%s)\n        shift %d words; (( CURRENT -= %d ))\n        _arguments",
                             command->name, has_group(command) ? "" : "*", has_group(command) ? 2 : 1, has_group(command) ? 2 : 1);

    for (int id = 0; is_ok && id < OPTION_COUNT; id++) {
        is_ok = !options_describe(command, (enum option_id)id, &option) || zsh_option(out, &option, err);
    }
    return is_ok && buf_append_str(out, " \\\n            '*:operand:_files' ;;\n", err);
}

static bool zsh_groups(struct buf *out, struct error *err)
{
    bool is_ok = buf_append_str(out, "    if (( CURRENT == 2 )); then\n        compadd -- ", err);

    for (size_t i = 0; is_ok && command_at(i) != NULL; i++) {
        is_ok = !is_first(i) || buf_appendf(out, err, "%.*s ", group_length(command_at(i)), command_at(i)->name);
    }
    is_ok = is_ok && buf_append_str(out, "\n        return\n    fi\n    if (( CURRENT == 3 )); then\n        case $words[2] in\n", err);
    for (size_t i = 0; is_ok && command_at(i) != NULL; i++) {
        const struct command *command = command_at(i);
        is_ok = !is_first(i) || !has_group(command) ||
                (buf_appendf(out, err, "        %.*s) compadd -- ", group_length(command), command->name) &&
                 append_group(out, command, err) && buf_append_str(out, "; return ;;\n", err));
    }
    return is_ok && buf_append_str(out, "        esac\n    fi\n    case \"$words[2] $words[3]\" in\n", err);
}

static bool zsh_script(struct buf *out, struct error *err)
{
    bool is_ok = buf_append_str(out, "#compdef filterctl\n# Made by: filterctl completions zsh\n_filterctl() {\n", err) && zsh_groups(out, err);

    for (size_t i = 0; is_ok && command_at(i) != NULL; i++) {
        is_ok = zsh_command(out, command_at(i), err);
    }
    return is_ok && buf_append_str(out,
                                   "    esac\n}\n"
                                   "if [[ $funcstack[1] == _filterctl ]]; then _filterctl \"$@\"; else compdef _filterctl filterctl; fi\n",
                                   err);
}

/* --- fish ----------------------------------------------------------------------- */

/* "__filterctl_is rules list": the line begins with these words; "__filterctl_at rules": it has these alone. */
static const char fish_begin[] = "# Completion of filterctl for fish, made by: filterctl completions fish\n"
                                 "function __filterctl_is\n"
                                 "    set -l words (commandline -opc)\n"
                                 "    set -l last (math 1 + (count $argv))\n"
                                 "    test (count $words) -ge $last; and test \"$words[2..$last]\" = \"$argv\"\n"
                                 "end\n"
                                 "function __filterctl_at\n"
                                 "    set -l words (commandline -opc)\n"
                                 "    test \"$words[2..-1]\" = \"$argv\"\n"
                                 "end\n";

static bool fish_condition(struct buf *out, const struct command *command, struct error *err)
{
    return buf_appendf(out, err, "complete -c filterctl -n '__filterctl_is %s'", command->name);
}

static bool fish_option(struct buf *out, const struct command *command, const struct option_description *option, struct error *err)
{
    static const char *const shapes[] = {[VALUE_NONE] = "", [VALUE_WORDS] = " -x -a '", [VALUE_FILES] = " -r -F",
                                         [VALUE_FOLDERS] = " -x -a '(__fish_complete_directories)'", [VALUE_OTHER] = " -x"};
    enum value value = value_of(option);

    return fish_condition(out, command, err) && buf_appendf(out, err, " -l %s", option->name) && buf_append_str(out, shapes[value], err) &&
           (value != VALUE_WORDS || (append_words(out, option->argument, err) && buf_append_char(out, '\'', err))) &&
           buf_append_str(out, " -d '", err) && append_quoted(out, option->help, "\\", err) && buf_append_str(out, "'\n", err);
}

static bool fish_command(struct buf *out, size_t at, struct error *err)
{
    const struct command *command = command_at(at);
    int len = group_length(command);
    struct option_description option;
    bool is_ok = !is_first(at) || buf_appendf(out, err, "complete -c filterctl -n '__filterctl_at' -f -a %.*s\n", len, command->name);

    if (is_ok && has_group(command)) {
        is_ok = buf_appendf(out, err, "complete -c filterctl -n '__filterctl_at %.*s' -f -a %s -d '", len, command->name,
                            command->name + len + 1) &&
                append_quoted(out, command->summary, "\\", err) && buf_append_str(out, "'\n", err);
    }
    for (int id = 0; is_ok && id < OPTION_COUNT; id++) {
        is_ok = !options_describe(command, (enum option_id)id, &option) || fish_option(out, command, &option, err);
    }
    return is_ok;
}

static bool fish_script(struct buf *out, struct error *err)
{
    bool is_ok = buf_append_str(out, fish_begin, err);

    for (size_t i = 0; is_ok && command_at(i) != NULL; i++) {
        is_ok = fish_command(out, i, err);
    }
    return is_ok;
}

static int run(const struct arguments *args)
{
    static const struct {
        const char *name;
        bool (*script)(struct buf *out, struct error *err);
    } shells[] = {{"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}};
    struct buf out CLEANUP(buf_deinit);
    struct error err;

    buf_init(&out, SCRIPT_MAX);
    for (size_t i = 0; i < COUNT(shells); i++) {
        if (strcmp(args->operands[0], shells[i].name) == 0) {
            return shells[i].script(&out, &err) ? command_finish(&out, EXIT_CLEAN) : command_failed(&err);
        }
    }
    error_set(&err, ERROR_INVALID, "completions: bash, zsh or fish expected");
    return command_failed(&err);
}

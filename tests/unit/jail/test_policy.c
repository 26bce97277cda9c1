#include "testing.h"

#include "jail/policy/builtin.h"
#include "jail/policy/policy.h"

static struct error err;

static struct jail_policy *read_policy(const char *yaml)
{
    err.text[0] = '\0';
    return jail_policy_read("p.yaml", "/srv/agents", span_str(yaml), &err);
}

static void a_name_alone_is_a_strict_policy(void **state)
{
    struct jail_policy *p = read_policy("name: a\n");

    (void)state;
    assert_non_null(p);
    assert_int_equal(p->n_inputs, 0);
    assert_int_equal(p->n_variables, 0);
    assert_int_equal(p->on_missing, JAIL_MISSING_REFUSE);
    assert_null(p->outputs.path);
    assert_int_equal(p->limits.memory, 1 << 30);
    assert_int_equal(p->limits.swap, 0);
    assert_int_equal(p->limits.pids, 128);
    assert_int_equal(p->limits.wall, 3600 * 1000);
    assert_true(jail_policy_denies_name(p, ".env"));
    jail_policy_free(p);
}

static void zero_is_the_strict_value_of_every_choice(void **state)
{
    const struct jail_policy zero = {0};

    (void)state;
    assert_int_equal(zero.profile, JAIL_PROFILE_STRICT);
    assert_int_equal(zero.on_missing, JAIL_MISSING_REFUSE);
    assert_int_equal(zero.limits.pids, 0);
    assert_null(zero.outputs.path);
}

static void values_have_units(void **state)
{
    struct jail_policy *p = read_policy("name: a\nlimits: {memory: 512M, cpu: 1.5, wall: 90s, idle: none, cpu_time: 2m,\n"
                                        "  file_size: 10K, pids: 7}\nwork: {size: 2G, inodes: 99, exec: false}\n");

    (void)state;
    assert_non_null(p);
    assert_int_equal(p->limits.memory, 512LL << 20);
    assert_int_equal(p->limits.cpu, 1500);
    assert_int_equal(p->limits.wall, 90000);
    assert_true(p->limits.idle == JAIL_NONE);
    assert_int_equal(p->limits.cpu_time, 120000);
    assert_int_equal(p->limits.file_size, 10240);
    assert_int_equal(p->limits.pids, 7);
    assert_true(p->work.bytes == 2LL << 30);
    assert_int_equal(p->work.inodes, 99);
    assert_false(p->work.may_exec);
    jail_policy_free(p);
}

static void relative_inputs_start_from_the_folder_of_the_policy(void **state)
{
    struct jail_policy *p = read_policy("name: a\ninputs: [{from: ./repo, to: /src/repo}, {from: ., to: /all}]\n");

    (void)state;
    assert_non_null(p);
    assert_string_equal(p->inputs[0].from, "/srv/agents/repo");
    assert_string_equal(p->inputs[1].from, "/srv/agents");
    jail_policy_free(p);
}

struct fault {
    const char *yaml, *expected;
};

static void refuse(const struct fault *faults, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        assert_null(read_policy(faults[i].yaml));
        assert_string_equal(err.text, faults[i].expected);
    }
}

/* What was said of inputs before there were copies means the same, and has the same digest. */
static void an_input_is_a_copy_where_that_is_said(void **state)
{
    struct jail_policy *p = read_policy("name: a\ninputs: [{from: x, to: /x}, {from: y, to: /y, snapshot: true}, {from: z, to: /z, snapshot: false}]\n");
    struct jail_policy *live = read_policy("name: a\ninputs: [{from: x, to: /x, snapshot: false}]\nsnapshots: {files: 3}\n");
    struct buf text;

    (void)state;
    assert_non_null(p);
    assert_non_null(live);
    assert_false(p->inputs[0].is_snapshot);
    assert_true(p->inputs[1].is_snapshot);
    assert_false(p->inputs[2].is_snapshot);
    assert_true(jail_policy_has_snapshots(p));
    assert_int_equal(p->snapshots.bytes, 256 << 20);
    assert_int_equal(p->snapshots.files, 20000);
    assert_false(jail_policy_has_snapshots(live));
    buf_init(&text, 1 << 16);
    assert_true(jail_policy_print(live, &text, &err) && buf_append_char(&text, '\0', &err));
    assert_null(strstr(text.data, "snapshot"));
    buf_deinit(&text);
    jail_policy_free(p);
    jail_policy_free(live);
}

static void faults_of_the_egress_and_of_honeytokens_say_where_they_are(void **state)
{
    static const struct fault cases[] = {
        {"name: a\nnetwork: {egress: e}\n", "p.yaml:2:10: 'record' expected"},
        {"name: a\nnetwork: {egress: e, record: r, colour: 1}\n", "p.yaml:2:33: key 'colour' is not known here: expected egress, record, rules, filter_policy, cache, ports, proxy"},
        {"name: a\nnetwork: {egress: e, record: r, ports: [53]}\n",
         "p.yaml:2:41: a port other than 53 expected, names are always answered"},
        {"name: a\nnetwork: {egress: e, record: r, ports: [80, 80]}\n",
         "p.yaml:2:45: another port expected, this one occurs twice"},
        {"name: a\nnetwork: {egress: e, record: r, proxy: 443}\n",
         "p.yaml:2:40: another port expected, this one occurs twice"},
        {"name: a\nnetwork: {egress: e, record: r}\nsyscalls: {profile: strict}\n",
         "p.yaml:2:10: syscalls.profile: agent expected, as 'strict' has no sockets"},
        {"name: a\nnetwork: {egress: e, record: in/r}\ninputs: [{from: in, to: /in}]\n",
         "p.yaml:2:10: a record outside the input /srv/agents/in expected"},
        {"name: a\nhoneytokens: [/work/a, /work/a/b]\n",
         "p.yaml:2:24: a file that is no other honeytoken, and no folder of one, expected"},
        {"name: a\nhoneytokens: [/work]\n", "p.yaml:2:14: /work: a file, and none of the outputs, expected"},
        {"name: a\nhoneytokens: [/in/.env]\ninputs: [{from: in, to: /in}]\n",
         "p.yaml:2:14: /in/.env: a place outside the input /in expected"},
        {"name: a\nhoneytokens: [/etc/x]\n", "p.yaml:2:15: a path outside /etc expected, the jail makes that itself"},
    };

    (void)state;
    refuse(cases, COUNT(cases));
}

static void faults_say_where_and_what_was_expected(void **state)
{
    static const struct fault cases[] = {
        {"", "p.yaml:1:1: 'name' expected"},
        {"a", "p.yaml:1:1: a mapping expected"},
        {"hostname: x\n", "p.yaml:1:1: 'name' expected"},
        {"name: a\ncolour: red\n", "p.yaml:2:1: key 'colour' is not known here: expected profile, name, hostname, network, on_missing_mechanism, on_denied_name, environment, inputs, deny_names, honeytokens, syscalls, work, tmp, snapshots, outputs, filter, report, limits"},
        {"name: a\nname: b\n", "p.yaml:2:1: key 'name' occurs twice, first in line 1"},
        {"name: a\nlimits: {colour: 1}\n", "p.yaml:2:10: key 'colour' is not known here: expected memory, swap, cpu, pids, wall, cpu_time, idle, open_files, file_size, output"},
        {"name: a\nlimits: {pids: 1, pids: 2}\n", "p.yaml:2:19: key 'pids' occurs twice, first in line 2"},
        {"name: a\nlimits: 5\n", "p.yaml:2:9: limits: a mapping expected"},
        {"name: a b\n", "p.yaml:1:7: name: 1 to 64 letters, digits, '-', '_' and '.' expected"},
        {"name: a\nnetwork: host\n", "p.yaml:2:10: network: none or a mapping expected"},
        {"name: a\non_missing_mechanism: ignore\n", "p.yaml:2:23: on_missing_mechanism: one of refuse, degrade expected"},
        {"name: a\nsyscalls: {profile: all}\n", "p.yaml:2:21: profile: one of strict, agent expected"},
        {"name: a\nlimits: {pids: none}\n", "p.yaml:2:16: pids: a whole number from 2 to 100000 expected"},
        {"name: a\nlimits: {pids: 0x10}\n", "p.yaml:2:16: pids: a whole number from 2 to 100000 expected"},
        {"name: a\nlimits: {wall: 5}\n",
         "p.yaml:2:16: wall: a time from 1ms to 1000h, or none, expected"},
        {"name: a\nlimits: {memory: 99999999999999T}\n",
         "p.yaml:2:18: memory: a size from 4M to 1024T, or none, expected"},
        {"name: a\ninputs: [{from: x}]\n", "p.yaml:2:10: 'to' expected"},
        {"name: a\ninputs: [{from: x, to: /y, mode: rw}]\n", "p.yaml:2:28: key 'mode' is not known here: expected from, to, snapshot"},
        {"name: a\ninputs: [{from: ../x, to: /y}]\n",
         "p.yaml:2:17: from: a path without '..' and '//', absolute or from the policy's folder, expected"},
        {"name: a\ninputs: [{from: x, to: y}]\n", "p.yaml:2:24: to: an absolute path without '.', '..' and '//' expected"},
        {"name: a\ninputs: [{from: x, to: /a/../proc}]\n",
         "p.yaml:2:24: to: an absolute path without '.', '..' and '//' expected"},
        {"name: a\ninputs: [{from: x, to: /etc/x}]\n",
         "p.yaml:2:24: a path outside /etc expected, the jail makes that itself"},
        {"name: a\ninputs: [{from: x, to: /y}, {from: z, to: /y/z}]\n",
         "p.yaml:2:43: to: a place outside that of another input (/y) expected"},
        {"name: a\ninputs: [{from: x, to: /work}]\n",
         "p.yaml:2:9: input /work: a place outside the work folder /work expected"},
        {"name: a\ninputs: [{from: x, to: /work/x}]\n",
         "p.yaml:2:9: input /work/x: a place outside the work folder /work expected"},
        {"name: a\ninputs: [{from: x, to: /y, snapshot: maybe}]\n", "p.yaml:2:38: snapshot: true or false expected"},
        {"name: a\ninputs: [{from: x, to: /y, snapshot: true, snapshot: false}]\n",
         "p.yaml:2:44: key 'snapshot' occurs twice, first in line 2"},
        {"name: a\nsnapshots: {size: none}\n",
         "p.yaml:2:19: size: a size from 64K to 64G expected"},
        {"name: a\nsnapshots: {files: 0}\n", "p.yaml:2:20: files: a whole number from 1 to 1000000 expected"},
        {"name: a\nlimits: {memory: 128M}\ninputs: [{from: x, to: /y, snapshot: true}]\nsnapshots: {size: 129M}\n",
         "p.yaml:4:12: snapshots.size: at most limits.memory, 134217728, expected"},
        {"name: a\nlimits: {memory: 128M}\ninputs: [{from: x, to: /y, snapshot: true}]\n",
         "p.yaml:1:1: snapshots.size: at most limits.memory, 134217728, expected"},
        {"name: a\ndeny_names: ['a/b']\n", "p.yaml:2:14: a pattern of one name expected, without '/'"},
        {"name: a\nenvironment: {pass: ['A=B']}\n", "p.yaml:2:22: a variable's name expected: letters, digits and '_'"},
        {"name: a\nenvironment: {pass: [A], set: {A: 1}}\n", "p.yaml:2:32: variable A occurs twice"},
        {"name: a\nenvironment: {set: {A: \"x\\0y\"}}\n", "p.yaml:2:24: A: text without a NUL byte expected"},
        {"name: a\noutputs: {path: /out}\n", "p.yaml:2:10: 'quarantine' expected"},
        {"name: a\noutputs: {path: /work/out, quarantine: q}\n",
         "p.yaml:2:10: a path outside the work folder /work expected"},
    };

    (void)state;
    refuse(cases, COUNT(cases));
}

static const char full[] =
    "name: coder\nhostname: box\nnetwork: {egress: e.yaml, record: /var/r, rules: rules, ports: [80, 8443], proxy: 3128}\n"
    "on_missing_mechanism: degrade\nsyscalls: {profile: agent}\nhoneytokens: [/work/.env, /home/agent/.ssh/id_rsa]\n"
    "environment: {pass: [LANG, TZ], set: {HOME: /work, ODD: \"a\\\"b\\n\\N\\L\\P\\x7f\\x9f\\uFEFF\\u263a\"}}\n"
    "inputs: [{from: repo, to: /src/repo}, {from: lib, to: /src/lib, snapshot: true}]\nsnapshots: {size: 1M, files: 7}\ndeny_names: ['*.secret']\n"
    "limits: {memory: 1G, cpu: 0.25, wall: none}\noutputs: {path: /out, quarantine: q, size: 1M, files: 3}\n";

static bool has_same_digest(const struct jail_policy *a, const struct jail_policy *b)
{
    char digests[2][JAIL_POLICY_DIGEST];

    assert_true(jail_policy_digest(a, digests[0], &err) && jail_policy_digest(b, digests[1], &err));
    assert_int_equal(strlen(digests[0]), JAIL_POLICY_DIGEST - 1);
    assert_memory_equal(digests[0], "sha256:", 7);
    return strcmp(digests[0], digests[1]) == 0;
}

static void the_printed_policy_reads_as_the_same(void **state)
{
    struct jail_policy *p = read_policy(full);
    struct buf text, again;

    (void)state;
    assert_non_null(p);
    buf_init(&text, 1 << 16);
    buf_init(&again, 1 << 16);
    assert_true(jail_policy_print(p, &text, &err));
    struct jail_policy *q =
        jail_policy_read("printed", "/elsewhere", buf_span(&text), &err);
    assert_non_null(q);
    assert_true(jail_policy_print(q, &again, &err));
    assert_true(span_equal(buf_span(&text), buf_span(&again)));
    assert_true(has_same_digest(p, q));
    buf_deinit(&text);
    buf_deinit(&again);
    jail_policy_free(p);
    jail_policy_free(q);
}

static void a_change_that_matters_changes_the_digest_and_a_comment_does_not(void **state)
{
    struct jail_policy *a = read_policy("name: a\nlimits: {pids: 128}\n");
    struct jail_policy *b = read_policy("# the default, not written\nname: a\n");
    struct jail_policy *c = read_policy("name: a\nlimits: {pids: 129}\n");

    (void)state;
    assert_true(has_same_digest(a, b));
    assert_false(has_same_digest(a, c));
    jail_policy_free(a);
    jail_policy_free(b);
    jail_policy_free(c);
}

static const char *value_of(const struct jail_policy *p, const char *name)
{
    for (size_t i = 0; i < p->n_variables; i++) {
        if (strcmp(p->variables[i].name, name) == 0) {
            return p->variables[i].value;
        }
    }
    return NULL;
}

static void a_profile_is_what_the_policy_begins_with(void **state)
{
    struct jail_policy *p = read_policy("profile: python\nname: mine\nlimits: {pids: 9}\n"
                                        "environment: {set: {PIP_NO_INDEX: '0', OWN: x}}\n");

    (void)state;
    assert_non_null(p);
    assert_string_equal(p->name, "mine");
    assert_int_equal(p->limits.memory, 2LL << 30); /* the profile's */
    assert_int_equal(p->limits.pids, 9);           /* the policy's own, wherever the profile is named */
    assert_string_equal(value_of(p, "PIP_NO_INDEX"), "0");
    assert_string_equal(value_of(p, "PYTHONUNBUFFERED"), "1");
    assert_string_equal(value_of(p, "OWN"), "x");
    jail_policy_free(p);
    p = read_policy("name: mine\nlimits: {pids: 9}\nprofile: shell\n");
    assert_non_null(p);
    assert_int_equal(p->profile, JAIL_PROFILE_STRICT);
    assert_int_equal(p->limits.pids, 9);
    jail_policy_free(p);
}

static void a_variable_wins_over_the_profile_only_once(void **state)
{
    (void)state;
    assert_null(read_policy("profile: python\nname: a\nenvironment: {pass: [PIP_NO_INDEX], set: {PIP_NO_INDEX: a}}\n"));
    assert_non_null(strstr(err.text, "PIP_NO_INDEX occurs twice"));
}

static void every_profile_is_a_policy_and_needs_a_name(void **state)
{
    static const char *const names[] = {"coding-agent", "node", "offline", "python", "shell"};

    (void)state;
    assert_int_equal(jail_builtin_count, COUNT(names));
    for (size_t i = 0; i < COUNT(names); i++) {
        char yaml[64];
        assert_string_equal(jail_builtins[i].name, names[i]);
        struct jail_policy *p = jail_policy_read("p.yaml", "/", span_of(jail_builtins[i].yaml, jail_builtins[i].len), &err);
        assert_non_null(p);
        assert_string_equal(p->name, names[i]);
        assert_null(p->outputs.path);
        assert_int_equal(p->n_inputs, 0);
        assert_int_equal(p->on_missing, JAIL_MISSING_REFUSE);
        jail_policy_free(p);
        (void)snprintf(yaml, sizeof(yaml), "profile: %s\n", names[i]);
        assert_null(read_policy(yaml));
        assert_non_null(strstr(err.text, "'name' expected"));
    }
    assert_null(read_policy("name: a\nprofile: nonesuch\n"));
    assert_string_equal(err.text, "p.yaml:2:10: profile: one of coding-agent, node, offline, python, shell expected");
}

static void names_are_denied_by_pattern_in_any_case(void **state)
{
    struct jail_policy *p = read_policy("name: a\ndeny_names: ['*.pem', '.env*']\n");
    static const char *const denied[] = {"a.pem", "A.PEM", ".env", ".env.local", ".ENV", ".pem"};
    static const char *const open[] = {"pem", "a.pem.txt", "env", "x.env"};

    (void)state;
    for (size_t i = 0; i < COUNT(denied); i++) {
        assert_true(jail_policy_denies_name(p, denied[i]));
    }
    for (size_t i = 0; i < COUNT(open); i++) {
        assert_false(jail_policy_denies_name(p, open[i]));
    }
    jail_policy_free(p);
}

static void an_empty_list_of_names_denies_none(void **state)
{
    struct jail_policy *p = read_policy("name: a\ndeny_names: []\n");

    (void)state;
    assert_false(jail_policy_denies_name(p, ".env"));
    jail_policy_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_alone_is_a_strict_policy),
        cmocka_unit_test(zero_is_the_strict_value_of_every_choice),
        cmocka_unit_test(values_have_units),
        cmocka_unit_test(relative_inputs_start_from_the_folder_of_the_policy),
        cmocka_unit_test(an_input_is_a_copy_where_that_is_said),
        cmocka_unit_test(faults_of_the_egress_and_of_honeytokens_say_where_they_are),
        cmocka_unit_test(faults_say_where_and_what_was_expected),
        cmocka_unit_test(the_printed_policy_reads_as_the_same),
        cmocka_unit_test(a_change_that_matters_changes_the_digest_and_a_comment_does_not),
        cmocka_unit_test(a_profile_is_what_the_policy_begins_with),
        cmocka_unit_test(a_variable_wins_over_the_profile_only_once),
        cmocka_unit_test(every_profile_is_a_policy_and_needs_a_name),
        cmocka_unit_test(names_are_denied_by_pattern_in_any_case),
        cmocka_unit_test(an_empty_list_of_names_denies_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

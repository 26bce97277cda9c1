#include "evidence/export_texts.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "policy/embedded.h"

enum { TEXT_MAX = 16 * 1024 * 1024, DIGITS = 16 };

static const char readme[] =
    "An evidence bundle of filterd, a gate between language models and their readers.\n"
    "\n"
    "records.jsonl   lines of the decision log, as they were written; they never hold content\n"
    "manifest.json   what was asked for, by whom, and the SHA-256 of each file; manifest.sig has the log's signature\n"
    "checkpoint      the signed head of the log (C2SP tlog-checkpoint), with the cosignatures of witnesses\n"
    "proofs/         a proof for each line that it is in the log under that checkpoint (C2SP tlog-proof)\n"
    "range.proof     in place of them, when a range was asked for: all lines of the range, and no other\n"
    "policy          the keys of the log and of its witnesses, as the log's owner names them (C2SP tlog-policy)\n"
    "access.jsonl    lines that say who looked at these records; review.jsonl: what reviewers said of them\n"
    "rules/          the texts of rules and policies that were in force, as far as the exporter had them\n"
    "verify.py       an independent verifier; it needs Python 3 and openssl, not filterd\n"
    "\n"
    "Verify it, with a policy file that you have from elsewhere than this bundle:\n"
    "\n"
    "    tar xf BUNDLE verify.py && less verify.py\n"
    "    python3 verify.py --policy YOUR-POLICY BUNDLE\n"
    "    filterctl record verify-bundle BUNDLE --policy YOUR-POLICY\n"
    "\n"
    "With the policy that is inside, both say only that the bundle is consistent with itself.\n"
    "\n"
    "What it proves: each line is in the log exactly as it was written, before the checkpoint was signed.\n";

static const char of_range[] = "The lines are all that the log has in this range: nothing inside it was left out.\n"
                               "What it does not prove: that events outside of the range did not happen.\n";
static const char of_query[] = "What it does not prove: that no other line of the log matches the query. For that ask for a range.\n";

static const struct embedded_file *find_embedded(const char *path)
{
    for (unsigned i = 0; i < embedded_file_count; i++) {
        if (strcmp(embedded_files[i].path, path) == 0) {
            return &embedded_files[i];
        }
    }
    return NULL;
}

bool export_texts_put(struct bundle *b, bool is_range, struct error *err)
{
    const struct embedded_file *program = find_embedded("filterd/evidence/verify.py");

    if (program == NULL) {
        return error_set(err, ERROR_INTERNAL, "verify.py is not built in");
    }
    if (!bundle_begin(b, "README.txt", err) || !bundle_add(b, span_str(readme), err) ||
        !bundle_add(b, span_str(is_range ? of_range : of_query), err)) {
        return false;
    }
    bundle_end(b);
    return bundle_put(b, "verify.py", span_of(program->content, program->len), err);
}

/* --- rules ---------------------------------------------------------------------- */

struct texts {
    struct bundle *b;
    const char *digits; /* of the rules' digest */
    struct buf text;
};

/* rules/<digits>/<name>. */
static bool put(struct texts *t, const char *name, struct span text, struct error *err)
{
    char whole[2 * BUNDLE_NAME_MAX];

    if ((size_t)snprintf(whole, sizeof(whole), "rules/%.*s/%s", DIGITS, t->digits, name) >= BUNDLE_NAME_MAX) {
        return error_set(err, ERROR_LIMIT, "rules: %s: a shorter name expected", name);
    }
    return bundle_put(t->b, whole, text, err);
}

static bool has_yaml_ending(const char *name)
{
    size_t len = strlen(name);

    return name[0] != '.' && len > 5 && strcmp(name + len - 5, ".yaml") == 0;
}

static bool put_embedded(struct texts *t, struct error *err)
{
    for (unsigned i = 0; i < embedded_file_count; i++) {
        const struct embedded_file *f = &embedded_files[i];
        const char *name = strncmp(f->path, "rules/", 6) == 0 ? f->path + 6 : "";
        if (has_yaml_ending(name) && strchr(name, '/') != NULL && strncmp(name, "samples/", 8) != 0 &&
            !put(t, name, span_of(f->content, f->len), err)) {
            return false;
        }
    }
    return true;
}

static bool put_file(struct texts *t, const char *path, const char *name, struct error *err)
{
    buf_clear(&t->text);
    return file_read(path, &t->text, err) && put(t, name, buf_span(&t->text), err);
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* The files of a pack. What is no folder has none. */
static bool put_pack(struct texts *t, const char *rules, const char *pack, struct error *err)
{
    struct dirent **entries = NULL;
    char folder[PATH_MAX], path[PATH_MAX + NAME_MAX + 2], name[2 * NAME_MAX + 2];
    bool is_put = (size_t)snprintf(folder, sizeof(folder), "%s/%s", rules, pack) < sizeof(folder);
    int n = is_put ? scandir(folder, &entries, is_visible, alphasort) : 0;

    for (int i = 0; i < n; i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
        (void)snprintf(name, sizeof(name), "%s/%s", pack, entries[i]->d_name);
        is_put = is_put && (!has_yaml_ending(entries[i]->d_name) || put_file(t, path, name, err));
        free(entries[i]);
    }
    free(entries);
    return is_put;
}

static bool put_folder(struct texts *t, const char *rules, struct error *err)
{
    struct dirent **packs = NULL;
    bool is_put = true;
    int n = scandir(rules, &packs, is_visible, alphasort);

    for (int i = 0; i < n; i++) {
        is_put = is_put && put_pack(t, rules, packs[i]->d_name, err);
        free(packs[i]);
    }
    free(packs);
    return is_put && (n >= 0 || error_errno(err, "%s", rules));
}

static bool put_policy(struct texts *t, const struct export_request *r, struct error *err)
{
    const struct embedded_file *built_in = find_embedded("rules/policy.yaml");
    char path[PATH_MAX];

    if (r->policy == NULL && r->rules == NULL) {
        return built_in == NULL || put(t, "policy.yaml", span_of(built_in->content, built_in->len), err);
    }
    if ((size_t)snprintf(path, sizeof(path), "%s%s", r->policy != NULL ? r->policy : r->rules, r->policy != NULL ? "" : "/policy.yaml") >=
        sizeof(path)) {
        return error_set(err, ERROR_LIMIT, "a shorter path expected");
    }
    return put_file(t, path, "policy.yaml", err);
}

static bool is_in_force(const struct snapshot *s, const struct span *digests, size_t n)
{
    for (size_t i = 0; i < s->n_policies; i++) {
        for (size_t k = 0; k < n; k++) {
            if (span_equal(s->policies[i].digest, digests[k])) {
                return true;
            }
        }
    }
    return false;
}

bool export_texts_put_rules(struct bundle *b, const struct export_request *request, const struct span *policies, size_t n, bool *is_put,
                            struct error *err)
{
    const struct snapshot *s = request->snapshot;
    struct texts t = {.b = b};

    *is_put = s != NULL && is_in_force(s, policies, n);
    if (!*is_put) {
        return true;
    }
    t.digits = s->rules->digest.ptr + strlen("sha256:");
    buf_init(&t.text, TEXT_MAX);
    bool is_done = (request->rules == NULL ? put_embedded(&t, err) : put_folder(&t, request->rules, err)) && put_policy(&t, request, err);
    buf_deinit(&t.text);
    return is_done;
}

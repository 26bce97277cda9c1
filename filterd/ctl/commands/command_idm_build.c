/* command_idm_build.c - filterctl idm build: keyed fingerprints of the documents of a folder. */
#include <fts.h>
#include <inttypes.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/plural.h"
#include "ctl/command.h"
#include "ctl/complain.h"
#include "ctl/source/converter.h"
#include "dataset/copies_build.h"
#include "text/utf8.h"

enum { OUTPUT_MAX = 64 * 1024, SECOND = 1000000000, DOCUMENT_MAX = 64 * 1024 * 1024 };

static int run(const struct arguments *args);

const struct command command_idm_build = {
    .name = "idm build",
    .operands = "FOLDER",
    .summary = "Make the file of a rule's documents from a folder",
    .details = "Reads every file below FOLDER that is text: Markdown, HTML (.html, .htm, .xhtml: what is shown), source code,\n"
               "any other UTF-8; and, where pdftotext and unzip are installed, PDF and office files (.docx, .xlsx, .pptx, .odt,\n"
               ".ods, .odp and their templates), each converted in a jail. Each of these that has no text, or maybe not all of\n"
               "it, is named, and the exit code is 1. Other files are left out and counted. Links are not followed. The file\n"
               "has keyed fingerprints alone. What is in more than 8 documents is left out as boilerplate. --verbose names each\n"
               "file that was left out.",
    .options = OPTION_BIT(OPTION_KEY) | OPTION_BIT(OPTION_OUT) | OPTION_BIT(OPTION_VERBOSE),
    .min_operands = 1,
    .max_operands = 1,
    .run = run,
};

struct counts {
    uint64_t skipped, short_ones;
    uint64_t converted, unconverted, partial; /* PDF and office files */
    bool is_verbose;
};

static bool is_html(const char *name)
{
    static const char *const endings[] = {".html", ".htm", ".xhtml"};
    size_t len = strlen(name);

    for (size_t i = 0; i < COUNT(endings); i++) {
        size_t n = strlen(endings[i]);
        if (len > n && strcmp(name + len - n, endings[i]) == 0) {
            return true;
        }
    }
    return false;
}

static void leave_out(struct counts *counts, const FTSENT *entry, const char *why)
{
    const bool is_document = converter_knows(entry->fts_name);

    counts->unconverted += is_document;
    counts->skipped += !is_document;
    if (is_document || counts->is_verbose) {
        complain("%s: left out: %s", entry->fts_path, why);
    }
}

static bool add_text(struct copies_build *b, struct span text, bool is_markup, struct counts *counts, struct error *err)
{
    size_t n = 0;

    if (text.len > 0 && !copies_build_add(b, text, is_markup, &n, err)) {
        return false;
    }
    counts->short_ones += n == 0;
    return true;
}

/* Of a PDF or office file. */
static bool add_converted(struct copies_build *b, const FTSENT *entry, struct span document, struct counts *counts, struct error *err)
{
    struct buf text CLEANUP(buf_deinit);
    bool is_partial = false;

    buf_init(&text, DOCUMENT_MAX);
    if (!converter_run(entry->fts_name, document, &text, &is_partial, err)) {
        if (err->kind == ERROR_NO_MEMORY || err->kind == ERROR_SYSTEM) {
            return error_wrap(err, "%s", entry->fts_path);
        }
        leave_out(counts, entry, err->text);
        return true;
    }
    if (is_partial) {
        complain("%s: damaged: some of its text may be missing", entry->fts_path);
    }
    counts->partial += is_partial;
    counts->converted++;
    return add_text(b, buf_span(&text), false, counts, err);
}

static bool add_document(struct copies_build *b, const FTSENT *entry, struct counts *counts, struct error *err)
{
    struct buf text CLEANUP(buf_deinit);

    buf_init(&text, DOCUMENT_MAX);
    if (!file_read(entry->fts_accpath, &text, err)) {
        if (err->kind != ERROR_LIMIT) {
            return false;
        }
        leave_out(counts, entry, "longer than 64 MiB");
        return true;
    }
    struct span all = buf_span(&text);
    if (converter_reads(entry->fts_name)) {
        return add_converted(b, entry, all, counts, err);
    }
    if (all.len > 0 && (memchr(all.ptr, '\0', all.len) != NULL || utf8_valid_prefix(all) != all.len)) {
        leave_out(counts, entry, converter_knows(entry->fts_name) ? "nothing here converts it; save it in a newer format" : "no UTF-8");
        return true;
    }
    return add_text(b, all, is_html(entry->fts_name), counts, err);
}

static int compare_names(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static bool add_entry(struct copies_build *b, const FTSENT *entry, struct counts *counts, struct error *err)
{
    switch (entry->fts_info) {
    case FTS_F:
        return add_document(b, entry, counts, err);
    case FTS_DNR:
    case FTS_ERR:
    case FTS_NS:
        return error_set(err, ERROR_SYSTEM, "%s: %s", entry->fts_path, strerror(entry->fts_errno));
    default:
        return true;
    }
}

static bool add_folder(struct copies_build *b, const char *folder, struct counts *counts, struct error *err)
{
    char *const paths[] = {(char *)(uintptr_t)folder, NULL};
    FTS *tree = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, compare_names);
    bool is_good = tree != NULL || error_errno(err, "%s", folder);

    for (FTSENT *entry; is_good && (entry = fts_read(tree)) != NULL;) {
        is_good = add_entry(b, entry, counts, err);
    }
    if (tree != NULL) {
        (void)fts_close(tree);
    }
    return is_good;
}

static bool append_summary(struct buf *out, const char *path, const struct table_header *h, const struct counts *counts, struct error *err)
{
    if (!buf_appendf(out, err,
                     "%s: %" PRIu64 " fingerprint%s of %" PRIu64 " document%s\n"
                     "left out: %" PRIu64 " files; %" PRIu64 " documents too short; %" PRIu64 " fingerprints as boilerplate\n",
                     path, table_values(h), plural_s(table_values(h)), h->rows, plural_s(h->rows), counts->skipped, counts->short_ones,
                     h->common)) {
        return false;
    }
    return counts->converted + counts->unconverted == 0 ||
           buf_appendf(out, err, "PDF and office files: %" PRIu64 " converted, %" PRIu64 " of them damaged; %" PRIu64 " left out\n",
                       counts->converted, counts->partial, counts->unconverted);
}

static void free_build(struct copies_build **b)
{
    copies_build_free(*b);
}

static int run(const struct arguments *args)
{
    struct dataset_key key CLEANUP(dataset_key_wipe) = {0};
    struct copies_build *b CLEANUP(free_build) = NULL;
    struct counts counts = {.is_verbose = args->is_verbose};
    struct buf out CLEANUP(buf_deinit);
    struct table_header header;
    struct error err;
    bool is_new = false;

    buf_init(&out, OUTPUT_MAX);
    if (args->key == NULL || args->out == NULL) {
        (void)error_set(&err, ERROR_INVALID, "--key FILE and --out FILE expected");
        return command_failed(&err);
    }
    bool is_done = dataset_key_make(args->key, &key, &is_new, &err) &&
                   (!is_new || buf_appendf(&out, &err, "%s: a new key\n", args->key)) &&
                   (b = copies_build_new(args->out, &key, &err)) != NULL && add_folder(b, args->operands[0], &counts, &err) &&
                   copies_build_finish(b, clock_utc_ns() / SECOND, &header, &err) &&
                   append_summary(&out, args->out, &header, &counts, &err);
    return is_done ? command_finish(&out, counts.unconverted + counts.partial > 0 ? EXIT_FOUND : EXIT_CLEAN) : command_failed(&err);
}

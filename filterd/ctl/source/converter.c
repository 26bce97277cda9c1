#include "ctl/source/converter.h"

#include <assert.h>
#include <signal.h>
#include <strings.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "ctl/source/jailed.h"
#include "ctl/source/office_text.h"
#include "text/utf8.h"

enum { PARTS_MAX = 64 * 1024 * 1024, PATTERNS_MAX = 10, PATH_LENGTH = 64, ANY_CODE = -1 };

/* The document is written into the jail's memory, because programs seek in it. */
static const char pdf_script[] = "cat >document && exec pdftotext -enc UTF-8 document -";
/* unzip ends with 1 when it warned or left something out, and says so; with 11 when a pattern matches nothing. */
static const char office_script[] =
    "cat >document && unzip -qq -o -d parts document \"$@\" </dev/null\n"
    "case $? in 0 | 1 | 11) ;; *) exit $? ;; esac\n"
    "for pattern; do for part in parts/$pattern; do\n"
    "    [ ! -f \"$part\" ] || [ -L \"$part\" ] || { wc -c <\"$part\" && cat \"$part\"; } || exit\n"
    "done; done\n";

/* What an exit code of the program means. */
struct failure {
    int code;
    const char *text;
};

struct program {
    const char *name, *package, *script;
    const struct failure *failures; /* the last is for ANY_CODE */
    const char *error_word;  /* what its messages have when it met errors and went on */
    const char *locked_word; /* what they have when the document needs a password */
};

static const struct failure pdf_failures[] = {
    {3, "its author does not permit that its text is taken out"},
    {ANY_CODE, "pdftotext does not read it: damaged, or no PDF"},
};
static const struct failure zip_failures[] = {
    {9, "no zip archive: damaged, protected by a password, or of an older format"},
    {12, "parts of the archive overlap, as in a zip bomb"},
    {50, "more than 64 MiB unpacked"},
    {ANY_CODE, "unzip does not read it: damaged"},
};
static const struct program pdftotext = {"pdftotext", "poppler-utils", pdf_script, pdf_failures, "Error", "Incorrect password"};
static const struct program unzip = {"unzip", "unzip", office_script, zip_failures, "skipping", "password"};

/* Documents of one kind. The patterns are of the parts with text. */
struct kind {
    const char *endings[4];
    const struct program *program; /* NULL: nothing here reads them */
    enum office_kind office;
    const char *patterns[PATTERNS_MAX];
};

static const struct kind kinds[] = {
    {{".pdf"}, &pdftotext, OFFICE_WORDS, {NULL}},
    {{".docx", ".docm", ".dotx"},
     &unzip,
     OFFICE_WORDS,
     {"word/document*.xml", "word/footnotes*.xml", "word/endnotes*.xml", "word/comments.xml", "word/header*.xml", "word/footer*.xml",
      "word/diagrams/data*.xml"}},
    {{".pptx", ".pptm", ".ppsx"},
     &unzip,
     OFFICE_WORDS,
     {"ppt/slides/slide*.xml", "ppt/notesSlides/notesSlide*.xml", "ppt/comments/*.xml", "ppt/diagrams/data*.xml"}},
    {{".xlsx", ".xlsm"},
     &unzip,
     OFFICE_SHEETS,
     {"xl/sharedStrings.xml", "xl/worksheets/sheet*.xml", "xl/comments*.xml", "xl/comments/*.xml", "xl/drawings/drawing*.xml"}},
    {{".odt", ".ott"}, &unzip, OFFICE_OPEN, {"content.xml", "styles.xml"}},
    {{".ods", ".odp"}, &unzip, OFFICE_OPEN, {"content.xml"}},
    {{".doc", ".xls", ".ppt"}, NULL, OFFICE_WORDS, {NULL}},
};

static bool ends_with(const char *name, const char *ending)
{
    const size_t len = strlen(name), n = strlen(ending);

    return len > n && strcasecmp(name + len - n, ending) == 0;
}

/* Files that office programs and macOS keep beside a document, under its name. */
static bool is_beside(const char *name)
{
    return strncmp(name, "~$", 2) == 0 || strncmp(name, "._", 2) == 0;
}

static const struct kind *kind_of(const char *name)
{
    for (size_t i = 0; !is_beside(name) && i < COUNT(kinds); i++) {
        for (size_t j = 0; j < COUNT(kinds[i].endings) && kinds[i].endings[j] != NULL; j++) {
            if (ends_with(name, kinds[i].endings[j])) {
                return &kinds[i];
            }
        }
    }
    return NULL;
}

bool converter_knows(const char *name)
{
    return kind_of(name) != NULL;
}

bool converter_reads(const char *name)
{
    const struct kind *kind = kind_of(name);

    return kind != NULL && kind->program != NULL;
}

/* The jail has /usr, and these in its PATH. */
static bool is_installed(const char *name)
{
    static const char *const folders[] = {"/usr/local/bin", "/usr/bin"};
    char path[PATH_LENGTH];

    for (size_t i = 0; i < COUNT(folders); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", folders[i], name);
        if (access(path, X_OK) == 0) {
            return true;
        }
    }
    return false;
}

/* The jail's first line, without its hint about the policy, which is not the user's. */
static bool refuse_without_jail(const struct program *p, char *line, struct error *err)
{
    static const char prefix[] = "filterd-jail: ";

    line[strcspn(line, "\n")] = '\0';
    char *hint = strstr(line, " (on_missing_mechanism");
    if (hint != NULL) {
        *hint = '\0';
    }
    line += strncmp(line, prefix, strlen(prefix)) == 0 ? strlen(prefix) : 0;
    return error_set(err, ERROR_DENIED, "no jail for %s: %.200s; see filterd-jail doctor", p->name, line);
}

/* Ended by its jail, or with it. */
static bool judge_jail(const struct program *p, struct jailed *result, struct error *err)
{
    if (result->code == JAILED_REFUSED) {
        return refuse_without_jail(p, result->messages, err);
    }
    if (result->code == JAILED_LIMIT) {
        return error_set(err, ERROR_LIMIT, "%s took more than 60 s, or gave more than 64 MiB of text", p->name);
    }
    if (result->code == JAILED_SIGNAL + SIGXFSZ) {
        return error_set(err, ERROR_LIMIT, "more than 64 MiB unpacked");
    }
    if (result->code > JAILED_SIGNAL && result->code != JAILED_GONE) {
        return error_set(err, ERROR_LIMIT, "%s was ended by signal %d; it may use 512 MiB of memory", p->name, result->code - JAILED_SIGNAL);
    }
    return error_set(err, ERROR_INVALID, "%s", result->code == JAILED_GONE ? "its jail was killed" : "cannot be run in its jail") ||
           error_wrap(err, "%s", p->name);
}

static bool judge(const struct program *p, struct jailed *result, bool *is_partial, struct error *err)
{
    const struct failure *failure = p->failures;

    if (result->code == 0) {
        *is_partial = strstr(result->messages, p->error_word) != NULL;
        return true;
    }
    if (result->code >= JAILED_LIMIT) {
        return judge_jail(p, result, err);
    }
    if (strstr(result->messages, p->locked_word) != NULL) {
        return error_set(err, ERROR_INVALID, "protected by a password");
    }
    while (failure->code != ANY_CODE && failure->code != result->code) {
        failure++;
    }
    return error_set(err, ERROR_MALFORMED, "%s", failure->text);
}

static bool run_program(const struct kind *kind, struct span document, struct buf *out, bool *is_partial, struct error *err)
{
    const char *command[4 + PATTERNS_MAX + 1] = {"/bin/sh", "-c", kind->program->script, "sh"};
    struct jailed result;

    for (size_t i = 0; i < PATTERNS_MAX && kind->patterns[i] != NULL; i++) {
        command[4 + i] = kind->patterns[i];
    }
    return jailed_run(command, document, out, &result, err) && judge(kind->program, &result, is_partial, err);
}

static bool read_office(const struct kind *kind, struct span document, struct buf *out, bool *is_partial, struct error *err)
{
    struct buf parts CLEANUP(buf_deinit);

    buf_init(&parts, PARTS_MAX);
    if (!run_program(kind, document, &parts, is_partial, err)) {
        return false;
    }
    if (parts.len == 0) {
        return error_set(err, ERROR_MALFORMED, "no part of it has text: damaged, protected by a password, or no such document");
    }
    return office_text(kind->office, buf_span(&parts), out, err) ||
           (err->kind == ERROR_MALFORMED && error_wrap(err, "damaged, or protected by a password"));
}

static bool has_text(struct span text, struct error *err)
{
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.ptr[i] > ' ') {
            return utf8_valid_prefix(text) == text.len || error_set(err, ERROR_MALFORMED, "its text is no UTF-8");
        }
    }
    return error_set(err, ERROR_INVALID, "no text in it; pages that were scanned need OCR first");
}

bool converter_run(const char *name, struct span document, struct buf *out, bool *is_partial, struct error *err)
{
    const struct kind *kind = kind_of(name);
    const size_t before = out->len;
    bool has_met_errors = false;

    assert(kind != NULL && kind->program != NULL);
    if (!is_installed(kind->program->name)) {
        return error_set(err, ERROR_NOT_FOUND, "%s is not installed (package %s)", kind->program->name, kind->program->package);
    }
    bool is_read = kind->program == &pdftotext ? run_program(kind, document, out, &has_met_errors, err)
                                               : read_office(kind, document, out, &has_met_errors, err);
    if (!is_read || !has_text(span_of(out->data + before, out->len - before), err)) {
        out->len = before;
        return false;
    }
    *is_partial = has_met_errors;
    return true;
}

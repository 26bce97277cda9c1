/* command_edm_build.c - filterctl edm build: keyed hashes of the cells of a CSV file. */
#include <inttypes.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/plural.h"
#include "ctl/command.h"
#include "dataset/cells_build.h"

enum { OUTPUT_MAX = 64 * 1024, SECOND = 1000000000 };

static int run(const struct arguments *args);

const struct command command_edm_build = {
    .name = "edm build",
    .operands = "CSV",
    .summary = "Make the file of a rule's exact_data from a table",
    .details = "CSV is strict (RFC 4180) and UTF-8; its first row names the columns. --columns email:email,phone:phone+49\n"
               "chooses columns and says how their cells are compared: name, phone, id, email or free; phone+49 gives\n"
               "national numbers that calling code. The file has keyed hashes alone, of which nothing can be learned\n"
               "without the key; so have temporary files. A value in more than 256 rows is left out as common. CSV may be\n"
               "-, standard input. --format is the delimiter: csv a comma, ssv a semicolon, tsv a tab.",
    .options = OPTION_BIT(OPTION_COLUMNS) | OPTION_BIT(OPTION_KEY) | OPTION_BIT(OPTION_OUT) | OPTION_BIT(OPTION_FORMAT),
    .formats = "csv|ssv|tsv",
    .min_operands = 1,
    .max_operands = 1,
    .run = run,
};

static char delimiter_of(const char *format)
{
    return format == NULL || strcmp(format, "csv") == 0 ? ',' : strcmp(format, "ssv") == 0 ? ';' : '\t';
}

static bool append_summary(struct buf *out, const char *path, const struct cells_built *built, struct error *err)
{
    const struct table_header *h = &built->header;

    return buf_appendf(out, err,
                       "%s: %" PRIu64 " cell%s of %" PRIu64 " row%s, %" PRIu64 " bytes\n"
                       "left out: %" PRIu64 " cells that are empty, too short, too long or a common word; %" PRIu64
                       " values in more than %d rows\n",
                       path, h->entries, plural_s(h->entries), h->rows, plural_s(h->rows), built->size, built->skipped, h->common,
                       TABLE_VALUE_ROWS);
}

static bool build(const struct arguments *args, FILE *csv, struct buf *out, struct error *err)
{
    struct dataset_key key CLEANUP(dataset_key_wipe) = {0};
    struct cells_built built;
    bool is_new = false;

    if (!dataset_key_make(args->key, &key, &is_new, err) ||
        (is_new && !buf_appendf(out, err, "%s: a new key\n", args->key))) {
        return false;
    }
    const struct cells_build b = {.name = args->operands[0],
                                  .csv = csv,
                                  .delimiter = delimiter_of(args->format),
                                  .columns = span_str(args->columns),
                                  .now_s = clock_utc_ns() / SECOND,
                                  .key = &key,
                                  .path = args->out};
    return cells_build(&b, &built, err) && append_summary(out, args->out, &built, err);
}

static int run(const struct arguments *args)
{
    const bool is_standard_input = strcmp(args->operands[0], "-") == 0;
    FILE *csv CLEANUP(cleanup_file) = NULL;
    struct buf out CLEANUP(buf_deinit);
    struct error err;

    buf_init(&out, OUTPUT_MAX);
    if (args->columns == NULL || args->key == NULL || args->out == NULL) {
        (void)error_set(&err, ERROR_INVALID, "--columns NAME:KIND,…, --key FILE and --out FILE expected");
        return command_failed(&err);
    }
    csv = is_standard_input ? fdopen(dup(STDIN_FILENO), "r") : fopen(args->operands[0], "re");
    if (csv == NULL) {
        (void)error_errno(&err, "%s", args->operands[0]);
        return command_failed(&err);
    }
    return build(args, csv, &out, &err) ? command_finish(&out, EXIT_CLEAN) : command_failed(&err);
}

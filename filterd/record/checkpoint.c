#include "record/checkpoint.h"

#include <inttypes.h>

#include "record/note_text.h"

static bool malformed(struct error *err, const char *line)
{
    return error_set(err, ERROR_MALFORMED, "checkpoint: %s expected", line);
}

bool checkpoint_parse_text(struct span text, struct checkpoint *out, struct error *err)
{
    struct checkpoint c = {.note = {.text = text}};
    struct span rest = text, line;

    if (text.len > NOTE_MAX || !note_text_is_valid(text)) {
        return malformed(err, "a text of UTF-8");
    }
    if (!note_take_line(&rest, &c.origin) || c.origin.len == 0) {
        return malformed(err, "an origin as the first line");
    }
    if (!note_take_line(&rest, &line) || !note_read_number(line, &c.size)) {
        return malformed(err, "a size without leading zeros as the second line");
    }
    if (!note_take_line(&rest, &line) || !tree_hash_parse(line, &c.root, err)) {
        return malformed(err, "a root in Base64 as the third line");
    }
    c.extensions = rest;
    while (rest.len > 0) {
        if (!note_take_line(&rest, &line) || line.len == 0) {
            return malformed(err, "whole lines that are not empty");
        }
    }
    *out = c;
    return true;
}

bool checkpoint_parse(struct span bytes, struct checkpoint *out, struct error *err)
{
    struct note note;
    struct checkpoint c;

    if (!note_parse(bytes, &note, err) || !checkpoint_parse_text(note.text, &c, err)) {
        return false;
    }
    c.note = note;
    *out = c;
    return true;
}

bool checkpoint_format(struct span origin, uint64_t size, const struct tree_hash *root, struct buf *out, struct error *err)
{
    char text[TREE_HASH_TEXT + 1];

    if (!note_name_is_valid(origin)) {
        return error_set(err, ERROR_INVALID, "checkpoint: an origin of 1 to %d bytes without spaces and plus signs expected",
                         CHECKPOINT_ORIGIN_MAX);
    }
    tree_hash_format(root, text);
    return buf_appendf(out, err, SPAN_FMT "\n%" PRIu64 "\n%s\n", SPAN_ARG(origin), size, text);
}

bool checkpoint_verify(const struct checkpoint *c, const struct note_key *log, struct error *err)
{
    if (!span_is(c->origin, log->name)) {
        return error_set(err, ERROR_INVALID, "checkpoint: the origin %s expected", log->name);
    }
    switch (note_verify(&c->note, log, NULL)) {
    case NOTE_GOOD:
        return true;
    case NOTE_UNSIGNED:
        return error_set(err, ERROR_INVALID, "checkpoint: a signature of %s expected", log->name);
    case NOTE_BAD:
    default:
        return error_set(err, ERROR_INVALID, "checkpoint: the signature of %s does not hold", log->name);
    }
}

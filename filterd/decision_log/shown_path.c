#include "decision_log/shown_path.h"

#include "decision_log/path_words.h"
#include "decision_log/value_token.h"
#include "judge/path.h"

static bool has_finding_in_name(const struct exchange *x)
{
    for (size_t i = 0; i < x->n_findings; i++) {
        if (x->channels[x->findings[i].channel].is_member_name) {
            return true;
        }
    }
    return x->has_findings_in_names;
}

static bool were_names_judged(const struct exchange *x)
{
    for (size_t i = 0; i < x->n_channels; i++) {
        if (x->channels[i].is_member_name && x->channels[i].judged < x->channels[i].text.len) {
            return false;
        }
    }
    return x->unjudged_reason == NULL;
}

enum shown_names shown_names_on_record(const struct exchange *x)
{
    return were_names_judged(x) && !has_finding_in_name(x) ? NAMES_OF_WORDS : NAMES_HIDDEN;
}

enum shown_names shown_names_to_caller(const struct exchange *x)
{
    enum shown_names names = shown_names_on_record(x);
    bool is_delivered = x->action != ACTION_BLOCK && x->judged == x->bytes;

    return names != NAMES_HIDDEN && is_delivered ? NAMES_DELIVERED : names;
}

enum { INDEX_DIGITS_MAX = 7 }; /* fewer than a number has that is judged; an upstream may give any index */

static bool may_show(const struct path_step *step, enum shown_names names)
{
    bool is_short_index = step->is_index && step->text.len <= INDEX_DIGITS_MAX;

    return is_short_index || names == NAMES_DELIVERED || (names == NAMES_OF_WORDS && path_words_make(step->text));
}

/* What stands for a name, or for a whole path. */
static bool make_substitute(struct span hidden, const char *otherwise, const struct decision_keys *keys,
                            struct value_token *out, struct error *err)
{
    if (keys != NULL) {
        return value_token_mark(keys, hidden, out, err);
    }
    (void)snprintf(out->text, sizeof(out->text), "%s", otherwise);
    return true;
}

/* False: there is no room. */
static bool add(struct shown_path *out, struct span text, size_t max)
{
    if (text.len > max - out->len) {
        return false;
    }
    if (text.len > 0) {
        memcpy(out->text + out->len, text.ptr, text.len);
        out->len += text.len;
    }
    return true;
}

bool shown_path_make(struct shown_path *out, struct span path, enum shown_names names, const struct decision_keys *keys,
                     size_t max, struct error *err)
{
    struct value_token token;
    struct path_step step;
    struct span rest = path;
    bool has_slash = path.len > 0 && path.ptr[0] == '/';
    bool has_room = true;

    out->len = 0;
    while (has_room && path_next(&rest, &step)) {
        struct span shown = step.text;
        if (!may_show(&step, names) && shown.len > 0) {
            if (!make_substitute(step.text, "[name]", keys, &token, err)) {
                return false;
            }
            shown = span_str(token.text);
        }
        has_room = (!has_slash || add(out, span_str("/"), max)) && add(out, shown, max);
        has_slash = true;
    }
    if (has_room) {
        return true;
    }
    out->len = 0;
    return make_substitute(path, "[path]", keys, &token, err) && add(out, span_str(token.text), SHOWN_PATH_MAX);
}

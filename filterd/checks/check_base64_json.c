#include "formats/base64.h"
#include "checks/check_argument.h"
#include "checks/checks_table.h"
#include "formats/json_shape.h"

enum { KEYS, SKIP };

static bool has_keys(struct span object, const struct check_args *args)
{
    struct span value;

    for (size_t i = 0; args->is_given[KEYS] && i < args->value[KEYS].n; i++) {
        if (!json_member(object, args->value[KEYS].texts[i], &value)) {
            return false;
        }
    }
    return true;
}

/* What follows the run of the alphabet is not looked at: tokens put a signature behind the JSON,
 * after _ or a dot. */
static bool is_object_in(struct span text, enum base64_alphabet alphabet,
                         const struct check_args *args)
{
    uint8_t bytes[BASE64_DECODED_MAX];
    size_t len = 0;
    struct span run = span_slice(text, 0, base64_run(text, alphabet));

    if (!base64_decode(run, alphabet, bytes, sizeof(bytes), &len)) {
        return false;
    }
    struct span object = span_of((const char *)bytes, len);
    return json_is_object(object) && has_keys(object, args);
}

static bool base64_json_passes(struct span value, const struct check_args *args)
{
    size_t skip = argument_count(args, SKIP, 0);

    if (value.len <= skip) {
        return false;
    }
    struct span text = span_slice(value, skip, value.len);
    return is_object_in(text, BASE64_STANDARD, args) || is_object_in(text, BASE64_URL, args);
}

static bool base64_json_accepts(const struct check_args *args, struct error *err)
{
    return argument_accept_whole(args, SKIP, 0, CHECK_SPAN_MAX, err);
}

const struct check_type check_base64_json = {
    .name = "base64_json",
    .summary = "passes when base64 decodes to a JSON object that has the keys",
    .parameters = {{"keys", CHECK_TEXTS, false}, {"skip", CHECK_NUMBER, false}},
    .passes = base64_json_passes,
    .accepts = base64_json_accepts,
};

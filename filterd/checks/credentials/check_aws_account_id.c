#include "formats/base32.h"
#include "checks/checks_table.h"

enum { PREFIX = 4, LENGTH = 20, ACCOUNT_BYTES = 6, DECODED = 10 };

static bool aws_account_id_passes(struct span value, const struct check_args *args)
{
    uint8_t bytes[DECODED];
    size_t len = 0;
    uint64_t number = 0;

    (void)args;
    if (value.len != LENGTH ||
        !base32_decode(span_slice(value, PREFIX, LENGTH), bytes, sizeof(bytes), &len)) {
        return false;
    }
    for (size_t i = 0; i < ACCOUNT_BYTES; i++) {
        number = number << 8 | bytes[i];
    }
    /* Account numbers have twelve digits. */
    return (number & UINT64_C(0x7fffffffff80)) >> 7 < UINT64_C(1000000000000);
}

const struct check_type check_aws_account_id = {
    .name = "aws_account_id",
    .summary = "passes when the account number inside an AWS key id has at most 12 digits",
    .passes = aws_account_id_passes,
};

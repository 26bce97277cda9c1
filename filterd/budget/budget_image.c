/* budget_image.c - an account as bytes: a kind, then its values, or the slices of its sketch. Little-endian. */
#include <stdlib.h>
#include <string.h>

#include "budget/budget_account.h"

enum { KIND_VALUES = 1, KIND_SKETCH = 2, VALUE_SIZE = 12, SLICE_SIZE = 4 + SKETCH_REGISTERS, RANK_MAX = 64 - SKETCH_BITS + 1 };

_Static_assert(1 + BUDGET_EXACT * VALUE_SIZE <= BUDGET_IMAGE_MAX && 1 + (ACCOUNT_SLICES + 1) * SLICE_SIZE <= BUDGET_IMAGE_MAX,
               "an account fits into an image");

static void put(struct budget_image *out, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        out->bytes[out->len++] = (uint8_t)(value >> (8 * i));
    }
}

static uint64_t get(const uint8_t *at, unsigned bytes)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < bytes; i++) {
        value |= (uint64_t)at[i] << (8 * i);
    }
    return value;
}

void account_write(const struct account *a, struct budget_image *out)
{
    out->key = a->key;
    out->is_gone = a->is_gone;
    out->window_s = a->window_s;
    out->len = 0;
    put(out, a->sketch != NULL ? KIND_SKETCH : KIND_VALUES, 1);
    for (uint32_t i = 0; i < a->n; i++) {
        if (a->values[i].at_s > 0) {
            put(out, a->values[i].hash, 8);
            put(out, a->values[i].at_s, 4);
        }
    }
    for (unsigned i = 0; a->sketch != NULL && i <= ACCOUNT_SLICES; i++) {
        put(out, a->sketch->numbers[i], 4);
        memcpy(out->bytes + out->len, a->sketch->slices[i].registers, SKETCH_REGISTERS);
        out->len += SKETCH_REGISTERS;
    }
}

static bool read_values(struct account *a, const struct budget_image *image, bool *is_full)
{
    if ((image->len - 1) % VALUE_SIZE != 0 || (image->len - 1) / VALUE_SIZE > BUDGET_EXACT) {
        return false;
    }
    for (size_t at = 1; at < image->len && !*is_full; at += VALUE_SIZE) {
        struct account_value *v = account_add(a, get(image->bytes + at, 8), is_full);
        if (v != NULL) {
            v->at_s = (uint32_t)get(image->bytes + at + 8, 4);
            a->last_s = v->at_s > a->last_s ? v->at_s : a->last_s;
        }
    }
    return true;
}

static bool read_sketch(struct account *a, const struct budget_image *image, bool *is_full)
{
    if (image->len != 1 + (size_t)(ACCOUNT_SLICES + 1) * SLICE_SIZE) {
        return false;
    }
    a->sketch = calloc(1, sizeof(*a->sketch));
    *is_full = a->sketch == NULL;
    for (unsigned i = 0; !*is_full && i <= ACCOUNT_SLICES; i++) {
        const uint8_t *at = image->bytes + 1 + (size_t)i * SLICE_SIZE;
        a->sketch->numbers[i] = (uint32_t)get(at, 4);
        memcpy(a->sketch->slices[i].registers, at + 4, SKETCH_REGISTERS);
        for (unsigned k = 0; k < SKETCH_REGISTERS; k++) {
            if (at[4 + k] > RANK_MAX) {
                return false;
            }
        }
    }
    return true;
}

bool account_read(struct account *a, const struct budget_image *image, bool *is_full)
{
    *is_full = false;
    if (image->len == 0 || image->window_s == 0) {
        return false;
    }
    return image->bytes[0] == KIND_VALUES   ? read_values(a, image, is_full)
           : image->bytes[0] == KIND_SKETCH ? read_sketch(a, image, is_full)
                                            : false;
}

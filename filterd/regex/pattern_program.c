#include "regex/pattern_program.h"

#include <stdlib.h>

#include "base/cleanup.h"

enum { CODE_MAX = 8192 };

struct compiler {
    const struct pattern_tree *tree;
    struct pattern_program *out;
    uint16_t *order; /* items that wait for those behind them */
    size_t n_order;
    bool is_full;
};

static uint16_t emit(struct compiler *c, enum operation operation, uint16_t next, uint16_t other)
{
    if (c->out->n == CODE_MAX) {
        c->is_full = true;
        return PROGRAM_MATCH;
    }
    c->out->code[c->out->n] = (struct instruction){.next = next, .other = other, .operation = (uint8_t)operation};
    return c->out->n++;
}

static uint16_t compile_branches(struct compiler *c, uint16_t branch, uint16_t next);

/* The item once, and then what begins at `next`; where it begins. NOLINTNEXTLINE(misc-no-recursion) */
static uint16_t compile_once(struct compiler *c, const struct pattern_item *item, uint16_t next)
{
    return item->branches != 0 ? compile_branches(c, item->branches, next) : emit(c, OPERATION_CHARACTER, next, item->set);
}

/* NOLINTNEXTLINE(misc-no-recursion) */
static uint16_t compile_any(struct compiler *c, const struct pattern_item *item, uint16_t next)
{
    uint16_t loop = emit(c, OPERATION_SPLIT, next, next);

    if (!c->is_full) {
        uint16_t body = compile_once(c, item, loop);
        c->out->code[loop].other = body;
    }
    return loop;
}

/* NOLINTNEXTLINE(misc-no-recursion) */
static uint16_t compile_repeated(struct compiler *c, const struct pattern_item *item, uint16_t next)
{
    unsigned copies = item->min < PROGRAM_COPIES_MAX ? item->min : PROGRAM_COPIES_MAX;
    unsigned more = (unsigned)(item->max - item->min);

    if (copies < item->min || more > PROGRAM_OPTIONAL_MAX) {
        next = compile_any(c, item, next);
        more = 0;
    }
    for (; more > 0 && !c->is_full; more--) {
        uint16_t body = compile_once(c, item, next);
        next = emit(c, OPERATION_SPLIT, body, next);
    }
    for (; copies > 0 && !c->is_full; copies--) {
        next = compile_once(c, item, next);
    }
    return next;
}

/* From the last item to the first. NOLINTNEXTLINE(misc-no-recursion) */
static uint16_t compile_sequence(struct compiler *c, uint16_t item, uint16_t next)
{
    const size_t first = c->n_order;

    for (; item != 0; item = c->tree->items[item].next) {
        c->order[c->n_order++] = item;
    }
    while (c->n_order > first) {
        uint16_t last = c->order[--c->n_order];
        next = c->is_full ? next : compile_repeated(c, &c->tree->items[last], next);
    }
    return next;
}

/* NOLINTNEXTLINE(misc-no-recursion) */
static uint16_t compile_branches(struct compiler *c, uint16_t branch, uint16_t next)
{
    uint16_t entry = compile_sequence(c, c->tree->branches[branch].item, next);

    for (branch = c->tree->branches[branch].next; branch != 0 && !c->is_full; branch = c->tree->branches[branch].next) {
        uint16_t other = compile_sequence(c, c->tree->branches[branch].item, next);
        entry = emit(c, OPERATION_SPLIT, entry, other);
    }
    return entry;
}

bool pattern_program_make(const struct pattern_tree *tree, struct pattern_program *program)
{
    uint16_t *order CLEANUP(cleanup_free) = calloc((size_t)tree->n_items + 1, sizeof(*order));
    struct compiler c = {.tree = tree, .out = program, .order = order};

    *program = (struct pattern_program){.code = calloc(CODE_MAX, sizeof(*program->code))};
    if (program->code == NULL || order == NULL) {
        return false;
    }
    (void)emit(&c, OPERATION_MATCH, PROGRAM_MATCH, PROGRAM_MATCH);
    program->start = compile_branches(&c, 1, PROGRAM_MATCH);
    struct instruction *code = realloc(program->code, program->n * sizeof(*code));
    program->code = code != NULL ? code : program->code;
    return !c.is_full;
}

void pattern_program_deinit(struct pattern_program *program)
{
    free(program->code);
}

#include "index/index_plan.h"

/* --- numbers of values -------------------------------------------------------------- */

static const struct {
    enum query_field field;
    enum index_word word;
} word_fields[] = {
    {QUERY_TENANT, INDEX_TENANT}, {QUERY_APP, INDEX_APP}, {QUERY_AGENT, INDEX_AGENT}, {QUERY_RULE, INDEX_RULE}, {QUERY_POLICY, INDEX_POLICY},
};

static bool word_of(enum query_field field, enum index_word *word)
{
    for (size_t i = 0; i < COUNT(word_fields); i++) {
        if (word_fields[i].field == field) {
            *word = word_fields[i].word;
            return true;
        }
    }
    return false;
}

static bool find_word(sqlite3 *db, enum index_word word, struct span text, int64_t *id, struct error *err)
{
    sqlite3_stmt *s = NULL;

    *id = 0;
    if (!index_prepare(db, "SELECT id FROM word WHERE kind=?1 AND text=?2", &s, err)) {
        return false;
    }
    (void)sqlite3_bind_int(s, 1, (int)word);
    (void)sqlite3_bind_text(s, 2, text.ptr, (int)text.len, SQLITE_STATIC);
    int code = sqlite3_step(s);
    *id = code == SQLITE_ROW ? sqlite3_column_int64(s, 0) : 0;
    bool is_read = code == SQLITE_ROW || code == SQLITE_DONE || index_fail(db, err);
    (void)sqlite3_finalize(s);
    return is_read;
}

/* A column has one number for each of the values. Of a name that was cut, others may have it too. */
static bool is_exact(const struct index_plan *p, const struct query_term *t)
{
    for (size_t i = 0; i < t->n; i++) {
        const struct query_value *v = &p->query->values[t->first + i];
        if (v->is_prefix || v->text.len == 0 || v->text.len >= INDEX_NAME_MAX) {
            return false;
        }
    }
    return true;
}

/* The numbers of a term's values, 0 for a name that no line has; behind those there are. */
static bool number_values(struct index_plan *p, sqlite3 *db, const struct query_term *t, struct error *err)
{
    enum index_word word = INDEX_TENANT;
    bool is_word = word_of(t->field, &word);

    for (size_t i = 0; i < t->n; i++) {
        struct span text = p->query->values[t->first + i].text;
        int64_t *number = &p->numbers[p->n_numbers++];
        *number = t->field == QUERY_TYPE     ? (int64_t)index_type_number(text)
                  : t->field == QUERY_ACTION ? index_action_number(text)
                                             : (int64_t)index_severity_number(text);
        if (is_word && !find_word(db, word, text, number, err)) {
            return false;
        }
    }
    return true;
}

/* --- tests of rows -------------------------------------------------------------------- */

/* The columns that have all of what a term looks at. Rules and severities are also those of findings. */
static bool has_column(const struct index_plan *p, const struct query_term *t)
{
    if (t->field == QUERY_TYPE || t->field == QUERY_ACTION) {
        return true;
    }
    if (t->field == QUERY_SEVERITY) {
        return !t->is_negated;
    }
    return (t->field == QUERY_TENANT || t->field == QUERY_APP || t->field == QUERY_AGENT) && is_exact(p, t);
}

static bool add_test(struct index_plan *p, sqlite3 *db, const struct query_term *t, struct error *err)
{
    struct index_test *test = &p->tests[p->n_tests++];

    *test = (struct index_test){.term = t, .first = p->n_numbers, .n = t->n};
    return number_values(p, db, t, err);
}

static int64_t column_of(const struct index_row *row, enum query_field field)
{
    enum index_word word = INDEX_TENANT;

    if (word_of(field, &word)) {
        return row->words[word];
    }
    return field == QUERY_TYPE ? (int64_t)row->type : row->action;
}

/* A line of low severity may have a grave finding too, not the other way round. */
static bool has_severity(const struct index_plan *p, const struct index_test *t, const struct index_row *row)
{
    for (size_t i = 0; i < t->n; i++) {
        if ((int64_t)row->severity >= p->numbers[t->first + i]) {
            return true;
        }
    }
    return false;
}

static bool test_row(const struct index_plan *p, const struct index_test *t, const struct index_row *row)
{
    if (t->term->field == QUERY_SEVERITY) {
        return has_severity(p, t, row);
    }
    int64_t column = column_of(row, t->term->field);
    for (size_t i = 0; i < t->n; i++) {
        int64_t number = p->numbers[t->first + i];
        bool is_unknown = t->term->field == QUERY_TYPE && number == 0; /* a type that the index does not tell apart */
        if (is_unknown && column == 0) {
            return true;
        }
        if (number == column && (column != 0 || t->term->field == QUERY_ACTION)) {
            return !t->term->is_negated;
        }
    }
    return t->term->is_negated;
}

bool index_plan_may_match(const struct index_plan *p, const struct index_row *row)
{
    for (size_t i = 0; i < p->n_tests; i++) {
        if (!test_row(p, &p->tests[i], row)) {
            return false;
        }
    }
    return true;
}

/* --- bounds ----------------------------------------------------------------------------- */

static bool read_block(sqlite3 *db, const char *sql, int64_t ts_ms, bool *is_there, uint64_t *block, struct error *err)
{
    sqlite3_stmt *s = NULL;

    if (!index_prepare(db, sql, &s, err)) {
        return false;
    }
    (void)sqlite3_bind_int64(s, 1, ts_ms);
    int code = sqlite3_step(s);
    *is_there = code == SQLITE_ROW;
    *block = *is_there ? (uint64_t)sqlite3_column_int64(s, 0) : 0;
    bool is_read = *is_there || code == SQLITE_DONE || index_fail(db, err);
    (void)sqlite3_finalize(s);
    return is_read;
}

/* Times into line numbers, by the earliest and latest time of each block: right also where the clock was set back. */
static bool bound_by_time(struct index_plan *p, sqlite3 *db, const struct query_bounds *bounds, struct error *err)
{
    uint64_t block = 0;
    bool is_there = true;

    if (bounds->since_ns != INT64_MIN) {
        if (!read_block(db, "SELECT id FROM block WHERE ts_max>=?1 ORDER BY id LIMIT 1", bounds->since_ns / 1000000 - 1, &is_there,
                        &block, err)) {
            return false;
        }
        p->is_empty |= !is_there;
        p->first = block * INDEX_BLOCK_LINES > p->first ? block * INDEX_BLOCK_LINES : p->first;
    }
    if (bounds->until_ns != INT64_MAX) {
        if (!read_block(db, "SELECT id FROM block WHERE ts_min<=?1 ORDER BY id DESC LIMIT 1", bounds->until_ns / 1000000 + 1,
                        &is_there, &block, err)) {
            return false;
        }
        p->is_empty |= !is_there;
        p->end = (block + 1) * INDEX_BLOCK_LINES < p->end ? (block + 1) * INDEX_BLOCK_LINES : p->end;
    }
    return true;
}

/* --- ways --------------------------------------------------------------------------------- */

/* From the one that leaves the fewest lines, as a rule. */
static const struct {
    enum query_field field;
    enum index_way way;
} ways[] = {
    {QUERY_REQ, INDEX_WAY_REQ},          {QUERY_TOKEN, INDEX_WAY_TOKEN}, {QUERY_SESSION, INDEX_WAY_FILTER},
    {QUERY_TRACE, INDEX_WAY_FILTER},     {QUERY_AGENT, INDEX_WAY_AGENT_HELD}, {QUERY_RULE, INDEX_WAY_RULE},   {QUERY_AGENT, INDEX_WAY_AGENT},
    {QUERY_ACTION, INDEX_WAY_HELD},
};

static void add_cursor(struct index_plan *p, enum index_way way, int64_t number)
{
    p->cursors[p->n_cursors].way = way;
    p->cursors[p->n_cursors].key = (struct index_key){.number = number};
    p->n_cursors++;
}

static const struct query_term *find_term(const struct index_plan *p, enum query_field field, enum index_way way);

/* One cursor for each action that is looked for. */
static void add_actions(struct index_plan *p, int64_t agent)
{
    const struct query_term *actions = find_term(p, QUERY_ACTION, INDEX_WAY_HELD);

    for (size_t i = 0; i < actions->n; i++) {
        add_cursor(p, INDEX_WAY_AGENT_HELD, agent);
        p->cursors[p->n_cursors - 1].key.action = index_action_number(p->query->values[actions->first + i].text);
    }
}

/* A token is a finding's, or one of the line's own. */
static void add_token(struct index_plan *p, enum index_way way, struct span text)
{
    uint8_t bytes[INDEX_TOKEN];

    add_cursor(p, INDEX_WAY_FILTER, (int64_t)index_filter_key(text));
    if (way == INDEX_WAY_TOKEN && index_token_bytes(text, bytes)) {
        add_cursor(p, way, 0);
        memcpy(p->cursors[p->n_cursors - 1].key.token, bytes, sizeof(bytes));
    }
}

static bool add_value(struct index_plan *p, sqlite3 *db, enum index_way way, struct span text, struct error *err)
{
    int64_t number = 0;

    if (way == INDEX_WAY_TOKEN || way == INDEX_WAY_FILTER) {
        add_token(p, way, text);
        return true;
    }
    if (way == INDEX_WAY_REQ) {
        add_cursor(p, way, index_req_key(text));
        return true;
    }
    if (way == INDEX_WAY_HELD) {
        add_cursor(p, way, index_action_number(text));
        return true;
    }
    if (!find_word(db, way == INDEX_WAY_RULE ? INDEX_RULE : INDEX_AGENT, text, &number, err)) {
        return false;
    }
    if (number != 0 && way == INDEX_WAY_AGENT_HELD) {
        add_actions(p, number);
    } else if (number != 0) {
        add_cursor(p, way, number);
    }
    return true;
}

static bool can_go_by(const struct index_plan *p, const struct query_term *t, enum index_way way)
{
    if (t->is_negated || t->n > INDEX_KEYS_OF_PLAN || !is_exact(p, t)) {
        return false;
    }
    for (size_t i = 0; way == INDEX_WAY_HELD && i < t->n; i++) {
        if (index_action_number(p->query->values[t->first + i].text) <= INDEX_ALLOW) {
            return false;
        }
    }
    if (way == INDEX_WAY_AGENT_HELD) {
        const struct query_term *actions = find_term(p, QUERY_ACTION, INDEX_WAY_HELD);
        return actions != NULL && t->n * actions->n <= COUNT(p->cursors);
    }
    return true;
}

/* NULL: the query has none that the way can go by. */
static const struct query_term *find_term(const struct index_plan *p, enum query_field field, enum index_way way)
{
    for (size_t i = 0; i < p->query->n_terms; i++) {
        if (p->query->terms[i].field == field && can_go_by(p, &p->query->terms[i], way)) {
            return &p->query->terms[i];
        }
    }
    return NULL;
}

static bool choose_way(struct index_plan *p, sqlite3 *db, struct error *err)
{
    const struct query_term *t = NULL;
    size_t w = 0;

    while (w < COUNT(ways) && (t = find_term(p, ways[w].field, ways[w].way)) == NULL) {
        w++;
    }
    if (t == NULL) {
        add_cursor(p, INDEX_WAY_ALL, 0);
        return true;
    }
    for (size_t v = 0; v < t->n; v++) {
        if (!add_value(p, db, ways[w].way, p->query->values[t->first + v].text, err)) {
            return false;
        }
    }
    return true;
}

bool index_plan_make(struct index_plan *p, sqlite3 *db, const struct query *q, uint64_t before, struct error *err)
{
    struct query_bounds bounds = query_bounds(q);

    *p = (struct index_plan){.query = q, .first = bounds.first, .end = before != 0 && before < bounds.end ? before : bounds.end};
    for (size_t i = 0; i < q->n_terms; i++) {
        if (has_column(p, &q->terms[i]) && !add_test(p, db, &q->terms[i], err)) {
            return false;
        }
    }
    return choose_way(p, db, err) && bound_by_time(p, db, &bounds, err);
}

/* Every string in the events of the providers' streams, as stream_events.tsv has them from the providers' own SDKs: a text
 * of which half is in one event and half in the next does not leave, and what may leave at once has the form of an id. */
#include "unit/protocol/answer.h"

#include "protocol/dialect.h"

#define TABLE "tests/unit/protocol/stream_events.tsv"
#define ONE   "AKIAQWB5PD"
#define HALF  "KHX6PYGPAN"
#define TEXT  "no id, but a text"

#define DATA(json)   "data: " json "\n\n"
#define ITEM(kind)   DATA("{\"type\":\"response.output_item.added\",\"output_index\":0,\"item\":{\"id\":\"i\",\"type\":\"" kind "\"}}")
#define CREATED      DATA("{\"type\":\"response.created\",\"response\":{\"id\":\"r\",\"output\":[]}}")
#define COMPLETED    DATA("{\"type\":\"response.completed\",\"response\":{\"id\":\"r\",\"status\":\"completed\",\"output\":[]}}")
#define BEGIN        DATA("{\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"role\":\"assistant\",\"content\":[]}}")
#define BLOCK(kind)  DATA("{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"" kind "\"}}")
#define END                                                                                                            \
    DATA("{\"type\":\"content_block_stop\",\"index\":0}") DATA("{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}") \
        DATA("{\"type\":\"message_stop\"}")
#define STOPS        DATA("{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}") DATA("[DONE]")
#define COHERE_BEGIN DATA("{\"type\":\"message-start\",\"id\":\"m\"}") DATA("{\"type\":\"content-start\",\"index\":0}")
#define COHERE_END                                                                                                     \
    DATA("{\"type\":\"tool-call-end\",\"index\":0}") DATA("{\"type\":\"content-end\",\"index\":0}")                    \
        DATA("{\"type\":\"message-end\",\"delta\":{\"finish_reason\":\"COMPLETE\"}}")

static const struct route {
    const char *name;
    struct answer_request request;
    const char *members; /* of each event, beside what the row says */
    const char *before[5], *after; /* ways an answer begins, NULL-terminated; its end */
} routes[] = {
    {"openai-chat", {.protocol = "openai", .path = "/v1/chat/completions", .body = "{\"stream\":true}"}, "", {""}, STOPS},
    {"openai-completions", {.protocol = "openai", .path = "/v1/completions", .body = "{\"stream\":true}"}, "", {""}, STOPS},
    {"openai-responses", {.protocol = "openai", .path = "/v1/responses", .body = "{\"stream\":true}"},
     ",\"output_index\":0,\"content_index\":0,\"summary_index\":0",
     {"", CREATED ITEM("message"), CREATED ITEM("function_call"), CREATED ITEM("new_call")},
     DATA("{\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{\"type\":\"message\"}}") COMPLETED},
    {"anthropic-messages", {.protocol = "anthropic", .path = "/v1/messages", .body = "{\"stream\":true}"}, ",\"index\":0",
     {BEGIN, BEGIN BLOCK("text"), BEGIN BLOCK("thinking"), BEGIN BLOCK("new_kind")}, END},
    {"gemini-stream", {.protocol = "gemini", .path = "/v1beta/models/m:streamGenerateContent", .query = "alt=sse", .body = "{}"}, "",
     {""}, DATA("{\"candidates\":[{\"index\":0,\"content\":{\"parts\":[]},\"finishReason\":\"STOP\"}]}")},
    {"ollama-chat", {.protocol = "ollama", .path = "/api/chat", .body = "{}"}, "", {""}, DATA("{\"message\":{\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\"}")},
    {"ollama-generate", {.protocol = "ollama", .path = "/api/generate", .body = "{}"}, "", {""}, DATA("{\"response\":\"\",\"done\":true,\"done_reason\":\"stop\"}")},
    {"cohere-chat", {.protocol = "cohere", .path = "/v2/chat", .body = "{\"stream\":true}"}, ",\"index\":0", {"", COHERE_BEGIN}, COHERE_END},
};

struct row {
    const struct route *route;
    char *events, *path, *kind, *tag;
};

/* --- events ------------------------------------------------------------------------ */

/* The event with that text at the row's place: {"type":"e","delta":{"type":"tag","text":"…"}}. A star is one element. */
static void write_event(const struct row *row, const char *event, const char *text, char *out, size_t size)
{
    char closing[256], way[512] = "";
    size_t n = 0, closes = sizeof(closing) - 1;
    const char *at = row->path, *equals = strchr(row->tag, '=');

    closing[closes] = '\0';
    n += (size_t)snprintf(out + n, size - n, *event == '\0' ? "{\"made\":1%s," : "{\"type\":\"%s\"%s,", *event == '\0' ? "" : event,
                          row->route->members);
    closing[--closes] = '}';
    while (*at == '/') {
        size_t len = strcspn(at + 1, "/");
        bool is_last = at[1 + len] == '\0', is_list = strncmp(at + 1 + len, "/*", 2) == 0;
        if (at[1] != '*' || len != 1) {
            n += (size_t)snprintf(out + n, size - n, "\"%.*s\":", (int)len, at + 1);
        }
        (void)snprintf(way + strlen(way), sizeof(way) - strlen(way), "/%.*s", (int)len, at + 1);
        if (!is_last) {
            n += (size_t)snprintf(out + n, size - n, "%s", is_list ? "[" : "{");
            closing[--closes] = is_list ? ']' : '}';
            size_t way_len = strlen(way);
            if (!is_list && equals != NULL && strncmp(row->tag, way, way_len) == 0 && strncmp(row->tag + way_len, "/type=", 6) == 0) {
                n += (size_t)snprintf(out + n, size - n, "\"type\":\"%s\",", equals + 1);
            }
        }
        at += 1 + len;
    }
    (void)snprintf(out + n, size - n, "\"%s\"%s", text, closing + closes);
}

/* What the answer says where two events of that type have these texts in that place. */
static const char *answer_with(const struct row *row, const char *event, const char *before, const char *first, const char *second)
{
    static char upstream[1 << 14], events[2][4096];
    struct answer_request r = row->route->request;

    write_event(row, event, first, events[0], sizeof(events[0]));
    write_event(row, event, second, events[1], sizeof(events[1]));
    (void)snprintf(upstream, sizeof(upstream), "%s" DATA("%s") DATA("%s") "%s", before, events[0], events[1], row->route->after);
    r.type = "text/event-stream";
    r.upstream = upstream;
    return translate(&r);
}

/* --- rows -------------------------------------------------------------------------- */

/* What the table of leaves says; a container says it for all in it. */
static enum leaf_use use_of(const struct row *row, const char *event)
{
    const struct protocol *p = protocol_find(span_str(row->route->request.protocol));
    const struct protocol_route *route;
    static char json[4096];
    struct arena memory;
    struct error err;
    enum leaf_use use = LEAF_JUDGED;

    (void)protocol_route(p, span_str("POST"), span_str(row->route->request.path), &route);
    write_event(row, event, TEXT, json, sizeof(json));
    arena_init(&memory, 1 << 12, 1 << 20);
    struct node *root = tree_read(&memory, span_str(json), &err);
    if (root == NULL) {
        fail_msg("%s", json);
        return use;
    }
    const struct node *leaf = root;
    while (!node_is(leaf, TEXT)) {
        leaf = tree_next(root, leaf);
        assert_non_null(leaf);
    }
    for (const struct node *n = leaf; n != root; n = n->parent) {
        const struct leaf_row *found = leaf_find(route->dialect, root, n);
        if (found != NULL && (n == leaf || found->use == LEAF_SAFE || found->use == LEAF_DROP || found->use == LEAF_NULL)) {
            use = found->use;
        }
    }
    arena_deinit(&memory);
    return use;
}

/* Members of which the schema says no more than that they are strings, and which are no texts. A new one is looked at. */
static bool names_an_id(const char *path)
{
    static const char *const names[] = {
        "id", "item_id", "call_id", "tool_use_id", "file_id", "container_id", "responseId", "previous_response_id", "request_id",
        "model", "modelVersion", "system_fingerprint", "service_tier", "role", "type", "created_at", "done_reason", "finish_reason", "background", "expires_at", "inference_geo",
        /* encrypted */
        "encrypted_content", "encrypted_index", "signature", "data", "thoughtSignature",
        /* of a tool that the client named itself */
        "name", "server_label", "mode", "*",
    };
    const char *name = strrchr(path, '/') + 1;

    for (size_t i = 0; i < COUNT(names); i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Calls that come whole: two of them are two texts, as two blocks are. */
static bool is_whole_call(const struct row *row)
{
    static const char *const calls[] = {"/candidates/*/content/parts/*/functionCall/", "/message/tool_calls/*/function/"};

    for (size_t i = 0; i < COUNT(calls); i++) {
        if (strncmp(row->path, calls[i], strlen(calls[i])) == 0) {
            return true;
        }
    }
    return false;
}

static size_t n_wrong;

static void check_event(const struct row *row, const char *event)
{
    enum leaf_use use = use_of(row, event);
    bool is_id = use == LEAF_SAFE || use == LEAF_OPAQUE;

    if (is_id && strcmp(row->kind, "word") != 0 && !names_an_id(row->path)) {
        print_error("%s %s %s: may leave at once, and is no id\n", row->route->name, event, row->path);
        n_wrong++;
    }
    for (const char *const *before = row->route->before; *before != NULL; before++) {
        if (is_id) {
            assert_lacks(answer_with(row, event, *before, TEXT, TEXT), TEXT);
            continue;
        }
        if (!is_whole_call(row)) {
            assert_lacks(answer_with(row, event, *before, ONE, HALF), HALF);
        }
        (void)answer_with(row, event, *before, KEY, " x"); /* translate() looks for it */
    }
}

static bool read_row(char *line, struct row *row)
{
    char *fields[5] = {0};

    for (size_t i = 0; i < COUNT(fields); i++) {
        fields[i] = strsep(&line, "\t\n");
    }
    *row = (struct row){.events = fields[1], .path = fields[2], .kind = fields[3], .tag = fields[4]};
    for (size_t i = 0; i < COUNT(routes); i++) {
        row->route = fields[4] != NULL && strcmp(fields[0], routes[i].name) == 0 ? &routes[i] : row->route;
    }
    return row->route != NULL;
}

static void no_string_of_a_stream_leaves_in_halves(void **state)
{
    char *line = NULL;
    size_t size = 0, n_of[COUNT(routes)] = {0};
    FILE *file = fopen(TABLE, "re");

    (void)state;
    assert_non_null(file);
    while (getline(&line, &size, file) > 0) {
        struct row row;
        if (line[0] == '#') {
            continue;
        }
        assert_true(read_row(line, &row));
        for (char *rest = row.events, *event; (event = strsep(&rest, ",")) != NULL;) {
            check_event(&row, event);
            n_of[row.route - routes]++;
        }
    }
    free(line);
    (void)fclose(file);
    assert_int_equal(n_wrong, 0);
    for (size_t i = 0; i < COUNT(routes); i++) {
        assert_true(n_of[i] > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_string_of_a_stream_leaves_in_halves),
    };
    return cmocka_run_group_tests(tests, open_setting, close_setting);
}

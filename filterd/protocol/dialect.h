/* dialect.h - inside a translation: the definition of a dialect, and the engine's state.
 *
 * A dialect is a table of leaves and a few functions. The table gives the use of each place in a message;
 * a string without a row is text. The functions implement what tables cannot express: which event
 * ends which part, how a tool call is assembled, how an answer is closed.
 *
 * Functions return false to stop: with err, or because the answer is blocked (translation_stopped
 * says so in err, and the engine ends the answer). */
#ifndef FILTERD_PROTOCOL_DIALECT_H
#define FILTERD_PROTOCOL_DIALECT_H

#include "base/arena.h"
#include "base/cleanup.h"
#include "judge/exchange.h"
#include "pipeline/document.h"
#include "protocol/wire/framing.h"
#include "protocol/protocol.h"
#include "protocol/wire/tree.h"

/* Zero is the use of an unknown place. */
enum leaf_use {
    LEAF_JUDGED, /* a text: judged at once; in a stream also joined with others at its place, and held until then: values.c */
    LEAF_TEXT,   /* a piece of a channel's text */
    LEAF_SAFE,   /* an id, a word of the protocol, a number; a container: all in it. Must have a closed form in streams: ids.c */
    LEAF_OPAQUE, /* encrypted: only the upstream can read it; also of a closed form */
    LEAF_DROP,
    LEAF_MEDIA, /* an image or speech in base64, which nothing here can judge: it passes and counts as unread; any other text is judged */
    LEAF_NULL, /* replaced by null, because the shape requires the member */
};

/* Whether events that the engine builds from an upstream's event repeat it. */
enum leaf_kept { KEPT_NOT, KEPT, KEPT_NULL };

struct leaf_row {
    const char *path; /* "/choices/" "*" "/index": a star is any element or member */
    enum leaf_use use;
    enum leaf_kept kept;
    const char *type; /* only if the root has this type; NULL: any */
    uint8_t path_len;
    char first, last; /* of the path, behind the slash and at its end: most rows differ in them */
};

/* A row of a table; its path is a literal. */
#define LEAF_ROW(path, use, kept, type) {path, use, kept, type, sizeof(path) - 1, path[1], path[sizeof(path) - 2]}

enum closing {
    CLOSING_DONE,      /* the upstream ended its answer */
    CLOSING_TRUNCATED, /* it stopped without an end */
    CLOSING_BLOCKED,   /* nothing more of it may follow */
};

/* The usage of an answer: the counts in member `in` of a message that a block repeats, none unless the
 * first n_required are all present. Only these names are repeated, and only values that must be counts. */
struct count_row {
    const char *group; /* the object with the count; NULL: `in` itself */
    const char *name;
    bool is_duration; /* in nanoseconds: it has many digits */
};
struct counts {
    const char *in; /* NULL: the root */
    const struct count_row *rows;
    size_t n_rows, n_required;
    bool is_in_streams; /* events of a stream also have them; the last ones count */
};

struct dialect {
    const char *name;
    const struct leaf_row *rows;
    size_t n_rows;
    const char *const *keys; /* members of the root that distinguish channels; NULL-terminated */
    bool has_event_names;    /* events are named by their type */
    const char *done;        /* data of the event that ends a stream, NULL for none */
    bool has_copies;         /* a text in pieces is said again, whole */
    bool has_no_end;         /* no message ends a stream of events: the parts have ends, and the connection */
    const char *lines_type;  /* the type of a stream of lines; NULL: application/x-ndjson */
    /* Sets the channel and the part of a text whose path does not determine them; NULL: the path does.
     */
    bool (*text_path)(const struct node *root, const struct node *leaf, struct buf *path,
                      size_t *part, struct error *err);
    /* For unknown values: the array of parts (in a message without a type); the members that distinguish parts, of which the
     * first is the part (with a type); the paths that cannot be omitted. All may be NULL. */
    const char *list;
    const char *required; /* an object of JSON: the members without which clients reject a message of a stream; NULL: none */
    const char *const *value_keys, *const *frames;
    /* The part of an event's values if no member gives it; false: they belong to the answer. */
    bool (*value_part)(const struct translation *t, const struct node *root, size_t *part);
    /* The texts that its clients join: of a whole answer their path, and how many steps of it lie below the message; of a stream
     * how the paths of their channels look. NULL: none. */
    struct {
        const char *path;
        unsigned steps;
        const char *text;
    } joined;
    const char *const *signed_names; /* members whose text the upstream signed with another; NULL: none. NULL-terminated */
    bool (*has_places)(const struct node *root); /* whether an event refers to places in a text; NULL: none does */
    /* Makes one message of an event that only a line of its own names: {"type": its name, "data": its data}, and what else the dialect
     * needs, which is not written. NULL: the data is the message. */
    struct node *(*named)(struct translation *t, struct span name, struct node *data, struct error *err);
    /* Numbers an outgoing event; NULL: events have no number. */
    bool (*stamp)(struct translation *t, struct node *root, struct error *err);
    /* The piece of text of an event that says nothing else; NULL: it says more, or another is NULL. See repeated.c. */
    struct node *(*only_text)(const struct translation *t, const struct node *root);
    const char *envelope_in; /* the member of an event that built events repeat; NULL: the root */
    const struct counts *counts; /* NULL: none */
    bool (*event)(struct translation *t, struct node *root, struct error *err);
    bool (*body)(struct translation *t, struct node *root, struct error *err);
    bool (*close)(struct translation *t, enum closing why, struct error *err);
    bool (*blocked_body)(struct translation *t, struct error *err);
};

/* What a passed route answers besides JSON. */
enum route_files {
    FILES_NONE,
    FILES_TEXT,  /* texts: judged; JSON Lines by their strings */
    FILES_MEDIA, /* these, and images, speech and other files, also in base64 in JSON: unread */
};

/* Of a passed route the dialect is that of its events, or NULL: it has none. */
struct protocol_route {
    const char *method, *path; /* a star matches one segment, at the end all that follow */
    enum route_use use;
    const char *name;
    const struct dialect *dialect;
    /* Whether the answer is a stream of messages, and their framing. */
    bool (*streams)(const struct translation_request *request, const struct node *body,
                    enum framing *framing, struct error *err);
    bool asks_nothing; /* a request without a body is a whole request */
    enum route_files files;
};

/* Method and path of the last row of each protocol: no method is empty, so that only protocol_other_route finds it. */
#define OTHER_ROUTES "", "/*"

struct protocol {
    const char *name;
    const struct protocol_route *routes;
    size_t n_routes;
    const char *below; /* a path under which the same routes are found, too; NULL: none */
    const struct protocol *also; /* whose routes the same servers have, too; NULL: none */
    const char *heartbeat;                                            /* between events */
    bool has_comments;                                                /* its clients skip comments between events */
    bool (*heartbeat_line)(struct translation *t, struct error *err); /* between lines, or NULL */
    bool (*blocked)(struct span notice, struct buf *out, struct error *err);
    bool (*failed)(unsigned status, struct span message, struct buf *out, struct error *err);
};

extern const struct protocol protocol_openai, protocol_anthropic, protocol_ollama, protocol_gemini,
    protocol_cohere;

/* The request's member "stream"; `by_default` if it is absent. */
MUST_CHECK bool request_streams(const struct node *body, bool by_default, bool *streams,
                                struct error *err);

/* The same as a framing: events for a stream, otherwise a body. */
MUST_CHECK bool request_streams_events(const struct node *body, enum framing *framing,
                                       struct error *err);

/* Log probabilities that wait for their text: logprobs.c. Always empty if the supervisor may be asked. */
struct logprobs {
    struct buf held; /* JSON, one token per line */
    size_t sent;     /* bytes of the text whose tokens were sent */
    bool is_lost;    /* no more may be sent */
};

/* What was said of a text, without the text: see left_out.c. */
struct text_sum {
    uint64_t hash;
    size_t n; /* bytes that are no white space */
    unsigned char begun[4];
    unsigned n_begun; /* bytes of a character that is not whole yet */
};

/* A channel of text, as the dialect sees it. */
struct text {
    struct stream_channel *in;
    struct span path;
    const struct leaf_row *row;
    size_t part;         /* its choice, block or item */
    struct buf skeleton; /* an event with only this text, JSON */
    struct buf released; /* all of it, if the dialect keeps it */
    struct logprobs logprobs; /* unless the dialect keeps them with the part */
    size_t marked;       /* its length at the checkpoint */
    struct text_sum said; /* what was fed, of dialects with copies */
    struct text_sum begun; /* what its part or item had of it when they began, which its pieces say again */
    size_t left_out;      /* bytes that only its copies have */
    struct node *leaf;   /* in the current message; NULL: not in it */
    char half[3], tail[3];
    unsigned half_len, tail_len;
    bool has_begun, has_ended, was_fed;
    bool is_apart; /* text_apart made it */
    struct joint *joint; /* with the text before it, until what goes on over it is known; NULL: nothing does */
    struct restorer *restorer; /* made with the first piece; NULL: nothing is restored */
};

/* A dialect's state of a choice, block, candidate or item. */
struct part {
    size_t key;    /* the upstream's index */
    size_t shown;  /* the client's index */
    unsigned kind; /* the dialect's */
    bool is_open, is_finished, has_text, has_call, has_role, is_withheld;
    bool is_cut;     /* the upstream marked only this part as truncated */
    bool is_ending, goes_on; /* a reason why it ends waits; more of it came behind that */
    struct logprobs logprobs;
    struct text_sum said, pieces; /* the texts of its end, and the pieces of a call before it */
    struct text_sum name;         /* of a call, in its start */
    struct buf held; /* JSON that waits for the end */
};

/* A tool call that is being assembled. */
struct call {
    size_t part, index;
    bool is_text;   /* the arguments are free text, not JSON */
    bool has_ended; /* nothing more of it may come */
    struct buf id, type, name, arguments;
};

enum {
    TEXTS_MAX = 1024,
    PARTS_MAX = 1024,
    CALLS_MAX = 256,
    ASIDE_MAX = 64,
    CLEAN_MAX = 64,
    KNOWN_IDS_MAX = 16,
};

/* A short text that was judged without a finding. */
struct clean {
    bool is_name;
    size_t len, key_len;
    char text[48], key[48];
};

/* An id that was judged, and its replacement in the output. */
struct known_id {
    size_t len, out_len;
    char text[128], out[128];
};

/* A finding outside the stream, with data of its channel. */
struct aside {
    struct finding finding;
    size_t text_len, output_len, judged, path_len;
    bool is_member_name;
    char path[128];
};

struct checkpoint;
struct joint;
struct repeated;
struct unit;
struct said;

/* The phases of a translation, in order. The legal moves:
 *
 *   NEW             FLOWING         a message was received
 *                   OVER            it ends without one: a block, a limit, an answer to HEAD, an error without a body
 *   FLOWING         AWAITING_COST   the answer is blocked, and read on for its usage
 *                   OVER            its end is written, its own or that of a block
 *   AWAITING_COST   OVER            the usage was received, or will not be
 *   OVER            FLOWING         the end was held for the supervisor and is dropped, to be written as a block's
 *
 * An illegal move aborts a debug build; in release the answer is blocked as unjudged and over. */
enum translation_phase {
    TRANSLATION_NEW, /* no message was received */
    TRANSLATION_FLOWING,
    TRANSLATION_AWAITING_COST,
    TRANSLATION_OVER, /* nothing more is written */
    TRANSLATION_PHASES
};

/* The properties of the requested answer; constant. */
struct answer_asked {
    enum framing framing;
    enum block_style style;
    size_t n_choices;   /* at least 1 */
    bool is_structured; /* the text is a value for a program: it must not contain a notice */
    bool wants_cost;    /* in a stream; a blocked one then ends with its usage, or after a number of bytes */
};

/* How a message is processed. */
enum taking {
    TAKING_ONCE,
    TAKING_COPIES, /* before it waits: its copies of texts are emptied, see openai_responses.h */
    TAKING_AGAIN,  /* after it has waited: the endings of the texts before it are known */
};

/* The body of a passed route. */
enum passed_form { PASSED_JSON, PASSED_FILE, PASSED_UNJUDGED };

/* Texts of a whole answer that its clients join, as the upstream sent them; in the memory of the message. */
struct message_parts {
    struct node **nodes;
    struct span *texts;
    size_t n;
};

/* The upstream's side: input, and input that waits for more. */
struct answer_up {
    unsigned status;
    enum passed_form form;
    char type[80];      /* of a body that is no JSON, for the client */
    bool is_broken;     /* the connection broke */
    bool is_plain_body; /* of an error; not JSON */
    struct framer framer;
    enum taking taking;
    enum stream_ending ending; /* of the text or part that ends now */
    struct buf waiting;        /* JSON, one message per line: they wait for the end of the answer */
    struct buf envelope;       /* JSON: members of the upstream's events that built events repeat */
    struct buf cost;           /* JSON: the counts that a block repeats */
    size_t awaited;            /* bytes received while only the usage was awaited */
    struct buf values;         /* waiting parts of messages with unknown values, one per line: part, JSON */
    size_t *value_parts;       /* the parts of the answer that those lines are of, each once */
    size_t n_value_parts;
    struct unit *units, *last_unit; /* such parts of the current message */
    struct message_parts parts;
    struct buf before; /* the end of a stream's texts that clients join, as they came */
    struct said **said;        /* values at places that have ended, a table of SAID_SLOTS: made with the first */
    size_t n_said;
    struct buf ahead; /* input after the message that the supervisor is asked about */
    struct repeated *repeated; /* made with the first event that may come again */
};

/* The state shown to the client on which the end of the answer depends; a checkpoint restores it. */
struct answer_shown {
    bool has_head, has_tail, has_notice; /* if the protocol has such events */
    size_t n_parts, n_events;
    struct restore_counts restored;
};

/* The client's side: output. */
struct answer_down {
    struct answer_shown shown;
    struct checkpoint *checkpoint; /* of a stream about which the supervisor may be asked */
    struct buf kept;               /* output since the checkpoint */
    struct buf *out;               /* during feed, end and resume */
};

/* Why something was omitted or changed. */
struct beside_rule {
    bool is_set;
    char rule[128];
    const char *reason;
};

/* Findings outside the stream, for the record; and caches of judged texts. */
struct beside {
    size_t unread; /* bytes that passed and that nothing here can judge */
    size_t left_out; /* bytes that do not go to the client though nothing was found in them */
    struct aside *aside; /* ASIDE_MAX, made with the first */
    size_t n_aside;
    bool has_findings_in_names;  /* also for findings beyond ASIDE_MAX */
    size_t n_others; /* how often something else than a text or an id that is known was met: it was judged, or may wait */
    bool had_findings;           /* in the last judgement outside the stream */
    bool has_changed_texts;      /* something was redacted over a joint: places in texts are others */
    struct beside_rule withheld; /* a tool call was omitted; blocks when the answer ends */
    struct beside_rule redacted;
    struct clean *clean; /* made with the first */
    size_t n_clean;      /* total number stored */
    struct known_id *known_ids;     /* a ring of KNOWN_IDS_MAX once that many were stored; grows with them until then */
    size_t n_known_ids, next_id;    /* total number stored; where the next lookup begins */
    struct channel *shown_channels; /* of translation_exchange */
    struct finding *shown_findings;
};

struct translation {
    const struct protocol *protocol;
    const struct protocol_route *route;
    const struct dialect *dialect;
    struct stream *stream;
    struct exchange frame; /* snapshot, policy, identity, time: for judgements outside the stream */
    size_t event_max;
    bool restores; /* the conversation has pseudonyms */
    struct answer_asked asked;
    bool is_unjudged; /* a good answer passes as it is */

    enum translation_phase phase;
    bool is_broken_off; /* it is over, but its block could not be written, or not any more */
    struct arena memory; /* of the current message */
    struct buf scratch;
    struct worker *worker; /* during feed, end and resume */
    struct text **texts;   /* these lists grow, as most answers have few items */
    size_t n_texts;
    struct part **parts;
    size_t n_parts;
    struct call **calls;
    size_t n_calls;

    struct answer_up up;
    struct answer_down down;
    struct beside beside;
};

/* Whether the answer is a stream, by the upstream's head; before the head, by the request. */
static inline bool answer_is_stream(const struct translation *t)
{
    return t->up.framer.kind != FRAMING_BODY;
}

static inline bool answer_is_error(const struct translation *t)
{
    return t->up.status < 200 || t->up.status >= 300;
}

/* Whether its route carries no text of a model, and its answer is no stream of events. */
static inline bool answer_is_passed(const struct translation *t)
{
    return t->dialect == NULL;
}

/* Whether a blocked answer ends like any other. */
static inline bool block_ends_turn(const struct translation *t)
{
    return t->asked.style == BLOCK_END_TURN;
}

/* Whether its notice is a refusal. */
static inline bool block_refuses(const struct translation *t)
{
    return t->asked.style == BLOCK_REFUSAL;
}

/* --- phases: translation_phase.c --- */
bool translation_phase_may(enum translation_phase from, enum translation_phase to);
void translation_enter(struct translation *t, enum translation_phase to);
/* Enters OVER, unless it is over already. */
void translation_finish(struct translation *t);

/* --- messages: message.c --- */
/* A whole answer is one message; a stream has many. */
enum message_kind {
    MESSAGE_PLAIN_BODY,  /* an error page that is not JSON */
    MESSAGE_PASSED_BODY, /* of a passed route; valid JSON */
    MESSAGE_PASSED_FILE, /* of a passed route; anything */
    MESSAGE_ERROR_BODY,
    MESSAGE_BODY,
    MESSAGE_DONE,    /* [DONE] */
    MESSAGE_AWAITED, /* after a block, only for the usage */
    MESSAGE_ERROR,   /* an error event, the last one */
    MESSAGE_EVENT,
    MESSAGE_KINDS
};
struct message {
    enum message_kind kind;
    struct span text;
    struct node *root; /* NULL of PLAIN_BODY, PASSED_BODY, DONE and AWAITED */
    bool ends_answer;  /* the caller of its handler ends the answer as DONE */
};
/* Frees the tree of the previous message, and clears the pointers to its leaves. */
void message_forget(struct translation *t);
/* Parses a message and finds its kind; false: it cannot be parsed. */
MUST_CHECK bool message_read(struct translation *t, struct span text, struct message *m, struct error *err);
/* --- answers without a dialect: passed.c --- */
/* Whether the request asks for a stream, by its member or field `stream`. */
bool passed_streams(const struct translation_request *request);
/* The use of the head of a good answer. */
enum head_use passed_head(struct translation *t, struct span type);
MUST_CHECK bool passed_body(struct translation *t, const struct message *m, struct error *err);
MUST_CHECK bool passed_file(struct translation *t, const struct message *m, struct error *err);

/* --- texts that are read as one: pieces.c --- */
struct piece {
    struct span text;
    struct span *out; /* what may be delivered */
    size_t from, to;  /* in the joined text */
};
struct pieces {
    struct piece *items;
    size_t n;
    bool are_texts; /* each was judged by itself: only what is found over a joint counts */
};
/* Judges the pieces as one text, with `joint` between two of them. */
MUST_CHECK bool pieces_judge_joined(struct translation *t, struct span path, struct pieces p, const char *joint, struct error *err);
/* Keeps the texts of a whole answer that its clients join, before they are judged. */
MUST_CHECK bool message_keep_parts(struct translation *t, struct node *root, struct error *err);
/* Judges those of each message once more as one text, after each of them was judged. */
MUST_CHECK bool message_judge_joined(struct translation *t, const struct node *root, struct error *err);

/* --- texts that passed answers say in pieces: passed_pieces.c --- */
/* Judges pieces that belong together once more as one text: the outputs of those of one array of JSON. */
MUST_CHECK bool pieces_judge(struct translation *t, struct document *d, struct error *err);
/* Whether channel i is such a piece. */
bool pieces_have(const struct document *d, size_t i);
/* Whether channel i is an array of parts that are such pieces. */
bool pieces_have_array(const struct document *d, size_t i);
/* The same for a text that may be subtitles. */
MUST_CHECK bool pieces_judge_cues(struct translation *t, struct span *text, struct error *err);
/* Appends what became of `before`. Of JSON and of changed lines of it what only its tokens say is left out. */
MUST_CHECK bool pieces_append_changed(struct span before, struct span after, struct buf *out, struct error *err);

/* The handler of each kind. */
typedef bool message_fn(struct translation *t, const struct message *m, struct error *err);
extern message_fn *const message_takes[MESSAGE_KINDS];

/* --- output that waits for the supervisor: kept.c --- */
/* Begins to hold output, before a message. Passes output held earlier to the client, unless it
 * still waits. */
MUST_CHECK bool kept_begin(struct translation *t, struct buf *client, struct error *err);
/* Whether held output, possibly empty, is waiting. */
bool kept_waits(const struct translation *t);
MUST_CHECK bool kept_pass_on(struct translation *t, struct buf *client, struct error *err);
/* Drops it and restores the state that the client has seen. */
MUST_CHECK bool kept_drop(struct translation *t, struct error *err);
void kept_free(struct translation *t);

bool translation_stopped(const struct translation *t, struct error *err);
bool translation_blocked(const struct translation *t);
/* Handles the end of the answer after its last event. */
MUST_CHECK bool translation_over(struct translation *t, struct error *err);

/* --- writing: emit.c --- */
/* Removes the parts that wait from the message, and writes the rest. */
MUST_CHECK bool emit(struct translation *t, struct node *message, struct error *err);
/* Writes a message in which nothing waits. */
MUST_CHECK bool emit_whole(struct translation *t, struct node *message, struct error *err);
/* Like emit, unless all of its texts are held: then it stores only the waiting parts. */
MUST_CHECK bool emit_released(struct translation *t, struct node *message, bool says_nothing,
                              struct error *err);
/* Appends head, the text as a JSON string, tail. */
MUST_CHECK bool json_around(const char *head, struct span text, const char *tail, struct buf *out,
                            struct error *err);
/* The envelope as a tree, from which to build an event. */
struct node *envelope(struct translation *t, struct error *err);
/* The same with the usage, for an event that replaces the end of the answer. */
struct node *ending_envelope(struct translation *t, struct error *err);
/* Stores the parts of this message that built events repeat. */
MUST_CHECK bool envelope_take(struct translation *t, const struct node *root, struct error *err);
/* The kept parts of the message along the path to `leaf`, and the leaf; NULL leaf: of the root. */
struct node *skeleton_of(struct translation *t, const struct node *root, const struct node *leaf,
                         struct error *err);

/* --- the usage of an answer: cost.c --- */
/* Stores the usage if the message has it. */
MUST_CHECK bool cost_take(struct translation *t, const struct node *root, struct error *err);
/* Whether to read a stream that is blocked now for its usage, from the next message on. */
bool cost_await(struct translation *t, const struct error *why);
/* Whether to read on for it: it has not come, and not too much was read. */
bool cost_is_missing(const struct translation *t);
/* Writes the event with the usage, if it is known and requested. */
MUST_CHECK bool cost_emit(struct translation *t, struct error *err);
/* Adds the stored usage to the object. */
MUST_CHECK bool cost_add(struct translation *t, struct node *to, struct error *err);

/* --- endings of texts: endings.c --- */
/* The ending for the upstream's reason; TRUNCATED for any reason other than "done", and for none. */
enum stream_ending ending_of(const struct node *reason);

/* What an event implies for the parts that ended before it. */
enum event_place {
    EVENT_IN_ORDER,  /* nothing: it waits after waiting events */
    EVENT_ENDS_PART, /* it waits: the next events show whether the part was truncated */
    EVENT_GOES_ON,   /* the answer continued, so they were complete */
    EVENT_DECIDES,   /* it handles waiting events itself, see endings_settle; or needs no order */
};

typedef bool event_fn(struct translation *t, struct node *root, struct error *err);

struct event_row {
    const char *type; /* NULL: any other, the last row */
    event_fn *take;
    enum event_place place;
    event_fn *before_wait; /* handles what must not wait with it; may be NULL */
};

/* Handles the event, or stores it: the dialect's event function then gets it again. */
MUST_CHECK bool endings_take(struct translation *t, struct node *root, const struct event_row *row,
                             struct error *err);
MUST_CHECK bool endings_take_by_type(struct translation *t, struct node *root,
                                     const struct event_row *rows, struct error *err);
/* Handles waiting events, now that their ending is known; the dialect finds it in t->up.ending. */
MUST_CHECK bool endings_settle(struct translation *t, enum stream_ending how, struct error *err);

/* --- events that differ in a text alone: repeated.c --- */
/* What is known of an event before it is taken. */
struct repeated_look {
    struct node *leaf; /* NULL: it is not kept */
    struct span said;  /* its text, as it came */
    size_t n_others, out_at;
};
void repeated_look(struct translation *t, const struct message *m, struct repeated_look *out);
/* Keeps an event that was taken, if what was done with it is all that is done with one like it. */
void repeated_keep(struct translation *t, const struct message *m, const struct repeated_look *look);
/* *is_taken: the message is like the one that is kept, and was taken. Fails as a handler of messages does. */
MUST_CHECK bool repeated_take(struct translation *t, struct span text, bool *is_taken, struct error *err);
void repeated_free(struct translation *t);

/* --- leaves: leaf.c --- */
const struct leaf_row *leaf_find(const struct dialect *d, const struct node *root,
                                 const struct node *n);
bool leaf_is_id(struct span text);
bool leaf_is_base64(struct span text);
bool leaf_is_at(const struct node *root, const struct node *n, const char *path);
/* The path to it (judge/path.h); only the name, or nothing, if the path would be long. */
MUST_CHECK bool leaf_path(struct translation *t, const struct node *root, const struct node *n,
                          struct span *path, struct error *err);
/* Treats every leaf according to its row. is_whole: texts end here, and a value is the only one at its place. Otherwise, in
 * a stream, parts with values are released at the end of their part: emit omits them. */
MUST_CHECK bool leaves_judge(struct translation *t, struct node *root, bool is_whole,
                             struct error *err);
/* Whether it has waiting texts, and no text with content. */
bool leaves_say_nothing(const struct translation *t, const struct node *root);
/* Removes texts of which nothing was released, and waiting parts. */
MUST_CHECK bool leaves_prune(struct translation *t, struct node *root, struct error *err);

/* --- unknown values of a stream: values.c --- */
/* Makes an event without a value wait, too, if an earlier one waits. */
MUST_CHECK bool values_keep_order(struct translation *t, struct node *root, struct error *err);
/* Removes waiting parts from the message; *is_gone: all of it was removed. */
MUST_CHECK bool values_detach(struct translation *t, struct node *root, bool *is_gone,
                              struct error *err);
/* Judges the values at each place of a part (SIZE_MAX: of all) as one text, and writes waiting messages; values in the
 * current message remain there. */
MUST_CHECK bool values_end(struct translation *t, size_t part, enum stream_ending how,
                           struct error *err);
/* None of that part waits any more; SIZE_MAX: of all parts. */
void values_forget(struct translation *t, size_t part);
void values_free(struct translation *t);

/* --- channels of text: texts.c --- */
/* An element's own "index", otherwise its position. */
size_t text_index(const struct node *element);
/* The path to a leaf, "/choices/0/delta/content"; the first index is the part. */
MUST_CHECK bool text_steps(const struct node *root, const struct node *leaf, struct buf *path,
                           size_t *part, struct error *err);
/* Of the channel at the path of the leaf; its row and skeleton are the caller's to set where it is new. */
struct text *text_open(struct translation *t, const struct node *root, struct node *leaf, struct error *err);
struct text *text_of(struct translation *t, struct span path, size_t part, struct error *err);
/* A new one that text_of does not find: what it says goes on from no other text, whatever path that has. */
struct text *text_apart(struct translation *t, struct span path, struct error *err);
/* *out lives as long as the current message. An error if the text has ended and there is more of it: what would be dropped here would
 * be missing in an answer that is called whole. */
MUST_CHECK bool text_feed(struct translation *t, struct text *x, struct span in, struct span *out,
                          struct error *err);
MUST_CHECK bool text_end(struct translation *t, struct text *x, enum stream_ending how,
                         struct span *out, struct error *err);
/* The same for one channel, and writes what it releases, like texts_end. */
MUST_CHECK bool text_finish(struct translation *t, struct text *x, enum stream_ending how,
                            struct error *err);
/* The same for the channels of a part (SIZE_MAX: of all). */
MUST_CHECK bool texts_finish(struct translation *t, size_t part, enum stream_ending how,
                             struct error *err);
/* Ends the channels of a part (SIZE_MAX: of all) and its values, and writes what they release as events, or into
 * the current message if that has the leaf. */
MUST_CHECK bool texts_end(struct translation *t, size_t part, enum stream_ending how,
                          struct error *err);
/* What is released from here on does not go into a message that was written before. */
void texts_forget_leaves(struct translation *t);
void texts_free(struct translation *t);

/* --- a text of a stream that goes on where another ended: text_joint.c --- */
enum { JOINT_BEFORE_MAX = 4096 };
/* Takes what comes of a text, and leaves in *in what goes to its own channel: nothing while more may yet belong to what was said before.
 * *label stands in place of what does; both live as long as the current message. */
MUST_CHECK bool joint_feed(struct translation *t, struct text *x, struct span *in, bool is_end, struct span *label, struct error *err);
void joint_free(struct joint *j);

/* --- judgements outside the stream: aside.c --- */
/* Keeps the findings of an exchange for the record. */
void aside_keep(struct translation *t, const struct exchange *x);
MUST_CHECK bool aside_judge(struct translation *t, struct channel *channels, size_t n,
                            struct error *err);
/* Judges a single text, ignoring findings that are likely in random text. */
MUST_CHECK bool aside_judge_random(struct translation *t, struct span path, struct span text,
                                   struct span *out, struct error *err);
/* Where the policy acts on a text, merged, in the order of the text. */
struct aside_place {
    size_t from, to;
    struct span label;
};
typedef bool aside_known_fn(const void *context, size_t from, size_t to);
/* Judges a text that is not delivered as such. Findings that are known count no more; when the policy acts on none of the others,
 * nothing is recorded. *places lives as long as the current message. */
MUST_CHECK bool aside_judge_places(struct translation *t, struct span path, struct span text, aside_known_fn *is_known,
                                   const void *context, const struct aside_place **places, size_t *n, struct error *err);
struct call_verdict {
    bool is_withheld;
    struct span arguments; /* to deliver; lives as long as the current message */
};
/* --- what is not delivered though nothing was found in it: left_out.c --- */
void left_out_text(struct translation *t, struct span text);
void text_sum_add(struct text_sum *s, struct span text);
/* Of the strings in it that are texts, in any order. */
struct text_sum texts_sum(const struct translation *t, const struct node *of);
/* The copy is replaced by what was released of the text: what only the copy says counts. */
void left_out_copy(struct translation *t, struct text *x, struct span copy);
/* The same for a copy of other texts, whose sum is known. */
void left_out_texts(struct translation *t, struct text_sum said, const struct node *copy);
/* The pieces were dropped for the whole: they count, once, unless it begins with them. */
void left_out_pieces(struct translation *t, struct text_sum *pieces, struct span whole);
/* The start of something was held, and dropped for its end: what only the start says counts. Both are roots. */
void left_out_start(struct translation *t, const struct node *start, const struct node *end);
/* Of an event only these members were taken, NULL-terminated, and those that have a row. "name/" is an object: a text there was not. */
void left_out_event(struct translation *t, const struct node *root, const char *const *taken);
/* What stands for the name and the input of a call, and is none: a name that is no string, an input that is one. */
void left_out_call(struct translation *t, const struct node *name, const struct node *input);
/* What the upstream wrote behind the end of its answer. */
void left_out_behind(struct translation *t, struct span bytes);
/* --- pseudonyms: emit.c --- */
/* Sets whether there are any. */
void restoring_set(struct translation *t);
/* What a text releases, with values for pseudonyms; *text lives as long as the current message. */
MUST_CHECK bool text_restore(struct translation *t, struct text *x, bool is_end, struct span *text, struct error *err);
void text_restore_free(struct text *x);
/* The same for the whole arguments of a call: JSON, or free text. */
MUST_CHECK bool call_restore(struct translation *t, bool is_text, struct span *arguments, struct error *err);
/* A message of the upstream as a tree: tree_read, and its strings may have pseudonyms. */
struct node *said_tree(struct translation *t, struct span json, struct error *err);
/* The same for each string of a message that the upstream said, once; before it is written, to the client or to be kept for it. */
MUST_CHECK bool message_restore(struct translation *t, struct node *root, struct error *err);
/* The same for a text by itself; *text lives as long as the current message. */
MUST_CHECK bool value_restore(struct translation *t, struct span *text, struct error *err);
/* Whether places in the texts are others than in those of the upstream. */
bool text_was_changed(const struct translation *t);

/* --- ids: ids.c, ids_words.c --- */
/* Judges the strings at safe and opaque places, before any other use of the message. */
MUST_CHECK bool ids_judge(struct translation *t, struct node *root, struct error *err);
/* The same where each was judged before, and is still known; false: one is not. */
MUST_CHECK bool ids_recall(struct translation *t, struct node *root, struct error *err);
/* The same as ids_judge for one string; `use` is SAFE or OPAQUE. */
MUST_CHECK bool id_judge(struct translation *t, const struct node *root, struct node *n,
                         enum leaf_use use, struct error *err);
/* Whether it is a word of an API, such as "assistant", which need not be judged. */
bool id_is_word(struct span text);

/* --- a cache of clean texts: ids.c --- */
bool clean_knows(const struct translation *t, const struct channel *c);
void clean_keep(struct translation *t, const struct channel *c);

/* The notice for an omitted call. */
struct span call_notice(const struct translation *t);
/* Judges a call. `is_cut`: the answer was truncated in it or right after it. It is then omitted
 * without a block, unless its arguments are a complete JSON value. */
MUST_CHECK bool call_judge(struct translation *t, const struct call *c, bool is_cut,
                           struct call_verdict *out, struct error *err);
/* The same for a call in one piece: changes its arguments in place. */
MUST_CHECK bool call_judge_value(struct translation *t, struct node *name, struct node *arguments,
                                 bool *is_withheld, struct error *err);
/* Whether the arguments are complete JSON, so that a truncation of the answer did not cut them. */
bool call_is_whole(const struct node *arguments);

/* --- the ending of a block: block_style.c --- */
void block_style_set(struct translation *t, const struct translation_request *request, const struct node *body);

/* --- the notice: notice.c --- */
bool text_is_at(const struct text *x, const char *path_end);
/* Whether a text of that part (SIZE_MAX: of any) with that end of its path has reached the client. */
bool text_was_shown(const struct translation *t, size_t part, const char *path_end);
/* Whether the notice may be part of the texts; `is_behind`: it follows released text. */
bool notice_is_text(const struct translation *t, bool is_behind);
/* The notice; after a text it begins with a blank line. Lives as long as the current message. */
MUST_CHECK bool notice_make(struct translation *t, bool is_behind, struct span *out, struct error *err);

/* Appends it to the member's text, if it may be there; null becomes a text. */
MUST_CHECK bool notice_join(struct translation *t, struct node *object, const char *member,
                            struct error *err);

/* --- lists that grow, parts and calls: parts.c --- */
/* The list of n items of that size with space for one more; NULL: no memory, the old list remains valid. */
void *list_room(void *list, size_t n, size_t size);
struct part *part_find(const struct translation *t, size_t key);
struct part *part_open(struct translation *t, size_t key, struct error *err);
struct call *call_open(struct translation *t, size_t part, size_t index, struct error *err);
/* Takes id, type and name from a piece of a call; the name may arrive in pieces. */
MUST_CHECK bool call_take(struct call *c, const struct node *id, const struct node *type,
                          const struct node *name, struct error *err);
void parts_free(struct translation *t);

#endif

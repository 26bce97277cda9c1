/* dialect.h - inside a translation: what an answer's kind must say, and what the engine keeps.
 *
 * A dialect is a table of leaves and a few functions. The table says of each place in a message
 * what is there; a string in no row is text. The functions know what tables cannot: which event
 * ends which part, how a tool call is put together, how an answer is closed.
 *
 * Functions return false to stop: with err, or because the answer is blocked (translation_stopped
 * says so in err, and the engine ends the answer). */
#ifndef FILTERD_PROTOCOL_DIALECT_H
#define FILTERD_PROTOCOL_DIALECT_H

#include "base/arena.h"
#include "base/cleanup.h"
#include "judge/exchange.h"
#include "protocol/framing.h"
#include "protocol/protocol.h"
#include "protocol/tree.h"

/* Zero is what an unknown place gets. */
enum leaf_use {
    LEAF_JUDGED, /* a text: judged at once; in a stream also with what else comes there, and held till then: values.c */
    LEAF_TEXT,   /* a piece of a channel's text */
    LEAF_SAFE,   /* an id, a word of the protocol, a number; a container: all in it. In a stream of a closed form: ids.c */
    LEAF_OPAQUE, /* encrypted: only the upstream can read it; likewise */
    LEAF_DROP,
    LEAF_NULL, /* becomes null: the shape wants the member */
};

/* Whether events that we build from an upstream's event repeat it. */
enum leaf_kept { KEPT_NOT, KEPT, KEPT_NULL };

struct leaf_row {
    const char *path; /* "/choices/" "*" "/index": a star is any element or member */
    enum leaf_use use;
    enum leaf_kept kept;
    const char *type; /* only where the root's type is this; NULL: any */
};

enum closing {
    CLOSING_DONE,      /* the upstream said that it is over */
    CLOSING_TRUNCATED, /* it stopped without saying so */
    CLOSING_BLOCKED,   /* nothing of it may follow */
};

/* What an answer cost: of the member `in` of a message the counts that a block in its place repeats, none unless the
 * first n_required are all there. Only names that are here, and only numbers that can be nothing else. */
struct count_row {
    const char *group; /* an object that has it; NULL: `in` itself */
    const char *name;
    bool is_duration; /* in nanoseconds: it has many digits */
};
struct counts {
    const char *in; /* NULL: the root */
    const struct count_row *rows;
    size_t n_rows, n_required;
    bool is_in_streams; /* the events of a stream have them, too: the last ones count */
};

struct dialect {
    const char *name;
    const struct leaf_row *rows;
    size_t n_rows;
    const char *const *keys; /* members of the root that tell channels apart; NULL-terminated */
    bool has_event_names;    /* events are named by their type */
    const char *done;        /* data of the event that ends a stream, NULL for none */
    /* Names the channel of a text where the way to it does not, and its part; NULL: the way does.
     */
    bool (*text_path)(const struct node *root, const struct node *leaf, struct buf *path,
                      size_t *part, struct error *err);
    /* Where unknown values stand: the array that has the parts (of a message without a type), the members that tell parts
     * apart, the first of them the part (with a type), the ways that cannot be left out. All may be NULL. */
    const char *list;
    const char *const *value_keys, *const *frames;
    /* The part of an event's values where a member does not say it; false: they belong to the answer. */
    bool (*value_part)(const struct translation *t, const struct node *root, size_t *part);
    bool (*has_places)(const struct node *root); /* whether an event is about places in a text; NULL: none is */
    /* Numbers an event that leaves; NULL: they have no number. */
    bool (*stamp)(struct translation *t, struct node *root, struct error *err);
    const char *envelope_in; /* the member of an event that built events repeat; NULL: the root */
    const struct counts *counts; /* NULL: none */
    bool (*event)(struct translation *t, struct node *root, struct error *err);
    bool (*body)(struct translation *t, struct node *root, struct error *err);
    bool (*close)(struct translation *t, enum closing why, struct error *err);
    bool (*blocked_body)(struct translation *t, struct error *err);
};

struct protocol_route {
    const char *method, *path; /* a star is one segment, at the end all that follow */
    enum route_use use;
    const char *name;
    const struct dialect *dialect;
    /* Whether the answer comes in messages, and how they are framed. */
    bool (*streams)(const struct translation_request *request, const struct node *body,
                    enum framing *framing, struct error *err);
};

struct protocol {
    const char *name;
    const struct protocol_route *routes;
    size_t n_routes;
    const char *heartbeat;                                            /* between events */
    bool (*heartbeat_line)(struct translation *t, struct error *err); /* between lines, or NULL */
    bool (*blocked)(struct span notice, struct buf *out, struct error *err);
    bool (*failed)(unsigned status, struct span message, struct buf *out, struct error *err);
};

extern const struct protocol protocol_openai, protocol_anthropic, protocol_ollama, protocol_gemini,
    protocol_cohere;

const struct protocol *protocol_of_route(const struct protocol_route *route);
/* The request's member "stream"; `by_default` where it is absent. */
MUST_CHECK bool request_streams(const struct node *body, bool by_default, bool *streams,
                                struct error *err);

/* Events where that asks for a stream, else a body. */
MUST_CHECK bool request_streams_events(const struct node *body, enum framing *framing,
                                       struct error *err);

/* Log probabilities that wait for the text that they are of: logprobs.c. None wait where the supervisor may be asked. */
struct logprobs {
    struct buf held; /* JSON, a token a line */
    size_t sent;     /* bytes of the text whose tokens have left */
    bool is_lost;    /* none may leave any more */
};

/* A channel of text, as the dialect sees it. */
struct text {
    struct stream_channel *in;
    struct span path;
    const struct leaf_row *row;
    size_t part;         /* choice, block or item that it belongs to */
    struct buf skeleton; /* an event with nothing but this text in it, JSON */
    struct buf released; /* all of it, where the dialect keeps it */
    struct logprobs logprobs; /* where the dialect does not keep them with the part */
    size_t marked;       /* its length at the checkpoint */
    struct node *leaf;   /* in the message at hand, NULL when it is not there */
    char half[3], tail[3];
    unsigned half_len, tail_len;
    bool has_ended, was_fed;
};

/* What a dialect remembers of a choice, block, candidate or item. */
struct part {
    size_t key;    /* as the upstream counts */
    size_t shown;  /* as the client counts */
    unsigned kind; /* the dialect's */
    bool is_open, is_finished, has_text, has_call, has_role, is_withheld;
    bool is_cut;     /* the upstream said so of this part alone */
    struct logprobs logprobs;
    struct buf held; /* JSON of what waits for the end */
};

/* A tool call that is being put together. */
struct call {
    size_t part, index;
    bool is_text; /* the arguments are free text, not JSON */
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

/* A short text that was judged, and nothing was found in it. */
struct clean {
    bool is_name;
    size_t len, key_len;
    char text[48], key[48];
};

/* An id that was judged, and what leaves for it. */
struct known_id {
    size_t len, out_len;
    char text[128], out[128];
};

/* A finding beside the stream, with what its channel was. */
struct aside {
    struct finding finding;
    size_t text_len, output_len, judged, path_len;
    bool is_member_name;
    char path[128];
};

struct checkpoint;
struct unit;
struct said;

/* How far a translation is, in this order. The legal moves:
 *
 *   NEW             FLOWING         a message is there
 *                   OVER            it ends without one: a block, a limit, an answer to HEAD
 *   FLOWING         AWAITING_COST   the answer is blocked, and read on for what it cost
 *                   OVER            it has its end, its own or that of a block
 *   AWAITING_COST   OVER            the cost has come, or will not
 *   OVER            FLOWING         the end was kept for the supervisor and is dropped, to be written as a block's
 *
 * An illegal move aborts a debug build; in release the answer is blocked as unjudged and over. */
enum translation_phase {
    TRANSLATION_NEW, /* no message has come */
    TRANSLATION_FLOWING,
    TRANSLATION_AWAITING_COST,
    TRANSLATION_OVER, /* nothing more is written */
    TRANSLATION_PHASES
};

/* What the request asks for: the same for good. */
struct answer_asked {
    enum framing framing;
    enum block_style style;
    size_t n_choices;   /* at least 1 */
    bool is_structured; /* the text is a value that a program reads: no notice may be in it */
    bool wants_cost;    /* in a stream; then a blocked one ends when its cost has come, or so many bytes did */
};

/* How a message is taken. */
enum taking {
    TAKING_ONCE,
    TAKING_COPIES, /* it is about to wait: its copies of texts are emptied, see openai_responses.h */
    TAKING_AGAIN,  /* it has waited, and how the texts before it ended is known */
};

/* The upstream's side: what is read, and waits for more of it. */
struct answer_up {
    unsigned status;
    bool is_plain_body; /* of an error; no JSON */
    struct framer framer;
    enum taking taking;
    enum stream_ending ending; /* of what ends now */
    struct buf waiting;        /* JSON, a message a line: they wait for how the answer ended */
    struct buf envelope;       /* JSON: what built events repeat of the upstream's */
    struct buf cost;           /* JSON: the counts that a block repeats */
    size_t awaited;            /* bytes that came while only the cost was awaited */
    struct buf values;         /* what waits with unknown values in it, a line each: part, JSON */
    struct unit *units;        /* parts of the message at hand that do */
    struct said **said;        /* values whose place has had its end, a table of SAID_SLOTS: made with the first */
    size_t n_said;
    struct buf ahead; /* what came behind the message that the supervisor is asked about */
};

/* What the client has been shown, as far as the end of the answer depends on it: what a checkpoint restores. */
struct answer_shown {
    bool has_head, has_tail, has_notice; /* where the protocol has such events */
    size_t n_parts, n_events;
};

/* The client's side: what is written. */
struct answer_down {
    struct answer_shown shown;
    struct checkpoint *checkpoint; /* of a stream about which the supervisor may be asked */
    struct buf kept;               /* what was written since the checkpoint */
    struct buf *out;               /* during feed, end and resume */
};

/* Why something was left out or changed. */
struct beside_rule {
    bool is_set;
    char rule[128];
    const char *reason;
};

/* What was judged beside the stream, for the record; and what need not be judged again. */
struct beside {
    struct aside *aside; /* ASIDE_MAX, made with the first */
    size_t n_aside;
    bool has_findings_in_names;  /* also of those that had no room there */
    bool had_findings;           /* in what was judged aside last */
    struct beside_rule withheld; /* a tool call was left out; blocks when the answer ends */
    struct beside_rule redacted;
    struct clean *clean; /* made with the first */
    size_t n_clean;      /* ever kept */
    struct known_id known_ids[KNOWN_IDS_MAX];
    size_t n_known_ids, next_id;    /* ever kept; where the next one is looked for first */
    struct channel *shown_channels; /* of translation_exchange */
    struct finding *shown_findings;
};

struct translation {
    const struct protocol *protocol;
    const struct protocol_route *route;
    const struct dialect *dialect;
    struct stream *stream;
    struct exchange frame; /* snapshot, policy, identity, time: for what is judged aside */
    size_t event_max;
    struct answer_asked asked;

    enum translation_phase phase;
    struct arena memory; /* of the message at hand */
    struct buf scratch;
    struct worker *worker; /* during feed, end and resume */
    struct text **texts;   /* these lists grow, as most answers have little of them */
    size_t n_texts;
    struct part **parts;
    size_t n_parts;
    struct call **calls;
    size_t n_calls;

    struct answer_up up;
    struct answer_down down;
    struct beside beside;
};

/* Whether the answer comes in messages, as the upstream's head says; before it, as the request asks. */
static inline bool answer_is_stream(const struct translation *t)
{
    return t->up.framer.kind != FRAMING_BODY;
}

static inline bool answer_is_error(const struct translation *t)
{
    return t->up.status < 200 || t->up.status >= 300;
}

/* Its route carries no text of a model. */
static inline bool answer_is_passed(const struct translation *t)
{
    return t->route->use == ROUTE_PASSED;
}

/* A blocked answer says what ends any answer. */
static inline bool block_ends_turn(const struct translation *t)
{
    return t->asked.style == BLOCK_END_TURN;
}

/* Its notice is a refusal. */
static inline bool block_refuses(const struct translation *t)
{
    return t->asked.style == BLOCK_REFUSAL;
}

/* --- phases: translation_phase.c --- */
bool translation_phase_may(enum translation_phase from, enum translation_phase to);
void translation_enter(struct translation *t, enum translation_phase to);
/* Likewise OVER, where it may be over already. */
void translation_finish(struct translation *t);

/* --- messages: message.c --- */
/* A whole answer is one message; a stream has many. */
enum message_kind {
    MESSAGE_PLAIN_BODY,  /* an error page that is no JSON */
    MESSAGE_PASSED_BODY, /* of a route that is passed; valid JSON */
    MESSAGE_ERROR_BODY,
    MESSAGE_BODY,
    MESSAGE_DONE,    /* [DONE] */
    MESSAGE_AWAITED, /* behind a block, for the cost alone */
    MESSAGE_ERROR,   /* an event that says error: the last */
    MESSAGE_EVENT,
    MESSAGE_KINDS
};
struct message {
    enum message_kind kind;
    struct span text;
    struct node *root; /* NULL of PLAIN_BODY, PASSED_BODY, DONE and AWAITED */
};
/* What the message before left is gone: its tree, and the leaves in it. */
void message_forget(struct translation *t);
/* Which kind it is; false: it cannot be read. */
MUST_CHECK bool message_read(struct translation *t, struct span text, struct message *m, struct error *err);
/* What is done with each kind. */
typedef bool message_fn(struct translation *t, const struct message *m, struct error *err);
extern message_fn *const message_takes[MESSAGE_KINDS];

/* Writes the end of the answer; the phase is OVER then. */
MUST_CHECK bool answer_end(struct translation *t, enum closing how, struct error *err);

/* --- what was written and waits for the supervisor: kept.c --- */
/* Before a message: what is written from here on is kept together. What was kept before goes to the client, unless it
 * still waits. */
MUST_CHECK bool kept_begin(struct translation *t, struct buf *client, struct error *err);
/* Whether something was kept, perhaps nothing, that has not left. */
bool kept_waits(const struct translation *t);
MUST_CHECK bool kept_pass_on(struct translation *t, struct buf *client, struct error *err);
/* Drops it: the answer is again as the client has seen it. */
MUST_CHECK bool kept_drop(struct translation *t, struct error *err);
void kept_free(struct translation *t);

bool translation_stopped(const struct translation *t, struct error *err);
bool translation_blocked(const struct translation *t);
/* The answer has had its last event. */
MUST_CHECK bool translation_over(struct translation *t, struct error *err);

/* --- writing: emit.c --- */
MUST_CHECK bool emit(struct translation *t, struct node *message, struct error *err);
/* Likewise, unless all of its texts are held: then only what waits of it is kept. */
MUST_CHECK bool emit_released(struct translation *t, struct node *message, bool says_nothing,
                              struct error *err);
/* head, the text as a JSON string, tail. */
MUST_CHECK bool json_around(const char *head, struct span text, const char *tail, struct buf *out,
                            struct error *err);
/* The envelope as a tree, to build an event on. */
struct node *envelope(struct translation *t, struct error *err);
/* Likewise with what the answer cost, for what is in the place of its end. */
struct node *ending_envelope(struct translation *t, struct error *err);
/* Remembers what events that we build shall repeat of this message. */
MUST_CHECK bool envelope_take(struct translation *t, const struct node *root, struct error *err);
/* The kept parts of the message along the way to `leaf`, and the leaf; NULL leaf: of the root. */
struct node *skeleton_of(struct translation *t, const struct node *root, const struct node *leaf,
                         struct error *err);

/* --- what the answer cost: cost.c --- */
/* Remembers it, where the message says so. */
MUST_CHECK bool cost_take(struct translation *t, const struct node *root, struct error *err);
/* Whether a stream that is blocked now is read on for its cost, from the next message on. */
bool cost_await(struct translation *t, const struct error *why);
/* A message of it: false, with DENIED, when the answer is to end. */
MUST_CHECK bool cost_awaited(struct translation *t, struct span message, struct error *err);
/* The event that tells it, where it is known and asked for. */
MUST_CHECK bool cost_emit(struct translation *t, struct error *err);
/* Adds what is remembered to the object. */
MUST_CHECK bool cost_add(struct translation *t, struct node *to, struct error *err);

/* --- how texts end: endings.c --- */
/* By the upstream's reason; TRUNCATED for every one, and for none, that does not mean "done". */
enum stream_ending ending_of(const struct node *reason);

/* What an event says about the parts that ended before it. */
enum event_place {
    EVENT_IN_ORDER,  /* nothing: it waits behind what waits */
    EVENT_ENDS_PART, /* it waits: the next events say whether the part was cut off */
    EVENT_GOES_ON,   /* the answer went on, so they were complete */
    EVENT_DECIDES,   /* it takes itself what waits, see endings_settle; or needs no order */
};

typedef bool event_fn(struct translation *t, struct node *root, struct error *err);

struct event_row {
    const char *type; /* NULL: any other, the last row */
    event_fn *take;
    enum event_place place;
    event_fn *before_wait; /* what must not wait with it; may be NULL */
};

/* Takes the event, or keeps it: the dialect's event function gets it again. */
MUST_CHECK bool endings_take(struct translation *t, struct node *root, const struct event_row *row,
                             struct error *err);
MUST_CHECK bool endings_take_by_type(struct translation *t, struct node *root,
                                     const struct event_row *rows, struct error *err);
/* Takes what waits, now that it is known how it ended; t->up.ending says it to the dialect. */
MUST_CHECK bool endings_settle(struct translation *t, enum stream_ending how, struct error *err);

/* --- leaves: leaf.c --- */
const struct leaf_row *leaf_find(const struct dialect *d, const struct node *root,
                                 const struct node *n);
bool leaf_is_id(struct span text);
bool leaf_is_base64(struct span text);
bool leaf_is_at(const struct node *root, const struct node *n, const char *path);
/* The way to it (judge/path.h); the name alone where that would be long, or nothing. */
MUST_CHECK bool leaf_path(struct translation *t, const struct node *root, const struct node *n,
                          struct span *path, struct error *err);
/* Does with every leaf what its row says. is_whole: texts end here, and a value is the only one of its place. Otherwise, in
 * a stream, what has values in it leaves at the end of its part: emit leaves it out. */
MUST_CHECK bool leaves_judge(struct translation *t, struct node *root, bool is_whole,
                             struct error *err);
/* Whether it has texts that wait, and none that says anything. */
bool leaves_say_nothing(const struct translation *t, const struct node *root);
/* Takes away the texts of which nothing was released, and what waits. */
MUST_CHECK bool leaves_prune(struct translation *t, struct node *root, struct error *err);

/* --- unknown values of a stream: values.c --- */
/* The value is the only one of its place: another one, in a later event, is left out. */
MUST_CHECK bool value_once(struct translation *t, const struct node *root, struct node *n,
                           struct error *err);
/* The part of the message around the value waits for the end of its part. */
MUST_CHECK bool value_waits(struct translation *t, struct node *root, struct node *n,
                            struct error *err);
/* An event without a value does, too, where one before it waits. */
MUST_CHECK bool values_keep_order(struct translation *t, struct node *root, struct error *err);
/* Takes out of the message what waits; *is_gone: all of it. */
MUST_CHECK bool values_detach(struct translation *t, struct node *root, bool *is_gone,
                              struct error *err);
/* Judges the values of a part (SIZE_MAX: of all) that came at one place as one text, and writes what waited; what is in
 * the message at hand stays there. */
MUST_CHECK bool values_end(struct translation *t, size_t part, enum stream_ending how,
                           struct error *err);
void values_free(struct translation *t);

/* --- channels of text: texts.c --- */
/* An element's own "index", else its place. */
size_t text_index(const struct node *element);
/* The way to a leaf, "/choices/0/delta/content"; the first index is the part. */
MUST_CHECK bool text_steps(const struct node *root, const struct node *leaf, struct buf *path,
                           size_t *part, struct error *err);
struct text *text_open(struct translation *t, const struct node *root, struct node *leaf,
                       const struct leaf_row *row, struct error *err);
struct text *text_of(struct translation *t, struct span path, size_t part, struct error *err);
/* *out lives as long as the message at hand. */
MUST_CHECK bool text_feed(struct translation *t, struct text *x, struct span in, struct span *out,
                          struct error *err);
MUST_CHECK bool text_end(struct translation *t, struct text *x, enum stream_ending how,
                         struct span *out, struct error *err);
/* Ends one channel likewise. */
MUST_CHECK bool text_finish(struct translation *t, struct text *x, enum stream_ending how,
                            struct error *err);
/* Ends the channels of a part (SIZE_MAX: of all) and its values, and writes what they release as events, or into
 * the message at hand where that has the leaf. */
MUST_CHECK bool texts_end(struct translation *t, size_t part, enum stream_ending how,
                          struct error *err);
void texts_free(struct translation *t);

/* --- beside the stream: aside.c --- */
MUST_CHECK bool aside_judge(struct translation *t, struct channel *channels, size_t n,
                            struct error *err);
/* Judges a text alone, but for findings that are likely to be there by chance. */
MUST_CHECK bool aside_judge_random(struct translation *t, struct span path, struct span text,
                                   struct span *out, struct error *err);
struct call_verdict {
    bool is_withheld;
    struct span arguments; /* what may leave; lives as long as the message at hand */
};
/* --- ids: ids.c, ids_words.c --- */
/* Judges what is at safe and opaque places, before anything is made of the message. */
MUST_CHECK bool ids_judge(struct translation *t, struct node *root, struct error *err);
/* Likewise one string; `use` is SAFE or OPAQUE. */
MUST_CHECK bool id_judge(struct translation *t, const struct node *root, struct node *n,
                         enum leaf_use use, struct error *err);
/* A word of an API itself, such as "assistant": there is nothing in it to judge. */
bool id_is_word(struct span text);

/* --- what need not be judged again: clean.c --- */
bool clean_knows(const struct translation *t, const struct channel *c);
void clean_keep(struct translation *t, const struct channel *c);

/* The notice for a call that was left out. */
struct span call_notice(const struct translation *t);
/* Judges a call. `is_cut`: the answer broke off in it or right behind it. Then it is left out
 * without a block, unless its arguments are a JSON value that is whole. */
MUST_CHECK bool call_judge(struct translation *t, const struct call *c, bool is_cut,
                           struct call_verdict *out, struct error *err);
/* Likewise of a call that came in one piece: its arguments are changed in place. */
MUST_CHECK bool call_judge_value(struct translation *t, struct node *name, struct node *arguments,
                                 bool *is_withheld, struct error *err);
/* Whether nothing of them can be missing where the answer broke off, as they are JSON. */
bool call_is_whole(const struct node *arguments);

/* --- how a block ends: block_style.c --- */
void block_style_set(struct translation *t, const struct translation_request *request, const struct node *body);

/* --- the notice: notice.c --- */
bool text_is_at(const struct text *x, const char *path_end);
/* Whether a text of that part (SIZE_MAX: of any) whose path ends so has reached the client. */
bool text_was_shown(const struct translation *t, size_t part, const char *path_end);
/* Whether the notice may be where the texts are; `is_behind`: something of them has left. */
bool notice_is_text(const struct translation *t, bool is_behind);
/* The notice; behind a text it begins with a blank line. Lives as long as the message at hand. */
MUST_CHECK bool notice_make(struct translation *t, bool is_behind, struct span *out, struct error *err);

/* Puts it behind what the member says, where it may be there; null becomes a text. */
MUST_CHECK bool notice_join(struct translation *t, struct node *object, const char *member,
                            struct error *err);

/* --- lists that grow, parts and calls: parts.c --- */
/* The list of n items of that size with room for one more; NULL: no memory, the old list stays. */
void *list_room(void *list, size_t n, size_t size);
struct part *part_find(const struct translation *t, size_t key);
struct part *part_open(struct translation *t, size_t key, struct error *err);
struct call *call_open(struct translation *t, size_t part, size_t index, struct error *err);
/* Takes id, type, name out of a piece of a call; the name may come in pieces. */
MUST_CHECK bool call_take(struct call *c, const struct node *id, const struct node *type,
                          const struct node *name, struct error *err);
void parts_free(struct translation *t);

#endif

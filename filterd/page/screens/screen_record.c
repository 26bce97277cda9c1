/* screen_record.c - the record's proof: checkpoint, witnesses, log policy for verifiers, verify now. */
#include "page/frame.h"
#include "page/screens.h"
#include "page/table.h"
#include "decision_log/verification.h"

static const struct span no_part;

/* A signed note, and the size that it signs. */
static void put_note(struct page *p, bool is_cosigned)
{
    struct html *h = &p->html;
    struct checkpoint c;
    struct error ignored;
    struct buf note;

    buf_init(&note, NOTE_MAX);
    HTML(h, "<section><h2>");
    html_word(h, is_cosigned ? TEXT_COSIGNED : TEXT_CHECKPOINT);
    HTML(h, "</h2>");
    if (log_view_checkpoint(&p->request->service->witnessed.view, is_cosigned, &note, &ignored) &&
        checkpoint_parse(buf_span(&note), &c, &ignored)) {
        HTML(h, "<p>");
        html_count(h, TEXT_CHECKPOINT_SIZE, c.size);
        HTML(h, "</p>");
        html_lines(h, buf_span(&note));
    } else {
        HTML(h, "<p>");
        html_word(h, is_cosigned ? TEXT_COSIGNED_NONE : TEXT_CHECKPOINT_NONE);
        HTML(h, "</p>");
    }
    buf_deinit(&note);
    HTML(h, "</section>");
}

static void put_lag(struct page *p, struct span name, double seconds)
{
    HTML(&p->html, "<tr>");
    table_name(p, name);
    table_number(p, seconds <= 0 ? 0 : (uint64_t)seconds);
    HTML(&p->html, "</tr>");
}

static void put_witnesses(struct page *p)
{
    static const enum text columns[] = {TEXT_WITNESS, TEXT_LAG};
    const struct witnessed *w = &p->request->service->witnessed;
    struct html *h = &p->html;

    HTML(h, "<section><h2>");
    html_word(h, TEXT_WITNESSES);
    HTML(h, "</h2>");
    if (w->push == NULL) {
        HTML(h, "<p>");
        html_word(h, TEXT_WITNESSES_NONE);
        HTML(h, "</p></section>");
        return;
    }
    table_begin(p, TEXT_WITNESSES, columns, COUNT(columns));
    for (size_t i = 0; i < w->witnesses->policy.n_members; i++) {
        if (!w->witnesses->policy.members[i].is_group) {
            put_lag(p, w->witnesses->policy.members[i].name, push_lag_seconds(w->push, i));
        }
    }
    put_lag(p, word_of(h->language, TEXT_QUORUM), push_quorum_lag_seconds(w->push));
    table_end(p);
    HTML(h, "</section>");
}

static const enum text sentences[] = {
    [VERIFICATION_NONE] = TEXT_NONE,     [VERIFICATION_RUNS] = TEXT_VERIFY_RUNS,     [VERIFICATION_GOOD] = TEXT_VERIFY_GOOD,
    [VERIFICATION_BAD] = TEXT_VERIFY_BAD, [VERIFICATION_FAILED] = TEXT_VERIFY_FAILED,
};

static void put_result(struct page *p)
{
    struct verification_result v;
    struct html *h = &p->html;

    verification_look(p->request->service->verification, &v);
    if (v.state == VERIFICATION_NONE) {
        return;
    }
    if (v.state == VERIFICATION_BAD || v.state == VERIFICATION_FAILED) {
        HTML(h, "<p class=\"notice fault\">");
    } else {
        HTML(h, "<p class=\"notice\">");
    }
    html_time(h, v.ended_ns != 0 ? v.ended_ns : v.begun_ns);
    HTML(h, ": ");
    html_count(h, sentences[v.state], v.lines);
    HTML(h, " ");
    html_text(h, span_str(v.finding));
    HTML(h, "</p>");
}

static void put_verify(struct page *p)
{
    struct html *h = &p->html;

    HTML(h, "<section><h2>");
    html_word(h, TEXT_VERIFY);
    HTML(h, "</h2><p>");
    html_word(h, TEXT_VERIFY_HOW);
    HTML(h, "</p>");
    put_result(p);
    form_begin(p, "/record/verify", no_part);
    form_button(p, TEXT_VERIFY);
    form_end(p);
    form_begin(p, "/record/checkpoint", no_part);
    form_button(p, TEXT_CHECKPOINT_NOW);
    form_end(p);
    HTML(h, "</section>");
}

static void put_policy(struct page *p)
{
    const struct service *s = p->request->service;
    struct html *h = &p->html;
    struct error ignored;
    struct buf text;

    buf_init(&text, LOG_POLICY_MAX + NOTE_VKEY_MAX);
    if (s->signer.socket >= 0 && witnessed_policy(&s->witnessed, &s->signer, &text, &ignored)) {
        HTML(h, "<section><h2>");
        html_word(h, TEXT_LOG_POLICY);
        HTML(h, "</h2>");
        html_lines(h, buf_span(&text));
        HTML(h, "</section>");
    }
    buf_deinit(&text);
}

bool record_show(struct page *p, struct error *err)
{
    (void)err;
    put_verify(p);
    put_note(p, false);
    put_note(p, true);
    put_witnesses(p);
    put_policy(p);
    return true;
}

bool record_verify_post(struct page *p, struct error *err)
{
    struct service *s = p->request->service;
    struct checkpoint c;
    struct note_key key;
    struct buf note;

    buf_init(&note, NOTE_MAX);
    bool is_started = log_view_checkpoint(&s->witnessed.view, false, &note, err) && checkpoint_parse(buf_span(&note), &c, err) &&
                      signer_key(&s->signer, c.origin, &key, err) &&
                      verification_start(s->verification, &s->witnessed.view, &key, err);
    buf_deinit(&note);
    if (!is_started && err->kind == ERROR_DENIED) {
        return page_fault(p, 409, TEXT_FAULT_RUNS);
    }
    return is_started && page_redirect(p, "/record", no_part, TEXT_NOTICE_VERIFY);
}

bool record_checkpoint_post(struct page *p, struct error *err)
{
    return decision_log_checkpoint(p->request->service->log, err) && page_redirect(p, "/record", no_part, TEXT_NOTICE_CHECKPOINT);
}

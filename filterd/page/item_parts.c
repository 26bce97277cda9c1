#include "page/item_parts.h"

#include "page/parts.h"

void item_parts_address(struct html *h, struct span node, uint64_t seq)
{
    if (node.len == 0) {
        HTML(h, "/review/records/");
    } else {
        HTML(h, "/review/fleet/lines/");
        html_url(h, node);
        HTML(h, ".");
    }
    html_id(h, seq);
}

/* --- why it is here ----------------------------------------------------------------- */

static void put_term(struct html *h, enum text name, unsigned n)
{
    HTML(h, "<tr><th scope=\"row\">");
    html_word(h, name);
    HTML(h, "</th><td class=\"number\">");
    html_number(h, n);
    HTML(h, "</td></tr>");
}

void item_parts_priority(struct page *p, const struct review_item *i, int64_t now_ms)
{
    static const enum text whys[REVIEW_WHYS] = {TEXT_NONE,     TEXT_WHY_ACTION, TEXT_WHY_SEVERITY,
                                                TEXT_WHY_BAND, TEXT_WHY_EVENT,  TEXT_WHY_SAMPLE,
                                                TEXT_WHY_RULE_SAMPLE};
    struct html *h = &p->html;

    HTML(h, "<section class=\"panel\"><h2>");
    html_word(h, TEXT_WHY_HERE);
    HTML(h, "</h2><p>");
    html_word(h, i->why < REVIEW_WHYS ? whys[i->why] : TEXT_NONE);
    if (item_is_open(&i->item)) {
        HTML(h, " ");
        html_word(h, TEXT_DUE);
        HTML(h, ": ");
        part_due(h, i->due_ms, now_ms);
    }
    HTML(h, "</p><table><tbody>");
    put_term(h, TEXT_TERM_SEVERITY, i->priority.severity);
    put_term(h, TEXT_TERM_AGENT, i->priority.agent);
    put_term(h, TEXT_TERM_NOVELTY, i->priority.novelty);
    put_term(h, TEXT_TERM_UNCERTAINTY, i->priority.uncertainty);
    put_term(h, TEXT_TERM_PRECISION, i->priority.precision);
    put_term(h, TEXT_PRIORITY, i->priority.total);
    HTML(h, "</tbody></table></section>\n");
}

/* --- steps ------------------------------------------------------------------------------ */

void item_parts_step(struct page *p, const struct line_view *l, struct span node)
{
    static const enum text verbs[ITEM_VERBS] = {TEXT_NONE,      TEXT_DID_CLAIM,  TEXT_DID_RELEASE,  TEXT_DID_DISPOSE, TEXT_DID_REOPEN,
                                                TEXT_DID_UNDO,  TEXT_DID_ASSIGN, TEXT_DID_ESCALATE, TEXT_DID_SNOOZE,  TEXT_DID_NOTE};
    unsigned verb = item_verb_of(l->verb);
    struct html *h = &p->html;

    HTML(h, "<li>");
    html_time(h, l->ts_ns);
    HTML(h, " <b>");
    part_name(h, l->by);
    HTML(h, "</b> ");
    html_word(h, verb < ITEM_VERBS ? verbs[verb] : TEXT_NONE);
    if (verb == ITEM_DISPOSE) {
        HTML(h, " ");
        part_disposition(h, (enum item_disposition)item_disposition_of(l->disposition));
    }
    HTML(h, " ");
    part_name(h, l->assignee);
    HTML(h, " <small><a href=\"");
    item_parts_address(h, node, l->seq);
    HTML(h, "\">");
    html_count(h, TEXT_LINE_N, l->seq);
    HTML(h, "</a> ");
    part_name(h, l->note);
    HTML(h, "</small></li>");
}

/* --- answers ------------------------------------------------------------------------- */

static void put_other_steps(struct page *p)
{
    static const struct part_button snooze = {"do", "snooze", TEXT_SNOOZE, "s", NULL}, assign = {"do", "assign", TEXT_ASSIGN, NULL, NULL},
                                    escalate = {"do", "escalate", TEXT_ESCALATE, NULL, NULL}, note = {"do", "note", TEXT_ADD_NOTE, NULL, NULL};
    struct html *h = &p->html;

    HTML(h, "<details><summary>");
    html_word(h, TEXT_OTHER_STEPS);
    HTML(h, "</summary><div class=\"fields\"><div class=\"row\"><label class=\"field\">");
    html_word(h, TEXT_MORE_HITS);
    HTML(h, "<input type=\"number\" name=\"more\" min=\"1\" max=\"1000000\"></label><label class=\"field\">");
    html_word(h, TEXT_UNTIL_DATE);
    HTML(h, "<input type=\"date\" name=\"until\"></label>");
    part_button(h, &snooze);
    HTML(h, "</div><p class=\"muted\">");
    html_word(h, TEXT_SNOOZE_HELP);
    HTML(h, "</p><div class=\"row\"><label class=\"field\">");
    html_word(h, TEXT_PERSON);
    HTML(h, "<input type=\"text\" name=\"assignee\" autocomplete=\"off\" maxlength=\"64\"></label>");
    part_button(h, &assign);
    part_button(h, &escalate);
    part_button(h, &note);
    HTML(h, "</div></div></details>");
}

static void put_exception_link(struct page *p, const struct review_item *i)
{
    struct html *h = &p->html;

    HTML(h, "<a class=\"button end\" data-key=\"e\" href=\"/review/exceptions?item=");
    html_id(h, i->item.seq);
    HTML(h, "\">");
    html_word(h, TEXT_PROPOSE_EXCEPTION);
    HTML(h, " <kbd aria-hidden=\"true\">e</kbd></a>");
}

void item_parts_answers(struct page *p, const struct review_item *i, const char *path, bool can_propose)
{
    static const struct part_button reopen = {"do", "reopen", TEXT_REOPEN, NULL, NULL};
    struct html *h = &p->html;

    if (!caller_has(&p->caller, ROLE_REVIEWER)) {
        return;
    }
    HTML(h, "<section class=\"panel flush answer\">");
    form_begin(p, path, p->part);
    HTML(h, "<input type=\"hidden\" name=\"version\" value=\"");
    html_id(h, i->item.version);
    HTML(h, "\"><div class=\"inner\"><label class=\"field\">");
    html_word(h, TEXT_NOTE);
    HTML(h, "<textarea name=\"note\" maxlength=\"1024\" rows=\"2\"></textarea></label><p class=\"muted\">");
    html_word(h, TEXT_NOTE_HELP);
    HTML(h, "</p>");
    if (item_is_open(&i->item)) {
        put_other_steps(p);
    }
    HTML(h, "</div><div class=\"decide\" role=\"group\" aria-label=\"");
    html_word(h, TEXT_ANSWER);
    HTML(h, "\">");
    if (item_is_open(&i->item)) {
        part_answers(h, true);
        if (can_propose && !review_why_is_blind(i->why)) {
            put_exception_link(p, i);
        }
    } else {
        HTML(h, "<span>");
        part_disposition(h, i->item.disposition);
        HTML(h, "</span>");
        part_button(h, &reopen);
    }
    HTML(h, "</div>");
    form_end(p);
    HTML(h, "</section>\n");
}

void item_parts_group_answers(struct page *p, const char *path, bool has_open, bool is_settled)
{
    static const struct part_button snooze = {"do", "snooze", TEXT_SNOOZE, "s", NULL}, reopen = {"do", "reopen", TEXT_REOPEN, NULL, NULL};
    struct html *h = &p->html;

    if (!caller_has(&p->caller, ROLE_REVIEWER)) {
        return;
    }
    HTML(h, "<section class=\"panel flush\"><h2>");
    html_word(h, TEXT_ANSWER_GROUP);
    HTML(h, "</h2>");
    form_begin(p, path, p->part);
    HTML(h, "<div class=\"inner row\"><label class=\"field\">");
    html_word(h, TEXT_MORE_HITS);
    HTML(h, "<input type=\"number\" name=\"more\" min=\"1\" max=\"1000000\"></label><label class=\"field\">");
    html_word(h, TEXT_UNTIL_DATE);
    HTML(h, "<input type=\"date\" name=\"until\"></label>");
    part_button(h, &snooze);
    HTML(h, "</div><div class=\"decide\">");
    if (has_open) {
        part_answers(h, false);
    }
    if (is_settled) {
        part_button(h, &reopen);
    }
    HTML(h, "</div>");
    form_end(p);
    HTML(h, "</section>\n");
}

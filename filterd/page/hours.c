#include "page/rows.h"

#include <time.h>

#include "base/clock.h"
#include "page/parts.h"

enum { HOUR_MS = 3600 * 1000 };

static bool take_count(void *context, const struct index_tally_row *row, struct error *err)
{
    struct hours *hours = context;

    (void)err;
    if (row->hour >= hours->first && row->hour < hours->first + HOURS_SHOWN) {
        struct chart_bar *bar = &hours->bars[row->hour - hours->first];
        bar->block += row->action == INDEX_BLOCK ? row->n : 0;
        bar->redact += row->action == INDEX_REDACT ? row->n : 0;
    }
    return true;
}

static void put_hour_link(struct html *h, int64_t hour)
{
    time_t begin = (time_t)hour * 3600, end = begin + 3600;
    char since[32] = "", until[32] = "";
    struct tm t;

    if (gmtime_r(&begin, &t) != NULL) {
        (void)strftime(since, sizeof(since), "%Y-%m-%dT%H:%M:%SZ", &t);
    }
    if (gmtime_r(&end, &t) != NULL) {
        (void)strftime(until, sizeof(until), "%Y-%m-%dT%H:%M:%SZ", &t);
    }
    HTML(h, "<a href=\"/review/records?query=action%3Ablock%2Credact%20since%3A");
    html_url(h, span_str(since));
    HTML(h, "%20until%3A");
    html_url(h, span_str(until));
    HTML(h, "\">");
    html_time(h, (int64_t)begin * 1000000000);
    HTML(h, "</a>");
}

static void put_hours_table(struct html *h, const struct hours *hours)
{
    HTML(h, "<details><summary>");
    html_word(h, TEXT_AS_TABLE);
    HTML(h, "</summary><table><thead><tr><th scope=\"col\">");
    html_word(h, TEXT_HOUR);
    HTML(h, "</th><th scope=\"col\" class=\"number\">");
    html_word(h, TEXT_BLOCK);
    HTML(h, "</th><th scope=\"col\" class=\"number\">");
    html_word(h, TEXT_REDACT);
    HTML(h, "</th></tr></thead><tbody>");
    for (int i = HOURS_SHOWN - 1; i >= 0; i--) {
        if (hours->bars[i].block + hours->bars[i].redact == 0) {
            continue;
        }
        HTML(h, "<tr><th scope=\"row\">");
        put_hour_link(h, hours->first + i);
        HTML(h, "</th><td class=\"number\">");
        html_number(h, hours->bars[i].block);
        HTML(h, "</td><td class=\"number\">");
        html_number(h, hours->bars[i].redact);
        HTML(h, "</td></tr>");
    }
    HTML(h, "</tbody></table></details>");
}

void hours_put(struct html *h, const struct hours *hours)
{
    uint64_t blocks = 0, redactions = 0;

    for (size_t i = 0; i < HOURS_SHOWN; i++) {
        blocks += hours->bars[i].block;
        redactions += hours->bars[i].redact;
    }
    if (blocks + redactions == 0) {
        return;
    }
    HTML(h, "<section class=\"panel\"><div class=\"legend\"><h2>");
    html_word(h, TEXT_HELD_BACK);
    HTML(h, "</h2><span>");
    part_verdict(h, INDEX_BLOCK);
    HTML(h, " ");
    html_number(h, blocks);
    HTML(h, " ");
    part_verdict(h, INDEX_REDACT);
    HTML(h, " ");
    html_number(h, redactions);
    HTML(h, "</span></div>");
    chart_bars(h, hours->bars, HOURS_SHOWN, TEXT_CHART_HOURS);
    HTML(h, "<div class=\"legend\"><span>");
    html_time(h, hours->first * 3600 * 1000000000);
    HTML(h, "</span><span>");
    html_word(h, TEXT_NOW);
    HTML(h, "</span></div>");
    put_hours_table(h, hours);
    HTML(h, "</section>\n");
}

bool hours_show(struct page *p, struct index_reader *r, struct span rule, struct error *err)
{
    struct hours hours = {.first = clock_utc_ns() / 1000000 / HOUR_MS - HOURS_SHOWN + 1};
    const struct index_tally_query q = {.by = INDEX_BY_HOUR | INDEX_BY_ACTION, .from_hour = hours.first, .end_hour = hours.first + HOURS_SHOWN,
                                        .tenant = p->caller.tenant[0] == '\0' ? span_of(NULL, 0) : span_str(p->caller.tenant),
                                        .rule = rule, .action = INDEX_NO_ACTION};

    if (!index_tally_read(r, &q, take_count, &hours, err)) {
        return false;
    }
    hours_put(&p->html, &hours);
    return true;
}

/* report_events.h - what counts against a run, in its report. For report.c. */
#ifndef FILTERD_JAIL_REPORT_REPORT_EVENTS_H
#define FILTERD_JAIL_REPORT_REPORT_EVENTS_H

#include "base/buf.h"
#include "jail/launcher/event.h"

/* Appends ,"events":{…} with how often each kind came, and the first JAIL_EVENTS_MAX one by one. */
MUST_CHECK bool jail_report_append_events(const struct jail_events *e, struct buf *out, struct error *err);

#endif

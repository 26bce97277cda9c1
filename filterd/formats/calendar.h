/* calendar.h - dates of the Gregorian calendar. */
#ifndef FILTERD_FORMATS_CALENDAR_H
#define FILTERD_FORMATS_CALENDAR_H

#include <stdbool.h>

bool calendar_has_date(unsigned year, unsigned month, unsigned day);
/* With a year of two digits: true when 19yy or 20yy has the date. */
bool calendar_has_short_date(unsigned year, unsigned month, unsigned day);

#endif

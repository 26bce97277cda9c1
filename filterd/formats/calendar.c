#include "formats/calendar.h"

static bool is_leap(unsigned year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

bool calendar_has_date(unsigned year, unsigned month, unsigned day)
{
    static const unsigned char days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

    if (month < 1 || month > 12 || day < 1) {
        return false;
    }
    return day <= days[month - 1] + (month == 2 && is_leap(year) ? 1u : 0u);
}

bool calendar_has_short_date(unsigned year, unsigned month, unsigned day)
{
    return calendar_has_date(1900 + year, month, day) || calendar_has_date(2000 + year, month, day);
}

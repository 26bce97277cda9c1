#include "formats/top_level_domains.h"

#include "base/ascii.h"

#include <stdlib.h>


enum { LABEL_MAX = 63 };

/* Sorted. Country codes in full; of the generic domains those that people and companies use. */
static const char *const domains[] = {
    "ac", "academy", "accountant", "accountants", "actor", "ad", "ads", "ae", "aero", "af", "ag",
    "agency", "ai", "airforce", "al", "am", "amazon", "ao", "apartments", "app", "apple", "aq",
    "ar", "archi", "army", "arpa", "art", "as", "asia", "associates", "at", "attorney", "au",
    "auction", "audi", "audio", "auto", "autos", "aw", "aws", "ax", "az", "azure", "ba", "baby",
    "band", "bank", "bar", "bargains", "basketball", "bayern", "bb", "bbc", "bd", "be", "beauty",
    "beer", "berlin", "best", "bet", "bf", "bg", "bh", "bi", "bid", "bike", "bingo", "bio", "biz",
    "bj", "black", "blog", "blue", "bm", "bmw", "bn", "bo", "boats", "bond", "boo", "book",
    "boston", "bot", "boutique", "box", "br", "broker", "brussels", "bs", "bt", "build",
    "builders", "business", "buzz", "bv", "bw", "by", "bz", "bzh", "ca", "cab", "cafe", "cam",
    "camera", "camp", "canon", "capetown", "capital", "car", "cards", "care", "career", "careers",
    "cars", "casa", "cash", "casino", "cat", "catering", "cc", "cd", "center", "ceo", "cf", "cg",
    "ch", "charity", "chat", "cheap", "christmas", "church", "ci", "cisco", "citi", "city", "ck",
    "cl", "claims", "cleaning", "click", "clinic", "clothing", "cloud", "club", "cm", "cn", "co",
    "coach", "codes", "coffee", "college", "cologne", "com", "community", "company", "computer",
    "condos", "construction", "consulting", "contact", "contractors", "cooking", "cool", "coop",
    "corsica", "country", "coupons", "courses", "cr", "credit", "creditcard", "cricket", "cruises",
    "cu", "cv", "cw", "cx", "cy", "cyou", "cz", "dad", "dance", "date", "dating", "day", "de",
    "deals", "degree", "delivery", "dell", "democrat", "dental", "dentist", "desi", "design",
    "dev", "diamonds", "diet", "digital", "direct", "directory", "discount", "diy", "dj", "dk",
    "dm", "do", "doctor", "dog", "domains", "download", "durban", "dz", "earth", "eat", "ec",
    "eco", "edu", "education", "ee", "eg", "email", "energy", "engineer", "engineering",
    "enterprises", "equipment", "er", "es", "esq", "estate", "et", "eu", "eus", "events",
    "exchange", "expert", "exposed", "express", "fail", "faith", "family", "fan", "fans", "farm",
    "fashion", "fedex", "feedback", "fi", "film", "finance", "financial", "fish", "fishing", "fit",
    "fitness", "fj", "fk", "flights", "florist", "flowers", "fly", "fm", "fo", "foo", "food",
    "football", "ford", "forex", "forsale", "forum", "foundation", "fr", "frl", "fun", "fund",
    "furniture", "futbol", "fyi", "ga", "gal", "gallery", "game", "games", "garden", "gay", "gb",
    "gd", "gdn", "ge", "gent", "gf", "gg", "gh", "gi", "gift", "gifts", "gives", "giving", "gl",
    "glass", "global", "gm", "gmail", "gmbh", "gn", "gold", "golf", "google", "gov", "gp", "gq",
    "gr", "graphics", "gratis", "green", "gripe", "group", "gs", "gt", "gu", "guide", "guitars",
    "guru", "gw", "gy", "hair", "hamburg", "haus", "health", "healthcare", "help", "helsinki",
    "here", "hiphop", "hiv", "hk", "hm", "hn", "hockey", "holdings", "holiday", "homes", "horse",
    "hospital", "host", "hosting", "hot", "house", "how", "hr", "hsbc", "ht", "hu", "ibm", "icu",
    "id", "ie", "il", "im", "immo", "immobilien", "in", "inc", "industries", "info", "ing", "ink",
    "institute", "insurance", "insure", "int", "international", "investments", "io", "iq", "ir",
    "irish", "is", "ist", "istanbul", "it", "je", "jetzt", "jewelry", "jm", "jo", "jobs", "joburg",
    "jp", "jpmorgan", "juegos", "kaufen", "ke", "kg", "kh", "ki", "kids", "kim", "kitchen", "kiwi",
    "km", "kn", "koeln", "kp", "kr", "krd", "kw", "ky", "kyoto", "kz", "la", "land", "lat", "law",
    "lawyer", "lb", "lc", "lease", "legal", "lego", "lgbt", "li", "life", "lifestyle", "lighting",
    "limited", "limo", "link", "live", "living", "lk", "llc", "llp", "loan", "loans", "locker",
    "lol", "london", "lotto", "love", "lr", "ls", "lt", "ltd", "ltda", "lu", "luxe", "luxury",
    "lv", "ly", "ma", "madrid", "maison", "makeup", "management", "mango", "market", "marketing",
    "markets", "mba", "mc", "md", "me", "media", "melbourne", "meme", "memorial", "men", "menu",
    "mg", "mh", "miami", "microsoft", "mil", "mit", "mk", "ml", "mm", "mn", "mo", "mobi", "mobile",
    "moda", "moe", "moi", "mom", "money", "monster", "mortgage", "moscow", "moto", "motorcycles",
    "mov", "movie", "mp", "mq", "mr", "ms", "mt", "mu", "museum", "mv", "mw", "mx", "my", "mz",
    "na", "nagoya", "name", "navy", "nc", "ne", "net", "network", "new", "news", "nexus", "nf",
    "ng", "ngo", "ni", "nike", "ninja", "nl", "no", "nokia", "now", "np", "nr", "nrw", "nu", "nyc",
    "nz", "observer", "office", "okinawa", "om", "one", "ong", "onl", "online", "ooo", "oracle",
    "org", "organic", "osaka", "pa", "page", "paris", "partners", "parts", "party", "pe", "pet",
    "pf", "pg", "ph", "phd", "photo", "photography", "photos", "physio", "pics", "pictures",
    "pink", "pizza", "pk", "pl", "place", "play", "plumbing", "plus", "pm", "pn", "poker", "porn",
    "post", "pr", "press", "prime", "pro", "prod", "productions", "prof", "promo", "properties",
    "property", "ps", "pt", "pub", "pw", "py", "qa", "quebec", "racing", "radio", "re",
    "realestate", "realtor", "realty", "recipes", "red", "rehab", "reise", "reisen", "ren", "rent",
    "rentals", "repair", "report", "republican", "rest", "restaurant", "review", "reviews", "rich",
    "rip", "ro", "rocks", "rodeo", "rs", "rsvp", "ru", "rugby", "ruhr", "run", "rw", "ryukyu",
    "sa", "saarland", "sale", "salon", "samsung", "sap", "sarl", "save", "sb", "sc", "school",
    "schule", "science", "scot", "sd", "se", "secure", "security", "select", "services", "sex",
    "sexy", "sg", "sh", "shell", "shiksha", "shoes", "shop", "shopping", "show", "si", "singles",
    "site", "sj", "sk", "ski", "skin", "sky", "sl", "sm", "sn", "so", "soccer", "social",
    "software", "solar", "solutions", "sony", "soy", "spa", "space", "sport", "spot", "sr", "ss",
    "st", "stockholm", "storage", "store", "stream", "studio", "study", "style", "su", "sucks",
    "supplies", "supply", "support", "surf", "surgery", "sv", "swiss", "sx", "sy", "sydney",
    "systems", "sz", "taipei", "tattoo", "tax", "taxi", "tc", "td", "team", "tech", "technology",
    "tel", "tennis", "tf", "tg", "th", "theater", "theatre", "tickets", "tienda", "tips", "tires",
    "tirol", "tj", "tk", "tl", "tm", "tn", "to", "today", "tokyo", "tools", "top", "tours", "town",
    "toyota", "toys", "tr", "trade", "trading", "training", "travel", "tt", "tube", "tv", "tw",
    "tz", "ua", "ug", "uk", "university", "uno", "us", "uy", "uz", "va", "vacations", "vc", "ve",
    "vegas", "ventures", "versicherung", "vet", "vg", "vi", "viajes", "video", "villas", "vin",
    "vip", "visa", "vision", "vlaanderen", "vn", "vodka", "vote", "voting", "voto", "voyage", "vu",
    "wales", "walmart", "wang", "watch", "watches", "weather", "webcam", "website", "wedding",
    "wf", "whoswho", "wien", "wiki", "win", "wine", "work", "works", "world", "wow", "ws", "wtf",
    "xbox", "xerox", "xxx", "xyz", "yachts", "yahoo", "ye", "yoga", "yokohama", "you", "youtube",
    "yt", "za", "zara", "zip", "zm", "zone", "zuerich", "zw",
};

/* What ends files, and what ends member accesses in code. Poland, India, Armenia, Israel and the
 * like have more names than their endings have files. */
static const char *const other_endings[] = {
    "ac",     "am",   "as",         "bz",       "cc",     "date", "do",     "fail",   "here",
    "how",    "la",   "md",         "mk",       "ml",     "mm",   "mov",    "ms",     "name",
    "parts",  "pm",   "post",       "prime",    "prod",   "properties", "property", "ps",
    "pub",    "py",   "report",     "rs",       "save",   "sc",   "select", "sh",     "so",
    "st",     "stream", "style",    "tf",       "zip",
};

static int compare_label(const void *key, const void *element)
{
    return strcmp(key, *(const char *const *)element);
}

/* The label in lower case with a NUL behind it; false when it cannot be one. */
static bool read_label(struct span label, char out[LABEL_MAX + 1])
{
    if (label.len < 2 || label.len > LABEL_MAX) {
        return false;
    }
    for (size_t i = 0; i < label.len; i++) {
        if (label.ptr[i] == '\0') {
            return false;
        }
        out[i] = ascii_lower(label.ptr[i]);
    }
    out[label.len] = '\0';
    return true;
}

static bool is_international(const char *label)
{
    bool has_wide = false;

    for (const char *c = label; *c != '\0'; c++) {
        has_wide = has_wide || ((unsigned char)*c & 0x80u) != 0;
    }
    return has_wide || (strncmp(label, "xn--", 4) == 0 && strlen(label) >= 7);
}

bool top_level_domain_is(struct span label)
{
    char lower[LABEL_MAX + 1];

    if (!read_label(label, lower)) {
        return false;
    }
    return is_international(lower) ||
           bsearch(lower, domains, COUNT(domains), sizeof(domains[0]), compare_label) != NULL;
}

bool top_level_domain_ends_files(struct span label)
{
    char lower[LABEL_MAX + 1];

    return read_label(label, lower) && bsearch(lower, other_endings, COUNT(other_endings),
                                               sizeof(other_endings[0]), compare_label) != NULL;
}

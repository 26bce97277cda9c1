/* names_slots.c - the values of the slots in templates. */
#include "classifiers/tagger_features.h"
#include "classifiers/train/tagger/names_titles.h"

static void write_company(struct writer *w)
{
    static const char *const ends[] = {" Inc.", " Ltd",  " & Co.",    " Group",    " GmbH",
                                       " LLC",  " Bank", " Software", " Partners", " University"};

    made_write_span(w, made_by_chance(w, 50) ? made_one_of(&w->pool->census.surnames, w->random)
                                             : made_one_of(&w->pool->cities, w->random));
    made_write_str(w, ends[random_below(w->random, COUNT(ends))]);
}

static void write_email(struct writer *w)
{
    size_t from = w->len;

    made_write_span(w, made_one_of(&w->pool->census.given, w->random));
    made_write_str(w, made_by_chance(w, 50) ? "." : "_");
    made_write_span(w, made_one_of(&w->pool->census.surnames, w->random));
    made_change_case(w->text, from, w->len, false);
    made_write_str(w, "@mail.example");
}

static void write_date(struct writer *w)
{
    static const char *const months[] = {"January",   "February", "March",    "April",
                                         "May",       "June",     "July",     "August",
                                         "September", "October",  "November", "December"};
    char date[40];
    unsigned day = 1 + random_below(w->random, 28);
    unsigned month = random_below(w->random, 12);
    unsigned year = 1950 + random_below(w->random, 76);
    uint32_t form = random_below(w->random, 4);

    if (form == 0) {
        (void)snprintf(date, sizeof(date), "%u-%02u-%02u", year, month + 1, day);
    } else if (form == 1) {
        (void)snprintf(date, sizeof(date), "%02u/%02u/%u", month + 1, day, year);
    } else if (form == 2) {
        (void)snprintf(date, sizeof(date), "%s %u, %u", months[month], day, year);
    } else {
        (void)snprintf(date, sizeof(date), "%u %s %u", day, months[month], year);
    }
    made_write_str(w, date);
}

static void write_number(struct writer *w, unsigned digits)
{
    for (unsigned i = 0; i < digits; i++) {
        char digit[2] = {(char)('1' + random_below(w->random, 9)), '\0'};
        made_write_str(w, digit);
    }
}

static void write_phone(struct writer *w)
{
    made_write_str(w, made_by_chance(w, 50) ? "+1 555 " : "(555) ");
    write_number(w, 3);
    made_write_str(w, "-");
    write_number(w, 4);
}

static void write_title(struct writer *w)
{
    static const char *const titles[] = {"Mr.", "Mrs.", "Ms.", "Dr.",  "Prof.", "Mr",
                                         "Mrs", "Ms",   "Dr",  "Miss", "Sir"};

    made_write_str(w, titles[random_below(w->random, COUNT(titles))]);
}

static void write_role(struct writer *w)
{
    static const char *const roles[] = {
        "Borrower", "Borrowers",   "Lender",   "Lenders",  "Agent",      "Bank",       "Company",
        "Issuer",   "Trustee",     "Holder",   "Holders",  "Subsidiary", "Guarantor",  "Seller",
        "Buyer",    "Purchaser",   "Tenant",   "Landlord", "Employee",   "Contractor", "Licensee",
        "Licensor", "Shareholder", "Servicer", "Lien",     "Liens",      "Creditor",   "Creditors",
        "Party",    "Parties",     "Customer", "Supplier", "Grantor",    "Vendor",     "Client",
        "BORROWER", "LENDER",      "BANK",     "AGENT",    "COMPANY"};

    made_write_str(w, roles[random_below(w->random, COUNT(roles))]);
}

/* Words that contracts write with capitals; some of them are surnames, too. */
static const char *const terms[] = {"Collateral",
                                    "Note",
                                    "Notes",
                                    "Lease",
                                    "Account",
                                    "Certificate",
                                    "Investment",
                                    "Investments",
                                    "Principal",
                                    "Interest",
                                    "Loan",
                                    "Loans",
                                    "Closing",
                                    "Premises",
                                    "Security",
                                    "Maturity Date",
                                    "Price",
                                    "Page",
                                    "Notice",
                                    "Default",
                                    "Claim",
                                    "Claims",
                                    "Rate",
                                    "Law",
                                    "Court",
                                    "Section",
                                    "Article",
                                    "Schedule",
                                    "Exhibit",
                                    "Clause",
                                    "Bond",
                                    "Bill",
                                    "Share",
                                    "Shares",
                                    "Stock",
                                    "Warrant",
                                    "Term",
                                    "Terms",
                                    "Fee",
                                    "Fees",
                                    "Grant",
                                    "Royalty",
                                    "Products",
                                    "Services",
                                    "Software",
                                    "Equipment",
                                    "Inventory",
                                    "Goods",
                                    "Code",
                                    "Act",
                                    "Register",
                                    "Commitment",
                                    "Advance",
                                    "Advances",
                                    "Guaranty",
                                    "Pledge",
                                    "Trust",
                                    "Title",
                                    "Property",
                                    "Land",
                                    "Rent",
                                    "Deposit",
                                    "Plan",
                                    "Option",
                                    "Options",
                                    "Award",
                                    "Person",
                                    "Persons",
                                    "Affiliate",
                                    "Affiliates",
                                    "Control",
                                    "Change",
                                    "Grace Period",
                                    "Effective Date",
                                    "Business Day",
                                    "Parent",
                                    "Subsidiaries",
                                    "Successor",
                                    "Permitted Lien",
                                    "Insolvency",
                                    "Equity Interest",
                                    "Exclusive Option",
                                    "Board",
                                    "Director"};

static void write_term(struct writer *w)
{
    made_write_str(w, terms[random_below(w->random, COUNT(terms))]);
}

static void write_state(struct writer *w)
{
    static const char *const states[] = {
        "Massachusetts", "California", "New York",  "Texas",  "Delaware",   "Illinois", "Ohio",
        "Virginia",      "Georgia",    "Michigan",  "Oregon", "Washington", "Nevada",   "Maryland",
        "New Jersey",    "Florida",    "Tennessee", "MA",     "CA",         "NY",       "TX",
        "England",       "Ontario",    "Scotland",  "Wales",  "Bavaria",    "Jamaica",  "Jordan"};

    made_write_str(w, states[random_below(w->random, COUNT(states))]);
}

/* Named after people, as many streets are. */
static void write_street(struct writer *w)
{
    static const char *const ends[] = {" Street", " Drive",  " Road",     " Avenue", " Lane",
                                       " Square", " Court",  " Building", " House",  " Center",
                                       " Park",   " Bridge", " Hall",     " Hotel",  " Hospital",
                                       " School", " Stadium"};

    made_write_span(w, made_by_chance(w, 70) ? made_one_of(&w->pool->census.surnames, w->random)
                                             : made_one_of(&w->pool->census.given, w->random));
    made_write_str(w, ends[random_below(w->random, COUNT(ends))]);
}

/* Partners: their names, but no person's. */
static void write_firm(struct writer *w)
{
    static const char *const ends[] = {"", " LLP", " LLC", " L.L.P.", " Ltd.", " Co.", " P.C."};
    bool are_three = made_by_chance(w, 40);

    made_write_span(w, made_one_of(&w->pool->census.surnames, w->random));
    if (are_three) {
        made_write_str(w, ", ");
        made_write_span(w, made_one_of(&w->pool->census.surnames, w->random));
    }
    made_write_str(w, made_by_chance(w, 80) ? " & " : " and ");
    made_write_span(w, made_one_of(&w->pool->census.surnames, w->random));
    made_write_str(w, ends[are_three + random_below(w->random, COUNT(ends) - 1)]);
}

static void write_any_number(struct writer *w)
{
    write_number(w, 1 + random_below(w->random, 8));
}

static void write_city(struct writer *w)
{
    made_write_span(w, made_one_of(&w->pool->cities, w->random));
}

/* --- slots ------------------------------------------------------------------------ */

static bool write_name(struct writer *w, char slot, const struct people *p)
{
    if (slot == 'N') {
        made_write_full_name(w, p);
    } else if (slot == 'G') {
        made_write_span(w, made_one_of(&p->given, w->random));
    } else if (slot == 'S') {
        made_write_surname(w, p);
    } else if (slot == 'H') {
        write_titled_name(w, p);
    } else {
        return false;
    }
    return true;
}

void made_write_slot(struct writer *w, char slot, const struct people *p)
{
    static const struct {
        char slot;
        void (*write)(struct writer *w);
        uint32_t label; /* 0: no name of anything */
    } others[] = {{'C', write_city, TAGGER_PLACE_BEGINS},
                  {'A', write_street, TAGGER_PLACE_BEGINS},
                  {'U', write_state, TAGGER_PLACE_BEGINS},
                  {'O', write_company, TAGGER_ORGANISATION_BEGINS},
                  {'F', write_firm, TAGGER_ORGANISATION_BEGINS},
                  {'D', write_date, 0},
                  {'E', write_email, 0},
                  {'P', write_phone, 0},
                  {'R', write_role, 0},
                  {'W', write_term, 0},
                  {'T', write_title, 0},
                  {'I', write_any_number, 0}};
    size_t from = w->len;
    uint32_t label = 0;

    if (write_name(w, slot, p)) {
        made_add_mark(w, from, TAGGER_PERSON_BEGINS);
        return;
    }
    if (made_write_not_name(w, slot, &label)) {
        if (label != 0) {
            made_add_mark(w, from, label);
        }
        return;
    }
    for (size_t i = 0; i < COUNT(others); i++) {
        if (others[i].slot == slot) {
            others[i].write(w);
            if (others[i].label != 0) {
                made_add_mark(w, from, others[i].label);
            }
            return;
        }
    }
    give_up("templates: $%c is no slot", slot);
}

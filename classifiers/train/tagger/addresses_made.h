/* addresses_made.h - addresses of many countries that are made, not found: templates filled from
 * the lists, in sentences, forms and alone.
 *
 * For the training programs; the same seed gives the same texts. */
#ifndef FILTERD_CLASSIFIERS_TRAIN_TAGGER_ADDRESSES_MADE_H
#define FILTERD_CLASSIFIERS_TRAIN_TAGGER_ADDRESSES_MADE_H

#include "classifiers/train/tagger/names_made.h"

/* Marks of a whole address beside those of its parts, which come first. */
enum { LABEL_WHOLE = 101 };

/* addresses_templates_table.c. A template of an address has its parts in brackets, each with its
 * label: N number, S street, U unit, B box, P place, R region or country, Z postcode, O other.
 * Within, # is a digit, % a digit other than 0, @ a capital letter, ^ a number sign, $c a city of
 * the country, $s a surname of it, $g a given name, $d a direction. */
struct address_country {
    const char *code;    /* of the name lists */
    const char *country; /* as world_cities.tsv has it */
    const char *forms[12];
    bool is_for_testing; /* not trained on */
};
extern const struct address_country address_countries[];
extern const size_t n_address_countries;

/* Texts with $A where an address stands. */
extern const char *const address_carriers[];
extern const size_t n_address_carriers;
/* The same, not trained on. */
extern const char *const address_test_carriers[];
extern const size_t n_address_test_carriers;
/* Texts with numbers and capitals that hold no address. */
extern const char *const address_decoys[];
extern const size_t n_address_decoys;

struct address_pool {
    struct name_pool *names;
    struct words *cities; /* of each country of the table */
};
void address_pool_read(struct address_pool *pool, struct name_pool *names, const char *folder);

/* n addresses of countries for training or for testing, each within a carrier for the same; group:
 * which country. */
void make_addresses(const struct address_pool *pool, bool for_testing, size_t n, uint64_t seed,
                    struct examples *all);
void make_decoys(const struct address_pool *pool, size_t n, uint64_t seed, struct examples *all);
/* The marked US addresses; group 0 to 4: a fifth each. */
void read_us_addresses(const char *folder, struct examples *all);
/* The address in a carrier. */
struct example carried(const struct address_pool *pool, const struct example *address,
                       bool for_testing, uint64_t *random);

#endif

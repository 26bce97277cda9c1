/* program.c - libfilterd(3)'s example as a program: judges its standard input, prints what may be delivered. */
#include <filterd.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    static char text[65536];
    struct filterd_options options = {.size = sizeof(options), .cache = argc > 1 ? argv[1] : NULL};
    char error[FILTERD_ERROR_MAX];
    filterd_engine *engine = filterd_open(&options, error, sizeof(error));
    filterd_worker *worker = engine != NULL ? filterd_worker_new(engine) : NULL;
    struct filterd_verdict verdict = {.size = sizeof(verdict)};

    if (worker == NULL) {
        fprintf(stderr, "%s\n", engine == NULL ? error : "no memory");
        return 2;
    }
    int action = filterd_judge(worker, text, fread(text, 1, sizeof(text), stdin), 0, &verdict);
    const char *rule = verdict.rule == FILTERD_NO_RULE ? "-" : filterd_rule_name(engine, verdict.rule);
    printf("%s %s %.*s", filterd_action_name((uint8_t)action), rule, (int)verdict.text_length, verdict.text != NULL ? verdict.text : "");
    filterd_worker_free(worker);
    filterd_close(engine);
    return 0;
}

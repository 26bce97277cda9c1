#include "jail/launcher/environment.h"

static const char *find(char *const *own, const char *name)
{
    size_t len = strlen(name);

    for (; *own != NULL; own++) {
        if (strncmp(*own, name, len) == 0 && (*own)[len] == '=') {
            return *own + len + 1;
        }
    }
    return NULL;
}

static bool is_named(const struct jail_policy *p, const char *name)
{
    for (size_t i = 0; i < p->n_variables; i++) {
        if (strcmp(p->variables[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static bool add(char **list, size_t *n, struct arena *a, const struct jail_variable *v, struct error *err)
{
    size_t size = strlen(v->name) + strlen(v->value) + 2;
    char *text = arena_alloc(a, size, err);

    if (text == NULL) {
        return false;
    }
    (void)snprintf(text, size, "%s=%s", v->name, v->value);
    list[(*n)++] = text;
    return true;
}

char **jail_environment(const struct jail_policy *p, char *const *own, struct arena *a, struct error *err)
{
    const struct jail_variable expected[] = {{.name = "PATH", .value = "/usr/local/bin:/usr/bin:/bin"},
                                             {.name = "HOME", .value = p->work_path},
                                             {.name = "USER", .value = "agent"},
                                             {.name = "LOGNAME", .value = "agent"},
                                             {.name = "LANG", .value = "C.UTF-8"}};
    char **list = arena_array(a, p->n_variables + COUNT(expected) + 1, sizeof(*list), err);
    size_t n = 0;

    if (list == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < COUNT(expected); i++) {
        if (!is_named(p, expected[i].name) && !add(list, &n, a, &expected[i], err)) {
            return NULL;
        }
    }
    for (size_t i = 0; i < p->n_variables; i++) {
        struct jail_variable v = p->variables[i];
        v.value = v.value == NULL ? find(own, v.name) : v.value;
        if (v.value != NULL && !add(list, &n, a, &v, err)) {
            return NULL;
        }
    }
    list[n] = NULL;
    return list;
}

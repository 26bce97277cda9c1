#include "jail/root/environment.h"

#include "jail/root/trust.h"

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

struct list {
    char **items;
    size_t n;
    struct arena *arena;
};

static bool add(struct list *l, const struct jail_variable *v, struct error *err)
{
    size_t size = strlen(v->name) + strlen(v->value) + 2;
    char *text = arena_alloc(l->arena, size, err);

    if (text == NULL) {
        return false;
    }
    (void)snprintf(text, size, "%s=%s", v->name, v->value);
    l->items[l->n++] = text;
    return true;
}

/* Those that the policy says nothing about. */
static bool add_expected(struct list *l, const struct jail_policy *p, const struct jail_variable *expected, size_t n,
                         struct error *err)
{
    for (size_t i = 0; i < n; i++) {
        if (!is_named(p, expected[i].name) && !add(l, &expected[i], err)) {
            return false;
        }
    }
    return true;
}

char **jail_environment(const struct jail_policy *p, char *const *own, bool has_authority, struct arena *a,
                        struct error *err)
{
    const struct jail_variable expected[] = {{.name = "PATH", .value = "/usr/local/bin:/usr/bin:/bin"},
                                             {.name = "HOME", .value = p->work_path},
                                             {.name = "USER", .value = "agent"},
                                             {.name = "LOGNAME", .value = "agent"},
                                             {.name = "LANG", .value = "C.UTF-8"}};
    size_t room = p->n_variables + COUNT(expected) + JAIL_TRUST_VARIABLES + 1;
    struct list l = {.items = arena_array(a, room, sizeof(*l.items), err), .arena = a};

    if (l.items == NULL || !add_expected(&l, p, expected, COUNT(expected), err) ||
        (has_authority && !add_expected(&l, p, jail_trust_variables, JAIL_TRUST_VARIABLES, err))) {
        return NULL;
    }
    for (size_t i = 0; i < p->n_variables; i++) {
        struct jail_variable v = p->variables[i];
        v.value = v.value == NULL ? find(own, v.name) : v.value;
        if (v.value != NULL && !add(&l, &v, err)) {
            return NULL;
        }
    }
    l.items[l.n] = NULL;
    return l.items;
}

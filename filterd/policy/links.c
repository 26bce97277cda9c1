#include "policy/links.h"

#include "formats/web_url.h"
#include "policy/policy_read.h"

/* --- the key -------------------------------------------------------------- */

static bool read_host(const struct field_reader *r, const struct yaml_node *item, void *out, struct error *err)
{
    const struct span below = span_str("*.");
    struct span *host = out;
    struct span text, name;

    if (!yaml_read_text(item, &text, err)) {
        return false;
    }
    size_t from = span_starts_with(text, below) ? below.len : 0;
    if (!web_url_host(r->arena, span_slice(text, from, text.len), &name, err)) {
        return false;
    }
    if (name.len == 0 || memchr(text.ptr + from, '%', text.len - from) != NULL) {
        return yaml_expected(item, err, "a host such as example.com, or *.example.com for those below it");
    }
    char *bytes = arena_alloc(r->arena, from + name.len, err);
    if (bytes == NULL) {
        return false;
    }
    memcpy(bytes, below.ptr, from);
    memcpy(bytes + from, name.ptr, name.len);
    *host = span_of(bytes, from + name.len);
    return true;
}

static const char *const loads[] = {"none", "allowed", NULL};
static const struct field_type hosts_type = {"text list", fields_read_items, read_host, sizeof(struct span)};

#define AT(member) FIELD_AT(struct policy_links, member)
const struct field policy_links_fields[] = {
    {"allow", &hosts_type, FIELD_LIST_AT(struct policy_links, allow.items, allow.n), .initial = NULL},
    {"load", &field_choice, AT(load), .names = loads, .initial = "none"},
    {0},
};
#undef AT

static bool read_links(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                       struct error *err)
{
    struct policy_links *links = arena_array(r->arena, 1, sizeof(*links), err);

    if (links == NULL) {
        return false;
    }
    *links = (struct policy_links){0};
    if (!yaml_expect(node, YAML_MAPPING, f->name, err) || !fields_read(r, f->fields, node, links, err)) {
        return false;
    }
    *(const struct policy_links **)out = links;
    return true;
}

const struct field_type policy_links_type = {"mapping", read_links, NULL, 0};

/* --- URLs ------------------------------------------------------------------- */

struct permission {
    struct arena *arena;
    const struct policy_links *links;
    enum link_use use;
    bool is_permitted;
};

static bool is_below(struct span host, struct span domain)
{
    return host.len > domain.len && span_equal(span_slice(host, host.len - domain.len, host.len), domain);
}

static bool is_allowed(const struct policy_links *links, struct span host)
{
    for (size_t i = 0; links != NULL && i < links->allow.n; i++) {
        struct span item = links->allow.items[i];
        if (span_equal(host, item) || (item.ptr[0] == '*' && is_below(host, span_slice(item, 1, item.len)))) {
            return true;
        }
    }
    return false;
}

static bool is_url_permitted(const struct permission *p, const struct link_url *url, const struct web_url *target)
{
    bool may_load = p->links != NULL && p->links->load == LINKS_LOAD_ALLOWED;

    if (url->is_value && (target->kind == WEB_URL_RELATIVE || target->kind == WEB_URL_SCHEME)) {
        return true;
    }
    if (url->use == LINK_LOADS && !may_load) {
        return false;
    }
    return target->kind == WEB_URL_RELATIVE || (target->kind == WEB_URL_CONTACT && url->use == LINK_LEADS) ||
           (target->kind == WEB_URL_HOST && is_allowed(p->links, target->host));
}

static bool take_url(void *context, const struct link_url *url, struct error *err)
{
    struct permission *p = context;
    struct web_url target;

    if (url->use != p->use || !p->is_permitted) {
        return true;
    }
    if (!web_url_read(p->arena, url->text, &target, err)) {
        return false;
    }
    p->is_permitted = is_url_permitted(p, url, &target);
    return true;
}

bool links_permit(struct arena *a, const struct policy_links *links, enum link_use use, struct span construct,
                  bool *is_permitted, struct error *err)
{
    struct permission p = {.arena = a, .links = links, .use = use, .is_permitted = true};

    *is_permitted = false;
    if (!link_each_url(a, construct, take_url, &p, err)) {
        return false;
    }
    *is_permitted = p.is_permitted;
    return true;
}

/* scanner_windows.c - merge sort of a list of windows; nothing is allocated. */
#include "scan/scanner_parts.h"

enum { NONE = UINT32_MAX };

static uint32_t merge_lists(struct scanner_window *w, uint32_t a, uint32_t b)
{
    struct scanner_window head = {.next = NONE};
    uint32_t *link = &head.next;

    while (a != NONE && b != NONE) {
        uint32_t *smaller = w[a].from <= w[b].from ? &a : &b;
        *link = *smaller;
        link = &w[*smaller].next;
        *smaller = *link;
    }
    *link = a != NONE ? a : b;
    return head.next;
}

/* Hits mostly come in the order of the text, so the newest window, which is the first of the list, is the last one. */
static bool is_backward(const struct scanner_window *w, uint32_t list)
{
    while (w[list].next != NONE && w[w[list].next].from <= w[list].from) {
        list = w[list].next;
    }
    return w[list].next == NONE;
}

static uint32_t turn(struct scanner_window *w, uint32_t list)
{
    uint32_t turned = NONE;

    while (list != NONE) {
        uint32_t next = w[list].next;
        w[list].next = turned;
        turned = list;
        list = next;
    }
    return turned;
}

uint32_t scanner_windows_sort(struct scanner_window *w, uint32_t list)
{
    uint32_t sorted[32]; /* sorted[i] has 2^i windows, or NONE */
    uint32_t result = NONE;

    if (list == NONE || is_backward(w, list)) {
        return turn(w, list);
    }
    memset(sorted, 0xff, sizeof(sorted));
    while (list != NONE) {
        uint32_t one = list;
        list = w[list].next;
        w[one].next = NONE;
        size_t i = 0;
        for (; sorted[i] != NONE; i++) {
            one = merge_lists(w, sorted[i], one);
            sorted[i] = NONE;
        }
        sorted[i] = one;
    }
    for (size_t i = 0; i < sizeof(sorted) / sizeof(sorted[0]); i++) {
        result = merge_lists(w, sorted[i], result);
    }
    return result;
}

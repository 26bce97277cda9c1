#include "ctl/location.h"

void location_init(struct location *p, struct span text, size_t first_line)
{
    *p = (struct location){.text = text, .line = first_line, .column = 1};
}

void location_seek(struct location *p, size_t offset)
{
    if (offset < p->offset) {
        size_t lines = 0;
        for (size_t i = 0; i < p->offset; i++) {
            lines += p->text.ptr[i] == '\n' ? 1 : 0;
        }
        location_init(p, p->text, p->line - lines);
    }
    for (; p->offset < offset && p->offset < p->text.len; p->offset++) {
        unsigned char c = (unsigned char)p->text.ptr[p->offset];
        if (c == '\n') {
            p->line++;
            p->column = 1;
        } else if ((c & 0xc0) != 0x80) {
            p->column++;
        }
    }
}

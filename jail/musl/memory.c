/* memory.c - malloc for a program that ends in milliseconds and has one thread: musl's own maps pages for each size and
 * gives them back at once, a system call and a page fault each, a tenth of a millisecond in a start.
 *
 * Sizes are powers of two. Blocks are cut from regions and, when freed, kept for the next of their size; the system gets
 * nothing back. A block that is freed twice, or was never given out, ends the program. */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    ALIGNMENT = 16,
    SMALLEST = 6, /* bits */
    LARGEST = 40,
    LARGE = 16 * 1024, /* from here on each is mapped alone: most of it is never touched */
    REGION = 64 * 1024,
    IN_USE = 0x5a17b10c,
    FREE = 0x0ff0f7ee,
};

struct block {
    uint32_t state, bits; /* the block's size is 2 to `bits`, with this head */
    struct block *next;   /* of the free ones */
};

_Static_assert(sizeof(struct block) == ALIGNMENT, "what follows the head is aligned");

static struct block *kept[LARGEST + 1];
static char *region;
static size_t left;

static void end_here(void)
{
    static const char message[] = "filterd-jail: memory: freed twice, or never given out\n";

    (void)!write(STDERR_FILENO, message, sizeof(message) - 1);
    abort();
}

static void *map(size_t size, int flags)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

    return memory == MAP_FAILED ? NULL : memory;
}

/* Every start needs about one region of small blocks: its pages come in one turn. */
static char *cut_small(size_t size)
{
    if (left < size) {
        char *memory = map(REGION, MAP_POPULATE);
        if (memory == NULL) {
            return NULL;
        }
        region = memory;
        left = REGION;
    }
    left -= size;
    return region + left;
}

static struct block *cut(unsigned bits)
{
    size_t size = (size_t)1 << bits;
    struct block *b = size >= LARGE ? map(size, 0) : (struct block *)cut_small(size);

    if (b != NULL) {
        b->bits = bits;
    }
    return b;
}

static struct block *block_of(void *memory)
{
    struct block *b = (struct block *)((char *)memory - sizeof(*b));

    if (((uintptr_t)memory & (ALIGNMENT - 1)) != 0 || b->state != IN_USE) {
        end_here();
    }
    return b;
}

static size_t room_in(const struct block *b)
{
    return ((size_t)1 << b->bits) - sizeof(*b);
}

/* Under its own name: of malloc and memset a compiler makes calloc. */
static void *take(size_t size)
{
    unsigned bits = SMALLEST;

    while (bits <= LARGEST && ((size_t)1 << bits) - sizeof(struct block) < size) {
        bits++;
    }
    struct block *b = bits > LARGEST ? NULL : kept[bits] != NULL ? kept[bits] : cut(bits);
    if (b == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    if (b == kept[bits]) {
        kept[bits] = b->next;
    }
    b->state = IN_USE;
    return b + 1;
}

void *malloc(size_t size)
{
    return take(size);
}

void free(void *memory)
{
    if (memory != NULL) {
        struct block *b = block_of(memory);
        b->state = FREE;
        b->next = kept[b->bits];
        kept[b->bits] = b;
    }
}

void *calloc(size_t n, size_t size)
{
    size_t all;

    if (__builtin_mul_overflow(n, size, &all)) {
        errno = ENOMEM;
        return NULL;
    }
    void *memory = take(all);
    return memory == NULL ? NULL : memset(memory, 0, all);
}

void *realloc(void *memory, size_t size)
{
    if (memory == NULL) {
        return take(size);
    }
    size_t room = room_in(block_of(memory));
    if (size <= room) {
        return memory;
    }
    void *moved = take(size);
    if (moved != NULL) {
        (void)memcpy(moved, memory, room);
        free(memory);
    }
    return moved;
}

/* Nothing here asks for more than what every block has. */
void *aligned_alloc(size_t alignment, size_t size)
{
    if (alignment <= ALIGNMENT) {
        return take(size);
    }
    errno = ENOMEM;
    return NULL;
}

#include "dataset/document_length.h"

static uint64_t hash_of(const struct dataset_key *key, char kind, uint32_t document)
{
    char bytes[sizeof(document)];

    memcpy(bytes, &document, sizeof(bytes));
    return dataset_hash(key, kind, span_of(bytes, sizeof(bytes)));
}

static uint32_t mask_of(const struct dataset_key *key, uint32_t document)
{
    return (uint32_t)hash_of(key, 'm', document);
}

bool document_length_add(struct table_build *b, const struct dataset_key *key, uint32_t document, uint32_t letters, struct error *err)
{
    return table_build_add(b, hash_of(key, 'l', document), letters ^ mask_of(key, document), 0, err);
}

uint32_t document_length(const struct table *t, uint32_t document)
{
    const struct table_range range = t->header->kind == TABLE_DOCUMENTS ? table_find(t, hash_of(&t->key, 'l', document)) : (struct table_range){0};

    return range.n == 0 ? 0 : table_row(t, range.first) ^ mask_of(&t->key, document);
}

/* hash_tables.c - the memory of hash tables: those that were replaced, and spare memory. */
#include "tree.h"

_Static_assert(sizeof(SnlHashTable) % 64 == 0 && sizeof(SnlHashStripe) == 64,
               "a stripe lies in one line of the cache");

void
snl_hash_tables_drop(SnlTree *tree)
{
    while (tree->retired) {
        SnlHashTable *table = tree->retired;
        tree->retired = table->next_retired;
        snl_hash_table_free(tree, table);
    }
}

/* A table in spare memory is gone; after the last one, the newest is used again, an older one is
 * released. */
static void
leave_spare(SnlTree *tree, SnlSpare *spare)
{
    SnlSpare **link = &tree->spare;
    if (--spare->tables > 0)
        return;
    if (spare == tree->spare) {
        spare->used = SNL_SPARE_HEAD;
        return;
    }
    while (*link != spare)
        link = &(*link)->next;
    *link = spare->next;
    snl_memory_put(tree->rt, spare, (size_t)spare->bytes);
}

void
snl_spare_trim(SnlTree *tree)
{
    for (SnlSpare **link = &tree->spare; *link;) {
        SnlSpare *spare = *link;
        if (spare->tables > 0) {
            link = &spare->next;
            continue;
        }
        *link = spare->next;
        snl_memory_put(tree->rt, spare, (size_t)spare->bytes);
    }
}

void
snl_hash_table_free(SnlTree *tree, SnlHashTable *table)
{
    snl_lock(&tree->table_lock);
    if (table->prev)
        table->prev->next = table->next;
    else
        tree->tables = table->next;
    if (table->next)
        table->next->prev = table->prev;
    snl_unlock(&tree->table_lock);
    if (table->spare)
        leave_spare(tree, table->spare);
    else
        snl_memory_put(tree->rt, table, snl_hash_table_bytes(table->capacity));
}

/* address_space.h - memory that is reserved as addresses and made piece by piece, as it is needed.
 *
 * An SnlRange belongs to a pool. Addresses cost nothing. Memory is made and given back in granules,
 * which are counted in bytes_used. The SnlRangeMaker of the instance says how memory is made. There
 * is one in programs for a GPU whose memory both sides reach, and one in the stand-in, where
 * touching memory that was not made ends the program.
 */
#ifndef SNL_CORE_ADDRESS_SPACE_H
#define SNL_CORE_ADDRESS_SPACE_H

#include "instance.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SnlRangeMaker {
    int64_t range_bytes;        /* of a range, a multiple of the granule */
    int64_t granule;
    void *ctx;
    void *(*reserve)(void *ctx, size_t bytes);          /* addresses, aligned to the granule, or
                                                         * NULL */
    bool (*make)(void *ctx, void *start, size_t bytes); /* memory for granules; false without */
    void (*give_back)(void *ctx, void *start, size_t bytes);
    void (*release)(void *ctx, void *start, size_t bytes);      /* addresses, without memory */
} SnlRangeMaker;

typedef struct {
    char *start;                /* NULL: none */
    bool tried;                 /* to reserve */
    uint8_t *made;              /* by granule */
} SnlRange;

/* Memory for the bytes from ... to-1 of the range, whose addresses are reserved first if they are
 * not; NULL where there is no range, or they lie behind its end: the caller takes memory elsewhere.
 * *short_of: there is a range but no memory. */
void *snl_range_make(SnlInstance *rt, SnlRange *r, int64_t from, int64_t to, bool *short_of);

/* True if the memory at `at` is the range's. */
bool snl_range_has(const SnlInstance *rt, const SnlRange *r, const void *at);

/* Gives the memory of whole granules from ... to-1 back, but for those that the bytes around
 * share. */
void snl_range_give_back(SnlInstance *rt, SnlRange *r, int64_t from, int64_t to);

/* Gives memory and addresses back. */
void snl_range_free(SnlInstance *rt, SnlRange *r);

#ifdef __cplusplus
}
#endif

#endif

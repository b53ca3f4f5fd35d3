/* io_nvdb_sum.c - checksums of .nvdb grids, of versions to 32.6.0; later ones are made in another
 * way.
 *
 *   low half    CRC of the heads of grid, tree and root with its tiles, from behind the checksum on
 *   high half   CRC of the CRCs of all nodes: upper, lower, leaves; all bits set: it is left out
 *
 * The CRCs of nodes are numbers of NanoVDB's type uint_fast32_t, of 8 bytes or of 4.
 */
#include "io_nvdb.h"

#ifdef SNL_HAVE_NANOVDB

bool
snl_nvdb_has_sums(uint32_t version)
{
    return version <= (32u << 21 | 6u << 10);
}

uint32_t
snl_nvdb_head_sum(const unsigned char *grid, size_t heads_bytes)
{
    size_t from = PNANOVDB_GRID_OFF_CHECKSUM + sizeof(uint64_t);
    return snl_io_crc(0, grid + from, heads_bytes - from);
}

uint32_t
snl_nvdb_node_sum(const unsigned char *grid, const SnlNvdbNodes nodes[3], size_t number_bytes)
{
    uint32_t sum = 0;
    for (int level = 0; level < 3; level++)
        for (uint64_t n = 0; n < nodes[level].count; n++) {
            uint64_t crc = snl_io_crc(0, grid + nodes[level].at + n * nodes[level].bytes,
                                      nodes[level].bytes);
            sum = snl_io_crc(sum, &crc, number_bytes);  /* this machine is little-endian */
        }
    return sum;
}

#endif

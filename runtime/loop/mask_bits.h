/* mask_bits.h - whole blocks of bitmasked cells at once: a bit for each cell of a row in every
 * step.
 *
 * Included by tree.h. Blocks are those of node_bitmasked.h: `rows` rows of `size` cells, which
 * words hold whole. Small numbers of the cells of a row are kept as planes: bit n of plane k is bit
 * k of the number of cell n. A few operations on words then compute with all of them.
 */
#ifndef SNL_LOOP_MASK_BITS_H
#define SNL_LOOP_MASK_BITS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers of the cells of a row, up to SNL_PLANES_LARGEST. */
enum { SNL_PLANES = 4, SNL_PLANES_LARGEST = (1 << SNL_PLANES) - 1 };
typedef struct {
    uint32_t bit[SNL_PLANES];
} SnlPlanes;

/* The same number for all cells. */
SNL_INLINE SnlPlanes snl_planes_of(unsigned number)
{
    SnlPlanes p = {{number & 1 ? UINT32_MAX : 0, number & 2 ? UINT32_MAX : 0,
                    number & 4 ? UINT32_MAX : 0, number & 8 ? UINT32_MAX : 0}};
    return p;
}

/* 1 for the cells whose bit is set, 0 for the others. */
SNL_INLINE SnlPlanes snl_planes_bit(uint32_t bits)
{
    SnlPlanes p = {{bits, 0, 0, 0}};
    return p;
}

/* The sum has bits in so many planes only. */
SNL_INLINE SnlPlanes snl_planes_add(SnlPlanes a, SnlPlanes b, int planes)
{
    SnlPlanes sum = {{0}};
    uint32_t carry = 0;
    for (int k = 0; k < planes; k++) {
        uint32_t one = a.bit[k] ^ b.bit[k];
        sum.bit[k] = one ^ carry;
        carry = (a.bit[k] & b.bit[k]) | (one & carry);
    }
    return sum;
}

/* For each cell a bit: of `yes` where that of `which` is set, else of `no`. */
SNL_INLINE uint32_t snl_bits_select(uint32_t which, uint32_t yes, uint32_t no)
{
    return (which & yes) | (~which & no);
}

SNL_INLINE SnlPlanes snl_planes_select(uint32_t which, SnlPlanes yes, SnlPlanes no)
{
    SnlPlanes p = {{0}};
    for (int k = 0; k < SNL_PLANES; k++)
        p.bit[k] = snl_bits_select(which, yes.bit[k], no.bit[k]);
    return p;
}

SNL_INLINE uint32_t snl_planes_equal(SnlPlanes a, SnlPlanes b)
{
    uint32_t differs = 0;
    for (int k = 0; k < SNL_PLANES; k++)
        differs |= a.bit[k] ^ b.bit[k];
    return ~differs;
}

/* Set where a < b. */
SNL_INLINE uint32_t snl_planes_less(SnlPlanes a, SnlPlanes b)
{
    uint32_t less = 0;
    for (int k = 0; k < SNL_PLANES; k++)
        less = (~a.bit[k] & b.bit[k]) | (~(a.bit[k] ^ b.bit[k]) & less);
    return less;
}

/* ---- masks ---- */

enum { SNL_BLOCK_ROWS = 32, SNL_BLOCK_WORDS = 8 }; /* most rows of a block; most words of its
                                                    * mask */
enum { SNL_BLOCK_STRIP = 4 };                      /* blocks that are computed together */
enum { SNL_BLOCK_AHEAD = 16 };                     /* blocks from one to that whose mask is asked
                                                    * for */

/* Lets a mask that a loop comes to soon into the caches: it lies so many blocks after `word`, or
 * behind the last block. */
SNL_INLINE void snl_mask_fetch(const uint64_t *word, int64_t blocks, size_t cell_bytes)
{
    SNL_PREFETCH((const void *)((uintptr_t)word + (uintptr_t)blocks * cell_bytes), 0, 3);
}

/* Rows of a mask as numbers, and the other way round: of the columns that `some` has, by row. Those
 * of 16 bits are vectorised. */
SNL_INLINE void snl_mask_split(uint32_t *out, const uint64_t *mask, int64_t rows, int64_t size)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (size == 16) {
        uint16_t part[SNL_BLOCK_ROWS];
        memcpy(part, mask, (size_t)rows * sizeof *part);
        SNL_SIMD
        for (int64_t r = 0; r < rows; r++)
            out[r] = part[r];
        return;
    }
#endif
    for (int64_t r = 0; r < rows; r++)
        out[r] = (uint32_t)(mask[r * size / 64] >> r * size % 64) &
                 (uint32_t)(((uint64_t)1 << size) - 1);
}

SNL_INLINE void
snl_mask_join(uint64_t *mask, const uint32_t *bits, const uint32_t *some, int64_t rows,
              int64_t size)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (size == 16) {
        uint16_t part[SNL_BLOCK_ROWS];
        SNL_SIMD
        for (int64_t r = 0; r < rows; r++)
            part[r] = (uint16_t)(bits[r] & some[r]);
        memcpy(mask, part, (size_t)rows * sizeof *part);
        return;
    }
#endif
    for (int64_t w = 0; w < rows * size / 64; w++)
        mask[w] = 0;
    for (int64_t r = 0; r < rows; r++)
        mask[r * size / 64] |= (uint64_t)(bits[r] & some[r]) << r * size % 64;
}

/* Rows low ... rows + high - 1 of the block that begins with cell (i, j), each as snl_mask_row
 * gives it; what lies outside of the extents reads as 0. */
SNL_INLINE void
snl_mask_block(uint32_t *out, int64_t low, int64_t high, void *cells, size_t cell_bytes,
               size_t mask_at, int64_t across, int64_t rows, int64_t size, int64_t extent_i,
               int64_t extent_j, int64_t i, int64_t j)
{
    static const uint64_t nothing[SNL_BLOCK_WORDS] = {0};
    int shift;
    const uint64_t *here =
        snl_mask_word(cells, cell_bytes, mask_at, across, rows, size, i, j, &shift);
    const uint64_t *left = nothing, *right = nothing;
    snl_mask_fetch(here, (high > 0 ? across : 0) + SNL_BLOCK_AHEAD, cell_bytes);
    if (j > 0)
        left = (const uint64_t *)(const void *)((const char *)here - cell_bytes);
    if (j + size < extent_j)
        right = (const uint64_t *)(const void *)((const char *)here + cell_bytes);
    for (int64_t r = low; r < 0; r++)
        out[r - low] = i + r < 0 ? 0 : snl_mask_row(cells, cell_bytes, mask_at, across, rows, size,
                                                    extent_j, i + r, j);
    out -= low;
    uint32_t a[SNL_BLOCK_ROWS], b[SNL_BLOCK_ROWS], c[SNL_BLOCK_ROWS];
    snl_mask_split(a, left, rows, size);
    snl_mask_split(b, here, rows, size);
    snl_mask_split(c, right, rows, size);
    SNL_SIMD
    for (int64_t r = 0; r < rows; r++)
        out[r] = a[r] >> (size - 1) | b[r] << 1 | (c[r] & 1) << (size + 1);
    for (int64_t r = rows; r < rows + high; r++)
        out[r] = i + r >= extent_i ? 0
                                   : snl_mask_row(cells, cell_bytes, mask_at, across, rows, size,
                                                  extent_j, i + r, j);
}

/* Makes those of 64 cells ambient whose bit is set. */
SNL_INLINE void snl_cells_reset(SnlTree *tree, int node, char *cells, uint64_t bits)
{
    const SnlNode *n = &tree->nodes[node];
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    /* eight at a time: a byte of ones where the bit is set */
    if (n->desc.cell_bytes == 1 && n->flat) {
#if defined __AVX512BW__ && !defined __clang__ && !defined __CUDACC__
        typedef char Cells __attribute__((vector_size(64)));
        Cells old, ambient_cells = (Cells){0} + *n->ambient;
        memcpy(&old, cells, sizeof old);
        bits = __builtin_ia32_cmpb512_mask(old, ambient_cells, 4, bits);
        if (bits) /* mostly they are ambient, and need no writing */
            __builtin_ia32_storedquqi512_mask(cells, ambient_cells, bits);
        return;
#endif
        const uint64_t each = 0x0101010101010101u, some = 0x8040201008040201u,
                       ambient = (unsigned char)*n->ambient * each;
        uint64_t eight[8];
        memcpy(eight, cells, sizeof eight);
        SNL_SIMD
        for (int k = 0; k < 8; k++) {
            uint64_t mask = bits >> 8 * k & 255;
            mask |= mask << 8;
            mask |= mask << 16;
            mask |= mask << 32;
            mask = ((mask & some) + 0x7f7f7f7f7f7f7f7fu) >> 7 & each;
            mask = (mask << 8) - mask;
            eight[k] = (eight[k] & ~mask) | (ambient & mask);
        }
        memcpy(cells, eight, sizeof eight);
        return;
    }
#endif
    for (; bits; bits &= bits - 1)
        snl_cell_reset(tree, node, cells + snl_first_bit(bits) * n->desc.cell_bytes);
}

/* What the cells of a mask may hold: the ambient value always, where nothing in the program writes
 * to them. */
typedef enum { SNL_CELLS_AMBIENT, SNL_CELLS_WRITTEN } SnlCells;

/* Activates and deactivates cells of the block that begins with cell (i, j), of those rows and
 * columns whose bits are set; nothing else writes to them. */
SNL_INLINE void snl_mask_put_block(SnlTree *tree, int node, void *cells, size_t cell_bytes,
                                   size_t mask_at, int64_t across, int64_t rows, int64_t size,
                                   int64_t i, int64_t j, const uint32_t *on, const uint32_t *off,
                                   uint32_t in_rows, uint32_t in_columns, SnlCells hold)
{
    SnlNode *n = &tree->nodes[node];
    int shift;
    uint64_t *word = snl_mask_word(cells, cell_bytes, mask_at, across, rows, size, i, j, &shift);
    char *container = (char *)word - n->mask_offset;
    snl_mask_fetch(word, SNL_BLOCK_AHEAD, cell_bytes);
    uint64_t changed = 0, sets[SNL_BLOCK_WORDS], clears[SNL_BLOCK_WORDS];
    uint32_t some[SNL_BLOCK_ROWS];
    SNL_SIMD
    for (int64_t r = 0; r < rows; r++)
        some[r] = in_rows >> r & 1 ? in_columns : 0;
    snl_mask_join(sets, on, some, rows, size);
    snl_mask_join(clears, off, some, rows, size);
    for (int64_t w = 0; w < rows * size / 64; w++) {
        uint64_t old = SNL_LOAD_RELAXED(&word[w]), set = sets[w], clear = clears[w];
        set &= ~old;
        clear &= old;
        changed |= set | clear;
        word[w] = (old | set) & ~clear;
        if (clear && hold == SNL_CELLS_WRITTEN)
            snl_cells_reset(tree, node, container + w * 64 * n->desc.cell_bytes, clear);
    }
    if (changed)
        snl_node_changed(n);
}

#ifdef __cplusplus
}
#endif

#endif

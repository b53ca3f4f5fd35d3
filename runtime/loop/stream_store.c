/* stream_store.c - measures in which way strips of large arrays are stored faster. */
#include "stream_store.h"

/* Parts of loops that are measured: the first ones, then a few of each round. */
enum { PARTS_FIRST = 16, PARTS_ROUND = 256, PARTS_AGAIN = 8 };

enum { BYTES_LEAST = 256 << 10 };

static int64_t
now(void)
{
    return (int64_t)(snl_clock() * 1e9);
}

SnlStoreWay
snl_stores_faster(const SnlStores *stores)
{
    int64_t through = SNL_LOAD_RELAXED(&stores->least[SNL_STORE_THROUGH]),
            past = SNL_LOAD_RELAXED(&stores->least[SNL_STORE_PAST]);
    return past > 0 && past < through ? SNL_STORE_PAST : SNL_STORE_THROUGH;
}

void
snl_stores_note(SnlStores *stores, SnlStoreWay way, int64_t bytes, int64_t nanoseconds)
{
    if (bytes < BYTES_LEAST)
        return;
    int64_t time = (int64_t)((double)nanoseconds * BYTES_LEAST / (double)bytes) + 1,
            least = SNL_LOAD_RELAXED(&stores->least[way]);
    if (!least || time < least)
        SNL_STORE_RELAXED(&stores->least[way], time);
}

SnlStream
snl_stream_begin(SnlInstance *rt, int loop)
{
    SnlStores *stores = &rt->stores[loop % SNL_STORES_APART];
    int64_t part = SNL_ADD(&stores->parts, 1);
    SnlStream stream = { stores, snl_stores_faster(stores), 0, -1 };
    if (part < PARTS_FIRST || part % PARTS_ROUND < PARTS_AGAIN) {
        stream.way = part % 2 ? SNL_STORE_PAST : SNL_STORE_THROUGH;
        stream.start = now();
    }
    return stream;
}

void
snl_stream_end(const SnlStream *stream)
{
#if defined __SSE__ && defined __GNUC__
    if (stream->way == SNL_STORE_PAST)
        __builtin_ia32_sfence(); /* for other threads it is there now */
#endif
    if (stream->start >= 0)
        snl_stores_note(stream->stores, stream->way, stream->bytes, now() - stream->start);
}

// stencil3d.cc - the 7-point stencil on the blocks of 8^3 that a spherical shell touches in 512^3, in a FloatTree of OpenVDB.
// Arguments: "leaves" (the buffers of a block and of its six neighbours, which are probed once), or "values" (every neighbour by a
// ValueAccessor, as most programs are written); repeats.
#include "../c/bench.h"

#include <openvdb/openvdb.h>
#include <openvdb/tree/LeafManager.h>
#include <openvdb/tree/ValueAccessor.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

using Tree = openvdb::FloatTree;
using Leaves = openvdb::tree::LeafManager<Tree>;
using Reader = openvdb::tree::ValueAccessor<const Tree>;
using openvdb::Coord;

static const int SIZE = 512, B = 8, CELLS = B * B * B, MIDDLE = SIZE / 2, INNER = 158, OUTER = 162;

static float
start_value(int i, int j, int k)
{
    return static_cast<float>((i * 13 + j * 7 + k * 3) & 1023) * (1.0f / 1024);
}

static void
fill_shell(Tree &x)
{
    openvdb::tree::ValueAccessor<Tree> write(x);
    for (int i = MIDDLE - OUTER; i <= MIDDLE + OUTER; i++)
        for (int j = MIDDLE - OUTER; j <= MIDDLE + OUTER; j++)
            for (int k = MIDDLE - OUTER; k <= MIDDLE + OUTER; k++) {
                int a = i - MIDDLE, b = j - MIDDLE, c = k - MIDDLE, square = a * a + b * b + c * c;
                if (square >= INNER * INNER && square <= OUTER * OUTER)
                    write.setValue(Coord(i, j, k), start_value(i, j, k));
            }
    for (auto leaf = x.beginLeaf(); leaf; ++leaf)
        leaf->setValuesOn();
}

// Both trees have the same blocks, in the same order.
template <typename Body>
static void
each_leaf(const Leaves &from, Leaves &to, Body body)
{
    tbb::parallel_for(tbb::blocked_range<size_t>(0, from.leafCount()), [&](const tbb::blocked_range<size_t> &part) {
        Reader reader(from.tree());
        for (size_t n = part.begin(); n < part.end(); n++)
            body(reader, from.leaf(n), to.leaf(n).buffer().data());
    });
}

static void
sweep_values(const Leaves &from, Leaves &to)
{
    each_leaf(from, to, [](Reader &a, const Tree::LeafNodeType &leaf, float *out) {
        for (int q = 0; q < CELLS; q++) {
            Coord p = leaf.origin().offsetBy(q / (B * B), q / B % B, q % B);
            out[q] = 0.4f * a.getValue(p) +
                     0.1f * (a.getValue(p.offsetBy(-1, 0, 0)) + a.getValue(p.offsetBy(1, 0, 0)) + a.getValue(p.offsetBy(0, -1, 0)) +
                             a.getValue(p.offsetBy(0, 1, 0)) + a.getValue(p.offsetBy(0, 0, -1)) + a.getValue(p.offsetBy(0, 0, 1)));
        }
    });
}

static void
sweep_leaves(const Leaves &from, Leaves &to)
{
    each_leaf(from, to, [](Reader &reader, const Tree::LeafNodeType &leaf, float *out) {
        static const float nothing[CELLS] = {};
        auto beside = [&](int i, int j, int k) {
            const Tree::LeafNodeType *other = reader.probeConstLeaf(leaf.origin().offsetBy(i, j, k));
            return other ? other->buffer().data() : nothing;
        };
        const float *here = leaf.buffer().data();
        const float *west = beside(-B, 0, 0), *east = beside(B, 0, 0), *south = beside(0, -B, 0), *north = beside(0, B, 0);
        const float *below = beside(0, 0, -B), *above = beside(0, 0, B);
        for (int i = 0; i < B; i++)
            for (int j = 0; j < B; j++) {
                int q = (i * B + j) * B;
                const float *w = i > 0 ? here + q - B * B : west + (B - 1) * B * B + j * B;
                const float *e = i < B - 1 ? here + q + B * B : east + j * B;
                const float *s = j > 0 ? here + q - B : south + (i * B + B - 1) * B;
                const float *n = j < B - 1 ? here + q + B : north + i * B * B;
                for (int k = 0; k < B; k++) {
                    float b = k > 0 ? here[q + k - 1] : below[q + B - 1], a = k < B - 1 ? here[q + k + 1] : above[q];
                    out[q + k] = 0.4f * here[q + k] + 0.1f * (w[k] + e[k] + s[k] + n[k] + b + a);
                }
            }
    });
}

int
main(int argc, char **argv)
{
    bool values = !strcmp(word(argc, argv, 1, "leaves"), "values");
    long repeats = argument(argc, argv, 2, 7);
    const char *threads = getenv("OMP_NUM_THREADS");
    openvdb::initialize();
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads ? strtoul(threads, nullptr, 10) : 64);
    Tree x(0.0f);
    fill_shell(x);
    Tree y(x);
    Leaves of_x(x), of_y(y);
    auto sweep = values ? sweep_values : sweep_leaves;
    MEASURE(2, repeats, "")
        sweep(of_x, of_y);
    sweep(of_y, of_x);
    double sum = 0;
    for (size_t n = 0; n < of_x.leafCount(); n++)
        for (int q = 0; q < CELLS; q++) {
            double value = static_cast<double>(of_x.leaf(n).buffer().data()[q]);
            sum += value * value;
        }
    printf("checksum %.9e\n", sum);
    return 0;
}

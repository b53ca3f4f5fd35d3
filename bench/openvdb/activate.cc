// activate.cc - 32,768 blocks of 8^3 of a FloatTree of OpenVDB, made by one write each. Arguments as of ../c/activate.c.
// One thread works: a tree must not be changed by several. Deactivation is clear(), which also gives the memory back.
#include "../c/bench.h"

#include <openvdb/openvdb.h>
#include <openvdb/tree/ValueAccessor.h>

using Tree = openvdb::FloatTree;
using Writer = openvdb::tree::ValueAccessor<Tree>;
using openvdb::Coord;

static const int BLOCKS = 32768;

static void
touch(Tree &x, bool scattered)
{
    Writer write(x);
    for (int b = 0; b < BLOCKS; b++) {
        int c = scattered ? static_cast<int>(static_cast<unsigned>(b) * 40503u & (BLOCKS - 1)) : b;
        write.setValue(Coord((c >> 9) * 8 + 1, (c >> 3 & 63) * 8 + 2, (c & 7) * 8 + 3), static_cast<float>(c + 1));
    }
}

static void
write_all(Tree &x)
{
    Writer write(x);
    for (int i = 0; i < 512; i++)
        for (int j = 0; j < 512; j++)
            for (int k = 0; k < 64; k++)
                write.setValue(Coord(i, j, k), static_cast<float>(i + j + k));
}

int
main(int argc, char **argv)
{
    long what = argument(argc, argv, 1, 1), repeats = argument(argc, argv, 3, 5);
    bool scattered = argument(argc, argv, 2, 0) != 0;
    openvdb::initialize();
    Tree x(0.0f);
    touch(x, scattered);
    if (what != 0 && what != 2)
        x.clear();
    if (what == 6)
        write_all(x);
    for (long r = 0; r < repeats; r++) {
        if (what == 0)
            x.clear();
        if (what == 3)
            touch(x, scattered);
        double begun = seconds();
        if (what < 3 || what == 4)
            touch(x, scattered);
        if (what == 3 || what == 4)
            x.clear();
        if (what > 4)
            write_all(x);
        printf("seconds %.9f\n", seconds() - begun);
        if (what == 1 || (what == 5 && r < repeats - 1))
            x.clear();
    }
    if (what != 0 && what != 2 && what < 5)
        touch(x, scattered);
    double sum = 0;
    for (auto value = x.cbeginValueOn(); value; ++value)
        sum += static_cast<double>(*value);
    printf("checksum %.9e\n", sum);
    return 0;
}

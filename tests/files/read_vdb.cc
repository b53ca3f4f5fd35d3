/* read_vdb.cc - prints the active cells of all grids of a .nvdb file, read by NanoVDB's own library; with a second file
 * name, also through OpenVDB: grids of f32 go to its form and back into that file. */
#include <cstdio>
#include <nanovdb/util/IO.h>
#include <nanovdb/util/GridChecksum.h>
#include <nanovdb/util/GridValidator.h>
#ifdef WITH_OPENVDB
#include <nanovdb/util/NanoToOpenVDB.h>
#include <nanovdb/util/OpenToNanoVDB.h>
#endif

static void
print_value(double v)
{
    std::printf("%g", v);
}

static void
print_value(const nanovdb::Vec3f &v)
{
    std::printf("%g,%g,%g", v[0], v[1], v[2]);
}

/* Looks at every cell of the box around the active ones, through the tree. */
template <typename T>
static bool
print_grid(const nanovdb::NanoGrid<T> *grid)
{
    if (!grid)
        return false;
    static const char *const sums[] = {"none", "of heads", "of all"};
    std::printf("%s %llu %s, checksum %s\n", grid->gridName(), (unsigned long long)grid->activeVoxelCount(),
                nanovdb::isValid(*grid, true, true) ? "valid" : "not valid",
                sums[(int)nanovdb::GridChecksum(grid->checksum()).mode()]);
    auto tree = grid->getAccessor();
    auto box = grid->indexBBox();
    for (int i = box.min()[0]; i <= box.max()[0]; i++)
        for (int j = box.min()[1]; j <= box.max()[1]; j++)
            for (int k = box.min()[2]; k <= box.max()[2]; k++)
                if (tree.isActive({i, j, k})) {
                    std::printf("%d %d %d ", i, j, k);
                    print_value(tree.getValue({i, j, k}));
                    std::printf("\n");
                }
    std::printf("elsewhere ");
    print_value(tree.getValue({1000000, 0, 0}));
    std::printf("\n");
    return true;
}

#ifdef WITH_OPENVDB
/* The grid as OpenVDB has it, with the same active cells and values; and back. */
static bool
through_openvdb(const nanovdb::GridHandle<> &handle, const char *path)
{
    auto grid = handle.grid<float>();
    if (!grid)
        return true;
    openvdb::initialize();
    auto base = nanovdb::nanoToOpenVDB(handle);
    auto open = openvdb::gridPtrCast<openvdb::FloatGrid>(base);
    auto tree = grid->getAccessor();
    if (open->activeVoxelCount() != grid->activeVoxelCount() || open->background() != tree.getValue({1000000, 0, 0}))
        return false;
    for (auto cell = open->cbeginValueOn(); cell; ++cell) {
        auto at = cell.getCoord();
        if (tree.getValue({at[0], at[1], at[2]}) != *cell || !tree.isActive({at[0], at[1], at[2]}))
            return false;
    }
    nanovdb::io::writeGrid(path, nanovdb::openToNanoVDB(base));
    return true;
}
#endif

int
main(int argc, char **argv)
{
    bool good = argc > 1;
    for (auto &handle : nanovdb::io::readGrids(argv[1])) {
        good &= print_grid(handle.grid<float>()) || print_grid(handle.grid<double>()) || print_grid(handle.grid<nanovdb::Vec3f>())
                || print_grid(handle.grid<int32_t>()) || print_grid(handle.grid<bool>());
#ifdef WITH_OPENVDB
        if (argc > 2)
            good &= through_openvdb(handle, argv[2]);
#endif
    }
    return good ? 0 : 1;
}

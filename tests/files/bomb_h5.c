/* bomb_h5.c - writes the file that is named: a small .h5 file, whose field x of 16 x 16 f32 lies in
 * one chunk of 400 MB of zeros. */
#include <hdf5.h>

int
main(int argc, char **argv)
{
    static float zeros[16][16];
    const hsize_t dims[] = {16, 16}, most[] = {H5S_UNLIMITED, H5S_UNLIMITED};
    const hsize_t chunk[] = {8192, 12800};
    if (argc != 2)
        return 64;
    const hid_t file = H5Fcreate(argv[1], H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
                space = H5Screate_simple(2, dims, most), list = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(list, 2, chunk);
    H5Pset_deflate(list, 1);
    const hid_t data =
        H5Dcreate2(file, "x", H5T_NATIVE_FLOAT, space, H5P_DEFAULT, list, H5P_DEFAULT);
    const herr_t written =
        H5Dwrite(data, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, zeros);
    return written >= 0 && H5Dclose(data) >= 0 && H5Fclose(file) >= 0 ? 0 : 1;
}

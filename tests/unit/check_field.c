/* check_field.c - whole fields of many layouts against plain arrays. */
#include "config.h"

#include <unistd.h>

#include "field_model.h"

/* ---- arrays ---- */

static void
check_shape(const Shape *shape, int threads)
{
    SnlInstance rt;
    SnlRandom random;
    Rig r;
    snl_instance_init(&rt, NULL, threads, 1, 0);
    snl_random_init(&random, 7, (uint64_t)threads, 0);
    rig_start(&r, &rt, shape);
    ck_assert_int_eq(snl_field_count(r.tree, &r.field), r.count);
    for (int k = 0; k < r.field.axis_count; k++)
        ck_assert_int_eq(snl_field_extent(r.tree, &r.field, k), r.extents[k]);
    compare(&r, &rt);
    write_constant(&r, &rt, 11);
    compare(&r, &rt);
    for (int round = 0; round < (r.count > 2000 ? 1 : 5); round++) {
        write_some(&r, &rt, &random);
        compare(&r, &rt);
    }
    write_constant(&r, &rt, 29);
    compare(&r, &rt);
    write_all(&r, &rt, 5);
    compare(&r, &rt);
    write_constant(&r, &rt, 90);
    write_some(&r, &rt, &random);
    compare(&r, &rt);
    rig_end(&r);
    end_instance(&rt);
}

START_TEST(arrays_serial) { check_shape(&shapes[_i], 1); }
END_TEST

START_TEST(arrays_threads) { check_shape(&shapes[_i], 4); }
END_TEST

/* ---- copy ---- */

/* Two fields whose trees are numbered one after the other. */
typedef struct {
    SnlInstance rt;
    Rig to, from;
    SnlTree *trees[2 * CHAINS];
    SnlFieldLeaf parts[COMPONENTS];
    SnlFieldDesc from_field;
} Two;

static bool
same_type(const Shape *a, const Shape *b)
{
    int64_t extents[2][3] = { { 1, 1, 1 }, { 1, 1, 1 } };
    const Shape *shape[2] = { a, b };
    if (strcmp(a->axes, b->axes) || a->components != b->components)
        return false;
    for (int k = 0; k < a->components; k++)
        if (a->component[k].tag != b->component[k].tag)
            return false;
    for (int s = 0; s < 2; s++)
        for (int k = 0; a->axes[k]; k++)
            for (int n = 0; n < level_count(shape[s]->chain[0]); n++)
                for (int c = 0; shape[s]->chain[0][n].axes[c]; c++)
                    if (shape[s]->chain[0][n].axes[c] == a->axes[k])
                        extents[s][k] *= shape[s]->chain[0][n].sizes[c];
    return memcmp(extents[0], extents[1], sizeof extents[0]) == 0;
}

static void
two_start(Two *t, const Shape *to, const Shape *from, int threads)
{
    snl_instance_init(&t->rt, NULL, threads, 1, 0);
    rig_start(&t->to, &t->rt, to);
    rig_start(&t->from, &t->rt, from);
    memcpy(t->trees, t->to.tree, sizeof t->to.tree);
    memcpy(t->trees + CHAINS, t->from.tree, sizeof t->from.tree);
    memcpy(t->parts, t->from.parts, sizeof t->parts);
    t->from_field = t->from.field;
    t->from_field.leaves = t->parts;
    t->from_field.node_tree += CHAINS;
    t->from_field.layouts = NULL;
    t->from_field.name = "y";
    for (int k = 0; k < COMPONENTS; k++)
        t->parts[k].tree += CHAINS;
}

static void
two_end(Two *t)
{
    rig_end(&t->to);
    rig_end(&t->from);
    end_instance(&t->rt);
}

static void
two_copy(Two *t)
{
    const Shape *shape = t->to.shape;
    ck_assert_int_eq(snl_field_copy(&t->rt, t->trees, &t->to.field, &t->from_field), SNL_OK);
    for (int64_t e = 0; e < t->to.count; e++) {
        if (!model_active(&t->from, t->from.shape->component[0].chain, e))
            continue;
        for (int k = 0; k < shape->components; k++) {
            model_activate(&t->to, shape->component[k].chain, e);
            t->to.values[k][e] = t->from.values[k][e];
        }
    }
    compare(&t->to, &t->rt);
}

static void
check_copy(const Shape *to, const Shape *from, int threads)
{
    Two *t = malloc(sizeof *t);
    SnlRandom random;
    two_start(t, to, from, threads);
    snl_random_init(&random, 3, 0, 0);
    for (int round = 0; round < 2; round++)
        write_some(&t->from, &t->rt, &random);
    two_copy(t);
    compare(&t->from, &t->rt);
    if (to->ambient % 2) {
        write_all(&t->from, &t->rt, 9);
        two_copy(t);
    }
    two_end(t);
    free(t);
}

START_TEST(copies)
{
    for (int k = 0; k < SHAPES; k++)
        if (same_type(&shapes[_i], &shapes[k]))
            check_copy(&shapes[_i], &shapes[k], 1 + k % 3);
}
END_TEST

/* Fields that share the cells of a sparse node. */
START_TEST(copy_in_one_cell)
{
    SnlInstance rt;
    SnlRandom random;
    SnlFieldDesc a, b;
    Rig r;
    int shape = 0;
    while (strcmp(shapes[shape].name, "sparse vector, swapped in the cell"))
        shape++;
    snl_instance_init(&rt, NULL, 2, 1, 0);
    snl_random_init(&random, 5, 0, 0);
    rig_start(&r, &rt, &shapes[shape]);
    write_some(&r, &rt, &random);
    a = b = r.field;
    a.leaf_count = b.leaf_count = 1;
    a.element_bytes = b.element_bytes = 8;
    a.rows = b.rows = 0;
    b.leaves = &r.parts[2];
    r.parts[2].at = 0;
    ck_assert_int_eq(snl_field_copy(&rt, r.tree, &b, &a), SNL_OK);
    r.parts[2].at = 16;
    memcpy(r.values[2], r.values[0], (size_t)r.count * sizeof(int));
    compare(&r, &rt);
    rig_end(&r);
    end_instance(&rt);
}
END_TEST

START_TEST(copy_of_another_shape)
{
    Two *t = malloc(sizeof *t);
    two_start(t, &shapes[0], &shapes[SHAPES - 1], 1);
    ck_assert_int_eq(snl_field_copy(&t->rt, t->trees, &t->to.field, &t->from_field), SNL_EINVAL);
    ck_assert_str_eq(snl_message(&t->rt),
                     "field 'x' has 24 elements along axis 0, field 'y' has 300");
    snl_clear_error(&t->rt);
    compare(&t->to, &t->rt);
    two_end(t);
    free(t);
}
END_TEST

/* ---- files ---- */

static char folder[64];

static const char *
path_of(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void
make_folder(void)
{
    strcpy(folder, "/tmp/check_field.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void
remove_folder(void)
{
    static const char *const names[] = { "x.npy", "x.npz", "x.png", "xy.npz" };
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        unlink(path_of(names[k]));
    rmdir(folder);
}

/* What is saved comes back, and all cells are active then. */
static void
round_trip(Rig *r, SnlInstance *rt, const char *name)
{
    const SnlFieldDesc *f = &r->field;
    SnlRandom random;
    int *kept[COMPONENTS];
    snl_random_init(&random, 11, 0, 0);
    write_some(r, rt, &random);
    for (int k = 0; k < COMPONENTS; k++) {
        kept[k] = malloc((size_t)r->count * sizeof(int));
        memcpy(kept[k], r->values[k], (size_t)r->count * sizeof(int));
    }
    ck_assert_int_eq(snl_field_save(rt, r->tree, path_of(name), 1, &f), SNL_OK);
    write_constant(r, rt, 77);
    ck_assert_int_eq(snl_field_load(rt, r->tree, path_of(name), f), SNL_OK);
    for (int k = 0; k < COMPONENTS; k++) {
        memcpy(r->values[k], kept[k], (size_t)r->count * sizeof(int));
        free(kept[k]);
    }
    for (int k = 0; k < CHAINS; k++)
        memset(r->active[k], true, (size_t)r->count);
    compare(r, rt);
}

START_TEST(files)
{
    SnlInstance rt;
    Rig r;
    snl_instance_init(&rt, NULL, 2, 1, 0);
    rig_start(&r, &rt, &shapes[_i]);
    if (shapes[_i].tag < 0) {
        const SnlFieldDesc *f = &r.field;
        ck_assert_int_eq(snl_field_save(&rt, r.tree, path_of("x.npy"), 1, &f), SNL_EINVAL);
        snl_clear_error(&rt);
        ck_assert_int_eq(snl_field_load(&rt, r.tree, path_of("x.npy"), f), SNL_EINVAL);
        snl_clear_error(&rt);
    } else {
        round_trip(&r, &rt, "x.npy");
        round_trip(&r, &rt, "x.npz");
    }
    rig_end(&r);
    end_instance(&rt);
}
END_TEST

START_TEST(several_fields_in_a_file)
{
    Two *t = malloc(sizeof *t);
    const SnlFieldDesc *fields[2];
    two_start(t, &shapes[2], &shapes[7], 2);
    fields[0] = &t->to.field;
    fields[1] = &t->from_field;
    write_all(&t->to, &t->rt, 1);
    write_all(&t->from, &t->rt, 2);
    ck_assert_int_eq(snl_field_save(&t->rt, t->trees, path_of("xy.npz"), 2, fields), SNL_OK);
    write_constant(&t->to, &t->rt, 0);
    write_constant(&t->from, &t->rt, 0);
    ck_assert_int_eq(snl_field_load(&t->rt, t->trees, path_of("xy.npz"), fields[1]), SNL_OK);
    ck_assert_int_eq(snl_field_load(&t->rt, t->trees, path_of("xy.npz"), fields[0]), SNL_OK);
    for (int64_t e = 0; e < t->to.count; e++) {
        t->to.values[0][e] = (int)((e * 7 + 1) % 101);
        t->from.values[0][e] = (int)((e * 7 + 2) % 101);
    }
    compare(&t->to, &t->rt);
    compare(&t->from, &t->rt);
    ck_assert_int_eq(snl_field_save(&t->rt, t->trees, path_of("x.npy"), 2, fields), SNL_EIO);
    snl_clear_error(&t->rt);
    two_end(t);
    free(t);
}
END_TEST

START_TEST(pictures)
{
    SnlInstance rt;
    Rig r;
    snl_instance_init(&rt, NULL, 1, 1, 0);
    rig_start(&r, &rt, &shapes[2]);
    write_all(&r, &rt, 0);
    snl_field_image(&rt, r.tree, path_of("x.png"), &r.field, 0, 51);
#ifdef SNL_HAVE_PNG
    {
        uint8_t pixels[24 * 40];
        SnlIoArray array = { .name = "x", .tag = SNL_U8, .axes = 2, .shape = { 24, 40 } };
        SnlIoError error;
        ck_assert_str_eq(snl_message(&rt), "");
        ck_assert_msg(snl_png_load(path_of("x.png"), &array, pixels, &error), "%s", error.text);
        for (int64_t e = 0; e < r.count; e++)
            ck_assert_int_eq(pixels[e], r.values[0][e] > 51 ? 255 : r.values[0][e] * 5);
    }
#else
    ck_assert_int_eq(snl_status_of(&rt), SNL_EIO);
    snl_clear_error(&rt);
#endif
    rig_end(&r);
    end_instance(&rt);
}
END_TEST

/* ---- errors ---- */

/* The record is what is expected; clears it. */
static void
expect(SnlInstance *rt, snl_status got, snl_status status, const char *text)
{
    ck_assert_int_eq(got, status);
    ck_assert_int_eq(snl_status_of(rt), status);
    ck_assert_msg(strstr(snl_message(rt), text) != NULL, "'%s' is not in '%s'", text,
                  snl_message(rt));
    snl_clear_error(rt);
}

START_TEST(layouts_that_do_not_exist)
{
    SnlInstance rt;
    SnlTree *none[CHAINS] = { NULL };
    const SnlFieldDesc *f;
    int64_t count = 5, index[3] = { 0 }, strides[SNL_AXES];
    double element[8] = { 0 };
    void *first;
    Rig r;
    snl_instance_init(&rt, NULL, 1, 1, 0);
    rig_start(&r, &rt, &shapes[_i]);
    f = &r.field;
    expect(&rt, snl_field_get(&rt, none, f, element, r.count), SNL_ENOTREE, "layout '");
    expect(&rt, snl_field_set(&rt, none, f, element, r.count), SNL_ENOTREE, "'x' does not exist");
    expect(&rt, snl_field_fill(&rt, none, f, element), SNL_ENOTREE, "does not exist");
    expect(&rt, snl_field_copy(&rt, none, f, f), SNL_ENOTREE, "does not exist");
    expect(&rt, snl_field_save(&rt, none, path_of("x.npy"), 1, &f), SNL_ENOTREE, "does not exist");
    expect(&rt, snl_field_load(&rt, none, path_of("x.npy"), f), SNL_ENOTREE, "does not exist");
    expect(&rt, snl_field_image(&rt, none, path_of("x.png"), f, 0, 1), SNL_ENOTREE,
           "does not exist");
    expect(&rt, snl_field_set_cells(&rt, none, f, index, element, 1), SNL_ENOTREE,
           "does not exist");
    expect(&rt, snl_field_cells(&rt, none, f, index, element, 1, &count), SNL_ENOTREE,
           "does not exist");
    ck_assert_int_eq(count, 0);
    ck_assert_ptr_null(snl_field_at(&rt, none, f, 0, index, SNL_READ));
    expect(&rt, snl_status_of(&rt), SNL_ENOTREE, "does not exist");
    ck_assert_int_eq(snl_field_view(none, f, &first, strides), SNL_ENOTREE);
    if (!shapes[_i].known && shapes[_i].axes[0])
        ck_assert_int_eq(snl_field_extent(none, f, 0), 0);
    rig_end(&r);
    end_instance(&rt);
}
END_TEST

START_TEST(arrays_of_a_wrong_length)
{
    SnlInstance rt;
    float array[24 * 40] = { 0 };
    const SnlFieldDesc *f;
    Rig r;
    snl_instance_init(&rt, NULL, 1, 1, 0);
    rig_start(&r, &rt, &shapes[_i]);
    f = &r.field;
    expect(&rt, snl_field_get(&rt, r.tree, f, array, 959), SNL_EINVAL, "959");
    expect(&rt, snl_field_set(&rt, r.tree, f, array, 961), SNL_EINVAL, "has 960 elements");
    expect(&rt, snl_field_set(&rt, r.tree, f, array, -1), SNL_EINVAL, "-1");
    expect(&rt, snl_field_set(&rt, r.tree, f, NULL, 960), SNL_EINVAL, "no array");
    expect(&rt, snl_field_set_cells(&rt, r.tree, f, NULL, array, 1), SNL_EINVAL, "no array");
    expect(&rt, snl_field_set_cells(&rt, r.tree, f, NULL, NULL, -3), SNL_EINVAL, "negative");
    ck_assert_int_eq(snl_field_set_cells(&rt, r.tree, f, NULL, NULL, 0), SNL_OK);
    compare(&r, &rt);
    rig_end(&r);
    end_instance(&rt);
}
END_TEST

START_TEST(indices_out_of_range)
{
    SnlInstance rt;
    SnlRandom random;
    Rig r;
    float values[2] = { 1, 2 };
    int64_t coords[4], index[2];
    snl_instance_init(&rt, NULL, 1, 1, 0);
    snl_random_init(&random, 1, 0, 0);
    rig_start(&r, &rt, &shapes[6]);     /* -32 ... -9, 7 ... 46 */
    write_some(&r, &rt, &random);
    index[0] = -33, index[1] = 7;
    ck_assert_ptr_null(snl_field_at(&rt, r.tree, &r.field, 0, index, SNL_READ));
    expect(&rt, snl_status_of(&rt), SNL_ERANGE,
           "index -33 is out of range: x has -32 to -9 along axis 0");
    index[0] = -9, index[1] = 47;
    ck_assert_ptr_null(snl_field_at(&rt, r.tree, &r.field, 0, index, SNL_ACTIVATE));
    expect(&rt, snl_status_of(&rt), SNL_ERANGE, "47 is out of range: x has 7 to 46 along axis 1");
    coords[0] = -32, coords[1] = 7, coords[2] = INT64_MIN, coords[3] = 7;
    expect(&rt, snl_field_set_cells(&rt, r.tree, &r.field, coords, values, 2), SNL_ERANGE,
           "axis 0");
    coords[2] = INT64_MAX;
    expect(&rt, snl_field_set_cells(&rt, r.tree, &r.field, coords, values, 2), SNL_ERANGE,
           "axis 0");
    compare(&r, &rt);
    rig_end(&r);
    end_instance(&rt);
}
END_TEST

START_TEST(damaged_files)
{
    SnlInstance rt;
    SnlRandom random;
    Rig r;
    FILE *file;
    snl_instance_init(&rt, NULL, 1, 1, 0);
    snl_random_init(&random, 1, 0, 0);
    rig_start(&r, &rt, &shapes[7]);
    write_some(&r, &rt, &random);
    expect(&rt, snl_field_load(&rt, r.tree, path_of("none.npy"), &r.field), SNL_EIO, "none.npy");
    file = fopen(path_of("x.npy"), "wb");
    fputs("no numbers", file);
    fclose(file);
    expect(&rt, snl_field_load(&rt, r.tree, path_of("x.npy"), &r.field), SNL_EIO, "x.npy");
    compare(&r, &rt);
    rig_end(&r);
    end_instance(&rt);
}
END_TEST

/* Memory for the cells, or for the array of a file, cannot be had. */
START_TEST(out_of_memory)
{
    SnlInstance rt;
    Rig r;
    const SnlFieldDesc *f = &r.field;
    float *array = calloc(300 * 700, sizeof *array);
    snl_instance_init(&rt, NULL, 2, 1, 400000);
    rig_start(&r, &rt, &shapes[SHAPES - 1]);
    ck_assert_int_eq(snl_field_set(&rt, r.tree, f, array, r.count), SNL_ENOMEM);
    ck_assert_int_eq(snl_field_get(&rt, r.tree, f, array, r.count), SNL_ENOMEM);
    snl_clear_error(&rt);
    ck_assert_int_eq(snl_field_save(&rt, r.tree, path_of("x.npy"), 1, &f), SNL_ENOMEM);
    ck_assert(strstr(snl_message(&rt), "array of field 'x'") != NULL);
    snl_clear_error(&rt);
    ck_assert_int_eq(snl_field_get(&rt, r.tree, f, array, r.count), SNL_OK);
    rig_end(&r);
    end_instance(&rt);
    free(array);
}
END_TEST

/* An extent of 2^40 in a hash node is no reason to allocate. */
START_TEST(huge_extents)
{
    Shape huge = { "huge", "ij",
                   { { { H, "ij", { (int64_t)1 << 40, (int64_t)1 << 40 }, false, 0 } } }, F32,
                   { 0 }, false, false, true, 0 };
    int64_t index[2] = { 123456789012, 5 }, coords[2] = { 0 }, count;
    SnlTree *trees[1];
    SnlInstance rt;
    SnlNodeDesc node = { .kind = H, .parent = -1, .name = "S", .axis_count = 2, .axes = { 0, 1 },
                         .cell_bytes = 4, .container_bytes = SNL_HASH_BYTES, .chunk = 1 };
    SnlFieldLeaf part = { 0, 0, 0, SNL_F32, 0 };
    SnlLeafDesc leaf = { 0, 0, SNL_F32, 1, "x", 0, NULL };
    SnlTreeDesc tree = { "huge", &node, 1, &leaf, 1, 0 };
    SnlFieldDesc f = { .name = "x", .axis_count = 2, .axes = { 0, 1 }, .tag = SNL_F32,
                       .element_bytes = 4, .leaf_count = 1, .leaves = &part };
    const SnlFieldDesc *list = &f;
    float value = 2.5f, read = 0;
    for (int a = 0; a < 2; a++)
        node.sizes[a] = node.stored[a] = f.extents[a] = huge.chain[0][0].sizes[a];
    snl_instance_init(&rt, NULL, 1, 1, 0);
    ck_assert_int_eq(snl_tree_create(&rt, &tree, NULL, trees), SNL_OK);
    ck_assert_int_eq(snl_field_count(trees, &f), INT64_MAX);
    ck_assert_int_eq(snl_field_set_cells(&rt, trees, &f, index, &value, 1), SNL_OK);
    value = 3.5f;
    ck_assert_int_eq(snl_field_fill(&rt, trees, &f, &value), SNL_OK);
    ck_assert_int_eq(snl_field_cells(&rt, trees, &f, coords, &read, 1, &count), SNL_OK);
    ck_assert_int_eq(count, 1);
    ck_assert_int_eq(coords[0], index[0]);
    ck_assert_int_eq(coords[1], index[1]);
    ck_assert_float_eq(read, 3.5f);
    ck_assert_int_eq(snl_field_save(&rt, trees, path_of("x.npy"), 1, &list), SNL_EIO);
    ck_assert(strstr(snl_message(&rt), "is too large for such a file") != NULL);
    snl_clear_error(&rt);
    ck_assert_int_eq(snl_field_load(&rt, trees, path_of("x.npy"), &f), SNL_EIO);
    snl_clear_error(&rt);
    ck_assert_int_eq(snl_field_get(&rt, trees, &f, &read, INT64_MAX), SNL_EINVAL);
    ck_assert_str_eq(snl_message(&rt), "field 'x' has more elements than an array can have");
    snl_clear_error(&rt);
    snl_tree_destroy(trees[0]);
    end_instance(&rt);
}
END_TEST

/* Cells come in memory order, and no more than asked for. */
START_TEST(cells_in_order)
{
    SnlInstance rt;
    Rig r;
    int64_t coords[2 * 13], count;
    float values[13];
    snl_instance_init(&rt, NULL, 3, 1, 0);
    rig_start(&r, &rt, &shapes[2]);     /* column major */
    write_all(&r, &rt, 0);
    for (int k = 0; k < 13; k++)
        values[k] = -1;
    ck_assert_int_eq(snl_field_cells(&rt, r.tree, &r.field, coords, values, 12, &count), SNL_OK);
    ck_assert_int_eq(count, r.count);
    for (int k = 0; k < 12; k++) {
        ck_assert_int_eq(coords[2 * k], k);
        ck_assert_int_eq(coords[2 * k + 1], 0);
        ck_assert_float_eq(values[k], (float)(k * 40 * 7 % 101));
    }
    ck_assert_float_eq(values[12], -1);
    rig_end(&r);
    end_instance(&rt);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("field");
    TCase *arrays = tcase_create("arrays"), *others = tcase_create("others");
    tcase_set_timeout(arrays, 120);
    tcase_set_timeout(others, 120);
    tcase_add_loop_test(arrays, arrays_serial, 0, SHAPES);
    tcase_add_loop_test(arrays, arrays_threads, 0, SHAPES);
    tcase_add_loop_test(arrays, copies, 0, SHAPES);
    tcase_add_checked_fixture(others, make_folder, remove_folder);
    tcase_add_loop_test(others, files, 0, SHAPES);
    tcase_add_loop_test(others, layouts_that_do_not_exist, 0, SHAPES);
    tcase_add_loop_test(others, arrays_of_a_wrong_length, 0, 17);
    tcase_add_test(others, copy_in_one_cell);
    tcase_add_test(others, copy_of_another_shape);
    tcase_add_test(others, several_fields_in_a_file);
    tcase_add_test(others, pictures);
    tcase_add_test(others, indices_out_of_range);
    tcase_add_test(others, damaged_files);
    tcase_add_test(others, out_of_memory);
    tcase_add_test(others, huge_extents);
    tcase_add_test(others, cells_in_order);
    suite_add_tcase(suite, arrays);
    suite_add_tcase(suite, others);
    return run_suite(suite);
}

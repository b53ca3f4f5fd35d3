/* check_layout.c - numbers of layout trees: padding, sizes, offsets, coordinates, places of fields.
 */
#include <stdlib.h>

#include "layout/layout.h"
#include "suite.h"
#include "tree/tree.h"

/* A compilation with one tree to build. */
typedef struct {
    Compile c;
    Types *types;
    Layout layout;
} Tree;

static void
tree_init(Tree *t, bool packed)
{
    *t = (Tree){0};
    compile_init(&t->c);
    t->types = types_new(&t->c);
    t->layout.packed = packed;
}

/* A node below `parent` (NULL: at the top); axes by letters. */
static Node *
add_node(Tree *t, Node *parent, NodeKind kind, const char *letters, const int64_t *sizes)
{
    Node *n = ARENA_NEW(t->c.arena, Node);
    n->kind = kind;
    n->packed = t->layout.packed;
    for (; letters[n->axis_count]; n->axis_count++) {
        n->axes[n->axis_count] = letters[n->axis_count] - 'i';
        n->sizes[n->axis_count] = sizes[n->axis_count];
    }
    if (parent)
        vec_push(t->c.arena, &parent->children, n);
    else
        vec_push(t->c.arena, &t->layout.tops, n);
    return n;
}

#define SIZES(...) ((const int64_t[]){__VA_ARGS__})

static Field *
add_field(Tree *t, const char *name, const Type *type)
{
    Field *f = ARENA_NEW(t->c.arena, Field);
    f->name = name;
    f->type = type;
    f->leaves = ARENA_ARRAY(t->c.arena, LeafPlace, type->leaf_count);
    vec_push(t->c.arena, &t->layout.fields, f);
    return f;
}

/* Places `count` leaves of a field in a node (NULL: the root cell). */
static void
add_place(Tree *t, Node *n, Field *f, int first, const Type *type)
{
    Place p = {.field = f, .first_leaf = first, .leaf_count = type->leaf_count, .type = type};
    if (n)
        vec_push(t->c.arena, &n->places, p);
    else
        vec_push(t->c.arena, &t->layout.places, p);
}

static void
build(Tree *t)
{
    layout_build(&t->c, &t->layout);
    layout_check_padding(&t->c, &t->layout, true);
    for (int i = 0; i < t->layout.fields.count; i++)
        layout_check_field(&t->c, t->layout.fields.items[i]);
}

START_TEST(sizes_are_padded)
{
    Tree t;
    tree_init(&t, _i == 1);
    const Type *f32 = type_scalar(t.types, SCALAR_F32);
    Field *x = add_field(&t, "x", f32);
    Node *n = add_node(&t, NULL, NODE_DENSE, "ij", SIZES(18, 65));
    add_place(&t, n, x, 0, f32);
    build(&t);
    ck_assert_int_eq(n->stored[0], _i == 1 ? 18 : 32);
    ck_assert_int_eq(n->stored[1], _i == 1 ? 65 : 128);
    ck_assert_int_eq(n->container_bytes, _i == 1 ? 18 * 65 * 4 : 32 * 128 * 4);
    ck_assert_int_eq(layout_tight_bytes(n), 18 * 65 * 4);
    ck_assert_int_eq(t.c.warning_count, _i == 1 ? 0 : 1);
    ck_assert_int_eq(x->extents[0], 18);
    ck_assert_int_eq(x->extents[1], 65);
    compile_free(&t.c);
}
END_TEST

START_TEST(components_of_a_cell)
{
    Tree t;
    tree_init(&t, false);
    const Type *u8 = type_scalar(t.types, SCALAR_U8), *v3 = type_vector(t.types, SCALAR_F32, 3);
    const Type *f64 = type_scalar(t.types, SCALAR_F64);
    Field *a = add_field(&t, "a", u8), *b = add_field(&t, "b", v3), *c = add_field(&t, "c", f64);
    Node *n = add_node(&t, NULL, NODE_DENSE, "i", SIZES(4));
    add_place(&t, n, a, 0, u8);
    add_place(&t, n, b, 0, v3);
    Node *below = add_node(&t, n, NODE_DENSE, "j", SIZES(2));
    add_place(&t, below, c, 0, f64);
    build(&t);
    ck_assert_int_eq(n->places.items[1].cell_offset, 4);
    ck_assert_int_eq(below->container_offset, 16);
    ck_assert_int_eq(n->cell_bytes, 32);
    ck_assert_int_eq(n->cell_align, 8);
    ck_assert(b->whole && b->leaves[2].cell_offset == 12);
    ck_assert_int_eq(c->axis_count, 2);
    compile_free(&t.c);
}
END_TEST

START_TEST(containers_of_each_kind)
{
    static const struct {
        NodeKind kind;
        int64_t bytes;
    } table[] = {{NODE_DENSE, 100 * 4},
                 {NODE_BITMASKED, 100 * 4 + 16},
                 {NODE_POINTER, 100 * 8 + 16},
                 {NODE_DYNAMIC, SNL_DYNAMIC_BYTES},
                 {NODE_HASH, SNL_HASH_BYTES}};
    Tree t;
    tree_init(&t, true);
    const Type *i32 = type_scalar(t.types, SCALAR_I32);
    Node *n = add_node(&t, NULL, table[_i].kind, "i", SIZES(100));
    add_place(&t, n, add_field(&t, "x", i32), 0, i32);
    build(&t);
    ck_assert_int_eq(n->container_bytes, table[_i].bytes);
    ck_assert_int_eq(n->cell_bytes, 4);
    ck_assert_int_eq(n->chunk, table[_i].kind == NODE_DYNAMIC ? 100 : 0);
    ck_assert_int_eq(diag_error_count(&t.c), 0);
    compile_free(&t.c);
}
END_TEST

START_TEST(coordinates_on_a_path)
{
    Tree t;
    tree_init(&t, false);
    const Type *i32 = type_scalar(t.types, SCALAR_I32);
    Field *x = add_field(&t, "x", i32);
    Node *a = add_node(&t, NULL, NODE_POINTER, "ij", SIZES(4, 8));
    Node *b = add_node(&t, a, NODE_DENSE, "j", SIZES(3));
    Node *d = add_node(&t, b, NODE_BITMASKED, "ki", SIZES(2, 5));
    add_place(&t, d, x, 0, i32);
    a->offset[0] = -10;
    a->offset[1] = 6;
    a->has_offset = true;
    build(&t);
    ck_assert_int_eq(a->cell_extent[0], 5);
    ck_assert_int_eq(a->cell_extent[1], 3);
    ck_assert_int_eq(a->cell_extent[2], 2);
    ck_assert_int_eq(b->coord_extent[1], 24);
    ck_assert_int_eq(x->axis_count, 3);
    ck_assert_int_eq(x->extents[0], 20);
    ck_assert_int_eq(x->offsets[0], -10);
    ck_assert_int_eq(x->offsets[1], 6);
    ck_assert_ptr_eq(node_list_ancestor(d), a);
    compile_free(&t.c);
}
END_TEST

START_TEST(components_placed_apart)
{
    Tree t;
    tree_init(&t, false);
    const Type *f32 = type_scalar(t.types, SCALAR_F32);
    Field *v = add_field(&t, "v", type_vector(t.types, SCALAR_F32, 2));
    add_place(&t, add_node(&t, NULL, NODE_DENSE, "i", SIZES(8)), v, 0, f32);
    add_place(&t, add_node(&t, NULL, NODE_DENSE, "i", SIZES(_i ? 4 : 8)), v, 1, f32);
    build(&t);
    ck_assert_int_eq(diag_error_count(&t.c), _i);
    ck_assert(!v->whole);
    compile_free(&t.c);
}
END_TEST

START_TEST(too_large_or_placed_badly)
{
    Tree t;
    tree_init(&t, false);
    const Type *f32 = type_scalar(t.types, SCALAR_F32);
    Field *x = add_field(&t, "x", f32);
    NodeKind kind = _i == 0 ? NODE_DENSE : NODE_HASH;
    Node *n = add_node(&t, NULL, kind, "ij", SIZES((int64_t)1 << 29, (int64_t)1 << 29));
    if (_i < 2)
        add_place(&t, n, x, 0, f32);
    if (_i == 3)
        add_place(&t, n, x, 0, f32), add_place(&t, NULL, x, 0, f32);
    build(&t);
    /* dense: 2^60 bytes are too many; hash: fine; not placed; placed twice */
    ck_assert_int_eq(diag_error_count(&t.c), _i == 1 ? 0 : 1);
    compile_free(&t.c);
}
END_TEST

START_TEST(headers_agree_with_the_runtime)
{
    ck_assert_int_eq(LAYOUT_DYNAMIC_BYTES, SNL_DYNAMIC_BYTES);
    ck_assert_int_eq(LAYOUT_HASH_BYTES, SNL_HASH_BYTES);
    ck_assert_int_eq(LAYOUT_SLOT_BYTES, sizeof(void *));
    ck_assert_int_eq(LAYOUT_DYNAMIC_BYTES, sizeof(SnlDynamic));
    ck_assert_int_eq(LAYOUT_HASH_BYTES, sizeof(SnlHash));
    ck_assert_int_eq(AXIS_MAX, SNL_AXES);
}
END_TEST

START_TEST(places_of_elements)
{
    static const struct {
        const char *element, *line;
    } table[] = {{"x[1, 2]", "byte 24 of the container of S1dense, 4 bytes long"},
                 {"x[3,3]", "byte 60 of the container"},
                 {"x[4, 0]", NULL},
                 {"x[1]", NULL},
                 {"y[1, 1]", NULL},
                 {"x[1, 2", NULL}};
    Tree t;
    tree_init(&t, false);
    const Type *f32 = type_scalar(t.types, SCALAR_F32);
    add_place(&t, add_node(&t, NULL, NODE_DENSE, "ij", SIZES(4, 4)), add_field(&t, "x", f32), 0,
              f32);
    build(&t);
    Layout *trees[] = {&t.layout};
    Text out;
    text_init(&out, t.c.arena);
    bool found = layout_print_at(&t.c, (LayoutList){trees, 1}, table[_i].element,
                                 LAYOUT_TEXT, &out);
    ck_assert_int_eq(found, table[_i].line != NULL);
    ck_assert_int_eq(diag_error_count(&t.c), !found);
    if (found)
        ck_assert_ptr_nonnull(strstr(out.data, table[_i].line));
    compile_free(&t.c);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("layout");
    TCase *group = tcase_create("all");
    tcase_add_loop_test(group, sizes_are_padded, 0, 2);
    tcase_add_test(group, components_of_a_cell);
    tcase_add_loop_test(group, containers_of_each_kind, 0, 5);
    tcase_add_test(group, coordinates_on_a_path);
    tcase_add_loop_test(group, components_placed_apart, 0, 2);
    tcase_add_loop_test(group, too_large_or_placed_badly, 0, 4);
    tcase_add_test(group, headers_agree_with_the_runtime);
    tcase_add_loop_test(group, places_of_elements, 0, 6);
    suite_add_tcase(suite, group);
    return run_suite(suite);
}

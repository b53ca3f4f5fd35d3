/* The table of types: each made once, found again by its shape. */
#include "config.h"

#include "ast/type.h"

#include <string.h>

static const ScalarInfo scalar_table[] = {
#define SCALAR(name, spelling, ctype, bytes, kind) {spelling, ctype, bytes, kind},
#include "ast/types.def"
#undef SCALAR
};

struct Types {
    Compile *c;
    Arena *arena;
    Type *error, *none, *string;
    Type *shapes[SCALAR_COUNT][17][17]; /* rows, cols; [0][0] the scalar */
    Map arrays;                         /* spelling -> Type * */
};

const ScalarInfo *
scalar_info(Scalar s)
{
    return &scalar_table[s];
}

static Type *
new_type(Types *t, TypeKind kind, const char *name)
{
    Type *type = ARENA_NEW(t->arena, Type);
    type->kind = kind;
    type->name = name;
    type->align = 1;
    return type;
}

Types *
types_new(Compile *c)
{
    Types *t = ARENA_NEW(c->arena, Types);
    t->c = c;
    t->arena = c->arena;
    t->error = new_type(t, TYPE_ERROR, "an unknown type");
    t->none = new_type(t, TYPE_VOID, "no value");
    t->string = new_type(t, TYPE_STRING, "a string");
    map_init(&t->arrays, c->arena);
    return t;
}

const Type *
type_error(Types *t)
{
    return t->error;
}

const Type *
type_void(Types *t)
{
    return t->none;
}

const Type *
type_string(Types *t)
{
    return t->string;
}

const Type *
type_shape(Types *t, Scalar s, int rows, int cols)
{
    Type **slot = &t->shapes[s][rows][cols];
    if (*slot)
        return *slot;
    const ScalarInfo *info = &scalar_table[s];
    const char *name = !rows   ? info->name
                       : !cols ? arena_printf(t->arena, "%sx%d", info->name, rows)
                               : arena_printf(t->arena, "%sx%dx%d", info->name, rows, cols);
    Type *type = new_type(t, !rows ? TYPE_SCALAR : !cols ? TYPE_VECTOR : TYPE_MATRIX, name);
    type->scalar = s;
    type->rows = rows;
    type->cols = cols;
    type->leaf_count = (rows ? rows : 1) * (cols ? cols : 1);
    type->bytes = (int64_t)type->leaf_count * info->bytes;
    type->align = info->bytes;
    return *slot = type;
}

const Type *
type_scalar(Types *t, Scalar s)
{
    return type_shape(t, s, 0, 0);
}

const Type *
type_vector(Types *t, Scalar s, int n)
{
    return type_shape(t, s, n, 0);
}

const Type *
type_matrix(Types *t, Scalar s, int rows, int cols)
{
    return type_shape(t, s, rows, cols);
}

/* Structs of one name may differ between scopes; the address of the element type tells arrays of
 * them apart. */
static Type *
find_array(Types *t, TypeKind kind, const Type *elem, int dim_count, const int64_t *dims,
           bool *found)
{
    Text name;
    text_init(&name, t->arena);
    text_add(&name, "%s[", elem->name);
    for (int i = 0; i < dim_count; i++) {
        if (dims)
            text_add(&name, "%s%lld", i ? ", " : "", (long long)dims[i]);
        else
            text_add(&name, "%s", i ? "," : "");
    }
    text_add(&name, "]");
    const char *key =
        intern_str(t->c->intern, arena_printf(t->arena, "%s %p", name.data, (const void *)elem));
    Type *type = map_get(&t->arrays, key);
    *found = type != NULL;
    if (type)
        return type;
    type = new_type(t, kind, name.data);
    type->elem = elem;
    type->dim_count = dim_count;
    type->align = elem->align;
    map_put(&t->arrays, key, type);
    return type;
}

const Type *
type_array(Types *t, const Type *elem, int dim_count, const int64_t *dims)
{
    bool found;
    Type *type = find_array(t, TYPE_ARRAY, elem, dim_count, dims, &found);
    if (found)
        return type;
    int64_t count = 1;
    for (int i = 0; i < dim_count; i++) {
        type->dims[i] = dims[i];
        count *= dims[i];
    }
    type->leaf_count = (int)(count * elem->leaf_count);
    type->bytes = count * elem->bytes;
    return type;
}

int
type_leaves_of_flag(const Type *t)
{
    const int most = 16;
    const Type *elem = t->kind == TYPE_ARRAY ? t->elem : t;
    return elem->leaf_count > most ? elem->leaf_count : 1;
}

int64_t
type_flag_count(const Type *t)
{
    return t->leaf_count / type_leaves_of_flag(t);
}

const Type *
type_extern(Types *t, const Type *elem, int dim_count)
{
    bool found;
    return find_array(t, TYPE_EXTERN, elem, dim_count, NULL, &found);
}

const Type *
type_struct(Types *t, const char *name, Member *members, int member_count)
{
    Type *type = new_type(t, TYPE_STRUCT, name);
    type->members = members;
    type->member_count = member_count;
    for (int i = 0; i < member_count; i++) {
        Member *m = &members[i];
        int64_t align = m->type->align;
        m->leaf = type->leaf_count;
        m->bytes_offset = (type->bytes + align - 1) / align * align;
        type->leaf_count += m->type->leaf_count;
        type->bytes = m->bytes_offset + m->type->bytes;
        type->align = align > type->align ? align : type->align;
    }
    type->bytes = (type->bytes + type->align - 1) / type->align * type->align;
    return type;
}

bool
type_is_arith(const Type *t)
{
    return t->kind == TYPE_SCALAR || t->kind == TYPE_VECTOR || t->kind == TYPE_MATRIX;
}

bool
type_is_float(const Type *t)
{
    return type_is_arith(t) && scalar_table[t->scalar].kind == KIND_FLOAT;
}

bool
type_is_integer(const Type *t)
{
    return type_is_arith(t) &&
           (scalar_table[t->scalar].kind == KIND_INT || scalar_table[t->scalar].kind == KIND_UINT);
}

bool
type_is_bool(const Type *t)
{
    return type_is_arith(t) && t->scalar == SCALAR_BOOL;
}

const Type *
type_with_scalar(Types *t, const Type *shape, Scalar s)
{
    return type_shape(t, s, shape->rows, shape->cols);
}

Scalar
type_leaf(const Type *t, int k, int64_t *bytes_offset)
{
    int64_t at = 0;
    while (t->kind == TYPE_STRUCT || t->kind == TYPE_ARRAY) {
        if (t->kind == TYPE_ARRAY) {
            at += (int64_t)(k / t->elem->leaf_count) * t->elem->bytes;
            k %= t->elem->leaf_count;
            t = t->elem;
            continue;
        }
        int m = 0;
        while (m + 1 < t->member_count && t->members[m + 1].leaf <= k)
            m++;
        at += t->members[m].bytes_offset;
        k -= t->members[m].leaf;
        t = t->members[m].type;
    }
    if (bytes_offset)
        *bytes_offset = at + (int64_t)k * scalar_table[t->scalar].bytes;
    return t->scalar;
}

const char *
type_leaf_name(Compile *c, const Type *t, int k)
{
    if (t->kind == TYPE_STRUCT) {
        int m = 0;
        while (m + 1 < t->member_count && t->members[m + 1].leaf <= k)
            m++;
        return arena_printf(c->arena, ".%s%s", t->members[m].name,
                            type_leaf_name(c, t->members[m].type, k - t->members[m].leaf));
    }
    if (t->kind == TYPE_MATRIX)
        return arena_printf(c->arena, "[%d, %d]", k / t->cols, k % t->cols);
    if (t->kind == TYPE_VECTOR)
        return t->rows <= 4 ? arena_printf(c->arena, ".%c", "xyzw"[k])
                            : arena_printf(c->arena, "[%d]", k);
    return "";
}

const Member *
type_member(const Type *t, const char *name)
{
    for (int i = 0; t->kind == TYPE_STRUCT && i < t->member_count; i++)
        if (t->members[i].name == name)
            return &t->members[i];
    return NULL;
}

/* Built-in functions of values: how many arguments, of which types, what they give. */
#include "config.h"

#include <string.h>

#include "check/check_func.h"

/* Class by letter, and number of arguments of the classes that have one (0: V, R). */
static const struct {
    const char *spelling;
    char letter;
    int count;
} table[] = {
#define CLASS_F1 'F', 1
#define CLASS_F2 'F', 2
#define CLASS_F3 'F', 3
#define CLASS_N1 'N', 1
#define CLASS_N2 'N', 2
#define CLASS_N3 'N', 3
#define CLASS_I1 'I', 1
#define CLASS_P1 'P', 1
#define CLASS_V 'V', 0
#define CLASS_R 'R', 0
#define BUILTIN(name, spelling, class, arguments) {spelling, CLASS_##class},
#include "check/builtins.def"
#undef BUILTIN
};

const char *
builtin_name(Builtin b)
{
    return table[b].spelling;
}

Builtin
builtin_find(const char *name)
{
    for (int i = 0; i < BUILTIN_COUNT; i++)
        if (table[i].spelling[0] == name[0] && !strcmp(table[i].spelling, name))
            return (Builtin)i;
    return BUILTIN_COUNT;
}

char
builtin_class(const char *name)
{
    Builtin b = builtin_find(name);
    return b == BUILTIN_COUNT ? 0 : table[b].letter;
}

/* ---- helpers ---- */

/* A built-in that is being called. */
typedef struct {
    Checker *k;
    const Expr *e;
    Builtin b;
    TExpr *args[3];
} Call;

static TExpr *
refuse(const Call *c, DiagCode code, const char *needs)
{
    Text given;
    text_init(&given, c->k->c->arena);
    for (int i = 0; i < c->e->args.count && i < 3; i++)
        text_add(&given, "%s%s", i ? ", " : "", c->args[i]->type->name);
    diag(c->k->c, code, c->e->span, "'%s' takes %s, not %s", builtin_name(c->b), needs, given.data);
    return tx_error(c->k, c->e->span);
}

static TExpr *
give(const Call *c, const Type *type)
{
    TExpr *t = tx_new(c->k, TX_BUILTIN, type, c->e->span);
    t->builtin = c->b;
    for (int i = 0; i < c->e->args.count; i++)
        vec_push(c->k->c->arena, &t->args, c->args[i]);
    return fold(c->k, t);
}

/* Arguments with the types they find together; false after a report. */
static bool
check_arguments(Call *c, Scope *s, int count, const Type *want)
{
    const char *name = arena_printf(c->k->c->arena, "'%s'", builtin_name(c->b));
    const Exprs *given = &c->e->args;
    if ((c->b == BUILTIN_MIN || c->b == BUILTIN_MAX) && given->count > count) {
        Span rest = {given->items[1]->span.from, given->items[given->count - 1]->span.to};
        Diag *d = diag(c->k->c, E0305, c->e->span, "%s takes %d arguments, not %d", name, count,
                       given->count);
        diag_edit(d, rest, "%s(%s)", builtin_name(c->b), source_text(c->k, rest));
        return false;
    }
    if (!check_count(c->k, c->e, name, count, count))
        return false;
    check_together(c->k, s, &c->e->args, want, c->args);
    for (int i = 0; i < count; i++)
        if (!has_value(c->k, c->args[i]))
            return false;
    return true;
}

/* Integer arguments become f32. */
static void
make_float(Call *c, int i)
{
    TExpr *a = c->args[i];
    if (type_is_integer(a->type))
        c->args[i] =
            tx_cast(c->k, a, type_with_scalar(c->k->prog->types, a->type, SCALAR_F32), a->span);
}

static bool
are_numbers(const Call *c)
{
    for (int i = 0; i < c->e->args.count; i++)
        if (!type_is_arith(c->args[i]->type) || type_is_bool(c->args[i]->type))
            return false;
    return true;
}

/* All arguments brought to one type. */
static bool
unify(Call *c)
{
    const char *name = arena_printf(c->k->c->arena, "'%s'", builtin_name(c->b));
    /* the second brings the first arguments to what the last gave */
    for (int round = 0; round < 2; round++)
        for (int i = 1; i < c->e->args.count; i++)
            if (c->args[i - 1]->type != c->args[i]->type &&
                !promote(c->k, c->e->span, name, NULL, &c->args[i - 1], &c->args[i]))
                return false;
    return true;
}

/* ---- powers ---- */

enum { PRODUCTS_MOST = 8 };

/* A constant exponent from 2 to PRODUCTS_MOST that is whole, and the same for each component; else
 * 0. */
static int
whole_exponent(const TExpr *e)
{
    if (e->kind != TX_CONST)
        return 0;
    const double first = e->value.leaves[0].f;
    for (int i = 1; i < e->type->leaf_count; i++)
        if (e->value.leaves[i].f != first)
            return 0;
    return first >= 2 && first <= PRODUCTS_MOST && first == (int)first ? (int)first : 0;
}

/* x to the nth by squares: two products of 3, 3 of 8. */
static TExpr *
products(Checker *k, TExpr *x, int n)
{
    if (n == 1)
        return x;
    TExpr *half = products(k, x, n / 2), *even = tx_binary(k, OP_MUL, x->type, half, half);
    return n % 2 ? tx_binary(k, OP_MUL, x->type, even, x) : even;
}

/* pow(x, n): those of f32 are products of f64, so that they are as exact as other powers. */
static TExpr *
power(const Call *c, int n)
{
    Checker *k = c->k;
    const Type *type = c->args[0]->type;
    TExpr *x = tx_stable(k, c->args[0]);
    if (type->scalar == SCALAR_F32 && n > 2)
        x = tx_cast(k, x, type_with_scalar(k->prog->types, type, SCALAR_F64), x->span);
    return tx_explicit_cast(k, products(k, x, n), type, c->e->span);
}

/* ---- classes ---- */

static TExpr *
check_per_component(Call *c, Scope *s, const Type *want)
{
    char letter = table[c->b].letter;
    bool number = want && type_is_arith(want) && !type_is_bool(want);
    const Type *context = number && letter == 'N'                          ? want
                          : number && type_is_float(want) && letter == 'F' ? want
                                                                           : NULL;
    Types *types = c->k->prog->types;
    if (!check_arguments(c, s, table[c->b].count, context))
        return tx_error(c->k, c->e->span);
    if (!are_numbers(c))
        return refuse(c, E0313, letter == 'I' ? "an integer" : "numbers");
    if (letter == 'I' && !type_is_integer(c->args[0]->type))
        return refuse(c, E0313, "an integer");
    bool all_integers = true;
    for (int i = 0; i < c->e->args.count; i++)
        all_integers = all_integers && type_is_integer(c->args[i]->type);
    for (int i = 0; all_integers && (letter == 'F' || letter == 'P') && i < c->e->args.count; i++)
        make_float(c, i);
    if (!unify(c))
        return tx_error(c->k, c->e->span);
    const Type *t = c->args[0]->type;
    const int n = c->b == BUILTIN_POW && t->scalar != SCALAR_F16 ? whole_exponent(c->args[1]) : 0;
    if (n)
        return power(c, n);
    return give(c, letter == 'I'   ? type_with_scalar(types, t, SCALAR_I32)
                   : letter == 'P' ? type_with_scalar(types, t, SCALAR_BOOL)
                                   : t);
}

static TExpr *
check_any_all(Call *c)
{
    if (!type_is_bool(c->args[0]->type))
        return refuse(c, E0313, "a vector of bools");
    return c->args[0]->type->kind == TYPE_SCALAR
               ? c->args[0]
               : give(c, type_scalar(c->k->prog->types, SCALAR_BOOL));
}

static bool
is_square(const Type *t)
{
    return t->kind == TYPE_MATRIX && t->rows == t->cols && !type_is_bool(t);
}

static bool
is_vector(const Type *t)
{
    return t->kind == TYPE_VECTOR && !type_is_bool(t);
}

/* Two vectors of one component type, of one size unless any_size. */
static TExpr *
check_two_vectors(Call *c, bool any_size)
{
    Types *types = c->k->prog->types;
    Scalar common;
    const Type *a = c->args[0]->type, *b = c->args[1]->type;
    if (!is_vector(a) || !is_vector(b))
        return refuse(c, E0313, "two vectors");
    if (!any_size && a->rows != b->rows)
        return refuse(c, E0303, "two vectors of one size");
    if (c->b == BUILTIN_CROSS && a->rows != 3)
        return refuse(c, E0303, "two vectors of 3 components");
    if (!promote_scalars(a->scalar, b->scalar, &common))
        return refuse(c, E0302, "vectors of types that mix");
    c->args[0] = tx_cast(c->k, c->args[0], type_with_scalar(types, a, common), c->args[0]->span);
    c->args[1] = tx_cast(c->k, c->args[1], type_with_scalar(types, b, common), c->args[1]->span);
    const bool is_outer = c->b == BUILTIN_OUTER, is_dot = c->b == BUILTIN_DOT;
    const Type *type = is_dot     ? type_scalar(types, common)
                       : is_outer ? type_matrix(types, common, a->rows, b->rows)
                                  : c->args[0]->type;
    if (!products_are_checked(c->k, type, is_outer ? type->leaf_count : a->rows))
        return give(c, type);
    return is_dot     ? tx_dot(c->k, c->args[0], c->args[1])
           : is_outer ? tx_outer(c->k, type, c->args[0], c->args[1])
                      : tx_cross(c->k, c->args[0], c->args[1]);
}

static TExpr *
check_norms(Call *c)
{
    const Type *t = c->args[0]->type;
    bool number = type_is_arith(t) && !type_is_bool(t);
    if (!number || t->kind == TYPE_SCALAR || (t->kind == TYPE_MATRIX && c->b == BUILTIN_NORMALIZE))
        return refuse(c, E0313, "a vector");
    if (c->b != BUILTIN_NORM_SQR)
        make_float(c, 0);
    t = c->args[0]->type;
    if (c->b == BUILTIN_NORM_SQR && products_are_checked(c->k, t, t->leaf_count))
        return tx_dot(c->k, c->args[0], NULL);
    return give(c, c->b == BUILTIN_NORMALIZE ? t : type_scalar(c->k->prog->types, t->scalar));
}

const Type *
prog_parts_type(Compile *c, Prog *p, Builtin b, const Type *argument)
{
    const char *const *names = built_in_members(builtin_name(b));
    const char *key =
        intern_str(c->intern, arena_printf(c->arena, "%s_%s", builtin_name(b), argument->name));
    const Type *known = map_get(&p->part_types, key);
    if (known)
        return known;
    const int count = b == BUILTIN_SVD ? 3 : 2;
    Member *members = ARENA_ARRAY(c->arena, Member, count);
    for (int i = 0; i < count; i++) {
        members[i].name = intern_str(c->intern, names[i]);
        members[i].type = b == BUILTIN_EIG_SYM && i == 0
                              ? type_vector(p->types, argument->scalar, argument->rows)
                              : argument;
    }
    const Type *made = type_struct(p->types, key, members, count);
    map_put(&p->part_types, key, (void *)made);
    return made;
}

static TExpr *
check_decomposition(Call *c)
{
    const Type *t = c->args[0]->type;
    if (!is_square(t) || t->rows < 2 || t->rows > 3)
        return refuse(c, E0313, "a 2x2 or 3x3 matrix");
    make_float(c, 0);
    t = c->args[0]->type;
    return give(c, prog_parts_type(c->k->c, c->k->prog, c->b, t));
}

static TExpr *
check_square(Call *c)
{
    if (!is_square(c->args[0]->type))
        return refuse(c, E0313, "a square matrix");
    if (c->b != BUILTIN_TRACE)
        make_float(c, 0);
    const Type *t = c->args[0]->type;
    if (c->b == BUILTIN_TRACE && products_are_checked(c->k, t, 0))
        return tx_trace(c->k, c->args[0]);
    return give(c, c->b == BUILTIN_INVERSE ? t : type_scalar(c->k->prog->types, t->scalar));
}

static TExpr *
check_solve(Call *c)
{
    Types *types = c->k->prog->types;
    Scalar common = c->args[1]->type->scalar;
    if (!is_square(c->args[0]->type) || !is_vector(c->args[1]->type))
        return refuse(c, E0313, "a square matrix and a vector");
    if (c->args[0]->type->rows != c->args[1]->type->rows)
        return refuse(c, E0303, "a matrix and a vector of one size");
    make_float(c, 0);
    if (type_is_float(c->args[0]->type) &&
        !promote_scalars(c->args[0]->type->scalar, c->args[1]->type->scalar, &common))
        return refuse(c, E0302, "types that mix");
    for (int i = 0; i < 2; i++)
        c->args[i] = tx_cast(c->k, c->args[i], type_with_scalar(types, c->args[i]->type, common),
                             c->args[i]->span);
    return give(c, c->args[1]->type);
}

static TExpr *
check_transpose(Call *c)
{
    const Type *t = c->args[0]->type;
    if (t->kind != TYPE_MATRIX)
        return refuse(c, E0313, "a matrix");
    return give(c, type_matrix(c->k->prog->types, t->scalar, t->cols, t->rows));
}

static TExpr *
check_of_vectors(Call *c, Scope *s, const Type *want)
{
    Builtin b = c->b;
    bool two = b == BUILTIN_DOT || b == BUILTIN_CROSS || b == BUILTIN_OUTER || b == BUILTIN_SOLVE;
    if (!check_arguments(c, s, two ? 2 : 1, want && type_is_float(want) ? want : NULL))
        return tx_error(c->k, c->e->span);
    switch (b) {
    case BUILTIN_ANY: case BUILTIN_ALL: return check_any_all(c);
    case BUILTIN_DOT: case BUILTIN_CROSS: return check_two_vectors(c, false);
    case BUILTIN_OUTER: return check_two_vectors(c, true);
    case BUILTIN_NORM: case BUILTIN_NORM_SQR: case BUILTIN_NORMALIZE: return check_norms(c);
    case BUILTIN_TRANSPOSE: return check_transpose(c);
    case BUILTIN_TRACE: case BUILTIN_DETERMINANT: case BUILTIN_INVERSE: return check_square(c);
    case BUILTIN_SOLVE: return check_solve(c);
    default: return check_decomposition(c);
    }
}

static TExpr *
check_random(Call *c)
{
    const char *name = arena_printf(c->k->c->arena, "'%s'", builtin_name(c->b));
    if (!check_count(c->k, c->e, name, 0, 0))
        return tx_error(c->k, c->e->span);
    Scalar s = c->b == BUILTIN_RANDOM_F64   ? SCALAR_F64
               : c->b == BUILTIN_RANDOM_I32 ? SCALAR_I32
               : c->b == BUILTIN_RANDOM_U32 ? SCALAR_U32
                                            : SCALAR_F32;
    return give(c, type_scalar(c->k->prog->types, s));
}

TExpr *
check_builtin(Checker *k, Scope *s, const Expr *e, const char *name, const Type *want)
{
    Call c = {.k = k, .e = e, .b = builtin_find(name)};
    if (c.b == BUILTIN_COUNT)
        return NULL;
    if (table[c.b].letter == 'V')
        return check_of_vectors(&c, s, want);
    return table[c.b].letter == 'R' ? check_random(&c) : check_per_component(&c, s, want);
}

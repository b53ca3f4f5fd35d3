/* Built-in functions: components one by one, vectors and matrices as a whole. */
#include "config.h"

#include "interp/inside.h"

void
builtin_matmul(Interp *in, const TExpr *e, Leaf *out)
{
    Leaf *x = interp_take(in, e->a->type->leaf_count), *y = interp_take(in, e->b->type->leaf_count);
    eval(in, e->a, x);
    eval(in, e->b, y);
    leaf_matmul(e->a->type, e->b->type, x, y, out);
}

static void
eval_random(Interp *in, const TExpr *e, Leaf *out)
{
    SnlRandom *r = in->frame->random;
    switch (e->builtin) {
    case BUILTIN_RANDOM: out->f = (double)snl_random_f32(r); break;
    case BUILTIN_RANDOM_F64: out->f = snl_random_f64(r); break;
    case BUILTIN_RANDOM_I32: out->i = snl_random_i32(r); break;
    case BUILTIN_RANDOM_U32: out->u = snl_random_u32(r); break;
    default: out->f = (double)snl_random_randn(r); break;
    }
}

static void
eval_componentwise(Interp *in, const TExpr *e, Leaf *out)
{
    int n = e->type->leaf_count;
    Leaf *args[3];
    for (int a = 0; a < e->args.count; a++) {
        args[a] = interp_take(in, n);
        eval(in, e->args.items[a], args[a]);
    }
    for (int i = 0; i < n; i++) {
        Leaf one[3];
        for (int a = 0; a < e->args.count; a++)
            one[a] = args[a][i];
        bool divides = e->builtin == BUILTIN_FLOORDIV || e->builtin == BUILTIN_FLOORMOD;
        if (in->c->options.check && type_is_integer(e->type) && divides)
            eval_check(in, e->span, OP_DIV, e->type->scalar, one[0], one[1]);
        else if (in->c->options.check && type_is_integer(e->type) && e->builtin == BUILTIN_ABS)
            eval_check(in, e->span, OP_SUB, e->type->scalar, (Leaf){0}, one[0]);
        out[i] = leaf_builtin(e->builtin, e->args.items[0]->type->scalar, one);
    }
}

void
builtin_eval(Interp *in, const TExpr *e, Leaf *out)
{
    if (!e->args.count) {
        eval_random(in, e, out);
        return;
    }
    if (builtin_is_componentwise(e->builtin)) {
        eval_componentwise(in, e, out);
        return;
    }
    Leaf *args[2] = {0};
    for (int i = 0; i < e->args.count && i < 2; i++) {
        args[i] = interp_take(in, e->args.items[i]->type->leaf_count);
        eval(in, e->args.items[i], args[i]);
    }
    leaf_vector_builtin(e, args[0], args[1], out);
}

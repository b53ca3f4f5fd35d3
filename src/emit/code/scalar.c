/* Operations on scalars as C expressions. The C compiler is called with -fwrapv, so plain operators
 * wrap. Where C promotes or has undefined results, functions of snl_math.h stand in. Compilers for
 * a GPU have no such option, so the functions stand in for everything that may overflow. */
#include "config.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emit/code/code.h"
#include "math/snl_scalar.h"

const char *
scalar_enclose(Emit *e, const char *text, int prec, int need)
{
    return prec < need ? arena_printf(e->c->arena, "(%s)", text) : text;
}

static const char *
in(Emit *e, CText t, int need)
{
    return scalar_enclose(e, t.text, t.prec, need);
}

static bool
is_narrow(Scalar s)
{
    return s == SCALAR_I8 || s == SCALAR_I16 || s == SCALAR_U8 || s == SCALAR_U16;
}

static const char *
short_name(Scalar s)
{
    return scalar_info(s)->name;
}

const char *
scalar_tag(Scalar s)
{
    static const char *const tags[] = {
#define SCALAR(name, spelling, ctype, bytes, kind) "SNL_" #name,
#include "ast/types.def"
#undef SCALAR
    };
    return tags[s];
}

/* ---- constants ---- */

/* The shortest decimal text that reads back as the same number. */
static const char *
float_text(Emit *e, Scalar s, double v)
{
    if (isnan(v))
        return s == SCALAR_F32 ? "NAN" : "(double)NAN";
    if (isinf(v))
        return arena_printf(e->c->arena, "%s%sINFINITY", v < 0 ? "-" : "",
                            s == SCALAR_F32 ? "" : "(double)");
    char text[64];
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, v);
        if (s == SCALAR_F32 ? strtof(text, NULL) == (float)v : strtod(text, NULL) == v)
            break;
    }
    double size = v < 0 ? -v : v;
    if (size >= 1e-5 && size < 1e9 && strchr(text, 'e')) { /* 2000 rather than 2e+03 */
        char longer[64];
        snprintf(longer, sizeof longer, "%.*f", size < 1 ? 12 : 0, v);
        if (s == SCALAR_F32 ? strtof(longer, NULL) == (float)v : strtod(longer, NULL) == v)
            memcpy(text, longer, sizeof text);
    }
    if (!strpbrk(text, ".e"))
        memcpy(text + strlen(text), ".0", sizeof ".0");
    return arena_printf(e->c->arena, s == SCALAR_F32 ? "%sf" : "%s", text);
}

const char *
scalar_constant(Emit *e, Scalar s, Leaf v)
{
    switch (s) {
    case SCALAR_BOOL: return v.i ? "true" : "false";
    case SCALAR_I32:
        return v.i == INT32_MIN ? "INT32_MIN" : arena_printf(e->c->arena, "%" PRId64, v.i);
    case SCALAR_I64:
        if (v.i == INT64_MIN)
            return "INT64_MIN";
        return arena_printf(e->c->arena, v.i == (int32_t)v.i ? "%" PRId64 : "INT64_C(%" PRId64 ")",
                            v.i);
    case SCALAR_U32: return arena_printf(e->c->arena, "%" PRIu64 "u", v.u);
    case SCALAR_U64:
        return arena_printf(e->c->arena,
                            v.u <= UINT32_MAX ? "%" PRIu64 "u" : "UINT64_C(%" PRIu64 ")", v.u);
    case SCALAR_F16: return arena_printf(e->c->arena, "0x%04x", snl_f64_to_f16(v.f));
    case SCALAR_F32: case SCALAR_F64: return float_text(e, s, v.f);
    default: return arena_printf(e->c->arena, "%" PRId64, v.i);
    }
}

/* ---- operators ---- */

static CText
call(Emit *e, const char *what, Scalar s, const CText *args, int n)
{
    const char *text = arena_printf(e->c->arena, "snl_%s_%s(", what, short_name(s));
    for (int i = 0; i < n; i++)
        text =
            arena_printf(e->c->arena, "%s%s%s", text, i ? ", " : "", in(e, args[i], PREC_ASSIGN));
    return (CText){arena_printf(e->c->arena, "%s)", text), PREC_POSTFIX};
}

static int
precedence(Op op)
{
    switch (op) {
    case OP_MUL: case OP_DIV: case OP_MOD: return PREC_MUL;
    case OP_ADD: case OP_SUB: return PREC_ADD;
    case OP_SHL: case OP_SHR: return PREC_SHIFT;
    case OP_LT: case OP_LE: case OP_GT: case OP_GE: return PREC_COMPARE;
    case OP_EQ: case OP_NE: return PREC_EQUAL;
    case OP_AND: return PREC_AND;
    case OP_XOR: return PREC_XOR;
    case OP_OR: return PREC_OR;
    case OP_LAND: return PREC_LAND;
    default: return PREC_LOR;
    }
}

/* What compilers would rather see in parentheses: arithmetic under shifts, comparisons and bit
 * operations. */
static int
operand_need(Op op, int prec)
{
    switch (op) {
    case OP_SHL: case OP_SHR: case OP_AND: case OP_OR: case OP_XOR: case OP_LAND: case OP_LOR:
        return PREC_UNARY;
    case OP_EQ: case OP_NE: return PREC_SHIFT + 1;
    default: return prec;
    }
}

/* Is it, as C, a product or a variable or a component of one, which may hold a product? */
static bool
may_be_product(CText a)
{
    const char *s = a.text;
    if (a.prec == PREC_MUL)
        return true;
    if (!isalpha((unsigned char)*s) && *s != '_')
        return false;
    while (isalnum((unsigned char)*s) || *s == '_' || *s == '.' || (*s == '[' && s[-1] == 'v') ||
           *s == ']')
        s++;
    return !*s;
}

static CText
plain(Emit *e, Op op, Scalar s, CText a, CText b)
{
    if (s == SCALAR_BOOL && op == OP_XOR) /* ^ would be an int */
        op = OP_NE;
    int prec = precedence(op), need = operand_need(op, prec), left = need,
        right = need > prec ? need : prec + 1;
    if ((op == OP_LAND || op == OP_LOR) && a.prec == prec)
        left = prec;
    else if (op == OP_LAND || op == OP_LOR)
        left = PREC_EQUAL;
    if (op == OP_LAND || op == OP_LOR)
        right = PREC_EQUAL;
    const char *sign = op_text(op), *second = in(e, b, right), *first = in(e, a, left);
    /* a + 1 rather than a - -1 */
    if ((op == OP_ADD || op == OP_SUB) && second[0] == '-' && isdigit((unsigned char)second[1])) {
        sign = op == OP_ADD ? "-" : "+";
        second++;
    }
    if (sign[0] == '-' && op == OP_SUB && scalar_info(s)->kind == KIND_FLOAT && may_be_product(a))
        first = arena_printf(e->c->arena, "SNL_ROUNDED(%s)", a.text);
    if (op >= OP_EQ && op <= OP_GE && first[0] == '!') /* (!a) == b */
        first = arena_printf(e->c->arena, "(%s)", first);
    /* both are meant to be computed: clang takes it for a slip */
    if (s == SCALAR_BOOL && (op == OP_AND || op == OP_OR))
        first = arena_printf(e->c->arena, "(int)%s", in(e, a, PREC_UNARY));
    const char *text = arena_printf(e->c->arena, "%s %s %s", first, sign, second);
    const bool arithmetic = precedence(op) >= PREC_SHIFT;
    /* C++ takes no int for a component that is smaller */
    const bool by_bits = op == OP_AND || op == OP_OR || op == OP_XOR;
    if ((is_narrow(s) && arithmetic) || (scalar_info(s)->bytes < 4 && by_bits))
        return (CText){arena_printf(e->c->arena, "(%s)(%s)", scalar_info(s)->ctype, text),
                       PREC_UNARY};
    return (CText){text, prec};
}

static const char *
op_name(Op op)
{
    static const char *const names[OP_COUNT] = {
        [OP_ADD] = "add", [OP_SUB] = "sub", [OP_MUL] = "mul", [OP_DIV] = "div",  [OP_MOD] = "mod",
        [OP_AND] = "and", [OP_OR] = "or",   [OP_XOR] = "xor", [OP_SHL] = "shl",  [OP_SHR] = "shr",
        [OP_EQ] = "eq",   [OP_NE] = "ne",   [OP_LT] = "lt",   [OP_LE] = "le",    [OP_GT] = "gt",
        [OP_GE] = "ge",   [OP_NEG] = "neg", [OP_NOT] = "not", [OP_COMPL] = "not"};
    return names[op];
}

/* A constant right operand that C divides or shifts by without surprises. */
static bool
is_harmless(Op op, Scalar s, const Inst *right)
{
    if (!right || right->kind != INST_CONST)
        return false;
    int64_t n = right->value.leaves[0].i;
    if (op == OP_DIV || op == OP_MOD)
        return n != 0 && n != -1;
    bool is_signed = scalar_info(s)->kind == KIND_INT;
    return n >= 0 && n < 8 * scalar_info(s)->bytes && !(op == OP_SHL && is_signed);
}

/* May the result overflow, and the compiler take for granted that it does not? */
static bool
must_wrap(const Emit *e, Op op, Scalar s)
{
    const ScalarInfo *info = scalar_info(s);
    bool overflows = op == OP_ADD || op == OP_SUB || op == OP_MUL || op == OP_NEG;
    bool as_int = s == SCALAR_U16 && op == OP_MUL; /* C multiplies these as int */
    return e->o->gpu && overflows && (as_int || (info->kind == KIND_INT && info->bytes >= 4));
}

bool
scalar_has_compound(const Emit *e, Op op, Scalar s)
{
    return scalar_info(s)->bytes >= 4 && !must_wrap(e, op, s);
}

CText
scalar_exact(Emit *e, Op op, Scalar s, CText a, CText b)
{
    return plain(e, op, s, a, b);
}

CText
scalar_binary(Emit *e, Op op, Scalar s, CText a, CText b, const Inst *right, Scalar count_type)
{
    CText args[2] = {a, b};
    ScalarKind kind = scalar_info(s)->kind;
    if (s == SCALAR_F16 || must_wrap(e, op, s))
        return call(e, op_name(op), s, args, 2);
    if (op == OP_MOD && kind == KIND_FLOAT)
        return call(e, "mod", s, args, 2);
    if ((op == OP_DIV || op == OP_MOD) && kind != KIND_FLOAT)
        return is_harmless(op, s, right) ? plain(e, op, s, a, b) : call(e, op_name(op), s, args, 2);
    if (op == OP_SHL || op == OP_SHR) {
        if (is_harmless(op, s, right))
            return plain(e, op, s, a, b);
        args[1] = scalar_cast(e, count_type, s, b);
        return call(e, op_name(op), s, args, 2);
    }
    return plain(e, op, s, a, b);
}

CText
scalar_unary(Emit *e, Op op, Scalar s, CText a)
{
    if (s == SCALAR_F16 || must_wrap(e, op, s))
        return call(e, op_name(op), s, &a, 1);
    const char *operand = in(e, a, PREC_UNARY);
    const char *text = arena_printf(e->c->arena, operand[0] == op_text(op)[0] ? "%s(%s)" : "%s%s",
                                    op_text(op), operand);
    if (is_narrow(s))
        return (CText){arena_printf(e->c->arena, "(%s)%s", scalar_info(s)->ctype, text),
                       PREC_UNARY};
    return (CText){text, PREC_UNARY};
}

CText
scalar_negate(Emit *e, Scalar s, CText a)
{
    return call(e, "negate", s, &a, 1);
}

CText
scalar_cast(Emit *e, Scalar from, Scalar to, CText a)
{
    if (from == to)
        return a;
    ScalarKind k = scalar_info(from)->kind;
    bool narrowing = k == KIND_FLOAT && to != SCALAR_I32 && to != SCALAR_I64 && to != SCALAR_F32 &&
                     to != SCALAR_F64;
    if (from == SCALAR_F16 || to == SCALAR_F16 || narrowing) {
        const char *text = arena_printf(e->c->arena, "snl_cast_%s_%s(%s)", short_name(from),
                                        short_name(to), in(e, a, PREC_ASSIGN));
        if (from == SCALAR_BOOL)
            text = arena_printf(e->c->arena, "snl_cast_i32_%s(%s)", short_name(to),
                                in(e, a, PREC_ASSIGN));
        return (CText){text, PREC_POSTFIX};
    }
    if (to == SCALAR_BOOL)
        return (CText){arena_printf(e->c->arena, "%s != 0", in(e, a, PREC_SHIFT + 1)), PREC_EQUAL};
    const CText cast = {
        arena_printf(e->c->arena, "(%s)%s", scalar_info(to)->ctype, in(e, a, PREC_UNARY)),
        PREC_UNARY};
    if (!e->casts_back || k != KIND_FLOAT || scalar_info(to)->kind == KIND_FLOAT)
        return cast;
    return (CText){arena_printf(e->c->arena, "snl_whole(%s)", cast.text), PREC_POSTFIX};
}

CText
scalar_fma(Emit *e, Scalar s, CText a, CText b, CText c)
{
    CText args[3] = {a, b, c};
    return call(e, "muladd", s, args, 3);
}

CText
scalar_builtin(Emit *e, Builtin b, Scalar s, const CText *args, int n)
{
    return call(e, builtin_name(b), s, args, n);
}

/* A variable with a value that is computed at the start of the function. */
static CText
invariant_value(Emit *e, const char *word, Scalar s, const char *text)
{
    Map *values = &e->fn.body->values;
    const char *key = intern_str(e->c->intern, text), *name = map_get(values, key);
    if (!name) {
        name = name_new(e, word);
        map_put(values, key, (void *)name);
        declarations_add(
            e, name,
            arena_printf(e->c->arena, "const %s %s = %s;", scalar_info(s)->ctype, name, text));
    }
    return (CText){name, PREC_POSTFIX};
}

static CText
hidden_limit(Emit *e, Scalar s, CText number)
{
    return invariant_value(e, "limit", s, call(e, "limit", s, &number, 1).text);
}

CText
scalar_of_constants(Emit *e, const Inst *i, const CText *args)
{
    const CText value = scalar_builtin(e, i->builtin, i->args.items[0]->type->scalar, args,
                                       i->args.count);
    return invariant_value(e, "known", i->type->scalar, value.text);
}

const Limit *
scalar_limit(const Emit *e, const Inst *i)
{
    const Limit *l = e->par.fast_floats && i->fast_limit.operand ? &i->fast_limit : &i->limit;
    return l->operand || l->alone ? l : NULL;
}

static CText
limited(Emit *e, const Inst *i, int k, CText x, CText limit)
{
    const Scalar s = i->type->scalar;
    const bool hides = e->par.hides_limits && i->args.items[k]->kind == INST_CONST,
               is_upper = i->builtin == BUILTIN_MIN || k == 2;
    CText args[2] = {x, hides ? hidden_limit(e, s, limit) : limit};
    const char *const names[2][2] = {{"at_least", "at_most"}, {"down_to", "up_to"}};
    return call(e, names[scalar_limit(e, i)->gives_other][is_upper], s, args, 2);
}

CText
scalar_limited(Emit *e, const Inst *i, const CText *args)
{
    if (scalar_limit(e, i)->alone)
        return call(e, arena_printf(e->c->arena, "%s_alone", builtin_name(i->builtin)),
                    i->type->scalar, args, i->args.count);
    if (i->builtin == BUILTIN_CLAMP)
        return limited(e, i, 2, limited(e, i, 1, args[0], args[1]), args[2]);
    const int k = scalar_limit(e, i)->operand - 1;
    return limited(e, i, k, args[1 - k], args[k]);
}

CText
scalar_row_invariant(Emit *e, const Inst *i, const CText *args)
{
    const char *name = i->kind == INST_BINARY                 ? "mod_steady"
                       : i->args.items[1]->kind == INST_CONST ? "floormod_by"
                                                              : "floormod_steady";
    return call(e, name, i->args.items[0]->type->scalar, args, 2);
}

/* Which arithmetic C compilers vectorise and which they do not. An operation is neither if it
 * depends on the processor, or takes several times as long as a vector operation. */
#include "config.h"

#include "analysis/vector_ops.h"

/* Integers are divided one by one, and those of one or two bytes shifted so. */
static bool
has_operation(const Inst *i)
{
    switch ((int)i->op) {
    case OP_DIV: return type_is_float(i->type);
    case OP_MOD: return false;
    case OP_SHL: case OP_SHR: return i->type->bytes >= 4;
    default: return true;
    }
}

/* Casts of floats to integers saturate, and the first vectors have none between floats and integers
 * of 64 bits. */
static bool
has_cast(const Type *from, const Type *to)
{
    return type_is_float(from) ? type_is_float(to) : !type_is_float(to) || from->bytes < 8;
}

static bool
has_builtin(const Inst *i)
{
    if (i->builtin <= BUILTIN_POW)
        return !vector_ops_lack(i);
    switch ((int)i->builtin) {
    case BUILTIN_SQRT: case BUILTIN_RSQRT: case BUILTIN_FMA: case BUILTIN_MIX: case BUILTIN_STEP:
    case BUILTIN_ABS: case BUILTIN_SIGN: case BUILTIN_MIN: case BUILTIN_MAX: case BUILTIN_CLAMP:
        return true;
    default: return false;
    }
}

bool
vector_ops_have(const Inst *i)
{
    switch ((int)i->kind) {
    case INST_UNARY: case INST_FMA: case INST_SELECT: return true;
    case INST_BINARY: return has_operation(i);
    case INST_CAST: return has_cast(i->args.items[0]->type, i->type);
    case INST_BUILTIN: return has_builtin(i);
    default: return false;
    }
}

bool
vector_ops_lack(const Inst *i)
{
    const Scalar s = i->type ? i->type->scalar : SCALAR_BOOL;
    return (i->kind == INST_BUILTIN && i->builtin == BUILTIN_POW && s == SCALAR_F64) ||
           (i->kind == INST_BINARY && i->op == OP_MOD && (s == SCALAR_F32 || s == SCALAR_F64));
}

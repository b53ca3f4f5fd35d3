/* Types of SNL. Every type is made once per compilation (types are compared by pointer); memory
 * belongs to the arena. */
#ifndef SNL_AST_TYPE_H
#define SNL_AST_TYPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compile.h"

typedef enum { KIND_BOOL, KIND_INT, KIND_UINT, KIND_FLOAT } ScalarKind;

typedef enum {
#define SCALAR(name, spelling, ctype, bytes, kind) SCALAR_##name,
#include "ast/types.def"
#undef SCALAR
    SCALAR_COUNT
} Scalar;

typedef enum {
    TYPE_ERROR,  /* of a bad expression: agrees with everything, silently */
    TYPE_VOID,   /* no result */
    TYPE_SCALAR,
    TYPE_VECTOR, /* rows components, cols 0 */
    TYPE_MATRIX, /* rows x cols, row-major */
    TYPE_STRUCT,
    TYPE_ARRAY,  /* local array or table: fixed dims */
    TYPE_EXTERN, /* external array argument: `dim_count` dims known at run time */
    TYPE_STRING  /* literal, param or result of format(); file names and print/assert only */
} TypeKind;

typedef struct Type Type;

typedef struct {
    const char *name; /* interned */
    const Type *type;
    Span span;
    int leaf;      /* first scalar leaf of this member within the struct */
    int64_t bytes_offset; /* offset in the natural C struct */
} Member;

struct Type {
    TypeKind kind;
    Scalar scalar;    /* SCALAR, VECTOR, MATRIX: the component type */
    int rows, cols;   /* VECTOR: rows = components, cols = 0 */
    const Type *elem; /* ARRAY, EXTERN */
    int dim_count;    /* ARRAY, EXTERN: 1..8 */
    int64_t dims[8];  /* ARRAY: sizes */
    const char *name; /* as the user writes it: "f32x3", "Particle", "i32[4]" */
    Member *members;  /* STRUCT */
    int member_count;
    int leaf_count;   /* scalars it is made of, in order (1 for a scalar) */
    int64_t bytes, align; /* of the natural C representation */
};

/* Sizes, spelling and kind of a scalar. */
typedef struct {
    const char *name, *ctype;
    int bytes;
    ScalarKind kind;
} ScalarInfo;
const ScalarInfo *scalar_info(Scalar s);

/* The one table of types of a compilation; make it once, keep it in Prog. */
typedef struct Types Types;
Types *types_new(Compile *c);
const Type *type_error(Types *t);
const Type *type_void(Types *t);
const Type *type_string(Types *t);
const Type *type_scalar(Types *t, Scalar s);
const Type *type_vector(Types *t, Scalar s, int n);
const Type *type_matrix(Types *t, Scalar s, int rows, int cols);
/* Scalar for rows 0, vector for cols 0, else matrix. */
const Type *type_shape(Types *t, Scalar s, int rows, int cols);
const Type *type_array(Types *t, const Type *elem, int dim_count, const int64_t *dims);
const Type *type_extern(Types *t, const Type *elem, int dim_count);
/* A new struct type (each call makes another); members have name, type and span set, the rest is
 * filled in. */
const Type *type_struct(Types *t, const char *name, Member *members, int member_count);

/* Scalar, vector or matrix. */
bool type_is_arith(const Type *t);
bool type_is_float(const Type *t);   /* arith with float components */
bool type_is_integer(const Type *t); /* arith with int or uint components */
bool type_is_bool(const Type *t);    /* arith with bool components */
/* Same shape (rows, cols) with other component type. */
const Type *type_with_scalar(Types *t, const Type *shape, Scalar s);
/* Scalar type and byte offset (in the natural C representation) of leaf k. */
Scalar type_leaf(const Type *t, int k, int64_t *bytes_offset);
/* Name of leaf k after the value ("", ".x", ".pos.y", "[0,1]"), for messages. */
const char *type_leaf_name(Compile *c, const Type *t, int k);
/* How many flags --check keeps to tell which leaves of a variable of that type were set: one for
 * each leaf, or one for each element of an array (for all of another variable) where elements have
 * more than 16. */
int64_t type_flag_count(const Type *t);
/* How many leaves, one after another, have one of these flags. */
int type_leaves_of_flag(const Type *t);
/* Finds a member; NULL when there is none. */
const Member *type_member(const Type *t, const char *name);

/* A compile-time value: one entry for each leaf of its type. Floats of any width are kept as the
 * double that equals them. */
typedef union {
    int64_t i;  /* bool (0/1), signed: sign-extended; unsigned: zero-extended bits */
    uint64_t u;
    double f;
} Leaf;
typedef struct {
    const Type *type;
    Leaf *leaves;
} Value;

#endif

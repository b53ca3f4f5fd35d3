/* Inside of the lowering: the function being lowered and what its files offer each other.
 *   lower.c        functions, kernels to tasks       lower_stmt.c    statements
 *   lower_expr.c   expressions                       lower_place.c   places, fields, boundaries
 *   lower_build.c  small constructors                lower_init_flags.c  --check: what was set
 *   lower_soa_inout.c  functions given what lies apart */
#ifndef SNL_IR_LOWER_H
#define SNL_IR_LOWER_H

#include "ir/ir.h"

typedef struct {
    Compile *c;
    Prog *p;
    IrFunc *f;
    Block *block;      /* instructions go here */
    Span span;         /* of the statement or expression */
    const TStmt *parallel; /* the parallel loop around this, or NULL */
    const TStmt *cells; /* the innermost loop over cells around this, or NULL */
    const TStmt *range; /* the parallel loop over ranges around this, or NULL */
    Var **flags;       /* --check: by variable id, the bool that says it was set, or NULL */
    Var **part_flags;  /* … and of one with type_flag_count > 1, an array of these: which leaves */
    int flag_count;
    Var *const **apart; /* by variable id: the parameters that are the scalars of an inout parameter
                         * which lies apart, or NULL */
    int statement_count; /* so far */
} Lower;

/* lower_build.c: appends an instruction with up to three operands (NULL: fewer). */
Inst *lower_add(Lower *l, InstKind kind, const Type *type, Inst *a, Inst *b, Inst *c);
/* A scalar type. */
const Type *lower_scalar(Lower *l, Scalar s);
/* A constant integer of type i64, or another scalar type. */
Inst *lower_integer(Lower *l, Scalar s, int64_t v);
Inst *lower_bool(Lower *l, bool v);
/* A value of zeros. */
Inst *lower_zero(Lower *l, const Type *t);
/* A constant value. */
Inst *lower_value(Lower *l, Value v);
/* a op b, result of a's type or bool for comparisons. */
Inst *lower_binary(Lower *l, Op op, Inst *a, Inst *b);
/* Converts a scalar to another scalar type when it is not of it. */
Inst *lower_cast(Lower *l, Inst *v, Scalar to);
/* A new block; the old one is put back by lower_leave. */
Block *lower_enter(Lower *l, Block **old);
void lower_leave(Lower *l, Block *old);
/* A temporary variable of the function. */
Var *lower_temp(Lower *l, const char *name, const Type *type);
/* The place of a variable. */
Inst *lower_var(Lower *l, Var *v);
/* The first store to a variable, where its scope begins. */
void lower_declare(Lower *l, Var *v, Inst *value);
/* Adds a parameter for one that is inout: OF_SUFFIX, inout too, or an array. */
Var *lower_add_param(Compile *c, Func *func, const Var *of, const char *suffix, const Type *type);
/* Adds a layout to a set, a VEC(Layout *). Returns false when it is there already. */
bool lower_layouts_add(Arena *arena, void *set, Layout *layout);

/* lower_expr.c: the value of an expression; NULL for one without value. */
Inst *lower_expr(Lower *l, const TExpr *e);
/* a op b as an assignment does it, with the checks of --check. */
Inst *lower_operation(Lower *l, Op op, Inst *a, Inst *b);
/* An atomic operation; `next` is the new value of ATOMIC_CAS, else NULL. */
Inst *lower_atomic_at(Lower *l, Inst *place, AtomicOp op, bool shared, Inst *value, Inst *next);
/* Accumulates into a reduction variable. */
void lower_reduce(Lower *l, Inst *place, AtomicOp op, Inst *value);

/* A place: either an instruction that gives it, or leaves that lie apart: of a field element, or of
 * an inout parameter. */
typedef struct {
    Inst *place;
    Var *const *scalars;     /* of such a parameter, or NULL */
    Field *field;            /* split: its element at `index` … */
    Inst *index[AXIS_MAX];
    int leaf;                /* … from this leaf … */
    const Type *type;        /* … as this type */
    Access access;
    Inst *inside;            /* bool: the read lies inside (ambient boundary), or NULL: no such
                              * test */
    Inst *component;         /* split vector or matrix: run-time number of the component, or NULL */
    const Type *whole;       /* … of this type */
    Var *var;                /* --check: the variable that it is or lies in, if that may be unset;
                              * else NULL … */
    Inst *flag;              /* … of its several flags, number of the first, i64 (NULL: 0), … */
    int flag_leaf;           /* … not counting those of so many leaves before it */
} LowPlace;
/* lower_place.c */
/* May other iterations reach the place, if its function runs in a parallel loop? Not what is given
 * as inout where no call gives such a place. */
bool lower_is_reached(const TExpr *place);
LowPlace lower_place(Lower *l, const TExpr *e, Access access);
/* Number of the variable of a loop that an index is, or that it is the component of a vector of;
 * -1: of none, or there is no loop. */
int lower_loop_variable(const TStmt *loop, const Inst *index);
Inst *lower_load(Lower *l, const LowPlace *p);
void lower_store(Lower *l, const LowPlace *p, Inst *v);
/* --check=race: other iterations may not store anything else in the place. */
void lower_check_race(Lower *l, Inst *place, Inst *value);
/* A place whose component is chosen at run time: a test for each, with what `fn` does to that part
 * inside. */
void lower_each_component(Lower *l, const LowPlace *p,
                          void (*fn)(Lower *l, const LowPlace *part, void *arg), void *arg);
/* The place as one instruction, or NULL when it lies apart. */
Inst *lower_place_inst(Lower *l, const LowPlace *p);
/* The part of a place that starts `leaf` leaves in. */
LowPlace lower_part(Lower *l, const LowPlace *p, int part, const Type *type);
/* The parts of a type, members or components, and the type of one. */
int lower_part_count(const Type *t);
const Type *lower_part_type(Lower *l, const Type *t, int part);

/* An index that --check compares with the first one and their number. */
Inst *lower_check_index(Lower *l, const char *what, int axis, Inst *index, Inst *first,
                        Inst *extent);
/* Checks the coordinates of a cell of the node, or of the lists in its container; `args` by
 * ascending axis. */
void lower_check_coordinates(Lower *l, const Node *n, bool list, Inst **args);
/* Number of cells of n along an axis, an i64; its layout has to exist. */
Inst *lower_cell_count(Lower *l, const Node *n, int axis);
/* The indices of an element of `place` (NULL: of a value), checked under --check. */
void lower_element_indices(Lower *l, const TExpr *e, Inst *place, Inst **out);

/* lower_init_flags.c: without --check, variables have no flags, and these do nothing.
 * A variable was declared without a value. */
void lower_declare_flags(Lower *l, const Var *v);
/* The place must have been set. */
void lower_check_init(Lower *l, const LowPlace *p);
/* The place is set now. */
void lower_set_flag(Lower *l, const LowPlace *p);
/* Device functions get hidden parameters, the flags of what they are given as inout: before they
 * are lowered, and in each of them. */
void lower_add_flag_params(Compile *c, const Prog *p);
void lower_take_flag_params(Lower *l, const Func *func);
/* Flags of an argument in variables of the caller; count 0: there are none. */
typedef struct {
    Var *set, *parts;
    int count;
} FlagCopy;
/* Gives a call the flags of the place of an inout argument, after all arguments that are written;
 * and after the call, what it has set is so. */
void lower_give_flags(Lower *l, Inst *call, const Var *param, const LowPlace *p, FlagCopy *copy);
void lower_take_flags(Lower *l, const Var *param, const LowPlace *p, const FlagCopy *copy);

/* lower_soa_inout.c: the function made of a device function for arguments that lie apart, by bit
 * of its parameters; it is among those of the program. */
Func *lower_apart_func(Lower *l, Func *whole, uint64_t apart);
/* In such a function: what its parameters are. */
void lower_take_apart_params(Lower *l, const Func *func);
/* Is a place that lies apart given to a function scalar by scalar? Else through a copy. */
bool lower_is_given_apart(const Lower *l, const Func *to, int param, const LowPlace *p);
/* Gives a call such a place. */
void lower_give_apart(Lower *l, const LowPlace *p, Insts *args);
/* Notes what a call is given of such parameters of its function (Var.given_to). */
void lower_note_given(Lower *l, const Inst *call);

/* lower_stmt.c */
void lower_stmt(Lower *l, const TStmt *s);
/* The bounds of a range loop, all of the types of its variables. */
void lower_bounds(Lower *l, const TStmt *s, Insts *from, Insts *to, Insts *step);

#endif

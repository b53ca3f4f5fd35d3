/* snlsmith.h - a generator of random programs: the same seed and variant give the same text.
 *
 * A program is written into one growing buffer from top to bottom, so each part knows what the
 * parts before it declared. All results are the same for every layout, number of threads and
 * compiler: an iteration of a parallel loop writes only elements that belong to it, or adds to
 * integers, and floats are added in a fixed order or are small whole numbers. Everything lives in
 * one Gen, which program_text owns.
 */
#ifndef DIFF_GENERATE_H
#define DIFF_GENERATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Before the name of a file, where the text of a further file of the program begins. */
#define PART_MARK "//# "
/* Before what is set on the command line, in the second line: -DNAME=VALUE when the program is
 * compiled, --NAME=VALUE when it runs. */
#define WITH_MARK "// with "

enum {
    AXES_MAX = 8,
    FIELDS_MAX = 32,
    LABELS_MAX = 32,
    LAYOUTS_MAX = 18,
    VARS_MAX = 256,
    FUNCS_MAX = 20,
    ARRAY_COUNT = 6,
    RECORDS_MAX = 2,
    MEMBERS_MAX = 4,
    FAMILIES_MAX = 3,
    NAME_MAX_ = 16,
    INDEX_MAX = 48,
    KERNELS_MAX = 24,
    PICTURES_MAX = 2,
    SECTIONS_MAX = 40,
    WITH_MAX = 600
};

/* ORDER scalar: integers with sign, without, floats. */
typedef enum {
    S_BOOL,
    S_I8,
    S_I16,
    S_I32,
    S_I64,
    S_U8,
    S_U16,
    S_U32,
    S_U64,
    S_F16,
    S_F32,
    S_F64,
    S_COUNT
} Scalar;

/* rows 0: a scalar; cols 0: a vector. record is 0, or 1 + the number of a struct. */
typedef struct {
    Scalar scalar;
    int rows, cols, record;
} Type;

typedef struct {
    int count;
    Type type[MEMBERS_MAX];
} Record;

/* What the code being written may do with a field. ANY: read and write all elements. */
typedef enum { ACCESS_NONE, ACCESS_READ, ACCESS_OWN, ACCESS_ADD, ACCESS_ANY } Access;

/* Operations whose order does not matter. */
typedef enum { OP_ADD, OP_AND, OP_OR, OP_XOR, OP_MIN, OP_MAX, OP_COUNT } Commuting;

typedef struct {
    char name[NAME_MAX_], ident[NAME_MAX_]; /* ident: a word that goes into names */
    Type type;
    int axes, lo[AXES_MAX], size[AXES_MAX];
    int layout;         /* -1 for the short form */
    unsigned letters;   /* of its axes, a bit each */
    int list_axis;      /* of a dynamic node, or -1 */
    bool sparse, boundary;
    bool active;        /* all elements are written before the kernels run, and stay active */
    bool ordered;       /* its cells lie in the same order in each variant */
    bool wide;          /* its extents are larger than size */
    char shift[AXES_MAX][NAME_MAX_]; /* constants that are added to indices, or empty */
    bool plain;         /* lies in memory in the same way in each variant */
    bool frozen;        /* written once, before the kernels run: functions may read it */
    Access access;
    Commuting op;       /* the only operation of ACCESS_ADD */
    char own[AXES_MAX][INDEX_MAX];
} Field;

typedef struct {
    char name[NAME_MAX_];
    int axes, lo[AXES_MAX], size[AXES_MAX];
    int layout, list_size;
    unsigned letters;          /* as in a Field */
    bool dense, ordered, wide;
    int fields;         /* number of values of append */
    Type value[4];
} Label;

typedef struct {
    char name[INDEX_MAX]; /* of a variable of a loop perhaps what it stands for */
    Type type;
    int count;          /* elements of a local array, 0 for others */
    int columns;        /* of an array of two dimensions, else 0; count is that of its rows */
    bool fixed;         /* may not be assigned */
    bool hidden;        /* may not be read: a reduction inside its loop */
    bool ranged;        /* an i32 with values from lo to hi - 1 */
    int lo, hi;
    bool reduction;     /* the loop being written accumulates into it */
    bool scattered;     /* the loop being written accumulates into the elements of this array */
    bool owned;         /* each of its iterations has an element of this array for itself */
    Commuting op;       /* with this operation */
} Var;

typedef struct {
    char name[NAME_MAX_];
    Type result, param[AXES_MAX];
    int params, inout;  /* inout: a bit for each parameter */
    bool has_result, recursive;
    bool takes_field;   /* generic: the first argument is a field of this type and number of axes */
    int field_axes;
    Type field_type;
    bool takes_array;   /* the first argument is an array of i32 */
} Func;

typedef struct {
    char name[NAME_MAX_];
    Type result, param[3];
    int params;
    bool has_result, host;
    int array_axes;     /* of an array that is the last argument, or 0 */
    Type array_type;
    int rows, columns;  /* of the array that is passed */
} Kernel;

/* Numbered fields, each level half as large as the one before. */
typedef struct {
    char name[NAME_MAX_];
    int levels, axes, size;
} Family;

/* A field of u8 that a picture is loaded into. */
typedef struct {
    char name[NAME_MAX_];
    int size[2];
} Picture;

/* Where the code being written runs. */
typedef enum { IN_FUNC, IN_KERNEL, IN_PARALLEL, IN_HOST } Place;

/* The indices that a loop visits. */
typedef struct {
    int axes, lo[AXES_MAX], size[AXES_MAX];
    char name[AXES_MAX][INDEX_MAX];
    char group[NAME_MAX_];  /* the name for all of them, or nothing */
    unsigned is_long;   /* an i64, a bit for each */
} Domain;

typedef struct {
    uint64_t state;     /* of the random numbers */
    uint64_t shape;     /* of those for what must not matter: layouts */
    bool shaping;       /* random numbers are those of the shape now */
    int shape_names;
    bool strict;        /* see program_is_strict */
    bool shapes;        /* what is written are such kernels */
    bool has_unknowns;  /* the params of locals.c are there */
    bool shapely;       /* its kernels have shapes that passes look for */
    char *text;
    size_t used, room;
    int indent, names;
    Record record[RECORDS_MAX];
    Field field[FIELDS_MAX];
    Label label[LABELS_MAX];
    Var var[VARS_MAX];
    Func func[FUNCS_MAX];
    Kernel kernel[KERNELS_MAX];
    int records, fields, labels, layouts, vars, funcs, kernels;
    int globals;        /* variables below this one are constants and params */
    char layout_name[LAYOUTS_MAX][NAME_MAX_];  /* or empty */
    bool locked[LAYOUTS_MAX];       /* its activity may not be asked in this loop */
    bool activating[LAYOUTS_MAX];   /* any iteration of this loop may activate any of its cells */
    bool manual[LAYOUTS_MAX];
    int twin[LAYOUTS_MAX];  /* a layout of the same structure, or 0 */
    const Domain *domain;   /* of the parallel loop being written */
    Place place;
    /* generic functions, or empty */
    char blend[NAME_MAX_], active_in[NAME_MAX_], add_all[NAME_MAX_], size_of[NAME_MAX_];
    char symmetric[NAME_MAX_];  /* a generic function, or empty */
    char join[NAME_MAX_];   /* functions that add to what is inout, by Commuting, or empty */
    char bump[NAME_MAX_];   /* a function that changes an array of numbers, or empty */
    Type bump_type;
    int first_odd, odd_names;   /* so many words of new_name are taken, from this one on */
    Family family[FAMILIES_MAX];
    int families;
    Picture picture[PICTURES_MAX];
    int pictures;
    size_t section[SECTIONS_MAX];   /* where parts of the text start that may stand in any order,
                                     * and in other files */
    int sections;
    char with[WITH_MAX]; /* values that the command line gives to constants and params */
    bool constant;      /* the expression being written is a constant's */
    bool unfolded;      /* constants are params, and what is made of them functions: nothing is
                         * known to the compiler */
    bool has_string;    /* there is a param Z, which is a text */
    const char *shadow; /* a built-in function whose name the program gives to another thing, or
                         * NULL */
    int loops, breakable;   /* depth of sequential loops; those that break may leave */
    int writable;       /* variables below this one belong to the kernel and are not assigned
                         * here */
    int calls;          /* calls that may still be written in this body */
    int statements;     /* the same for statements */
    bool returns;       /* a return with a value of type `result` may stand here */
    Type result;
} Gen;

/* ---- programs: program.c ---- */
/* A program; the caller frees it. Variants of one seed have other layouts and print the same. Where
 * one has two files, the second follows a line with PART_MARK and its name. */
char *program_text(uint64_t seed, int variant);
/* True when --check finds nothing in the program: no division by zero, overflow, wide shift, or
 * uninitialised variable. */
bool program_is_strict(uint64_t seed);

/* Functions with the bits of a number of each type, or what they leave divided by a prime. */
void put_helpers(Gen *g);
/* What follows may stand elsewhere in the program: items only. */
void start_section(Gen *g);
/* A number from 0 to n - 1. */
int pick(Gen *g, int n);
/* True in `percent` of all cases. */
bool chance(Gen *g, int percent);
/* Appends formatted text. */
void put(Gen *g, const char *format, ...);
/* Starts a new line. */
void line(Gen *g);
/* Writes "prefix" and a new number into name. */
void new_name(Gen *g, char *name, const char *prefix);

/* Writes the value of a constant (-D) or a param of the program. Where it does not matter, another
 * stands there, and the command line gives the right one. */
void put_given(Gen *g, const char *name, bool is_param, const char *value, const char *other);

/* ---- types: types.c ---- */
Type scalar_type(Scalar s);
Type vector_type(Scalar s, int n);
bool same_type(Type a, Type b);
bool is_int(Scalar s);
bool is_float(Scalar s);
/* A scalar type of numbers. */
Scalar any_number(Gen *g);
Scalar any_integer(Gen *g);
Scalar any_float(Gen *g);
/* Any type, of a size that programs use; structs where they exist. */
Type any_type(Gen *g);
/* The name of a type. */
void put_type(Gen *g, Type t);
const char *scalar_name(Scalar s);
/* True when a value of type `from` contains one of type `want`. */
bool reaches(const Gen *g, Type from, Type want);

/* ---- literals, variables, elements: read.c ---- */
/* True if elements of the field may be read here. */
bool readable(const Field *f);
/* Part of a variable or of an element, if there is one with such a part. */
bool put_read(Gen *g, Type want, int depth);
/* The same, or a literal. */
void put_leaf(Gen *g, Type t, int depth);
/* ---- expressions: expr.c ---- */
/* An expression of exactly this type. */
void put_expr(Gen *g, Type t, int depth);
/* A divisor of integers, or a count of a shift, that --check does not mind. */
void put_harmless(Gen *g, Type t);
/* A literal with its type. */
void put_literal(Gen *g, Type t);
/* A literal without a type, for where the context gives one. */
void put_open(Gen *g, Scalar s);
/* An i32 index between lo and lo + size - 1. */
void put_index(Gen *g, int lo, int size, int depth);
/* ".x" or "[2]": the part of a value of type `from` that has the type `want`, which must exist. */
void put_part(Gen *g, Type from, Type want);
/* An element of a field that may be written here. */
void put_element(Gen *g, const Field *f, int depth);
/* " + O3" if the indices of the field are shifted. */
void put_shift(Gen *g, const Field *f, int axis);
/* Seldom: a range whose numbers are far from zero, of a variable of that name, which becomes the
 * number from lo to hi - 1 that it stands for; sums with it may wrap. Else false, and nothing. */
bool put_far_range(Gen *g, int lo, int hi, char name[INDEX_MAX]);
/* "[i]" or "[i, j]" behind an array, nothing behind other variables. */
void put_array_index(Gen *g, const Var *v, int depth);
/* Indices of a label, one for each axis but that of its list. */
void put_cell(Gen *g, const Label *l, int depth);
/* A new variable in scope. */
Var *add_named(Gen *g, const char *name, Type t);
/* The same with a new name, which begins with the prefix. */
Var *add_var(Gen *g, const char *prefix, Type t);

/* ---- layouts: tree.c ---- */
/* Fields and layouts of the program. */
void put_layouts(Gen *g);

/* ---- items: items.c ---- */
void put_records(Gen *g);
void put_constants(Gen *g);
/* Functions that extern.h has where NATIVE is 1. */
void put_natives(Gen *g);

/* ---- whole fields and layouts: host.c ---- */
/* Changes a field as a whole, or saves and loads it. */
void put_whole_field(Gen *g);
/* Saves a layout, changes it, and loads it. */
void put_forgotten(Gen *g, int layout);
/* Fields that pictures are loaded into. */
void put_pictures(Gen *g);
/* Makes the layouts that do not exist by themselves. */
void put_created(Gen *g);
/* Blocks for `snlc test`. */
void put_tests(Gen *g);

/* ---- statements: stmt.c ---- */
/* A few statements, inside braces that the caller wrote. */
void put_body(Gen *g, int count);
/* Declares a variable with a value. */
void put_variable(Gen *g);

/* ---- kernels for certain passes: shapes.c ---- */
/* A few of them, or none. */
void put_shapes(Gen *g);

/* ---- programs of functions of matrices and local arrays: locals.c ---- */
/* A program of that many; the caller frees it. */
char *locals_text(uint64_t seed, int functions);

/* ---- functions: funcs.c ---- */
void put_funcs(Gen *g);
/* Parameters of these types, which become variables; inout: a bit for each; more: others stand
 * before them. */
void put_parameters(Gen *g, const Type *param, int count, int inout, bool more);

/* ---- kernels: kernel.c ---- */
void put_kernels(Gen *g);
/* Arguments for the parameters. */
void put_arguments(Gen *g, const Type *param, int count);

#endif

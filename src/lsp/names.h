/* Every declaration of a program and where its name stands, found in the AST alone: so also in
 * programs with errors, in generic functions that nothing calls, and in branches that are not
 * taken. Members of structs are found as far as the types that are written down tell. Memory
 * belongs to the arena of the compilation. */
#ifndef SNL_LSP_NAMES_H
#define SNL_LSP_NAMES_H

#include "ast/ast.h"

typedef enum {
    NAME_CONST,
    NAME_TABLE,
    NAME_PARAM,
    NAME_STRUCT,
    NAME_MEMBER,
    NAME_FIELD,
    NAME_LAYOUT,
    NAME_LABEL,
    NAME_FUNC,
    NAME_LOCAL,
    NAME_ARG,
    NAME_INDEX,
    NAME_STATIC
} NameKind;

typedef struct Decl Decl;
struct Decl {
    NameKind kind;
    const char *name;
    Span span;             /* of the name alone */
    Span whole;            /* of the declaration, from its attributes on; functions: without the
                            * body */
    Span scope;            /* LOCAL, ARG, INDEX, STATIC: where it can be used; else nowhere */
    const Item *item;      /* of a global one, and of the struct of a member */
    const Stmt *stmt;      /* LOCAL */
    const LayoutNode *node; /* LABEL */
    const TypeExpr *type;  /* as written, or NULL */
    Decl *value;           /* LOCAL without a type: the struct of its value, or NULL */
    Decl *owner;           /* MEMBER: its struct */
};

typedef struct {
    Span at;
    Decl *decl;
    bool declares;
} Use;

typedef struct {
    VEC(Decl *) decls;
    VEC(Use) uses; /* by position */
} NameTable;

/* The names of all modules of a program. */
NameTable *names_find(Compile *c, Module *const *modules, int count);
/* The use at a position, NULL when there is none; a position right behind a name counts. */
const Use *names_at(const NameTable *names, uint32_t position);
/* True when a local declaration can be used at a position; global ones always can. */
bool names_decl_is_visible(const Decl *d, uint32_t position);
/* The struct that a name stands for a value of, or NULL. */
Decl *names_decl_struct(const NameTable *names, const Decl *d);

#endif

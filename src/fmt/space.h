/* What decides blanks and ends of lines around tokens; for src/fmt only. */
#ifndef SNL_FMT_SPACE_H
#define SNL_FMT_SPACE_H

#include "grammar/tokens.h"

/* What a token is where its kind leaves it open. */
typedef enum { ROLE_PLAIN, ROLE_UNARY, ROLE_ATTRIBUTE, ROLE_LABEL, ROLE_BLOCK, ROLE_LIST } Role;

typedef struct {
    Role role;   /* LABEL: its colon; BLOCK, LIST: both braces */
    bool blank;  /* before it, in a line */
    int around;  /* the opening bracket around it, -1 for none */
    int depth;   /* brackets around it, counted from its statement */
    int cost;    /* of an end of line before it; 0: none can be */
    bool starts; /* a statement or item, or what follows its attributes */
} Space;

/* One Space for each token, in the syntax arena. */
Space *space_find(Compile *c, const Tokens *t);

#endif

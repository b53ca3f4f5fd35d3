/* What the parser reads after a syntax error, so that one mistake is reported once: the brackets
 * around the error are known (tokens.h), so the rest of the statement is left out, whole blocks in
 * it too, and the next one is read as if nothing were wrong. */
#ifndef SNL_GRAMMAR_RECOVER_H
#define SNL_GRAMMAR_RECOVER_H

#include "grammar/tokens.h"

typedef enum {
    RECOVER_NOT,       /* the rules of the grammar do */
    RECOVER_ITEM,      /* the item ends at `end`, after `braces` blocks that are not closed */
    RECOVER_STATEMENT, /* the statement ends at `end` */
    RECOVER_BEFORE,    /* the statement ended before the unexpected token */
    RECOVER_NEXT_ITEM, /* the item ended before the unexpected token */
    RECOVER_CLOSE      /* so did the item around it, whose `braces` blocks are not closed */
} RecoverKind;

typedef struct {
    RecoverKind kind;
    uint32_t end; /* where the last token of it begins */
    int braces;
    bool is_stray; /* it ends at a brace that nothing opens */
    int first,
        last; /* the tokens of the broken part, up to its end or to where a block of it begins */
} Recover;

/* Does nothing else but a declaration outside of functions start with this token? */
bool opens_item(int kind);

/* The word at the left edge that begins the item of token i; 0 before the first one. */
int recover_item_start(const Tokens *t, int i);

/* How to go on after an error at the token of this place. */
Recover recover_from(const Tokens *t, Span at);
/* Is token i of the broken part a name that is declared there, as far as one can see? */
bool recover_declares(const Tokens *t, const Recover *r, int i);

#endif

/* One checked program as the server looks at it: a file with all it imports, from memory where an
 * editor has them open. Made anew after each change; memory is its own. */
#ifndef SNL_LSP_PROGRAM_H
#define SNL_LSP_PROGRAM_H

#include "check/prog.h"
#include "grammar/tokens.h"
#include "lsp/names.h"

typedef struct {
    const Source *source;
    Tokens tokens;
} SourceTokens;

typedef struct {
    Compile c;
    Prog *prog; /* never NULL */
    NameTable *names;
    VEC(SourceTokens) scanned; /* the files whose tokens were asked for */
} Program;

/* Checks a file. The overlays are the texts that are open; NULL when it is neither open nor
 * readable. */
Program *program_new(const Options *options, const char *path, const Overlay *overlays, int count);
void program_free(Program *p);
/* The file of the program with that canonical path, NULL when it has none. */
const Source *program_source(const Program *p, const char *path);
/* The tokens of a file of the program. */
Tokens program_tokens(Program *p, const Source *f);
/* The text of a span; "" where there is none. */
const char *program_span_text(const Program *p, Span span);
/* Adds the comment lines right above a place. */
void program_comment(const Program *p, Span at, Text *out);
/* The scalar type that a token names, SCALAR_COUNT when it is none. */
Scalar program_token_scalar(const Token *t);
/* The checked variables with a declaration, as instances of generic functions make several: the
 * k-th, or NULL. */
const Var *program_var(const Program *p, Span declaration, int k);
/* The checked field, layout or node of a declaration; of a family the member of that name, or the
 * first one where it is NULL. NULL when there is none. */
const Field *program_field(const Program *p, Span declaration, const char *member);
const Layout *program_layout(const Program *p, Span declaration, const char *member);
const Node *program_node(const Program *p, const Decl *label, const char *member);

#endif

/* Tokens of a file with what stands between them: comments and ends of lines. For tools that must
 * keep the text, which the AST does not. Memory belongs to the syntax arena of the compilation. */
#ifndef SNL_GRAMMAR_TOKENS_H
#define SNL_GRAMMAR_TOKENS_H

#include "ast/ast.h"

/* A comment, without blanks at its end. */
typedef struct {
    const char *text;
    int bytes;
    Span span;
    int newlines; /* ends of lines between it and what stands before */
    bool is_line; /* two slashes */
} Comment;

typedef struct {
    int kind; /* of grammar/parse.h: END, IDENT, '+' ... */
    const char *text;
    int bytes;
    Span span;
    int newlines; /* ends of lines between it and what stands before */
    VEC(Comment) comments; /* before it */
    int match;    /* of a bracket: the number of its partner, -1 when it has none */
} Token;

/* All tokens of a file; the last one is END, which holds the comments at the end of the file. */
typedef struct {
    Token *items;
    int count, room;
} Tokens;

/* Scans a file. Reports nothing. */
Tokens tokens_read(Compile *c, const Source *source);
/* The number of the token at a position of the file or of the next one after it; END at the end. */
int tokens_at(const Tokens *t, uint32_t position);
/* The bytes of source in a string that make one byte of it: an escape, or one. */
int tokens_string_byte(const char *text);
/* True when the token is this text. */
bool token_is(const Token *t, const char *text);

#endif

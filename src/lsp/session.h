/* Inside of the language server: its state, and what its files offer each other.
 *   rpc.c        messages
 *   document.c   open files, positions
 *   program.c, names.c   what is known of a program
 *   session.c    errors of answers, notifications
 *   server.c     the loop, starting and ending, which function answers what
 *   diagnose.c   diagnostics and their fixes      hover.c      what stands under the cursor
 *   navigate.c   definition, references, rename   complete.c   what could be written
 *   cursor.c     the place where something is being written; signature.c  the call there
 *   import_path.c   what could be imported       lens.c       what can be run
 *   outline.c    symbols, colours, hints
 * A function that answers returns a new reference, or NULL after session_fail. Documents are the
 * server's; programs belong to the document they start from, and live until a file of theirs
 * changes. */
#ifndef SNL_LSP_SESSION_H
#define SNL_LSP_SESSION_H

#include "lsp/program.h"
#include "lsp/rpc.h"

typedef struct {
    const char *uri, *path; /* canonical path; the URI itself where that names no file */
    Arena *memory;     /* of the text */
    const char *text;  /* NUL-terminated */
    size_t bytes;
    json_int_t version; /* of the text, as the client counts */
    Program *own;      /* the program that starts here, NULL when it must be made anew or cannot */
    Program *program;  /* the one that answers: own, or that of an open file which imports this
                        * one and is imported by none */
    bool seen;         /* own was made since the last change */
} Document;

typedef struct {
    Rpc rpc;
    const Options *options;
    Arena *lasting; /* names and lists of documents */
    Arena *arena;   /* of the message being answered */
    VEC(Document *) documents;
    VEC(const char *) published; /* URIs with diagnostics */
    bool initialized, shut_down, exited;
    bool stale;        /* a text has changed: programs are to be made anew */
    bool unpublished;  /* and diagnostics are to be sent */
    int error; /* of the answer, 0: none */
    char error_text[400];
} Server;

/* ---- session.c ---- */

/* Makes the answer an error. Returns NULL. */
json_t *session_fail(Server *s, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Sends a notification; takes over params. */
void session_notify(const char *method, json_t *params);

/* ---- document.c ---- */

/* The open document that params.textDocument names, NULL after session_fail. */
Document *document_of(Server *s, const json_t *params);
/* The same with its program and the position of params.position in it; programs are brought up to
 * date. NULL after session_fail. */
Document *document_at(Server *s, const json_t *params, uint32_t *position);
/* The source of a document in its program; NULL where it has none. */
const Source *document_source(const Document *d);
/* Answers to the notifications on documents. */
void document_did_open(Server *s, const json_t *params);
void document_did_change(Server *s, const json_t *params);
void document_did_close(Server *s, const json_t *params);
/* Files have changed behind our back. */
void document_files_changed(Server *s, const json_t *params);
/* Brings all programs up to date. */
void document_refresh_all(Server *s);
/* True when the document's own program is the one that answers. */
bool document_is_root(const Document *d);
/* Frees all. */
void document_free_all(Server *s);

/* True where a line of the protocol ends: at a newline, and at a carriage return without one behind
 * it. The text has a NUL at its end. */
bool document_ends_line(const char *text, size_t at);
/* A place as the protocol has it: lines from 0, columns in UTF-16. */
json_t *document_position_json(const Source *f, uint32_t position);
json_t *document_range_json(const Source *f, Span span);
/* {uri, range} of a span; NULL for nowhere. */
json_t *document_location_json(const Program *p, Span span);
/* The offset of a line and column in a text; behind the end of the line or of the text, that
 * end. */
size_t document_text_offset(const char *text, size_t bytes, json_int_t line, json_int_t column);
/* The URI of a path. */
const char *document_uri_of_path(Arena *a, const char *path);

/* ---- cursor.c ---- */

/* Where something is being written. What is not finished may take the whole function with it, so
 * names are then those of a program without the statement. */
typedef struct {
    Program *program;
    Program *mended;   /* that one, or NULL */
    const Source *source; /* the document */
    Tokens tokens;     /* of it */
    int word;          /* the token being written, or the one behind the cursor */
    uint32_t position; /* in the program: there names are looked up */
    bool in_text;      /* inside of a comment or string */
} Cursor;
/* Finds it for params.position; false after session_fail. cursor_end frees what it holds. */
bool cursor_find(Server *s, const json_t *params, Cursor *k);
void cursor_end(Cursor *k);
/* The n-th token before the word; an END before the first one. */
const Token *cursor_before(const Cursor *k, int n);
/* The innermost declaration of a name that can be used there, but of members; or NULL. */
const Decl *cursor_decl(const Cursor *k, const Token *name);

/* ---- the answers ---- */

void diagnose_publish(Server *s);
json_t *diagnose_actions(Server *s, const json_t *params);
json_t *hover(Server *s, const json_t *params);
json_t *navigate_definition(Server *s, const json_t *params);
json_t *navigate_references(Server *s, const json_t *params);
json_t *navigate_highlight(Server *s, const json_t *params);
json_t *navigate_prepare_rename(Server *s, const json_t *params);
json_t *navigate_rename(Server *s, const json_t *params);
json_t *complete(Server *s, const json_t *params);
/* What could follow at a position in the quotes of an import; NULL where there is none. */
json_t *import_paths(Server *s, const Document *d, const Source *f, uint32_t at);
json_t *signature_help(Server *s, const json_t *params);
json_t *lens_list(Server *s, const json_t *params);
json_t *outline_symbols(Server *s, const json_t *params);
json_t *outline_workspace(Server *s, const json_t *params);
/* The document with its program up to date and its source; NULL after session_fail. */
Document *outline_document(Server *s, const json_t *params, const Source **f);
/* The AST of a file, NULL when it has none. */
const Module *outline_module(const Program *p, const Source *f);
json_t *outline_tokens(Server *s, const json_t *params);
json_t *outline_hints(Server *s, const json_t *params);
json_t *outline_format(Server *s, const json_t *params);
/* Names of the kinds of tokens and of what may be said of them, for the capabilities. */
json_t *outline_legend(void);

#endif

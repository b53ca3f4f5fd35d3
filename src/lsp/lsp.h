/* The language server on standard input and output. */
#ifndef SNL_LSP_LSP_H
#define SNL_LSP_LSP_H

#include "base/compile.h"

/* Serves one client until it says exit or the input ends. Returns 0, or 1 when it was not shut down
 * before or sent what is no message. */
int lsp_serve(const Options *options);

#endif

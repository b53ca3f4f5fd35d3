/* What the answers of the language server share: errors, and notifications to the client. */
#include "config.h"

#include "lsp/session.h"

#include <stdarg.h>
#include <stdio.h>

json_t *
session_fail(Server *s, int code, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(s->error_text, sizeof s->error_text, fmt, ap);
    va_end(ap);
    s->error = code;
    return NULL;
}

void
session_notify(const char *method, json_t *params)
{
    rpc_send(json_pack("{s:s, s:s, s:o}", "jsonrpc", "2.0", "method", method, "params", params));
}

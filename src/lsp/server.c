/* The loop of the language server, its start and end, and the table of what it answers. */
#include "config.h"

#include "lsp/session.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lsp/lsp.h"

/* ---- starting and ending ---- */

static json_t *
initialize(Server *s, const json_t *params)
{
    (void)params;
    if (s->initialized)
        return session_fail(s, RPC_INVALID_REQUEST, "the server is initialized already");
    s->initialized = true;
    json_t *sync =
        json_pack("{s:b, s:i, s:{s:b}}", "openClose", 1, "change", 2, "save", "includeText", 0);
    json_t *tokens = json_pack("{s:o, s:b}", "legend", outline_legend(), "full", 1);
    json_t *capabilities = json_pack(
        "{s:s, s:o, s:b, s:b, s:b, s:b, s:b, s:b, s:b, s:{s:b}, s:{s:[s, s, s, s, s]}, "
        "s:{s:[s, s]}, s:o, s:{s:[s]}, s:b, s:{s:b}}",
        "positionEncoding", "utf-16", "textDocumentSync", sync, "hoverProvider", 1,
        "definitionProvider", 1, "referencesProvider", 1, "documentHighlightProvider", 1,
        "documentSymbolProvider", 1, "documentFormattingProvider", 1, "inlayHintProvider", 1,
        "renameProvider", "prepareProvider", 1, "completionProvider", "triggerCharacters", ".", "@",
        "#", "\"", "/", "signatureHelpProvider", "triggerCharacters", "(", ",",
        "semanticTokensProvider", tokens, "codeActionProvider", "codeActionKinds", "quickfix",
        "workspaceSymbolProvider", 1, "codeLensProvider", "resolveProvider", 0);
    return json_pack("{s:o, s:{s:s, s:s}}", "capabilities", capabilities, "serverInfo", "name",
                     "snlc", "version", PACKAGE_VERSION);
}

static json_t *
shut_down(Server *s, const json_t *params)
{
    (void)params;
    s->shut_down = true;
    return json_null();
}

static void
leave(Server *s, const json_t *params)
{
    (void)params;
    s->exited = true;
}

static void
ignore(Server *s, const json_t *params)
{
    (void)s;
    (void)params;
}

/* ---- what is answered ---- */

static const struct {
    const char *method;
    json_t *(*answer)(Server *s, const json_t *params);
} requests[] = {
    {"initialize", initialize},
    {"shutdown", shut_down},
    {"textDocument/hover", hover},
    {"textDocument/definition", navigate_definition},
    {"textDocument/references", navigate_references},
    {"textDocument/documentHighlight", navigate_highlight},
    {"textDocument/prepareRename", navigate_prepare_rename},
    {"textDocument/rename", navigate_rename},
    {"textDocument/completion", complete},
    {"textDocument/signatureHelp", signature_help},
    {"textDocument/documentSymbol", outline_symbols},
    {"textDocument/semanticTokens/full", outline_tokens},
    {"textDocument/inlayHint", outline_hints},
    {"textDocument/formatting", outline_format},
    {"textDocument/codeAction", diagnose_actions},
    {"textDocument/codeLens", lens_list},
    {"workspace/symbol", outline_workspace},
};

static const struct {
    const char *method;
    void (*take)(Server *s, const json_t *params);
} notifications[] = {
    {"exit", leave},
    {"initialized", ignore},
    {"$/cancelRequest", ignore},
    {"$/setTrace", ignore},
    {"textDocument/didOpen", document_did_open},
    {"textDocument/didChange", document_did_change},
    {"textDocument/didClose", document_did_close},
    {"textDocument/didSave", document_files_changed},
    {"workspace/didChangeWatchedFiles", document_files_changed},
    {"workspace/didChangeConfiguration", ignore},
};

/* Sends the answer to a request, which is released: a result or the error of the server. */
static void
reply(Server *s, const json_t *id, json_t *result)
{
    json_t *message = json_pack("{s:s, s:O}", "jsonrpc", "2.0", "id", id);
    if (s->error) {
        json_object_set_new(message, "error",
                            json_pack("{s:i, s:s}", "code", s->error, "message", s->error_text));
        json_decref(result);
    } else
        json_object_set_new(message, "result", result ? result : json_null());
    rpc_send(message);
}

static json_t *
answer(Server *s, const char *method, const json_t *params)
{
    bool starts = !strcmp(method, "initialize");
    if (!s->initialized && !starts)
        return session_fail(s, RPC_NOT_INITIALIZED, "the first request must be initialize");
    if (s->shut_down)
        return session_fail(s, RPC_INVALID_REQUEST, "the server is shut down");
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
        if (!strcmp(requests[i].method, method))
            return requests[i].answer(s, params);
    return session_fail(s, RPC_NO_METHOD, "there is no method '%.200s'", method);
}

static void
take_notification(Server *s, const char *method, const json_t *params)
{
    bool leaves = !strcmp(method, "exit");
    for (size_t i = 0; i < sizeof notifications / sizeof *notifications; i++)
        if ((s->initialized || leaves) && !strcmp(notifications[i].method, method))
            notifications[i].take(s, params);
    if (s->error) /* there is nobody to answer */
        fprintf(stderr, "snlc lsp: %s: %s\n", method, s->error_text);
}

/* Empties what a message has used. */
static void
forget(Server *s)
{
    arena_reset(s->arena);
    for (int i = 0; i < s->documents.count; i++)
        if (s->documents.items[i]->own)
            arena_reset(s->documents.items[i]->own->c.scratch);
}

/* One message: a request, a notification, or an answer of the client, of which we ask nothing. */
static void
handle(Server *s, const json_t *message)
{
    const json_t *id = json_object_get(message, "id");
    const char *method = json_string_value(json_object_get(message, "method"));
    const json_t *params = json_object_get(message, "params");
    s->error = 0;
    if (method && id && !json_is_object(id) && !json_is_array(id)) {
        json_t *result = answer(s, method, params);
        reply(s, id, result);
    } else if (method && !id) {
        take_notification(s, method, params);
    } else if (method || !json_object_get(message, "id")) {
        session_fail(s, RPC_INVALID_REQUEST,
                     "a message is an object with a method and, for a request, an id");
        reply(s, json_null(), NULL);
    }
    forget(s);
}

int
lsp_serve(const Options *options)
{
    Server s = {.options = options, .lasting = arena_new(), .arena = arena_new()};
    RpcResult result = RPC_MESSAGE;
    rpc_start(&s.rpc, STDIN_FILENO);
    while (!s.exited && (result == RPC_MESSAGE || result == RPC_BAD_JSON)) {
        json_t *message;
        result = rpc_read(&s.rpc, &message);
        if (result == RPC_MESSAGE)
            handle(&s, message);
        else if (result != RPC_END) {
            session_fail(&s, RPC_PARSE_ERROR, "%s", s.rpc.error);
            reply(&s, json_null(), NULL);
        }
        json_decref(message);
        if (s.unpublished && s.initialized && !s.shut_down && !rpc_pending(&s.rpc)) {
            diagnose_publish(&s);
            forget(&s);
        }
    }
    document_free_all(&s);
    rpc_end(&s.rpc);
    arena_free(s.arena);
    arena_free(s.lasting);
    return s.shut_down && result != RPC_BROKEN ? 0 : 1;
}

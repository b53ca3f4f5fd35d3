/* JSON-RPC messages over standard input and output, framed as the language server protocol says.
 * Nothing else is ever written to standard output. Messages received and sent belong to the
 * caller. */
#ifndef SNL_LSP_RPC_H
#define SNL_LSP_RPC_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

/* Error codes of the protocol. */
enum {
    RPC_PARSE_ERROR = -32700,
    RPC_INVALID_REQUEST = -32600,
    RPC_NO_METHOD = -32601,
    RPC_INVALID_PARAMS = -32602,
    RPC_NOT_INITIALIZED = -32002,
    RPC_REQUEST_FAILED = -32803
};

typedef enum {
    RPC_MESSAGE,
    RPC_BAD_JSON, /* one message is no JSON; the next can be read */
    RPC_BROKEN,   /* the frames are lost; nothing more can be read */
    RPC_END       /* the input ended between two messages */
} RpcResult;

typedef struct {
    int in;
    char *buffer; /* what was read and not taken */
    size_t from, to, room;
    size_t offset; /* of the first byte not taken, in the whole input */
    bool ended;
    char error[300]; /* of BAD_JSON and BROKEN: what is wrong, and at which byte of the input */
} Rpc;

/* Starts reading from a file descriptor. */
void rpc_start(Rpc *rpc, int in);
/* Frees the buffer. */
void rpc_end(Rpc *rpc);
/* Waits for the next message. */
RpcResult rpc_read(Rpc *rpc, json_t **message);
/* True when more has come in. */
bool rpc_pending(const Rpc *rpc);
/* Writes a message and releases it. False when standard output cannot be written. */
bool rpc_send(json_t *message);

#endif

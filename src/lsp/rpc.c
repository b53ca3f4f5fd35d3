/* Frames of messages: a header that tells the length, and JSON. */
#include "config.h"

#include "lsp/rpc.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/arena.h"

enum { HEADER_MAX = 8192, CONTENT_MAX = 64 << 20 };

void
rpc_start(Rpc *rpc, int in)
{
    *rpc = (Rpc){.in = in};
}

void
rpc_end(Rpc *rpc)
{
    free(rpc->buffer);
}

static RpcResult fail(Rpc *rpc, RpcResult result, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static RpcResult
fail(Rpc *rpc, RpcResult result, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(rpc->error, sizeof rpc->error, fmt, ap);
    va_end(ap);
    return result;
}

/* Reads what is there, at least a byte unless the input ends. */
static void
read_more(Rpc *rpc)
{
    if (rpc->from > 0) {
        memmove(rpc->buffer, rpc->buffer + rpc->from, rpc->to - rpc->from);
        rpc->to -= rpc->from;
        rpc->from = 0;
    }
    if (rpc->room - rpc->to < 65536) {
        size_t room = 2 * rpc->room + 65536;
        char *buffer = realloc(rpc->buffer, room);
        if (!buffer)
            arena_out_of_memory();
        rpc->buffer = buffer;
        rpc->room = room;
    }
    ssize_t n;
    do
        n = read(rpc->in, rpc->buffer + rpc->to, rpc->room - rpc->to);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        fprintf(stderr, "snlc lsp: cannot read the input: %s\n", strerror(errno));
    rpc->ended = n <= 0;
    rpc->to += n > 0 ? (size_t)n : 0;
}

static void
take(Rpc *rpc, size_t bytes)
{
    rpc->from += bytes;
    rpc->offset += bytes;
}

/* One line of a header, without its end, as a string in the buffer; NULL when there is none, with a
 * message. */
static char *
read_line(Rpc *rpc)
{
    for (;;) {
        char *start = rpc->buffer + rpc->from;
        char *end = rpc->to > rpc->from ? memchr(start, '\n', rpc->to - rpc->from) : NULL;
        if (end) {
            take(rpc, (size_t)(end - start) + 1);
            *end = 0;
            if (end > start && end[-1] == '\r')
                end[-1] = 0;
            return start;
        }
        if (rpc->to - rpc->from > HEADER_MAX) {
            fail(rpc, RPC_BROKEN, "the header line at byte %zu does not end", rpc->offset);
            return NULL;
        }
        if (rpc->ended) {
            fail(rpc, RPC_BROKEN, "the input ends inside of the header at byte %zu", rpc->offset);
            return NULL;
        }
        read_more(rpc);
    }
}

/* The length of the content; -1 with a message. */
static long
read_header(Rpc *rpc)
{
    static const char name[] = "content-length:";
    size_t start = rpc->offset;
    long length = -1;
    for (;;) {
        size_t at = rpc->offset;
        const char *line = read_line(rpc);
        if (!line)
            return -1;
        if (!*line && length >= 0)
            return length;
        if (rpc->offset - start > HEADER_MAX || !*line) {
            fail(rpc, RPC_BROKEN, "the header at byte %zu has no Content-Length", start);
            return -1;
        }
        if (strncasecmp(line, name, sizeof name - 1))
            continue;
        char *end;
        errno = 0;
        const char *digits = line + sizeof name - 1;
        digits += strspn(digits, " \t");
        length = strtol(digits, &end, 10);
        if (errno || end == digits || *digits == '-' || end[strspn(end, " \t")] ||
            length > CONTENT_MAX) {
            fail(rpc, RPC_BROKEN, "the length at byte %zu is not a number from 0 to %d", at,
                 CONTENT_MAX);
            return -1;
        }
    }
}

RpcResult
rpc_read(Rpc *rpc, json_t **message)
{
    *message = NULL;
    if (rpc->from == rpc->to && !rpc->ended)
        read_more(rpc);
    if (rpc->from == rpc->to && rpc->ended)
        return RPC_END;
    long length = read_header(rpc);
    if (length < 0)
        return RPC_BROKEN;
    while (rpc->to - rpc->from < (size_t)length) {
        if (rpc->ended)
            return fail(rpc, RPC_BROKEN,
                        "the input ends inside of the message at byte %zu, which has %ld bytes",
                        rpc->offset, length);
        read_more(rpc);
    }
    json_error_t error;
    *message = json_loadb(rpc->buffer + rpc->from, (size_t)length,
                          JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
    size_t at = rpc->offset + (error.position > 0 ? (size_t)error.position : 0);
    take(rpc, (size_t)length);
    return *message ? RPC_MESSAGE
                    : fail(rpc, RPC_BAD_JSON, "byte %zu of the input: %s", at, error.text);
}

bool
rpc_pending(const Rpc *rpc)
{
    struct pollfd p = {.fd = rpc->in, .events = POLLIN};
    return rpc->from < rpc->to || (!rpc->ended && poll(&p, 1, 0) > 0 && !(p.revents & POLLNVAL));
}

bool
rpc_send(json_t *message)
{
    char *text = json_dumps(message, JSON_COMPACT);
    json_decref(message);
    if (!text)
        return false;
    bool fine = printf("Content-Length: %zu\r\n\r\n%s", strlen(text), text) > 0 && !fflush(stdout);
    free(text);
    return fine;
}

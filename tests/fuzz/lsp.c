/* lsp.c - what libFuzzer and AFL++ hand to the language server: a stream of messages, as it is when
 * it starts with "Content-Length", else one message a line, to which the frames are added. Built by
 * tests/fuzz/run. */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "lsp/lsp.h"

static int input = -1; /* a file that standard input reads from its start */

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    char path[300];
    snprintf(path, sizeof path, "%s/snl-fuzz-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    int nothing = open("/dev/null", O_WRONLY);
    input = mkstemp(path);
    if (input < 0 || nothing < 0 || dup2(input, STDIN_FILENO) < 0 ||
        dup2(nothing, STDOUT_FILENO) < 0)
        abort();
    unlink(path);
    return 0;
}

static void
send_bytes(const void *data, size_t bytes)
{
    if (write(input, data, bytes) != (ssize_t)bytes)
        abort();
}

static void
send_lines(const unsigned char *data, size_t bytes)
{
    while (bytes) {
        const unsigned char *end = memchr(data, '\n', bytes);
        size_t n = end ? (size_t)(end - data) : bytes;
        char head[40];
        int length = snprintf(head, sizeof head, "Content-Length: %zu\r\n\r\n", n);
        send_bytes(head, (size_t)length);
        send_bytes(data, n);
        n += end != NULL;
        data += n;
        bytes -= n;
    }
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes)
{
    static const char frame[] = "Content-Length";
    Options options = {0};
    if (bytes > FUZZ_BYTES_MAX)
        return 0;
    if (ftruncate(input, 0) != 0 || lseek(input, 0, SEEK_SET) != 0)
        abort();
    if (bytes >= sizeof frame && memcmp(data, frame, sizeof frame - 1) == 0)
        send_bytes(data, bytes);
    else
        send_lines(data, bytes);
    lseek(input, 0, SEEK_SET);
    fuzz_limit(FUZZ_SECONDS_MAX);
    lsp_serve(&options);
    fuzz_limit(0);
    return 0;
}

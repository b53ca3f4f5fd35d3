/* A scripted client for `snlc lsp`: client SESSION FOLDER COMMAND... plays a session against a
 * server and prints what differs.
 *
 *   --> JSON     sends a message ("jsonrpc" is added)
 *   -+> JSON     the same, together with the next one
 *   <-- JSON     the next message must contain this: an object may have more members; an array
 *                ending in "..." may be longer; a string that starts with "~" must be contained,
 *                one that starts with "!" must not
 *   raw TEXT     sends bytes as they are, with \r, \n and \0
 *   end N        ends the input; nothing more may come, and the server must end with status N
 * {dir} stands for the URI of FOLDER. A line that starts with white space goes on with the line
 * before. Status 0 when all is as expected. */
#include <jansson.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
    FILE *to, *from;
    pid_t server;
    const char *folder;
    int failures;
} Client;

static void
start_server(Client *c, char **command)
{
    int in[2], out[2];
    if (pipe(in) || pipe(out) || (c->server = fork()) < 0) {
        perror("client");
        exit(1);
    }
    if (!c->server) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        close(in[0]), close(in[1]), close(out[0]), close(out[1]);
        execvp(command[0], command);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    c->to = fdopen(in[1], "w");
    c->from = fdopen(out[0], "r");
}

/* The text with {dir} replaced. The caller frees it. */
static char *
expand(const Client *c, const char *text)
{
    char *out = malloc(strlen(text) * (strlen(c->folder) + 8) + 1), *to = out;
    while (*text)
        if (!strncmp(text, "{dir}", 5)) {
            to += sprintf(to, "file://%s", c->folder);
            text += 5;
        } else
            *to++ = *text++;
    *to = 0;
    return out;
}

static json_t *
parse(const Client *c, const char *text, int line)
{
    char *expanded = expand(c, text);
    json_error_t error;
    json_t *json = json_loads(expanded, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
    if (!json) {
        printf("line %d is no JSON: %s\n", line, error.text);
        exit(1);
    }
    free(expanded);
    return json;
}

static void
send_message(Client *c, json_t *message, bool last)
{
    json_object_set_new(message, "jsonrpc", json_string("2.0"));
    char *text = json_dumps(message, JSON_COMPACT);
    fprintf(c->to, "Content-Length: %zu\r\n\r\n%s", strlen(text), text);
    if (last)
        fflush(c->to);
    free(text);
    json_decref(message);
}

static void
send_raw(Client *c, const char *text)
{
    for (; *text; text++) {
        if (*text == '\\' && text[1]) {
            text++;
            fputc(*text == 'r' ? '\r' : *text == 'n' ? '\n' : *text == '0' ? 0 : *text, c->to);
        } else
            fputc(*text, c->to);
    }
    fflush(c->to);
}

/* The next message of the server, NULL at the end. Anything but a header and JSON is an error. */
static json_t *
receive(Client *c)
{
    char line[200];
    size_t length = 0;
    if (!fgets(line, sizeof line, c->from))
        return NULL;
    if (sscanf(line, "Content-Length: %zu", &length) != 1 || !fgets(line, sizeof line, c->from) ||
        strcmp(line, "\r\n")) {
        printf("the server writes something else than messages: %s\n", line);
        exit(1);
    }
    char *text = malloc(length + 1);
    json_error_t error;
    json_t *json =
        fread(text, 1, length, c->from) == length ? json_loadb(text, length, 0, &error) : NULL;
    if (!json) {
        printf("a message of the server is no JSON\n");
        exit(1);
    }
    free(text);
    return json;
}

static bool
matches(const json_t *want, const json_t *have)
{
    const char *key, *text = json_string_value(want), *other = json_string_value(have);
    json_t *value;
    if (text && text[0] == '~')
        return other && strstr(other, text + 1);
    if (text && text[0] == '!')
        return other && !strstr(other, text + 1);
    if (json_is_object(want)) {
        if (!json_is_object(have))
            return false;
        json_object_foreach((json_t *)want, key, value)
            if (!json_object_get(have, key) || !matches(value, json_object_get(have, key)))
                return false;
        return true;
    }
    if (!json_is_array(want))
        return json_equal((json_t *)want, (json_t *)have);
    size_t n = json_array_size(want);
    const char *last = n ? json_string_value(json_array_get(want, n - 1)) : NULL;
    bool open = last && !strcmp(last, "...");
    if (!json_is_array(have) || (open ? json_array_size(have) < n - 1 : json_array_size(have) != n))
        return false;
    for (size_t i = 0; i < n - open; i++)
        if (!matches(json_array_get(want, i), json_array_get(have, i)))
            return false;
    return true;
}

static void
expect(Client *c, const json_t *want, int line)
{
    json_t *have = receive(c);
    if (have && matches(want, have)) {
        json_decref(have);
        return;
    }
    c->failures++;
    char *text = have ? json_dumps(have, JSON_INDENT(2)) : strdup("the end of the output");
    printf("line %d expects something else than\n%s\n", line, text);
    free(text);
    json_decref(have);
}

static void
end_session(Client *c, int status, int line)
{
    int result;
    fclose(c->to);
    json_t *more = receive(c);
    waitpid(c->server, &result, 0);
    if (more || !WIFEXITED(result) || WEXITSTATUS(result) != status) {
        char *text = more ? json_dumps(more, JSON_INDENT(2)) : strdup("");
        printf("line %d: %s %d instead of status %d\n%s\n", line,
               WIFEXITED(result) ? "status" : "signal",
               WIFEXITED(result) ? WEXITSTATUS(result) : WTERMSIG(result), status, text);
        free(text);
        c->failures++;
    }
    json_decref(more);
}

static void
play(Client *c, const char *text, int line)
{
    if (!strncmp(text, "-->", 3) || !strncmp(text, "-+>", 3))
        send_message(c, parse(c, text + 3, line), text[1] == '-');
    else if (!strncmp(text, "<--", 3)) {
        json_t *want = parse(c, text + 3, line);
        expect(c, want, line);
        json_decref(want);
    } else if (!strncmp(text, "raw ", 4))
        send_raw(c, text + 4);
    else if (!strncmp(text, "end ", 4))
        end_session(c, atoi(text + 4), line);
    else {
        printf("line %d is not understood: %s\n", line, text);
        exit(1);
    }
}

int
main(int argc, char **argv)
{
    FILE *session = argc > 3 ? fopen(argv[1], "r") : NULL;
    if (!session) {
        fprintf(stderr, "usage: client SESSION FOLDER COMMAND...\n");
        return 64;
    }
    Client c = {.folder = argv[2]};
    signal(SIGPIPE, SIG_IGN);
    alarm(60);
    start_server(&c, argv + 3);
    static char line[65536];
    char *step = NULL;
    int number = 0, start = 0;
    for (bool more = true; more;) {
        more = fgets(line, sizeof line, session) != NULL;
        number++;
        line[strcspn(line, "\n")] = 0;
        if (more && (!*line || line[0] == '#'))
            continue;
        if (more && (line[0] == ' ' || line[0] == '\t') && step) {
            const char *rest = line + strspn(line, " \t");
            step = realloc(step, strlen(step) + strlen(rest) + 1);
            strcat(step, rest);
            continue;
        }
        if (step)
            play(&c, step, start);
        free(step);
        step = more ? strdup(line) : NULL;
        start = number;
    }
    fclose(session);
    return c.failures ? 1 : 0;
}

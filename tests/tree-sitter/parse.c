/* parse.c - says which programs tree-sitter reads with errors: parse HIGHLIGHTS FILE...
 *
 * Linked with the parser that `tree-sitter generate` makes, and with libtree-sitter. HIGHLIGHTS is
 * a file of queries, which must fit the grammar, and must name something in all files together for
 * every one of its patterns.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <tree_sitter/api.h>

const TSLanguage *tree_sitter_snl(void);

static char *
read_file(const char *path, uint32_t *n)
{
    FILE *f = fopen(path, "rb");
    if (!f) {
        perror(path);
        exit(2);
    }
    fseek(f, 0, SEEK_END);
    size_t size = (size_t)ftell(f);
    char *text = malloc(size + 1);
    rewind(f);
    *n = (uint32_t)fread(text, 1, size, f);
    fclose(f);
    return text;
}

/* The first node that is an error, or was put in because it is missing; a null node if there is
 * none. */
static TSNode
first_error(TSNode node)
{
    if (ts_node_is_missing(node) || ts_node_symbol(node) == (TSSymbol)-1)
        return node;
    for (uint32_t i = 0; ts_node_has_error(node) && i < ts_node_child_count(node); i++) {
        TSNode inner = first_error(ts_node_child(node, i));
        if (!ts_node_is_null(inner))
            return inner;
    }
    return (TSNode){0};
}

static TSQuery *
read_query(const char *path)
{
    uint32_t n, offset;
    TSQueryError kind;
    char *text = read_file(path, &n);
    TSQuery *query = ts_query_new(tree_sitter_snl(), text, n, &offset, &kind);
    if (!query) {
        printf("%s: error %d at byte %u: %.40s\n", path, (int)kind, offset, text + offset);
        exit(1);
    }
    free(text);
    return query;
}

/* Notes which patterns match somewhere in a tree. */
static void
note_matches(TSQuery *query, TSNode root, int *seen)
{
    TSQueryCursor *cursor = ts_query_cursor_new();
    TSQueryMatch match;
    ts_query_cursor_exec(cursor, query, root);
    while (ts_query_cursor_next_match(cursor, &match))
        seen[match.pattern_index] = 1;
    ts_query_cursor_delete(cursor);
}

int
main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    int failures = 0;
    TSQuery *query = read_query(argv[1]);
    uint32_t n, patterns = ts_query_pattern_count(query);
    int *seen = calloc(patterns, sizeof *seen);
    TSParser *parser = ts_parser_new();
    if (!ts_parser_set_language(parser, tree_sitter_snl()))
        return 2;
    for (int k = 2; k < argc; k++) {
        char *text = read_file(argv[k], &n);
        TSTree *tree = ts_parser_parse_string(parser, NULL, text, n);
        TSNode root = ts_tree_root_node(tree), error = first_error(root);
        if (ts_node_has_error(root)) {
            failures++;
            printf("%s:%u: error\n", argv[k],
                   ts_node_is_null(error) ? 0 : ts_node_start_point(error).row + 1);
        }
        note_matches(query, root, seen);
        ts_tree_delete(tree);
        free(text);
    }
    for (uint32_t k = 0; k < patterns; k++)
        if (!seen[k]) {
            failures++;
            printf("%s: nothing is coloured by the pattern at byte %u\n", argv[1],
                   ts_query_start_byte_for_pattern(query, k));
        }
    return failures ? 1 : 0;
}

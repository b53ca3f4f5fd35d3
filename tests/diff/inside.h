/* inside.h - commands of snlc that the calling process runs itself, which saves starting one.
 *
 * A process runs one of them and ends: nothing is given back.
 */
#ifndef DIFF_INSIDE_H
#define DIFF_INSIDE_H

/* Names that programs share: a table, which belongs to the process. */
typedef struct Words Words;

/* Reads names, one a line; NULL if that is impossible. */
Words *inside_words(const char *path);
/* Runs the command line of snlc; returns the exit status. */
int inside_run(int argc, char **argv);
/* Writes the C source of a program, with header and main, for a file that holds many: all names but
 * those that are known get `number` behind them. argv is that of `snlc compile`. Returns the exit
 * status. */
int inside_emit(int argc, char **argv, const Words *known, int number, const char *output);

#endif

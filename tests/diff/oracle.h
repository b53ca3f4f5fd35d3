/* oracle.h - runs one program in many ways, all of which must print the same.
 *
 * The interpreter says what is right. A Trial is one other way: a compiler, options of snlc, a
 * number of threads. Everything is written in one folder, which belongs to the caller; nothing here
 * is kept between calls.
 */
#ifndef DIFF_ORACLE_H
#define DIFF_ORACLE_H

#include <stdbool.h>
#include <stddef.h>

enum { COMMAND_MAX = 4096, WHAT_MAX = 160, ARGS_MAX = 96, OPTIONS_MAX = 2400 };

/* ORDER way: what builds the program. TCC is quick, CC is the C compiler of snlc. FORMAT runs
 * nothing; TEST runs the test blocks, with TCC where there is one. */
typedef enum { WAY_INTERPRET, WAY_TCC, WAY_CC, WAY_FORMAT, WAY_TEST, WAY_COUNT } Way;

typedef struct {
    Way way;
    char options[OPTIONS_MAX];  /* of snlc, separated by spaces */
    int threads[3];     /* numbers of threads to run it with; 0 ends the list */
} Trial;

typedef struct {
    const char *folder;
    const char *tcc;            /* command, or NULL where there is none */
    const char *tcc_runtime;    /* what SNLC_RUNTIME is for it */
    bool has_format;            /* `snlc fmt` exists */
    const char *header;         /* has the extern functions of the programs */
    const char *under;          /* command that runs what the C compiler made, or NULL */
} Tools;

/* What is wrong: nothing, or a few words that do not depend on numbers in the program. */
typedef struct {
    bool failed;
    char what[WHAT_MAX];
} Verdict;

typedef struct {
    const char *arg[ARGS_MAX];
    int count;
    char words[COMMAND_MAX];    /* copies of what command_words cut */
    char settings[2][COMMAND_MAX];
    bool with_tcc;              /* it is tcc, calls it, or was made by it */
    unsigned seconds;           /* of a processor that it may take; 0: what is enough for all */
} Command;

/* Reads a whole file; NULL if that is impossible. The caller frees it. */
char *file_text(const char *path);
/* Writes a program, and its second file beside it if it has one; false if that is impossible. */
bool program_write(const char *path, const char *text);
/* Writes a file; false if that is impossible. */
bool file_write(const char *path, const char *text);
/* True if two files hold the same text. */
bool same_files(const char *a, const char *b);

/* Adds an argument, which must live as long as the command. */
void command_add(Command *c, const char *arg);
/* Adds the words of a text; once for each command. */
void command_words(Command *c, const char *text);
/* Adds what the program in a file is compiled with, or run with: see WITH_MARK. Once of each kind
 * for a command. Gives the number of arguments. */
int command_settings(Command *c, const char *path, bool at_run_time);
/* Runs a command in the folder, where its output goes to the files `out` and `err`. Returns its
 * exit status, or 128 and the number of the signal. One that begins with "snlc" is run by a copy of
 * this process. */
int oracle_run(const Tools *t, const Command *c, const char *out, const char *err);
/* The same with a function, which runs in a copy of this process. */
int oracle_fork(const Tools *t, const char *out, const char *err, int (*work)(void *), void *with);

/* Runs the program in file `path` by the interpreter, with options; its output goes to OUT in the
 * folder. */
Verdict oracle_interpret(const Tools *t, const char *path, const char *options, const char *out);
/* Compares one way with the output of the interpreter, which is in the file `want` of the
 * folder. */
Verdict oracle_try(const Tools *t, const char *path, const Trial *trial, const char *want);
/* Prints the trial as a person would say it. */
void trial_print(const Trial *trial, char *text, size_t room);

/* Makes the program in `path` smaller as long as the same trial fails in the same way; rewrites the
 * file. reduce.c. */
void reduce(const Tools *t, const char *path, const Trial *trial, const Verdict *verdict);

#endif

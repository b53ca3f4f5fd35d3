/* The C source and the header as a whole.
 *   source.c     the order of their parts        table.c      descriptions of trees
 *   interface.c  the C interface                 main.c       main
 *   parts.c      parts that are compiled apart   manifest.c   the manifest
 *   wrap.c       long lines                      lines.c      #line */
#ifndef SNL_EMIT_FILE_FILE_H
#define SNL_EMIT_FILE_FILE_H

#include "emit/code/code.h"

/* table.c: static data that describes trees and fields, tables of constants */
void table_all(Emit *e, Text *out);

/* wrap.c */
/* Appends lines; those that are long become several. */
void wrap_lines(Text *out, const Text *part);

/* lines.c */
/* Adds the code of functions, in which every statement follows a #line; `source` is the quoted name
 * of the C source. */
void lines_number(Text *out, const Text *code, const char *source);

/* main.c */
/* main() and the description of the program for it. */
void main_write(Emit *e, Text *out);

/* interface.c */
/* The instance, its life, access to fields. */
void interface_instance(Emit *e, Text *out);
void interface_functions(Emit *e, Text *out);
/* Declarations of all that in the header. */
void interface_declare(Emit *e, Text *out);
/* Does the header declare extern functions? Not where headers of the user do. */
bool interface_declares_extern(const Emit *e);
/* Types that the header declares. */
void interface_types(Emit *e, Text *out);
/* Prepares for writing a program. */
void interface_start(Emit *e, Compile *c, const Ir *ir, const EmitOptions *options);

/* parts.c */
/* Gives each loop that was noted a part, and writes the definitions of that; returns how many parts
 * there are. */
int parts_share(Emit *e, Text *out);

/* A comment in C: what something is, then what the comment of the program at that place says. */
void interface_comment(Emit *e, Text *out, const char *what, Span span);
/* The function of a field by its verb, "get"; NULL where a function of the program has its name. */
const char *interface_field_function(Emit *e, const Field *f, const char *verb);

/* ---- param.c ---- */

/* Names what the interface has for enums and @live params, before names of code. */
void param_names(Emit *e);
/* The name in C of a word; of the functions of a @live param. */
const char *param_word_name(Emit *e, const Param *p, int i);
const char *param_setter_name(Emit *e, const Param *p);
const char *param_getter_name(Emit *e, const Param *p);
/* The words of enums, and the functions of @live params, in the header; the functions. */
void declare_param_words(Emit *e, Text *out);
void declare_live_params(Emit *e, Text *out);
void emit_live_params(Emit *e, Text *out);
/* Of an enum: the function that is being written ends with an error where the value is no word. */
void emit_word_check(const Param *p, const char *value, Text *out);

#endif

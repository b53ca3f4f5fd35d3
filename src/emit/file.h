/* file.h - the C source and the header as a whole.
 *   emit.c          the order of their parts            emit_table.c    descriptions of trees
 *   emit_interface.c the C interface                    emit_main.c     main
 *   emit_parts.c    parts that are compiled apart       emit_manifest.c the manifest
 *   emit_wrap.c     long lines                          emit_lines.c    #line */
#ifndef SNLC_EMIT_FILE_H
#define SNLC_EMIT_FILE_H

#include "emit/inside.h"

/* emit_table.c: static data that describes trees and fields, tables of constants */
void emit_tables(Emit *e, Text *out);

/* emit_wrap.c */
/* Appends lines; those that are long become several. */
void wrap_lines(Text *out, const Text *part);

/* emit_lines.c */
/* Adds the code of functions, in which every statement follows a #line; `source` is the quoted name
 * of the C source. */
void emit_numbered(Text *out, const Text *code, const char *source);

/* emit_main.c */
/* main() and the description of the program for it. */
void emit_main(Emit *e, Text *out);

/* emit_interface.c */
/* The instance, its life, access to fields. */
void emit_instance(Emit *e, Text *out);
void emit_interface(Emit *e, Text *out);
/* Declarations of all that in the header. */
void declare_interface(Emit *e, Text *out);
/* Does the header declare extern functions? Not where headers of the user do. */
bool declares_extern(const Emit *e);
/* Types that the header declares. */
void interface_types(Emit *e, Text *out);
/* Prepares for writing a program. */
void emit_start(Emit *e, Compile *c, const Ir *ir, const EmitOptions *options);

/* emit_parts.c */
/* Gives each loop that was noted a part, and writes the definitions of that; returns how many parts
 * there are. */
int parts_share(Emit *e, Text *out);

#endif

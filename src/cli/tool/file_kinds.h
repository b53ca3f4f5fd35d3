/* Which kinds of files a program saves and loads. */
#ifndef SNL_CLI_TOOL_FILE_KINDS_H
#define SNL_CLI_TOOL_FILE_KINDS_H

#include "check/prog.h"

typedef enum {
#define FILE_KIND(id, extension, files, flags) FILE_KIND_##id,
#include "cli/tool/file_kinds.def"
#undef FILE_KIND
    FILE_KIND_COUNT
} FileKind;

/* A row of the table. */
typedef struct {
    const char *name, *extension, *files, *flags; /* name: "NPY" */
} FileKindInfo;

/* A set of kinds. */
typedef struct {
    bool has[FILE_KIND_COUNT];
} FileKinds;

const FileKindInfo *file_kind_info(FileKind kind);
/* Adds all kinds. */
void file_kinds_add_all(FileKinds *kinds);
/* Adds the kinds that a program uses: all of them where one of its file names is not known before
 * it runs. */
void file_kinds_add(FileKinds *kinds, const Prog *p);

#endif

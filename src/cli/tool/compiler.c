/* Names and versions of C compilers. */
#include "config.h"

#include "cli/tool/compiler.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "cli/tool/output.h"

const char *
compiler_command_text(Arena *a, const Strings *command)
{
    Text t;
    text_init(&t, a);
    for (int i = 0; i < command->count; i++) {
        const char *w = command->items[i];
        bool plain = *w != 0;
        for (const char *p = w; *p; p++)
            plain = plain && (isalnum((unsigned char)*p) || strchr("-_./=+,:@%", *p));
        text_add(&t, "%s%s", i ? " " : "", plain ? w : "'");
        for (const char *p = w; *p && !plain; p++)
            text_add(&t, "%.*s", *p == '\'' ? 4 : 1, *p == '\'' ? "'\\''" : p);
        text_add(&t, "%s", plain ? "" : "'");
    }
    return t.data ? t.data : "";
}

/* Does a word of a command name a program whose name has this part? */
static bool
names(const Strings *command, const char *part)
{
    for (int i = 0; i < command->count; i++)
        if (strstr(path_base(command->items[i]), part))
            return true;
    return false;
}

/* "zig", "zig-0.13": the word of a command, not a part of one. */
static bool
names_zig(const char *word)
{
    const char *base = path_base(word);
    return !strncmp(base, "zig", 3) && (!base[3] || base[3] == '-');
}

bool
compiler_is_clang(const Strings *command)
{
    return names(command, "clang") || (command->count && names_zig(command->items[0]));
}

/* Does a triple, as aarch64-linux-gnu, name another processor than this one? */
static bool
is_other_processor(const char *triple)
{
    static const char *const known[] = {"aarch64", "alpha",  "arm",   "i386",  "i486",  "i586",
                                        "i686",    "loongarch", "m68k", "mips", "powerpc", "ppc",
                                        "riscv",   "s390",   "sparc", "wasm",  "x86_64"};
    struct utsname own;
    const size_t bytes = strcspn(triple, "-");
    bool processor = false;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        processor |= !strncmp(triple, known[i], strlen(known[i]));
    if (!triple[bytes] || !processor || uname(&own))
        return false;
    if (own.machine[0] == 'i' || !strcmp(own.machine, "x86_64")) /* one compiler may be for both */
        return strncmp(triple, "x86_64", 6) && triple[0] != 'i';
    return strlen(own.machine) != bytes || strncmp(triple, own.machine, bytes);
}

bool
compiler_is_cross(const Strings *command)
{
    static const char option[] = "--target=";
    for (int i = 0; i < command->count; i++) {
        const char *word = command->items[i];
        if (!strncmp(word, option, sizeof option - 1)
                ? is_other_processor(word + sizeof option - 1)
            : !strcmp(word, "-target") && i + 1 < command->count
                ? is_other_processor(command->items[i + 1])
                : word[0] != '-' && is_other_processor(path_base(word)))
            return true;
    }
    return false;
}

/* What the macros of a compiler say that it is. */
typedef struct {
    int major, minor; /* 0 where they do not tell */
    bool clang, x86;
} Version;

/* Has a compiler print its macros, and reads them. */
static Version
ask(Cli *cli, const Strings *command, const char *options)
{
    char line[500];
    Version v = {0};
    FILE *in = popen(arena_printf(cli->arena, "%s %s 2>/dev/null",
                                  compiler_command_text(cli->arena, command), options),
                     "r");
    while (in && fgets(line, sizeof line, in)) {
        (void)sscanf(line, "#define __GNUC__ %d", &v.major);
        (void)sscanf(line, "#define __GNUC_MINOR__ %d", &v.minor);
        v.clang = v.clang || strstr(line, " __clang__ ");
        v.x86 = v.x86 || strstr(line, " __x86_64__ ") || strstr(line, " __i386__ ");
    }
    if (in)
        pclose(in);
    return v;
}

/* Does that version? Where it is not known, as the default compiler. */
static bool
version_is_wrong(const Version *v)
{
    if (!v->major)
        return SNL_NARROW_MOVES_OF_DEFAULT;
    return v->major == 12 && v->minor < 3 && v->x86 && !v->clang;
}

bool
compiler_gets_wide_constants_wrong(Cli *cli, const Strings *command)
{
    if (compiler_is_clang(command) || names(command, "tcc"))
        return false;
    if (!strcmp(compiler_command_text(cli->arena, command), SNL_DEFAULT_CC) ||
        (!names(command, "gcc") && !names(command, "g++")))
        return SNL_NARROW_MOVES_OF_DEFAULT;
    Version v = ask(cli, command, "-dM -E -xc /dev/null");
    return version_is_wrong(&v);
}

bool
compiler_of_nvcc_gets_wide_constants_wrong(Cli *cli, const Strings *nvcc)
{
    Version v = ask(cli, nvcc, "-Xcompiler -dM -E -x c /dev/null");
    return version_is_wrong(&v);
}

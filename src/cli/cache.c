/* The cache of executables. */
#include "config.h"

#include "cli/cache.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/output.h"
#include "cli/toolchain.h"

/* FNV-1a, 128 bits (Fowler, Noll, Vo). */
typedef unsigned __int128 Hash;

static Hash
hash_bytes(Hash h, const void *data, size_t bytes)
{
    const unsigned char *p = data;
    const Hash prime = ((Hash)1 << 88) + 0x13b;
    for (size_t i = 0; i < bytes; i++)
        h = (h ^ p[i]) * prime;
    return h;
}

/* Size and time of a file stand for its contents. */
static Hash
hash_file_identity(Hash h, const char *path)
{
    struct stat st;
    if (stat(path, &st))
        return h;
    int64_t parts[4] = {st.st_size, st.st_mtim.tv_sec, st.st_mtim.tv_nsec, (int64_t)st.st_ino};
    return hash_bytes(h, parts, sizeof parts);
}

static const char *
cache_folder(Cli *cli)
{
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (base && base[0] == '/')
        return arena_printf(cli->arena, "%s/snlc", base);
    if (home && *home)
        return arena_printf(cli->arena, "%s/.cache/snlc", home);
    return arena_printf(cli->arena, "/tmp/snlc-cache-%d", (int)getuid());
}

static int
build_into(Cli *cli, const char *stem, const Text *source, const Text *header, const char *folder, const char *path)
{
    const char *source_name = arena_printf(cli->arena, "%s/%s%s", folder, stem, target_info(cli->target)->suffix);
    const char *made = arena_printf(cli->arena, "%s/%s.exe", folder, stem);
    int status = output_text(cli, source_name, source);
    if (!status)
        status = output_text(cli, arena_printf(cli->arena, "%s/%s.h", folder, stem), header);
    if (status)
        return status;
    Commands commands = {0};
    toolchain_commands(cli, KIND_EXE, source_name, made, folder, &commands);
    status = toolchain_run(cli, &commands);
    if (!status && !cli->dry_run)
        status = output_move(cli, made, path);
    if (!status && cli->save_temps)
        status = output_text(cli, arena_printf(cli->arena, "%s%s", stem, target_info(cli->target)->suffix), source);
    return status;
}

int
cache_executable(Cli *cli, Drive *d, const EmitOptions *options, const char **path)
{
    Text source, header;
    text_init(&source, cli->arena);
    text_init(&header, cli->arena);
    EmitOptions emit = *options;
    const char *stem = d->prog->name;
    emit.prefix = cli->prefix ? cli->prefix : d->prog->name;
    emit.source_name = arena_printf(cli->arena, "%s%s", stem, target_info(cli->target)->suffix);
    emit.header_name = arena_printf(cli->arena, "%s.h", stem);
    int status = drive_emit(cli, d, &emit, &source, &header);
    if (status)
        return status;
    const char *folder = cache_folder(cli);
    status = path_make_folder(cli, folder);
    if (status)
        return status;
    Commands commands = {0};
    toolchain_commands(cli, KIND_EXE, "source.c", "program", ".", &commands);
    const char *command = command_text(cli->arena, &commands.items[0].words);
    Hash h = hash_bytes(((Hash)0x6c62272e07bb0142 << 64) | 0x62b821756295c58d, source.data, source.count);
    h = hash_bytes(h, header.data, header.count);
    h = hash_bytes(h, command, strlen(command));
    RuntimePlace place = toolchain_runtime(cli);
    h = hash_file_identity(h, arena_printf(cli->arena, "%s/libsnlrt.a", place.lib));
    h = hash_file_identity(h, arena_printf(cli->arena, "%s/snl/snlrt.h", place.include));
    *path = arena_printf(cli->arena, "%s/%s-%016llx%016llx", folder, stem, (unsigned long long)(h >> 64),
                         (unsigned long long)h);
    if (!access(*path, X_OK) && !cli->save_temps && !cli->dry_run)
        return 0;
    const char *temporary = path_temporary_folder(cli);
    if (!temporary)
        return EXIT_CANTCREAT;
    status = build_into(cli, stem, &source, &header, temporary, *path);
    path_remove_folder(temporary);
    return status;
}

#!/bin/sh
# Programs that call a compiled program: loaded and unloaded as a plugin, in parallel regions of their own, where no thread can be made, with a
# function for prints (tests/c-api/host_main.c, plugin_main.c). Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH CFLAGS SNL_MEMORY_LIMIT
case $CASE_MODES in *c[0-9]*) ;; *) skip_all "the C target is not tested" ;; esac
folder=$(fresh_folder scripts/hosts)
cd "$folder" || exit 1
cp "$SNL_SOURCE"/tests/c-api/host* "$SNL_SOURCE"/tests/c-api/plugin_main.c .
flags="-std=gnu11 -Wall -Wextra -Werror $("$SNLC" config --cflags)"
libs=$("$SNLC" config --libs)

plan 5
# shellcheck disable=SC2086
{
    "$SNLC" compile -q host.snl && "$TEST_CC" $flags host.c host_main.c $libs -o host &&
        "$SNLC" build -q --kind=shared -o libhost.so host.snl && "$TEST_CC" $flags plugin_main.c -o plugin -ldl
} >log 2>&1
result $? "hosts are built" log
for t in team limit print; do
    timeout 60 ./host "$t" >log 2>&1
    result $? "$t" log
done
timeout 60 ./plugin ./libhost.so >log 2>&1
result $? "plugin" log

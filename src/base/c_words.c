/* Words that C has already. */
#include "config.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "base/c_words.h"

/* Keywords of C and C++, types of members, which C++ members cannot be named after, and macros of C
 * in small letters, in the order of their bytes. */
static const char words[] =
    "alignas alignof and and_eq asm assert auto bitand bitor bool break case catch char char16_t "
    "char32_t char8_t class co_await co_return co_yield compl complex concept const const_cast "
    "consteval constexpr constinit continue decltype default delete do double dynamic_cast else "
    "enum errno explicit export extern false float for friend goto i386 if imaginary inline int "
    "int16_t int32_t int64_t int8_t linux long math_errhandling mutable namespace new noexcept "
    "noreturn not not_eq nullptr operator or or_eq private protected public register "
    "reinterpret_cast requires restrict return short signed sizeof static static_assert "
    "static_cast stderr stdin stdout struct switch template this thread_local throw true try "
    "typedef typeid typename typeof typeof_unqual uint16_t uint32_t uint64_t uint8_t union unix "
    "unsigned using virtual void volatile wchar_t while xor xor_eq";

bool
c_is_word(const char *name)
{
    return c_is_among(words, sizeof words, name);
}

bool
c_has(const char *name)
{
    const size_t end = strlen(name);
    if (name[0] == '_')
        return isupper((unsigned char)name[1]) ||
               (end > 4 && name[1] == '_' && !strcmp(name + end - 2, "__"));
    return c_is_word(name) || (isupper((unsigned char)name[0]) && c_is_macro(name));
}

bool
c_is_of_compilers(const char *name)
{
    return name[0] == '_' && (name[1] == '_' || isupper((unsigned char)name[1]));
}

bool
c_is_of_headers(const char *name)
{
    /* The first is of <complex.h>; a second variable M_SQRT1 would be M_SQRT1_2. */
    return !strcmp(name, "I") || !strcmp(name, "M_SQRT1") || c_is_macro(name);
}

bool
c_is_of_runtime(const char *name)
{
    return !strncmp(name, "snl_", 4) || !strncmp(name, "Snl", 3) || !strncmp(name, "SNL_", 4) ||
           !strncmp(name, "SNLRT_", 6);
}

/* Functions that the headers of C and of POSIX programs declare, and arguments of the interface: a
 * type of the same name would not compile beside them. */
static const char library[] =
    " a64l abort abs access acct acos acosf acosh acoshf acoshl acosl adjtime alarm alloca "
    " arc4random asctime asin asinf asinh asinhf asinhl asinl asprintf assert atan atan2 atan2f "
    " atan2l atanf atanh atanhf atanhl atanl atexit atof atoi atol atoll basename bcmp bcopy brk "
    " bsearch btowc bzero cabs cabsf cabsl cacos cacosf cacosh cacoshf cacoshl cacosl calloc "
    " canonicalize canonicalizef canonicalizel carg cargf cargl casin casinf casinh casinhf "
    " casinhl casinl catan catanf catanh catanhf catanhl catanl cbrt cbrtf cbrtl ccos ccosf ccosh "
    " ccoshf ccoshl ccosl ceil ceilf ceill cexp cexpf cexpl chdir chmod chown chroot cimag cimagf "
    " cimagl clearenv clearerr clock clog clog10 clog10f clog10l clogf clogl clone close "
    " closefrom confstr conj conjf conjl copysign copysignf copysignl cos cosf cosh coshf coshl "
    " cosl cpow cpowf cpowl cproj cprojf cprojl creal crealf creall creat crypt csin csinf csinh "
    " csinhf csinhl csinl csqrt csqrtf csqrtl ctan ctanf ctanh ctanhf ctanhl ctanl ctermid ctime "
    " cuserid daddl daemon daylight ddivl dfmal difftime div dmull dprintf drand48 drem dremf "
    " dreml dsqrtl dsubl dup dup2 dup3 duplocale dysize eaccess ecvt endusershell environ erand48 "
    " erf erfc erfcf erfcl erff erfl euidaccess execl execle execlp execv execve execveat execvp "
    " execvpe exit exp exp10 exp10f exp10l exp2 exp2f exp2l expf expl expm1 expm1f expm1l fabs "
    " fabsf fabsl faccessat fadd faddl fallocate fchdir fchmod fchmodat fchown fchownat fclose "
    " fcloseall fcntl fcvt fdatasync fdim fdimf fdiml fdiv fdivl fdopen feclearexcept "
    " fedisableexcept feenableexcept fegetenv fegetexcept fegetexceptflag fegetmode fegetround "
    " feholdexcept feof feraiseexcept ferror fesetenv fesetexcept fesetexceptflag fesetmode "
    " fesetround fetestexcept fetestexceptflag feupdateenv fexecve fflush ffma ffmal ffs ffsl "
    " ffsll fgetc fgetpos fgets fgetwc fgetws fileno finite finitef finitel flockfile floor "
    " floorf floorl fma fmaf fmal fmax fmaxf fmaxl fmaxmag fmaxmagf fmaxmagl fmemopen fmin fminf "
    " fminl fminmag fminmagf fminmagl fmod fmodf fmodl fmul fmull fopen fopencookie fork "
    " fpathconf fpclassify fprintf fputc fputs fputwc fputws fread free freelocale freopen frexp "
    " frexpf frexpl fscanf fseek fseeko fsetpos fsqrt fsqrtl fstat fstatat fsub fsubl fsync ftell "
    " ftello ftruncate ftrylockfile funlockfile futimens futimes futimesat fwide fwprintf fwrite "
    " fwscanf gamma gammaf gammal gcvt getc getchar getcpu getcwd getdate getdelim getdomainname "
    " getdtablesize getegid getentropy getenv geteuid getgid getgroups gethostid gethostname "
    " getitimer getline getloadavg getlogin getopt getpagesize getpass getpgid getpgrp getpid "
    " getppid getpt getresgid getresuid getsid getsubopt gettid gettimeofday getuid getumask "
    " getusershell getw getwc getwchar getwd gmtime grantpt gsignal hypot hypotf hypotl ilogb "
    " ilogbf ilogbl imaxabs imaxdiv index initstate isalnum isalpha isascii isatty isblank "
    " iscntrl isctype isdigit isfinite isgraph isgreater isinf isinff isinfl isless islower isnan "
    " isnanf isnanl isnormal isprint ispunct isspace isunordered isupper isxdigit j0 j0f j0l j1 "
    " j1f j1l jn jnf jnl jrand48 kill killpg l64a labs lchmod lchown lcong48 ldexp ldexpf ldexpl "
    " ldiv lgamma lgammaf lgammal link linkat llabs lldiv llogb llogbf llogbl llrint llrintf "
    " llrintl llround llroundf llroundl localeconv localtime lockf log log10 log10f log10l log1p "
    " log1pf log1pl log2 log2f log2l logb logbf logbl logf logl longjmp lrand48 lrint lrintf "
    " lrintl lround lroundf lroundl lseek lstat lutimes malloc mblen mbrlen mbrtowc mbsinit "
    " mbsnrtowcs mbsrtowcs mbstowcs mbtowc memccpy memchr memcmp memcpy memfrob memmem memmove "
    " mempcpy memrchr memset mkdir mkdirat mkdtemp mkfifo mkfifoat mknod mknodat mkostemp "
    " mkostemps mkstemp mkstemps mktemp mktime modf modff modfl mrand48 nan nanf nanl nanosleep "
    " nearbyint nearbyintf nearbyintl newlocale nextafter nextafterf nextafterl nextdown "
    " nextdownf nextdownl nexttoward nexttowardf nexttowardl nextup nextupf nextupl nice nrand48 "
    " open openat optarg opterr optind optopt pathconf pause pclose perror pipe pipe2 popen pow "
    " powf powl pread printf profil pselect psiginfo psignal ptsname putc putchar putenv puts "
    " putw putwc putwchar pwrite qecvt qfcvt qgcvt qsort raise rand random rawmemchr read "
    " readahead readlink readlinkat realloc reallocarray realpath remainder remainderf remainderl "
    " remove remquo remquof remquol rename renameat renameat2 revoke rewind rindex rint rintf "
    " rintl rmdir round roundeven roundevenf roundevenl roundf roundl rpmatch sbrk scalb scalbf "
    " scalbl scalbln scalblnf scalblnl scalbn scalbnf scalbnl scanf seed48 select setbuf "
    " setbuffer setdomainname setegid setenv seteuid setgid sethostid sethostname setitimer "
    " setjmp setlinebuf setlocale setlogin setns setpgid setpgrp setregid setresgid setresuid "
    " setreuid setsid setstate settimeofday setuid setusershell setvbuf sigaction sigaddset "
    " sigaltstack sigandset sigblock sigdelset sigemptyset sigfillset siggetmask sighold "
    " sigignore siginterrupt sigisemptyset sigismember siglongjmp signal signbit signgam "
    " significand significandf significandl sigorset sigpause sigpending sigprocmask sigqueue "
    " sigrelse sigreturn sigset sigsetmask sigstack sigsuspend sigtimedwait sigwait sigwaitinfo "
    " sin sincos sincosf sincosl sinf sinh sinhf sinhl sinl sleep snprintf splice sprintf sqrt "
    " sqrtf sqrtl srand srand48 srandom sscanf ssignal stat statx stpcpy stpncpy strcasecmp "
    " strcasestr strcat strchr strchrnul strcmp strcoll strcpy strcspn strdup strerror strfromd "
    " strfromf strfroml strfry strftime strlen strncasecmp strncat strncmp strncpy strndup "
    " strnlen strpbrk strptime strrchr strsep strsignal strspn strstr strtod strtof strtoimax "
    " strtok strtol strtold strtoll strtoq strtoul strtoull strtoumax strtouq strverscmp strxfrm "
    " swab swprintf swscanf symlink symlinkat sync syncfs syscall sysconf system tan tanf tanh "
    " tanhf tanhl tanl tcgetpgrp tcsetpgrp tee tempnam tgamma tgammaf tgammal tgkill time timegm "
    " timelocal timezone tmpfile tmpnam toascii tolower toupper trunc truncate truncf truncl "
    " ttyname ttyslot tzname tzset ualarm umask ungetc ungetwc unlink unlinkat unlockpt unsetenv "
    " unshare uselocale usleep utimensat utimes valloc vasprintf vdprintf vfork vfprintf vfscanf "
    " vfwprintf vfwscanf vhangup vmsplice vprintf vscanf vsnprintf vsprintf vsscanf vswprintf "
    " vswscanf vwprintf vwscanf wait wcpcpy wcpncpy wcrtomb wcscasecmp wcscat wcschr wcschrnul "
    " wcscmp wcscoll wcscpy wcscspn wcsdup wcsftime wcslen wcsncasecmp wcsncat wcsncmp wcsncpy "
    " wcsnlen wcsnrtombs wcspbrk wcsrchr wcsrtombs wcsspn wcsstr wcstod wcstof wcstoimax wcstok "
    " wcstol wcstold wcstoll wcstombs wcstoq wcstoul wcstoull wcstoumax wcstouq wcswcs wcswidth "
    " wcsxfrm wctob wctomb wcwidth wmemchr wmemcmp wmemcpy wmemmove wmempcpy wmemset wprintf "
    " write wscanf y0 y0f y0l y1 y1f y1l yn ynf ynl "
    /* of CUDA */
    " blockDim blockIdx char1 char2 char3 char4 dim3 double1 double2 double3 double4 float1 "
    " float2 float3 float4 gridDim half half2 int1 int2 int3 int4 long1 long2 long3 long4 "
    " longlong1 longlong2 longlong3 longlong4 short1 short2 short3 short4 threadIdx uchar1 "
    " uchar2 uchar3 uchar4 uint1 uint2 uint3 uint4 ulong1 ulong2 ulong3 ulong4 ulonglong1 "
    " ulonglong2 ulonglong3 ulonglong4 ushort1 ushort2 ushort3 ushort4 warpSize "
    /* of threads and timers, which have functions named like ours (timer_create, sem_destroy) */
    " cnd mtx pthread sem thrd timer tss "
    " std div_t main params options out program self alone args chunk from in memory none o step to"
    " trouble ";

bool
c_is_of_library(const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = library; (at = strstr(at, name)); at += n)
        if (at[-1] == ' ' && at[n] == ' ')
            return true;
    return false;
}

/* locale_inside.h - numbers are written and read with a point, whatever the locale of the process
 * has: programs that call kernels may have set any. */
#ifndef SNL_CORE_LOCALE_INSIDE_H
#define SNL_CORE_LOCALE_INSIDE_H

#include <locale.h>

/* What the thread had before. */
typedef struct {
    locale_t c, before;
} SnlCLocale;

/* This thread has the locale "C" until snl_c_locale_end. */
static inline SnlCLocale
snl_c_locale(void)
{
    const locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return (SnlCLocale){c, c ? uselocale(c) : (locale_t)0};
}

static inline void
snl_c_locale_end(const SnlCLocale *l)
{
    if (!l->c)
        return;
    uselocale(l->before);
    freelocale(l->c);
}

#endif

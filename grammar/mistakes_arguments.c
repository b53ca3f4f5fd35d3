/* Known mistakes in the lists of arguments of functions: what C and its relatives write there. */
#include "config.h"

#include "grammar/mistakes_inside.h"

/* const f32 a, in f32 a */
static bool
constant_argument(const Mistake *m)
{
    int i = m->i;
    bool is_name = kind(m, i + 1) == ',' || kind(m, i + 1) == ')';
    if ((kind(m, i) != CONST && kind(m, i) != IN) || is_name)
        return false;
    diag_edit(REPORT(i, i, "arguments are declared without '%s'", text_of(m, i, i)),
              (Span){token(m, i)->span.from, token(m, i + 1)->span.from}, "%s", "");
    return true;
}

/* f32 a[3], f32 a[], f32 a[3][4], with inout too, which arrays need not. */
static bool
array_of_c(const Mistake *m)
{
    int i = m->i, end = i - 1;
    if (kind(m, i) != '[' || kind(m, i - 1) != IDENT ||
        (kind(m, i - 2) != TYPE && kind(m, i - 2) != IDENT))
        return false;
    Text commas; /* one less than there are axes */
    text_init(&commas, m->c->arena);
    text_add(&commas, "%s", "");
    while (kind(m, end + 1) == '[' && token(m, end + 1)->match > end) {
        int close = token(m, end + 1)->match;
        if (end >= i)
            text_add(&commas, ",");
        for (int at = end + 2; at < close; at++)
            if (kind(m, at) == ',')
                text_add(&commas, ",");
        end = close;
    }
    if (end < i)
        return false;
    Diag *d = REPORT(i, end, "the brackets of an array stand behind its type, without its size");
    const int start = kind(m, i - 3) == INOUT ? i - 3 : i - 2;
    diag_edit(d, span_of(m, start, end), "%s[%s] %s", text_of(m, i - 2, i - 2), commas.data,
              text_of(m, i - 1, i - 1));
    return true;
}

/* f32& a, out f32 a, ref f32 a */
static bool
reference(const Mistake *m)
{
    static const char *const words[] = {"out", "ref", "mut", "var", NULL};
    int i = m->i;
    if (kind(m, i) == '&' && type_at(m, i - 1)) {
        Diag *d = REPORT(i - 1, i, "a variable of the caller is an inout argument");
        diag_edit(d, span_of(m, i - 1, i), "inout %s%s", type_at(m, i - 1),
                  is_adjacent(m, i) ? " " : "");
    } else if (type_at(m, i) && (is_one_of(m, i - 1, words) || kind(m, i - 1) == VAR)) {
        Diag *d = REPORT(i - 1, i - 1, "a variable of the caller is an inout argument");
        diag_edit(d, span_of(m, i - 1, i - 1), "inout");
    } else
        return false;
    return true;
}

/* P *p, P &p, where P is a struct */
static bool
struct_pointer(const Mistake *m)
{
    int i = m->i;
    if ((kind(m, i) != '*' && kind(m, i) != '&') || kind(m, i - 1) != IDENT ||
        type_at(m, i - 1) || kind(m, i + 1) != IDENT)
        return false;
    Diag *d =
        REPORT(i - 1, i, "there are no pointers; a struct of the caller is an inout argument");
    diag_edit(d, span_of(m, i - 1, i + 1), "inout %s %s", text_of(m, i - 1, i - 1),
              text_of(m, i + 1, i + 1));
    return true;
}

/* f32 a = 1.0 */
static bool
default_value(const Mistake *m)
{
    int i = m->i, after = operand_end(m, i + 1) + 1;
    if (kind(m, i) != '=' || kind(m, i - 1) != IDENT)
        return false;
    Diag *d = REPORT(i, i, "arguments have no default values");
    if (kind(m, after) == ',' || kind(m, after) == ')')
        diag_edit(d, (Span){token(m, i - 1)->span.to, token(m, after)->span.from}, "%s", "");
    return true;
}

bool
mistake_in_argument(const Mistake *m)
{
    static bool (*const known[])(const Mistake *) = {
        constant_argument, array_of_c, reference, struct_pointer, default_value, NULL,
    };
    return among_arguments(m, m->i) && mistake_any(m, known);
}

/* An SVG that is being drawn: texts, and how far it reaches. */
#include "config.h"

#include "layout/drawing.h"

#include <string.h>

const char *
drawing_escape(Compile *c, const char *s)
{
    Text t;
    text_init(&t, c->arena);
    text_raw(&t, "", 0);
    text_xml(&t, s);
    return t.data;
}

void
drawing_reaches(Drawing *d, double right)
{
    d->right = right > d->right ? right : d->right;
}

void
drawing_text(Drawing *d, double x, double y, const char *text)
{
    text_line(d->out, "<text class=\"page\" x=\"%.1f\" y=\"%.1f\">%s</text>", x, y,
              drawing_escape(d->c, text));
    drawing_reaches(d, x + DRAWING_LETTER_WIDTH * (double)strlen(text));
}

void
drawing_label(Drawing *d, double x, double y, const char *style, const char *text)
{
    text_line(d->out, "<text text-anchor=\"middle\" x=\"%.1f\" y=\"%.1f\"%s>%s</text>", x, y, style,
              drawing_escape(d->c, text));
}

/* An SVG that is being drawn from top to bottom. For src/layout only. */
#ifndef SNL_LAYOUT_LAYOUT_DRAW_H
#define SNL_LAYOUT_LAYOUT_DRAW_H

#include "layout/layout_info.h"

typedef struct {
    Compile *c;
    Text *out;
    int y;        /* where the next thing goes */
    double right; /* of all that was drawn */
} Drawing;

/* Notes how far to the right something reaches. */
void svg_reaches(Drawing *d, double right);

/* The text with < > & " written as XML has them. */
const char *svg_escape(Compile *c, const char *s);
/* Text on the page with its left end at (x, y). */
void svg_text(Drawing *d, double x, double y, const char *text);
/* Text in a box, with its middle at (x, y); style: further attributes, with a blank before them. */
void svg_label(Drawing *d, double x, double y, const char *style, const char *text);
/* The order of the elements of a layout in memory, and its first bytes. */
void svg_order(Drawing *d, double x, const Layout *l);

#endif

/* An SVG that is being drawn from top to bottom. For src/layout only. */
#ifndef SNL_LAYOUT_DRAWING_H
#define SNL_LAYOUT_DRAWING_H

#include "layout/layout_info.h"

typedef struct {
    Compile *c;
    Text *out;
    int y;        /* where the next thing goes */
    double right; /* of all that was drawn */
} Drawing;

#define DRAWING_LETTER_WIDTH 6.5 /* of sans-serif, on average */

/* Notes how far to the right something reaches. */
void drawing_reaches(Drawing *d, double right);

/* The text with < > & " written as XML has them. */
const char *drawing_escape(Compile *c, const char *s);
/* Text on the page with its left end at (x, y). */
void drawing_text(Drawing *d, double x, double y, const char *text);
/* Text in a box, with its middle at (x, y); style: further attributes, with a blank before them. */
void drawing_label(Drawing *d, double x, double y, const char *style, const char *text);

/* layout_order.c: the order of the elements of a layout in memory, and its first bytes. */
void layout_order_draw(Drawing *d, double x, const Layout *l);

#endif

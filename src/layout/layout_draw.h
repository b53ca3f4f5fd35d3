/* An SVG that is being drawn from top to bottom. For src/layout only. */
#ifndef SNL_LAYOUT_LAYOUT_DRAW_H
#define SNL_LAYOUT_LAYOUT_DRAW_H

#include "layout/layout_info.h"

typedef struct {
    Compile *c;
    Text *out;
    int y; /* where the next thing goes */
} Drawing;

/* The text with < > & " written as XML has them. */
const char *svg_escape(Compile *c, const char *s);
/* Text with its left end at (x, y); style: further attributes, with a blank before them. */
void svg_text(Drawing *d, double x, double y, const char *style, const char *text);
/* The order of the elements of a layout in memory, and its first bytes. */
void svg_order(Drawing *d, double x, const Layout *l);

#endif

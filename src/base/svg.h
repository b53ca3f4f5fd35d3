/* The frame that all drawings share. */
#ifndef SNL_BASE_SVG_H
#define SNL_BASE_SVG_H

#include "base/text.h"

/* Begins a drawing of so many pixels, which may be shown in any size. Blanks in texts are kept.
 * Text of the class `page` stands on the page, which is dark where the reader wants that; other
 * text stands in light boxes. The caller ends it with </svg>. */
void svg_begin(Text *out, int width, int height);

#endif

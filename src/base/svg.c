/* The head of drawings. */
#include "config.h"

#include "base/svg.h"

void
svg_begin(Text *out, int width, int height)
{
    text_line(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
    text_line(out,
              "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
              "viewBox=\"0 0 %d %d\" xml:space=\"preserve\" font-family=\"sans-serif\" "
              "font-size=\"12\">",
              width, height, width, height);
    text_line(out, "<style>");
    text_line(out, "text { fill: #111; white-space: pre; } rect.page { fill: #fff; }");
    text_line(out, "@media (prefers-color-scheme: dark) {");
    text_line(out, "text.page { fill: #ddd; } rect.page { fill: #1b1b1b; }");
    text_line(out, "}");
    text_line(out, "</style>");
    text_line(out, "<rect class=\"page\" width=\"100%%\" height=\"100%%\"/>");
}

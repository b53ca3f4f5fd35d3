/* How wide characters are in a terminal, without a locale. */
#ifndef SNL_BASE_CHAR_WIDTH_H
#define SNL_BASE_CHAR_WIDTH_H

/* The columns of the character that starts here, of at most `bytes` bytes of UTF-8: 2 for wide ones
 * of East Asia and emoji, 0 for what combines with the character before it and for bytes that only
 * go on with one, else 1. */
int char_width_at(const char *text, int bytes);

#endif

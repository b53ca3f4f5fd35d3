/* tape.h - what a program keeps to compute derivatives backwards.
 *
 * Host code puts words and whole fields on the tape before it overwrites them, and takes them back
 * in the opposite order.  Fields go on one of two tapes: 0, of the steps, and 1, of what a block
 * leaves.  Where memory runs out the error is recorded; nothing is done then, nor while an error is
 * recorded already.
 */
#ifndef SNL_FIELD_TAPE_H
#define SNL_FIELD_TAPE_H

#include "field.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SNL_TAPES = 2 };

/* Forgets all that is on the tapes, and gives its memory back. */
void snl_tape_clear(SnlInstance *rt);

snl_status snl_tape_keep_word(SnlInstance *rt, int64_t word);
/* The last word, which goes; 0 where there is none. */
int64_t snl_tape_take_word(SnlInstance *rt);

/* A field of dense nodes. */
snl_status snl_tape_keep(SnlInstance *rt, SnlTree *const *trees, const SnlFieldDesc *f, int tape);
/* Gives the field what the last one on the tape was, which goes. */
snl_status snl_tape_take(SnlInstance *rt, SnlTree *const *trees, const SnlFieldDesc *f, int tape);

#ifdef __cplusplus
}
#endif

#endif

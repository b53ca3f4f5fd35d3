/* The known word that is like one that is not known. */
#ifndef SNL_BASE_NEAR_H
#define SNL_BASE_NEAR_H

typedef struct {
    const char *wanted, *found; /* NULL: none is near */
    int distance;               /* letters to insert, drop or change, of `found` or of what is too far */
} Nearest;

/* A search for a word; short words must be nearer. */
Nearest nearest_to(const char *wanted);
/* Looks at one known word; of equally near ones the first stays. */
void nearest_try(Nearest *n, const char *known);

#endif

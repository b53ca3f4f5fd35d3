/* snl_linalg_real.h - determinant, inverse and solve for one floating-point type.
 *
 * A template: snl_linalg.h includes it once a type with SNL_REAL, SNL_REAL_NAME(op) and
 * SNL_REAL_ABS set.  Up to 3x3 by formula, larger by elimination with partial pivoting.  A singular
 * matrix gives infinities or NaN.  Results may lie in the arrays of operands.
 */

/* Subtracts f times one row from another, from column `first` on. */
SNL_INLINE void SNL_REAL_NAME(subtract_row)(int first, int n, SNL_REAL f,
                                            const SNL_REAL *SNL_RESTRICT from,
                                            SNL_REAL *SNL_RESTRICT to)
{
    for (int c = first; c < n; c++)
        to[c] -= f * from[c];
}

/* Brings a (n x n) to upper triangular form with the same steps on b (n x cols); returns the sign
 * of the row exchanges. */
SNL_INLINE int SNL_REAL_NAME(eliminate)(int n, int cols, SNL_REAL *a, SNL_REAL *b)
{
    int sign = 1;
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int r = k + 1; r < n; r++)
            if (SNL_REAL_ABS(a[r * n + k]) > SNL_REAL_ABS(a[pivot * n + k]))
                pivot = r;
        if (pivot != k) {
            sign = -sign;
            for (int c = 0; c < n; c++) {
                SNL_REAL t = a[k * n + c];
                a[k * n + c] = a[pivot * n + c];
                a[pivot * n + c] = t;
            }
            for (int c = 0; c < cols; c++) {
                SNL_REAL t = b[k * cols + c];
                b[k * cols + c] = b[pivot * cols + c];
                b[pivot * cols + c] = t;
            }
        }
        for (int r = k + 1; r < n; r++) {
            SNL_REAL f = a[r * n + k];
            if (f == 0)
                continue;
            f /= a[k * n + k];
            SNL_REAL_NAME(subtract_row)(k + 1, n, f, a + k * n, a + r * n);
            SNL_REAL_NAME(subtract_row)(0, cols, f, b + k * cols, b + r * cols);
        }
    }
    return sign;
}

/* Solves upper triangular a (n x n) for every column of b (n x cols), in place. Large matrices go
 * by rows, which vectors can take, with the same steps for each element. */
SNL_INLINE void SNL_REAL_NAME(back_substitute)(int n, int cols, const SNL_REAL *a, SNL_REAL *b)
{
    const bool by_rows = n >= 8;
    for (int r = n - 1; r >= 0; r--) {
        for (int k = r + 1; by_rows && k < n; k++)
            SNL_REAL_NAME(subtract_row)(0, cols, a[r * n + k], b + k * cols, b + r * cols);
        for (int c = 0; c < cols; c++) {
            SNL_REAL sum = b[r * cols + c];
            for (int k = r + 1; !by_rows && k < n; k++)
                sum -= a[r * n + k] * b[k * cols + c];
            b[r * cols + c] = sum / a[r * n + r];
        }
    }
}

/* The determinant of an n x n matrix. */
SNL_FN SNL_REAL SNL_REAL_NAME(determinant)(int n, const SNL_REAL *a)
{
    SNL_REAL work[SNL_MATRIX_SIDE_MAX * SNL_MATRIX_SIDE_MAX];
    SNL_REAL product;
    if (n == 1)
        return a[0];
    if (n == 2)
        return a[0] * a[3] - a[1] * a[2];
    if (n == 3)
        return a[0] * (a[4] * a[8] - a[5] * a[7]) - a[1] * (a[3] * a[8] - a[5] * a[6]) +
               a[2] * (a[3] * a[7] - a[4] * a[6]);
    for (int k = 0; k < n * n; k++)
        work[k] = a[k];
    product = (SNL_REAL)SNL_REAL_NAME(eliminate)(n, 0, work, work);
    for (int k = 0; k < n; k++)
        product *= work[k * n + k];
    return product;
}

/* The inverse of a 2x2 matrix. */
SNL_FN void SNL_REAL_NAME(inverse2)(const SNL_REAL *a, SNL_REAL *out)
{
    SNL_REAL f = 1 / (a[0] * a[3] - a[1] * a[2]);
    SNL_REAL r0 = a[3] * f, r1 = -a[1] * f, r2 = -a[2] * f, r3 = a[0] * f;
    out[0] = r0;
    out[1] = r1;
    out[2] = r2;
    out[3] = r3;
}

/* The inverse of a 3x3 matrix: the adjugate over the determinant. */
SNL_FN void SNL_REAL_NAME(inverse3)(const SNL_REAL *a, SNL_REAL *out)
{
    SNL_REAL c0 = a[4] * a[8] - a[5] * a[7];
    SNL_REAL c1 = a[5] * a[6] - a[3] * a[8];
    SNL_REAL c2 = a[3] * a[7] - a[4] * a[6];
    SNL_REAL f = 1 / (a[0] * c0 + a[1] * c1 + a[2] * c2);
    SNL_REAL r1 = (a[2] * a[7] - a[1] * a[8]) * f, r2 = (a[1] * a[5] - a[2] * a[4]) * f;
    SNL_REAL r4 = (a[0] * a[8] - a[2] * a[6]) * f, r5 = (a[2] * a[3] - a[0] * a[5]) * f;
    SNL_REAL r7 = (a[1] * a[6] - a[0] * a[7]) * f, r8 = (a[0] * a[4] - a[1] * a[3]) * f;
    out[0] = c0 * f;
    out[1] = r1;
    out[2] = r2;
    out[3] = c1 * f;
    out[4] = r4;
    out[5] = r5;
    out[6] = c2 * f;
    out[7] = r7;
    out[8] = r8;
}

/* out[n, n] = the inverse of a[n, n]. */
SNL_INLINE void SNL_REAL_NAME(inverse)(int n, const SNL_REAL *a, SNL_REAL *out)
{
    SNL_REAL work[SNL_MATRIX_SIDE_MAX * SNL_MATRIX_SIDE_MAX];
    if (n == 2) {
        SNL_REAL_NAME(inverse2)(a, out);
        return;
    }
    if (n == 3) {
        SNL_REAL_NAME(inverse3)(a, out);
        return;
    }
    for (int k = 0; k < n * n; k++)
        work[k] = a[k];
    for (int k = 0; k < n * n; k++)
        out[k] = k % (n + 1) == 0 ? (SNL_REAL)1 : (SNL_REAL)0;
    SNL_REAL_NAME(eliminate)(n, n, work, out);
    SNL_REAL_NAME(back_substitute)(n, n, work, out);
}

/* out[n] solves a[n, n] @ out = b[n]. */
SNL_FN void SNL_REAL_NAME(solve)(int n, const SNL_REAL *a, const SNL_REAL *b, SNL_REAL *out)
{
    SNL_REAL work[SNL_MATRIX_SIDE_MAX * SNL_MATRIX_SIDE_MAX];
    SNL_REAL right[SNL_MATRIX_SIDE_MAX];
    for (int k = 0; k < n * n; k++)
        work[k] = a[k];
    for (int k = 0; k < n; k++)
        right[k] = b[k];
    SNL_REAL_NAME(eliminate)(n, 1, work, right);
    SNL_REAL_NAME(back_substitute)(n, 1, work, right);
    for (int k = 0; k < n; k++)
        out[k] = right[k];
}

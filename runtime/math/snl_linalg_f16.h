/* snl_linalg_f16.h - determinant, inverse, solve and decompositions of f16, computed in f32 and
 * rounded once; included by snl_linalg.h. */
#ifndef SNL_MATH_SNL_LINALG_F16_H
#define SNL_MATH_SNL_LINALG_F16_H

#include "snl_scalar.h"

/* Numbers of the largest matrix. */
enum { SNL_F16_MATRIX_MAX = 16 * 16 };

/* Copies n numbers to float. */
SNL_FN void snl_f16_widen(int n, const snl_f16 *a, float *out)
{
    for (int k = 0; k < n; k++)
        out[k] = snl_f16_to_f32(a[k]);
}

/* Rounds n numbers to f16. */
SNL_FN void snl_f16_narrow(int n, const float *a, snl_f16 *out)
{
    for (int k = 0; k < n; k++)
        out[k] = snl_f32_to_f16(a[k]);
}

/* As snl_determinant_f32. */
SNL_FN snl_f16 snl_determinant_f16(int n, const snl_f16 *a)
{
    float wide[SNL_F16_MATRIX_MAX];
    snl_f16_widen(n * n, a, wide);
    return snl_f32_to_f16(snl_determinant_f32(n, wide));
}

/* As snl_inverse_f32. */
SNL_FN void snl_inverse_f16(int n, const snl_f16 *a, snl_f16 *out)
{
    float wide[SNL_F16_MATRIX_MAX], result[SNL_F16_MATRIX_MAX];
    snl_f16_widen(n * n, a, wide);
    snl_inverse_f32(n, wide, result);
    snl_f16_narrow(n * n, result, out);
}

/* As snl_solve_f32. */
SNL_FN void snl_solve_f16(int n, const snl_f16 *a, const snl_f16 *b, snl_f16 *x)
{
    float wide[SNL_F16_MATRIX_MAX], right[16] = {0}, result[16];
    snl_f16_widen(n * n, a, wide);
    snl_f16_widen(n, b, right);
    snl_solve_f32(n, wide, right, result);
    snl_f16_narrow(n, result, x);
}

/* As snl_svd_f32. */
SNL_FN void snl_svd_f16(int n, const snl_f16 *m, snl_f16 *u, snl_f16 *s, snl_f16 *v)
{
    float wide[9] = {0}, wu[9], ws[9], wv[9];
    snl_f16_widen(n * n, m, wide);
    snl_svd_f32(n, wide, wu, ws, wv);
    snl_f16_narrow(n * n, wu, u);
    snl_f16_narrow(n * n, ws, s);
    snl_f16_narrow(n * n, wv, v);
}

/* As snl_polar_f32. */
SNL_FN void snl_polar_f16(int n, const snl_f16 *m, snl_f16 *r, snl_f16 *s)
{
    float wide[9] = {0}, wr[9], ws[9];
    snl_f16_widen(n * n, m, wide);
    snl_polar_f32(n, wide, wr, ws);
    snl_f16_narrow(n * n, wr, r);
    snl_f16_narrow(n * n, ws, s);
}

/* As snl_eig_sym_f32. */
SNL_FN void snl_eig_sym_f16(int n, const snl_f16 *m, snl_f16 *values, snl_f16 *vectors)
{
    float wide[9] = {0}, wl[3], wv[9];
    snl_f16_widen(n * n, m, wide);
    snl_eig_sym_f32(n, wide, wl, wv);
    snl_f16_narrow(n, wl, values);
    snl_f16_narrow(n * n, wv, vectors);
}

#endif

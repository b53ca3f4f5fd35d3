/* snl_linalg.h - vectors and small matrices, row-major: snl_<op>_<type>(sizes..., in, out).
 *
 * Nothing is allocated.  Sizes are 1..16 and constants in generated code, so the loops unroll.
 * Results may be the same array as an operand only where the comment says so.
 *
 *   every number type   dot norm_sqr matmul transpose trace outer cross identity
 *   f16 f32 f64         norm normalize, svd polar eig_sym, determinant inverse solve
 *                       (snl_linalg_real.h, snl_linalg_f16.h)
 *
 * svd, polar and eig_sym take 2x2 and 3x3 and work in double for both types.
 */
#ifndef SNL_MATH_SNL_LINALG_H
#define SNL_MATH_SNL_LINALG_H

#include "snl_math.h"

enum { SNL_MATRIX_SIDE_MAX = 16 };

/* ---- products and rearrangement, for every number type; sums run over ascending indices ---- */

#define SNL_LINALG_ANY(S, T) \
    SNL_FN T snl_dot_##S(int n, const T *a, const T *b) \
    { \
        T sum = snl_mul_##S(a[0], b[0]); \
        for (int k = 1; k < n; k++) \
            sum = snl_add_##S(sum, snl_mul_##S(a[k], b[k])); \
        return sum; \
    } \
    SNL_FN T snl_norm_sqr_##S(int n, const T *a) { return snl_dot_##S(n, a, a); } \
    /* out[rows, cols] = a[rows, inner] @ b[inner, cols]; a vector is one column */ \
    SNL_FN void snl_matmul_##S(int rows, int inner, int cols, const T *a, const T *b, T *out) \
    { \
        for (int r = 0; r < rows; r++) { \
            for (int c = 0; c < cols; c++) { \
                T sum = snl_mul_##S(a[r * inner], b[c]); \
                for (int k = 1; k < inner; k++) \
                    sum = snl_add_##S(sum, snl_mul_##S(a[r * inner + k], b[k * cols + c])); \
                out[r * cols + c] = sum; \
            } \
        } \
    } \
    SNL_FN void snl_transpose_##S(int rows, int cols, const T *a, T *out) \
    { \
        for (int r = 0; r < rows; r++) \
            for (int c = 0; c < cols; c++) \
                out[c * rows + r] = a[r * cols + c]; \
    } \
    SNL_FN T snl_trace_##S(int n, const T *a) \
    { \
        T sum = a[0]; \
        for (int k = 1; k < n; k++) \
            sum = snl_add_##S(sum, a[k * n + k]); \
        return sum; \
    } \
    SNL_FN void snl_outer_##S(int rows, int cols, const T *a, const T *b, T *out) \
    { \
        for (int r = 0; r < rows; r++) \
            for (int c = 0; c < cols; c++) \
                out[r * cols + c] = snl_mul_##S(a[r], b[c]); \
    } \
    SNL_FN void snl_cross_##S(const T *a, const T *b, T *out) \
    { \
        out[0] = snl_sub_##S(snl_mul_##S(a[1], b[2]), snl_mul_##S(a[2], b[1])); \
        out[1] = snl_sub_##S(snl_mul_##S(a[2], b[0]), snl_mul_##S(a[0], b[2])); \
        out[2] = snl_sub_##S(snl_mul_##S(a[0], b[1]), snl_mul_##S(a[1], b[0])); \
    } \
    SNL_FN void snl_identity_##S(int n, T *out) \
    { \
        for (int r = 0; r < n; r++) \
            for (int c = 0; c < n; c++) \
                out[r * n + c] = snl_cast_i32_##S(r == c); \
    }
SNL_LINALG_ANY(i8, int8_t)
SNL_LINALG_ANY(i16, int16_t)
SNL_LINALG_ANY(i32, int32_t)
SNL_LINALG_ANY(i64, int64_t)
SNL_LINALG_ANY(u8, uint8_t)
SNL_LINALG_ANY(u16, uint16_t)
SNL_LINALG_ANY(u32, uint32_t)
SNL_LINALG_ANY(u64, uint64_t)
SNL_LINALG_ANY(f16, snl_f16)
SNL_LINALG_ANY(f32, float)
SNL_LINALG_ANY(f64, double)
#undef SNL_LINALG_ANY

/* ---- lengths; normalize may work in place, the zero vector gives NaN ---- */

#define SNL_LINALG_LENGTH(S, T) \
    SNL_FN T snl_norm_##S(int n, const T *a) { return snl_sqrt_##S(snl_dot_##S(n, a, a)); } \
    SNL_FN void snl_normalize_##S(int n, const T *a, T *out) \
    { \
        T length = snl_norm_##S(n, a); \
        for (int k = 0; k < n; k++) \
            out[k] = snl_div_##S(a[k], length); \
    }
SNL_LINALG_LENGTH(f16, snl_f16)
SNL_LINALG_LENGTH(f32, float)
SNL_LINALG_LENGTH(f64, double)
#undef SNL_LINALG_LENGTH

/* ---- determinant, inverse, solve ---- */

#define SNL_REAL float
#define SNL_REAL_NAME(op) snl_##op##_f32
#define SNL_REAL_ABS fabsf
#include "snl_linalg_real.h"
#undef SNL_REAL
#undef SNL_REAL_NAME
#undef SNL_REAL_ABS
#define SNL_REAL double
#define SNL_REAL_NAME(op) snl_##op##_f64
#define SNL_REAL_ABS fabs
#include "snl_linalg_real.h"
#undef SNL_REAL
#undef SNL_REAL_NAME
#undef SNL_REAL_ABS

/* ---- decompositions of 2x2 and 3x3 ---- */

enum { SNL_JACOBI_SWEEPS = 16 };    /* four or five are used; the rest is for safety */

/* Cosine and sine of the rotation that makes the symmetric [[app, apq], [apq, aqq]] diagonal;
 * the square of apq is not 0 and none overflows. */
SNL_FN void snl_jacobi_angle(double app, double apq, double aqq, double *c, double *s)
{
    double d = aqq - app;
    double h = sqrt(d * d + 4.0 * apq * apq);
    double t = 2.0 * apq / (d + (d >= 0 ? h : -h));
    *c = 1.0 / sqrt(1.0 + t * t);
    *s = *c * t;
}

/* The greatest magnitude of n numbers. */
SNL_FN double snl_largest(int n, const double *a)
{
    double most = 0;
    for (int k = 0; k < n; k++)
        most = fabs(a[k]) > most ? fabs(a[k]) : most;
    return most;
}

/* Turns the columns p and q of an n x n matrix. */
SNL_FN void snl_rotate_columns(int n, double *m, int p, int q, double c, double s)
{
    for (int r = 0; r < n; r++) {
        double a = m[r * n + p];
        double b = m[r * n + q];
        m[r * n + p] = SNL_ROUNDED(c * a) - s * b;
        m[r * n + q] = s * a + c * b;
    }
}

/* Exchanges the columns p and q of an n x n matrix. */
SNL_FN void snl_swap_columns(int n, double *m, int p, int q)
{
    for (int r = 0; r < n; r++) {
        double a = m[r * n + p];
        m[r * n + p] = m[r * n + q];
        m[r * n + q] = a;
    }
}

/* The product of two columns of n x n matrices. */
SNL_FN double snl_dot_columns(int n, const double *a, int p, const double *b, int q)
{
    double sum = 0;
    for (int r = 0; r < n; r++)
        sum += a[r * n + p] * b[r * n + q];
    return sum;
}

/* Makes the columns of w orthogonal by one-sided Jacobi rotations, applied to v too.  Cosines of
 * angles between columns end below the tolerance. */
SNL_FN void snl_svd_orthogonalize(int n, double tolerance, double *w, double *v)
{
    double limit = tolerance * tolerance;
    for (int sweep = 0; sweep < SNL_JACOBI_SWEEPS; sweep++) {
        int turned = 0;
        for (int p = 0; p < n - 1; p++) {
            for (int q = p + 1; q < n; q++) {
                double app = snl_dot_columns(n, w, p, w, p);
                double aqq = snl_dot_columns(n, w, q, w, q);
                double apq = snl_dot_columns(n, w, p, w, q);
                double c, s;
                if (!(apq * apq > limit * app * aqq))
                    continue;
                snl_jacobi_angle(app, apq, aqq, &c, &s);
                snl_rotate_columns(n, w, p, q, c, s);
                snl_rotate_columns(n, v, p, q, c, s);
                turned = 1;
            }
        }
        if (!turned)
            return;
    }
}

/* Column 0 of u is a unit vector: makes column 1 of a 3x3 a unit vector orthogonal to it, near
 * column 1 of w unless that is zero. */
SNL_FN void snl_svd_second_column(const double *w, double length, double *u)
{
    double x = u[0], y = u[3], z = u[6];
    double along, norm;
    if (length > 1e-280) {
        u[1] = w[1] / length;
        u[4] = w[4] / length;
        u[7] = w[7] / length;
    } else {
        /* the axis that column 0 is farthest from */
        u[1] = fabs(x) <= fabs(y) && fabs(x) <= fabs(z) ? 1.0 : 0.0;
        u[4] = u[1] == 0.0 && fabs(y) <= fabs(z) ? 1.0 : 0.0;
        u[7] = u[1] == 0.0 && u[4] == 0.0 ? 1.0 : 0.0;
    }
    along = x * u[1] + y * u[4] + z * u[7];
    u[1] -= along * x;
    u[4] -= along * y;
    u[7] -= along * z;
    norm = sqrt(u[1] * u[1] + u[4] * u[4] + u[7] * u[7]);
    u[1] /= norm;
    u[4] /= norm;
    u[7] /= norm;
}

/* The last column of u from the others: orthogonal to them, on the side of w's last column; where
 * that is zero, on the side that gives u the determinant of v. */
SNL_FN void snl_svd_last_column(const double *w, const double *v, double *u)
{
    double side;
    u[2] = u[3] * u[7] - u[6] * u[4];
    u[5] = u[6] * u[1] - u[0] * u[7];
    u[8] = u[0] * u[4] - u[3] * u[1];
    side = snl_dot_columns(3, u, 2, w, 2);
    if (side == 0.0)
        side = snl_determinant_f64(3, v);
    if (side < 0.0)
        for (int r = 0; r < 3; r++)
            u[r * 3 + 2] = -u[r * 3 + 2];
}

/* a = u diag(sigma) v^T of 3x3; sigma is not negative and descends. */
SNL_FN void snl_svd_3x3(const double *a, double tolerance, double *u, double *sigma, double *v)
{
    double w[9];
    double scale = snl_largest(9, a);
    for (int k = 0; k < 9; k++)
        w[k] = scale > 0 ? a[k] / scale : a[k];
    snl_identity_f64(3, v);
    snl_svd_orthogonalize(3, tolerance, w, v);
    for (int k = 0; k < 3; k++)
        sigma[k] = sqrt(snl_dot_columns(3, w, k, w, k));
    for (int pass = 0; pass < 3; pass++) {
        int q = pass == 1 ? 2 : 1;
        if (sigma[q] > sigma[q - 1]) {
            double t = sigma[q];
            sigma[q] = sigma[q - 1];
            sigma[q - 1] = t;
            snl_swap_columns(3, w, q - 1, q);
            snl_swap_columns(3, v, q - 1, q);
        }
    }
    for (int r = 0; r < 3; r++)
        u[r * 3] = sigma[0] != 0.0 ? w[r * 3] / sigma[0] : (r == 0 ? 1.0 : 0.0);
    snl_svd_second_column(w, sigma[1], u);
    snl_svd_last_column(w, v, u);
    for (int k = 0; k < 3; k++)
        sigma[k] *= scale > 0 ? scale : 1.0;
}

/* m = r @ s of 2x2: the nearest rotation, or reflection where the determinant is negative. */
SNL_FN void snl_polar_2x2(const double *m, double *r, double *s)
{
    double scale = snl_largest(4, m);
    double f = scale > 1e-300 ? 1.0 / scale : 1.0;
    double a = m[0] * f, b = m[1] * f, c = m[2] * f, d = m[3] * f;
    double side = a * d - b * c < 0 ? -1.0 : 1.0;
    double x = a + side * d, y = c - side * b;
    double h = sqrt(x * x + y * y);     /* the sum of the singular values */
    x = h > 0 ? x / h : 1.0;
    y = h > 0 ? y / h : 0.0;
    r[0] = x;
    r[1] = -side * y;
    r[2] = y;
    r[3] = side * x;
    s[0] = x * m[0] + y * m[2];
    s[3] = side * (SNL_ROUNDED(x * m[3]) - y * m[1]);
    s[1] = 0.5 * (x * m[1] + y * m[3]) + 0.5 * (side * (SNL_ROUNDED(x * m[2]) - y * m[0]));
    s[2] = s[1];
}

/* a = u diag(sigma) v^T of 2x2: polar decomposition, then eigenvectors of its symmetric part. */
SNL_FN void snl_svd_2x2(const double *a, double *u, double *sigma, double *v)
{
    double r[4], p[4], c = 1, s = 0, t;
    double scale = snl_largest(4, a);
    double f = scale > 1e-300 ? 1.0 / scale : 1.0;
    double low, high, apq;
    snl_polar_2x2(a, r, p);
    apq = p[1] * f;
    if (apq * apq > 0)
        snl_jacobi_angle(p[0] * f, apq, p[3] * f, &c, &s);
    t = s * p[1];
    high = c * (SNL_ROUNDED(c * p[0]) - t) + s * (SNL_ROUNDED(s * p[3]) - c * p[1]);
    low = s * (s * p[0] + c * p[1]) + c * (c * p[3] + t);
    v[0] = c;
    v[1] = s;
    v[2] = -s;
    v[3] = c;
    if (high < low) {
        t = high;
        high = low;
        low = t;
        snl_swap_columns(2, v, 0, 1);
    }
    snl_matmul_f64(2, 2, 2, r, v, u);
    sigma[0] = high;
    sigma[1] = fabs(low);
    if (low < 0) {
        u[1] = -u[1];
        u[3] = -u[3];
    }
}

/* As the functions of one size; tolerance serves 3x3. */
SNL_FN void snl_svd_values(int n, const double *a, double tolerance, double *u, double *sigma,
                           double *v)
{
    if (n == 2)
        snl_svd_2x2(a, u, sigma, v);
    else
        snl_svd_3x3(a, tolerance, u, sigma, v);
}

/* m = u @ s @ transpose(v), s diagonal, to the tolerance. */
SNL_FN void snl_svd_to(int n, const double *m, double tolerance, double *u, double *s, double *v)
{
    double sigma[3] = { 0, 0, 0 };
    snl_svd_values(n, m, tolerance, u, sigma, v);
    for (int k = 0; k < n * n; k++)
        s[k] = k % (n + 1) == 0 ? sigma[k / (n + 1)] : 0.0;
}

/* m = r @ s to the tolerance. */
SNL_FN void snl_polar_to(int n, const double *m, double tolerance, double *r, double *s)
{
    double u[9], v[9], sigma[3];
    if (n == 2) {
        snl_polar_2x2(m, r, s);
        return;
    }
    snl_svd_3x3(m, tolerance, u, sigma, v);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double turn = 0, stretch = 0;
            for (int k = 0; k < 3; k++) {
                turn += u[i * 3 + k] * v[j * 3 + k];
                stretch += v[i * 3 + k] * sigma[k] * v[j * 3 + k];
            }
            r[i * 3 + j] = turn;
            s[i * 3 + j] = j < i ? s[j * 3 + i] : stretch;
        }
    }
}

/* m = u @ s @ transpose(v) with s diagonal, not negative, descending; n is 2 or 3. */
SNL_FN void snl_svd_f64(int n, const double *m, double *u, double *s, double *v)
{
    snl_svd_to(n, m, 1e-16, u, s, v);
}

/* m = r @ s, r orthogonal and s symmetric with no negative eigenvalue; n is 2 or 3. */
SNL_FN void snl_polar_f64(int n, const double *m, double *r, double *s)
{
    snl_polar_to(n, m, 1e-16, r, s);
}

/* Eigenvalues, ascending, and unit eigenvectors, as columns, of a symmetric matrix; n is 2 or 3.
 * What is not symmetric in m is averaged. */
SNL_FN void snl_eig_sym_f64(int n, const double *m, double *values, double *vectors)
{
    double a[9];
    double scale = snl_largest(n * n, m);
    double f = scale > 1e-300 ? 1.0 / scale : 1.0;
    for (int r = 0; r < n; r++)
        for (int c = 0; c < n; c++)
            a[r * n + c] = 0.5 * (f * m[r * n + c]) + 0.5 * (f * m[c * n + r]);
    snl_identity_f64(n, vectors);
    for (int sweep = 0; sweep < SNL_JACOBI_SWEEPS; sweep++) {
        int turned = 0;
        for (int p = 0; p < n - 1; p++) {
            for (int q = p + 1; q < n; q++) {
                double app = a[p * n + p], aqq = a[q * n + q], apq = a[p * n + q];
                double c, s;
                if (!(apq * apq > 1e-36 * (app * app + aqq * aqq)))
                    continue;
                snl_jacobi_angle(app, apq, aqq, &c, &s);
                snl_rotate_columns(n, a, p, q, c, s);
                for (int k = 0; k < n; k++) {
                    double x = a[p * n + k], y = a[q * n + k];
                    a[p * n + k] = SNL_ROUNDED(c * x) - s * y;
                    a[q * n + k] = s * x + c * y;
                }
                a[p * n + q] = 0;
                a[q * n + p] = 0;
                snl_rotate_columns(n, vectors, p, q, c, s);
                turned = 1;
            }
        }
        if (!turned)
            break;
    }
    for (int k = 0; k < n; k++)
        values[k] = a[k * n + k] / f;
    for (int p = 0; p < n - 1; p++) {
        for (int q = n - 1; q > p; q--) {
            if (values[q] < values[q - 1]) {
                double t = values[q];
                values[q] = values[q - 1];
                values[q - 1] = t;
                snl_swap_columns(n, vectors, q - 1, q);
            }
        }
    }
}

/* Copies n numbers to double. */
SNL_FN void snl_widen(int n, const float *a, double *out)
{
    for (int k = 0; k < n; k++)
        out[k] = (double)a[k];
}

/* Rounds n numbers to float. */
SNL_FN void snl_narrow(int n, const double *a, float *out)
{
    for (int k = 0; k < n; k++)
        out[k] = (float)a[k];
}

/* As snl_svd_f64. */
SNL_FN void snl_svd_f32(int n, const float *m, float *u, float *s, float *v)
{
    double wm[9], wu[9], ws[9], wv[9];
    snl_widen(n * n, m, wm);
    snl_svd_to(n, wm, 1e-9, wu, ws, wv);
    snl_narrow(n * n, wu, u);
    snl_narrow(n * n, ws, s);
    snl_narrow(n * n, wv, v);
}

/* As snl_polar_f64. */
SNL_FN void snl_polar_f32(int n, const float *m, float *r, float *s)
{
    double wm[9] = {0}, wr[9], ws[9];
    snl_widen(n * n, m, wm);
    snl_polar_to(n, wm, 1e-9, wr, ws);
    snl_narrow(n * n, wr, r);
    snl_narrow(n * n, ws, s);
}

/* As snl_eig_sym_f64. */
SNL_FN void snl_eig_sym_f32(int n, const float *m, float *values, float *vectors)
{
    double wm[9] = {0}, wl[3], wv[9];
    snl_widen(n * n, m, wm);
    snl_eig_sym_f64(n, wm, wl, wv);
    snl_narrow(n, wl, values);
    snl_narrow(n * n, wv, vectors);
}

#include "snl_linalg_f16.h"

#endif

/* omp_team.h - what the library of OpenMP does not do itself before it makes threads. */
#ifndef SNL_CORE_OMP_TEAM_H
#define SNL_CORE_OMP_TEAM_H

#ifdef __cplusplus
extern "C" {
#endif

/* How many threads, at least 1 and at most `wanted`, a team that the caller starts may have. */
int snl_team_threads(int wanted);

#ifdef __cplusplus
}
#endif

#endif

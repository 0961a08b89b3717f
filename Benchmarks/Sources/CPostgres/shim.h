#ifndef BENCHMARKS_CPOSTGRES_SHIM_H
#define BENCHMARKS_CPOSTGRES_SHIM_H

#include <libpq-fe.h>

#endif

#ifndef BENCHMARKS_CSQLITE_SHIM_H
#define BENCHMARKS_CSQLITE_SHIM_H

#include <sqlite3.h>

/// `SQLITE_STATIC` is a cast, which Swift does not import from C. See https://www.sqlite.org/c3ref/c_static.html
static inline sqlite3_destructor_type benchmarks_sqlite_static(void) { return SQLITE_STATIC; }

#endif

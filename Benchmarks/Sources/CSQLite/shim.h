#ifndef BENCHMARKS_CSQLITE_SHIM_H
#define BENCHMARKS_CSQLITE_SHIM_H

#include <sqlite3.h>

/// `SQLITE_STATIC` is a cast, which Swift does not import from C. See https://www.sqlite.org/c3ref/c_static.html
static inline sqlite3_destructor_type benchmarks_sqlite_static(void) { return SQLITE_STATIC; }

#ifdef __linux__
#include <malloc.h>
#endif

/// Makes the C library keep freed memory instead of returning it to the kernel. Returns 1 if this is supported.
static inline int benchmarks_keep_memory(void) {
#ifdef M_TRIM_THRESHOLD
    return mallopt(M_TRIM_THRESHOLD, 1 << 30) && mallopt(M_MMAP_THRESHOLD, 32 << 20);
#else
    return 0;
#endif
}

#endif

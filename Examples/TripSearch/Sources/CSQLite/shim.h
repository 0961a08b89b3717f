#ifndef TRIPSEARCH_CSQLITE_SHIM_H
#define TRIPSEARCH_CSQLITE_SHIM_H

#include <sqlite3.h>

/// `SQLITE_TRANSIENT` is a cast, which Swift does not import from C. See https://www.sqlite.org/c3ref/c_static.html
static inline sqlite3_destructor_type trip_search_sqlite_transient(void) { return SQLITE_TRANSIENT; }

#endif

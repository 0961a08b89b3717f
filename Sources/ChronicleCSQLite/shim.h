#ifndef CHRONICLE_CSQLITE_SHIM_H
#define CHRONICLE_CSQLITE_SHIM_H

#include <sqlite3.h>

/// `SQLITE_TRANSIENT` and `SQLITE_STATIC` are casts, which Swift does not import from C.
/// See https://www.sqlite.org/c3ref/c_static.html
static inline sqlite3_destructor_type chronicle_sqlite_transient(void) { return SQLITE_TRANSIENT; }
static inline sqlite3_destructor_type chronicle_sqlite_static(void) { return SQLITE_STATIC; }

/// `sqlite3_config` and `sqlite3_db_config` are variadic, which Swift does not import either.
static inline int chronicle_sqlite_db_config_int(sqlite3 *database, int option, int value, int *result) {
    return sqlite3_db_config(database, option, value, result);
}

/// The structures of a virtual table, which begin with those of SQLite. https://www.sqlite.org/vtab.html
typedef struct chronicle_sqlite_table {
    sqlite3_vtab base;
    void *data;
} chronicle_sqlite_table;

typedef struct chronicle_sqlite_cursor {
    sqlite3_vtab_cursor base;
    void *data;
} chronicle_sqlite_cursor;

#endif

#ifndef CHRONICLE_CPOSTGRES_SHIM_H
#define CHRONICLE_CPOSTGRES_SHIM_H

#include <libpq-fe.h>

#endif

#ifndef CHRONICLE_CCRYPTO_SHIM_H
#define CHRONICLE_CCRYPTO_SHIM_H

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#endif

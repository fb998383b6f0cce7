// threadprivate variables, for compilers without thread-local storage.
#include "abi/abi.h"
#include "runtime/core/worker.h"
#include "runtime/threads/threadprivate.h"

using chomp::this_worker;
using chomp::ThreadprivateFunctions;
using chomp::abi::Location;

CHOMP_EXPORT void* __kmpc_threadprivate_cached(Location*, int32_t, void* variable, size_t bytes, void*** cache) {
  return chomp::threadprivate_cached(this_worker(), variable, bytes, cache);
}

CHOMP_EXPORT void* __kmpc_threadprivate(Location*, int32_t, void* variable, size_t bytes) {
  return chomp::threadprivate_copy(this_worker(), variable, bytes)->own;
}

CHOMP_EXPORT void __kmpc_threadprivate_register(Location*, void* variable, ThreadprivateFunctions::Construct construct,
                                                ThreadprivateFunctions::CopyConstruct copy_construct,
                                                ThreadprivateFunctions::Destroy destroy) {
  ThreadprivateFunctions functions;
  functions.construct = construct;
  functions.copy_construct = copy_construct;
  functions.destroy = destroy;
  chomp::threadprivate_register(variable, functions);
}

CHOMP_EXPORT void __kmpc_threadprivate_register_vec(Location*, void* variable,
                                                    ThreadprivateFunctions::ConstructArray construct,
                                                    ThreadprivateFunctions::CopyConstructArray copy_construct,
                                                    ThreadprivateFunctions::DestroyArray destroy, size_t elements) {
  ThreadprivateFunctions functions;
  functions.construct_array = construct;
  functions.copy_construct_array = copy_construct;
  functions.destroy_array = destroy;
  functions.elements = elements;
  chomp::threadprivate_register(variable, functions);
}

CHOMP_EXPORT chomp::ThreadprivateCopy* kmp_threadprivate_insert(int, void* variable, void*, size_t bytes) {
  return chomp::threadprivate_copy(this_worker(), variable, bytes);
}
CHOMP_EXPORT void kmp_threadprivate_insert_private_data(int, void* variable, void*, size_t bytes) {
  chomp::threadprivate_copy(this_worker(), variable, bytes);
}

// Where an offload library with devices stands behind chomp, it gets the target constructs: with the number of our
// default device, after the tasks that the construct depends on, and synchronously. Constructs for the host stay here.
// The library is made up: it runs a region on the host and counts.
// REQUIRES: gomp
// RUN: %gcc-openmp -DOFFLOAD -shared -fPIC %s -o %t.offload.so
// RUN: %gcc-openmp %s %t.offload.so -o %t && env OMP_NUM_THREADS=3 %chomp-preload %t
#include "support/check.h"

struct Calls {
  int regions, data, updates, transfers, registered, last_device, waits_left;
};

#ifdef OFFLOAD

struct Calls calls;
int omp_get_num_devices(void) { return 3; }

static void note(int device, unsigned flags, void** depend) {
  calls.last_device = device;
  calls.waits_left += depend != 0 || (flags & 1) != 0;
}
void GOMP_target_ext(int device, void (*body)(void*), size_t count, void** addresses, size_t* sizes,
                     unsigned short* kinds, unsigned flags, void** depend, void** arguments) {
  calls.regions++;
  note(device, flags, depend);
  body(addresses);
}
void GOMP_target_data_ext(int device, size_t count, void** addresses, size_t* sizes, unsigned short* kinds) {
  calls.data++;
}
void GOMP_target_end_data(void) { calls.data += 10; }
void GOMP_target_update_ext(int device, size_t count, void** addresses, size_t* sizes, unsigned short* kinds,
                            unsigned flags, void** depend) {
  calls.updates++;
  note(device, flags, depend);
}
void GOMP_target_enter_exit_data(int device, size_t count, void** addresses, size_t* sizes, unsigned short* kinds,
                                 unsigned flags, void** depend) {
  calls.transfers++;
  note(device, flags, depend);
}
void GOMP_offload_register_ver(unsigned version, const void* host, int type, const void* data) { calls.registered++; }
void* omp_target_alloc(size_t size, int device) {
  calls.last_device = device;
  return &calls;
}

#else

#include <omp.h>

extern struct Calls calls;
extern void GOMP_offload_register_ver(unsigned version, const void* host, int type, const void* data);

int main(void) {
  int x = 0, y = 0;
  CHECK_EQ(omp_get_num_devices(), 3);
  GOMP_offload_register_ver(1, 0, 0, 0);
  CHECK_EQ(calls.registered, 1);
  CHECK(omp_target_alloc(8, 1) == &calls);
  omp_set_default_device(2);
  omp_set_default_device(-5); // omp_default_device
  CHECK(omp_target_alloc(8, -5) == &calls && calls.last_device == 2);
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : x) shared(x)
    {
      burn(20000);
      x = 1;
    }
#pragma omp target map(tofrom : x) depend(inout : x) nowait
    x = x == 1 ? 2 : -1;
    CHECK_EQ(calls.last_device, 2);
    CHECK(x == 2 && calls.regions == 1);
#pragma omp target update to(x) device(1) nowait depend(in : x)
    CHECK(calls.updates == 1 && calls.last_device == 1);
#pragma omp target enter data map(to : x)
#pragma omp target exit data map(from : x) depend(out : x)
    CHECK_EQ(calls.transfers, 2);
#pragma omp target data map(tofrom : y)
    {
#pragma omp target map(tofrom : y) device(0)
      y = 5;
    }
    CHECK(y == 5 && calls.data == 11 && calls.regions == 2 && calls.last_device == 0);
#pragma omp target map(tofrom : y) if (y == 0)
    y = 6;
#pragma omp target map(tofrom : y) device(3) // the host
    y++;
    CHECK(y == 7 && calls.regions == 2);
  }
  CHECK_EQ(calls.waits_left, 0);
  return 0;
}

#endif

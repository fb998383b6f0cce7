// The answers that a program gets about devices, interoperability objects, tools and time where no offload library is
// present, and the `error` directive's message.
// RUN: %clang-openmp %s -o %t -lm && %chomp-run %t 2>&1 | FileCheck %s
#include <omp.h>
#include <stdio.h>

// Fortran's names take references.
int omp_get_num_devices_(void);
double omp_get_wtime_(void);
int omp_control_tool_(const int* command, const int* modifier, void* argument);

int main(void) {
  // CHECK: devices 0 0, here 0, initial 0, is initial 1
  printf("devices %d %d, here %d, initial %d, is initial %d\n", omp_get_num_devices(), omp_get_num_devices_(),
         omp_get_device_num(), omp_get_initial_device(), omp_is_initial_device());

  // CHECK: interop 0 0 -1 (nil)
  // CHECK: names targetsync fr_id, others 0, out of range -2 -2
  int code = 99;
  int properties = omp_get_num_interop_properties(omp_interop_none);
  long value = omp_get_interop_int(omp_interop_none, omp_ipr_fr_id, &code);
  printf("interop %d %ld %d %p\n", properties, value, code,
         (void*)omp_get_interop_type_desc(omp_interop_none, omp_ipr_fr_id));
  int low = 0, high = 0, names = 0;
  omp_get_interop_int(omp_interop_none, (omp_interop_property_t)(omp_ipr_first - 1), &low);
  omp_get_interop_ptr(omp_interop_none, (omp_interop_property_t)properties, &high);
  for (int i = -20; i < 20; i++)
    names +=
        (i < omp_ipr_first || i >= properties) && omp_get_interop_name(omp_interop_none, (omp_interop_property_t)i);
  printf("names %s %s, others %d, out of range %d %d\n", omp_get_interop_name(omp_interop_none, omp_ipr_first),
         omp_get_interop_name(omp_interop_none, omp_ipr_fr_id), names, low, high);

  // CHECK: 7 return codes have a text, others none
  int texts = 0, others = 0;
  for (int i = -20; i < 20; i++) {
    const char* text = omp_get_interop_rc_desc(omp_interop_none, (omp_interop_rc_t)i);
    *(i > omp_irc_other && i <= omp_irc_no_value ? &texts : &others) += text != NULL && *text != 0;
  }
  printf("%d return codes have a text, others %s\n", texts, others == 0 ? "none" : "too");

  // CHECK: tool -2 -2
  const int start = omp_control_tool_start, none = 0;
  printf("tool %d %d\n", omp_control_tool(start, none, NULL), omp_control_tool_(&start, &none, NULL));

  // CHECK: time goes on 1, tick 1
  const double before = omp_get_wtime();
  const double after = omp_get_wtime_();
  printf("time goes on %d, tick %d\n", after >= before, omp_get_wtick() > 0 && omp_get_wtick() < 0.1);
  fflush(stdout);

  // CHECK: OMP: Warning #283: {{.*}}host_answers_without_offload.c:[[#]]:1: Encountered user-directed warning: take
  // care.
#pragma omp error at(execution) severity(warning) message("take care")
  kmp_set_warnings_off();
  // CHECK-NOT: silent
#pragma omp error at(execution) severity(warning) message("silent")
  kmp_set_warnings_on();
  // CHECK: OMP: Warning {{.*}}: loud.
#pragma omp error at(execution) severity(warning) message("loud")
  return 0;
}

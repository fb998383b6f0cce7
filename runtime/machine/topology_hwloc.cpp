// Domains from hwloc, for HWLOC_SYNTHETIC and HWLOC_XMLFILE alone. The library is opened with dlopen and closed again.
// RTLD_LOCAL keeps symbols of hwloc, and of libraries that it needs (libudev), from interposing another copy in the
// process. Its plug-ins then refuse to register themselves, and while the process has one thread they are not even
// opened. hwloc is asked to leave out I/O devices and never to change the binding of a thread. Nothing of it is used
// outside this file.
//
// Only fields of hwloc_obj and functions found by dlsym are used: the inline helpers of <hwloc.h> would need the
// library at link time.
#include "runtime/base/env.h"
#include "runtime/machine/topology_build.h"

#if (!defined(CHOMP_HWLOC) || CHOMP_HWLOC) && __has_include(<hwloc.h>)

#include <cstdlib>
#include <initializer_list>
#include <new>

#include "runtime/base/dynamic.h"
#include <hwloc.h>
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

namespace chomp {

namespace {

/// The functions of libhwloc that we call, by their own names.
struct Hwloc {
  void* library = nullptr;
#define CHOMP_HWLOC_FUNCTIONS(X)                                                                                       \
  X(hwloc_get_api_version)                                                                                             \
  X(hwloc_topology_init)                                                                                               \
  X(hwloc_topology_set_flags)                                                                                          \
  X(hwloc_topology_set_io_types_filter)                                                                                \
  X(hwloc_topology_load)                                                                                               \
  X(hwloc_topology_destroy)                                                                                            \
  X(hwloc_topology_is_thissystem)                                                                                      \
  X(hwloc_get_type_depth)                                                                                              \
  X(hwloc_get_nbobjs_by_depth)                                                                                         \
  X(hwloc_get_obj_by_depth)                                                                                            \
  X(hwloc_distances_get_by_type)                                                                                       \
  X(hwloc_distances_release)
#define CHOMP_DECLARE(name) decltype(&::name) name = nullptr;
  CHOMP_HWLOC_FUNCTIONS(CHOMP_DECLARE)
#undef CHOMP_DECLARE

  bool open() {
    for (const char* name : {"libhwloc.so.15", "libhwloc.so"})
      if (!library) library = open_library(name);
    if (!library) return false;
#define CHOMP_RESOLVE(function)                                                                                        \
  function = reinterpret_cast<decltype(function)>(find_symbol(library, #function));                                    \
  if (!function) return false;
    CHOMP_HWLOC_FUNCTIONS(CHOMP_RESOLVE)
#undef CHOMP_RESOLVE
    // The layout of hwloc_obj belongs to the major version.
    return hwloc_get_api_version() >> 16 == HWLOC_API_VERSION >> 16;
  }

  ~Hwloc() { close_library(library); }
};

/// Keeps hwloc from opening its plug-ins, which takes 2.6–12 ms and brings libX11 and OpenCL into the process. The only
/// switch is an environment variable, which gets a name that is no folder. To change the environment is safe only while
/// the process has one thread. With more, the plug-ins are opened, and refuse to register themselves. The variable is
/// removed again; a value of the user's stays.
class WithoutPlugins {
public:
  WithoutPlugins() {
#if __has_include(<sys/single_threaded.h>)
    set_ = __libc_single_threaded && !environment_value(kName) && setenv(kName, "/dev/null", 1) == 0;
#endif
  }
  ~WithoutPlugins() {
    if (set_) unsetenv(kName);
  }

private:
  static constexpr const char* kName = "HWLOC_PLUGINS_PATH";
  bool set_ = false;
};

int cpu_of(const hwloc_obj* pu) { return pu->os_index < kMaxCpus ? static_cast<int>(pu->os_index) : 0; }

/// The nearest ancestor of the type, or null.
const hwloc_obj* ancestor(const hwloc_obj* object, hwloc_obj_type_t type) {
  while (object && object->type != type) object = object->parent;
  return object;
}

/// L3 if there is one, else the largest cache that several cores share, else null. See sysfs_units.cpp.
const hwloc_obj* last_level_cache(const hwloc_obj* pu) {
  if (const hwloc_obj* l3 = ancestor(pu, HWLOC_OBJ_L3CACHE)) return l3;
  const hwloc_obj* core = ancestor(pu, HWLOC_OBJ_CORE);
  if (!core) core = pu;
  const hwloc_obj* largest = nullptr;
  bool several_cores = false;
  for (const hwloc_obj* object = core->parent; object; object = object->parent) {
    several_cores = several_cores || object->arity > 1;
    bool cache = object->type == HWLOC_OBJ_L1CACHE || object->type == HWLOC_OBJ_L2CACHE ||
                 object->type == HWLOC_OBJ_L4CACHE || object->type == HWLOC_OBJ_L5CACHE;
    if (cache && several_cores) largest = object;
  }
  return largest;
}

/// What a domain is at this level; the machine where there is nothing of the kind.
const hwloc_obj* domain_object(const hwloc_obj* pu, DomainLevel level) {
  const hwloc_obj* found = nullptr;
  switch (level) {
  case DomainLevel::kMachine: break;
  case DomainLevel::kSocket: found = ancestor(pu, HWLOC_OBJ_PACKAGE); break;
  case DomainLevel::kCore:
    found = ancestor(pu, HWLOC_OBJ_CORE);
    if (!found) found = pu;
    break;
  case DomainLevel::kNuma:
    // Memory hangs off the object whose CPUs are next to it.
    for (found = pu; found && found->memory_arity == 0;) found = found->parent;
    break;
  case DomainLevel::kL3:
  case DomainLevel::kDefault:
    found = last_level_cache(pu);
    if (!found) found = ancestor(pu, HWLOC_OBJ_PACKAGE);
    break;
  }
  return found ? found : ancestor(pu, HWLOC_OBJ_MACHINE);
}

/// A loaded topology and the walks over it.
class Discovery {
public:
  bool load() {
    if (!hwloc_.open()) return false;
    WithoutPlugins guard;
    if (hwloc_.hwloc_topology_init(&topology_) != 0) {
      topology_ = nullptr;
      return false;
    }
    hwloc_.hwloc_topology_set_io_types_filter(topology_, HWLOC_TYPE_FILTER_KEEP_NONE);
    // hwloc reads HWLOC_SYNTHETIC and HWLOC_XMLFILE itself, in load.
#if HWLOC_API_VERSION >= 0x00020500
    // For a value that it cannot read: it looks at the real machine then.
    hwloc_.hwloc_topology_set_flags(topology_, HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING);
#endif
    return hwloc_.hwloc_topology_load(topology_) == 0;
  }

  ~Discovery() {
    if (topology_) hwloc_.hwloc_topology_destroy(topology_);
  }

  bool group(const CpuMask& allowed, DomainLevel level, TopologyBuild* build) {
    build->synthetic = !hwloc_.hwloc_topology_is_thissystem(topology_);
    build->pu_count = 0;
    build->domain_count = 0;
    int depth = hwloc_.hwloc_get_type_depth(topology_, HWLOC_OBJ_PU);
    unsigned count = hwloc_.hwloc_get_nbobjs_by_depth(topology_, depth);
    const hwloc_obj* current = nullptr;
    for (unsigned i = 0; i < count && build->pu_count < kMaxCpus; i++) {
      const hwloc_obj* pu = hwloc_.hwloc_get_obj_by_depth(topology_, depth, i);
      if (!build->synthetic && !allowed.has(cpu_of(pu))) continue;
      // Logical order visits the PUs of an object one after another.
      const hwloc_obj* domain = domain_object(pu, level);
      if (domain != current) build->domain_count++;
      current = domain;
      build->domain_of_pu[build->pu_count] = static_cast<uint16_t>(build->domain_count - 1);
      build->cpu_of_pu[build->pu_count] = static_cast<uint16_t>(cpu_of(pu));
      logical_[build->pu_count] = static_cast<uint16_t>(i);
      build->pu_count++;
    }
    return build->pu_count > 0;
  }

  /// The firmware's matrix between NUMA nodes where there is one, then the height of the common ancestor.
  void distances(TopologyBuild* build) {
    const hwloc_obj* pu[kMaxDomains];
    int depth = hwloc_.hwloc_get_type_depth(topology_, HWLOC_OBJ_PU);
    for (int i = 0; i < build->domain_count; i++)
      pu[i] = hwloc_.hwloc_get_obj_by_depth(topology_, depth, logical_[build->first_pu_of_domain[i]]);
    unsigned matrices = 1;
    hwloc_distances_s* matrix = nullptr;
    if (hwloc_.hwloc_distances_get_by_type(topology_, HWLOC_OBJ_NUMANODE, &matrices, &matrix,
                                           HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) != 0 ||
        matrices == 0)
      matrix = nullptr;
    for (int i = 0; i < build->domain_count; i++)
      for (int j = 0; j < build->domain_count; j++)
        build->far[i * kMaxDomains + j] = node_distance(matrix, pu[i], pu[j]) * kHeights + tree_distance(pu[i], pu[j]);
    if (matrix) hwloc_.hwloc_distances_release(topology_, matrix);
  }

private:
  static constexpr uint32_t kHeights = 256;

  static uint32_t tree_distance(const hwloc_obj* a, const hwloc_obj* b) {
    int leaf_depth = a->depth;
    while (a != b && a && b) {
      // Both begin as PUs, and normal objects of one depth are of one kind, so the walk climbs from the deeper one.
      if (a->depth >= b->depth) {
        a = a->parent;
      } else {
        b = b->parent;
      }
    }
    int height = a && b ? leaf_depth - a->depth : leaf_depth;
    return height < 0 ? 0 : static_cast<uint32_t>(height) % kHeights;
  }

  static const hwloc_obj* node_of(const hwloc_obj* object) {
    while (object && object->memory_arity == 0) object = object->parent;
    object = object ? object->memory_first_child : nullptr;
    while (object && object->type != HWLOC_OBJ_NUMANODE)
      object = object->memory_first_child; // behind a memory-side cache
    return object;
  }

  static uint32_t node_distance(const hwloc_distances_s* matrix, const hwloc_obj* a, const hwloc_obj* b) {
    const hwloc_obj* from = node_of(a);
    const hwloc_obj* to = node_of(b);
    if (!matrix || !from || !to || from == to) return 0;
    unsigned row = matrix->nbobjs, column = matrix->nbobjs;
    for (unsigned i = 0; i < matrix->nbobjs; i++) {
      if (matrix->objs[i] == from) row = i;
      if (matrix->objs[i] == to) column = i;
    }
    if (row == matrix->nbobjs || column == matrix->nbobjs) return 0;
    uint64_t value = matrix->values[row * matrix->nbobjs + column];
    return value < 100000 ? static_cast<uint32_t>(value) : 100000;
  }

  Hwloc hwloc_;
  hwloc_topology_t topology_ = nullptr;
  uint16_t logical_[kMaxCpus]; // index among hwloc's PUs of each of ours
};

} // namespace

bool topology_from_hwloc(const CpuMask& allowed, DomainLevel level, TopologyBuild* build,
                         void (*folded)(TopologyBuild*)) {
  // Not on the stack: it is large, and the thread may be one of the program's.
  void* memory = map_pages(sizeof(Discovery));
  if (!memory) return false;
  auto discovery = new (memory) Discovery;
  bool found = discovery->load() && discovery->group(allowed, level, build);
  if (found) {
    folded(build);
    discovery->distances(build);
  }
  discovery->~Discovery();
  unmap_pages(memory, sizeof(Discovery));
  return found;
}

} // namespace chomp

#else

namespace chomp {
bool topology_from_hwloc(const CpuMask&, DomainLevel, TopologyBuild*, void (*)(TopologyBuild*)) { return false; }
} // namespace chomp

#endif

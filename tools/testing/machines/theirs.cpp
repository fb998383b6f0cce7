// Prints what hwloc derives from the /sys and /proc below the folder that HWLOC_FSROOT names: the lines of ours.cpp, in
// its terms. The first two say which CPUs there are, and which of them the process may use. A unit is an object of
// hwloc's, without the CPUs that may not be used; one of which nothing is left is none. "-": hwloc knows no such unit.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <hwloc.h>

namespace {

using Units = std::vector<std::string>;

hwloc_topology_t topology;
hwloc_const_bitmap_t allowed;

std::string text_of(hwloc_const_bitmap_t cpus) {
  char* text;
  if (hwloc_bitmap_list_asprintf(&text, cpus) < 0) abort();
  std::string result = text;
  free(text);
  return result;
}

std::string usable(hwloc_const_bitmap_t cpus) {
  hwloc_bitmap_t both = hwloc_bitmap_alloc();
  hwloc_bitmap_and(both, cpus, allowed);
  std::string result = text_of(both);
  hwloc_bitmap_free(both);
  return result;
}

void print(const char* name, const Units& units) {
  printf("%s ", name);
  const char* bar = "";
  for (const std::string& unit : units) {
    printf("%s%s", bar, unit.c_str());
    bar = "|";
  }
  puts(units.empty() ? "-" : "");
}

/// The objects of one type, in logical order; those with the same CPUs (memory of several kinds) are one.
Units units_of(hwloc_obj_type_t type) {
  Units units;
  std::set<std::string> seen;
  for (hwloc_obj_t object = nullptr; (object = hwloc_get_next_obj_by_type(topology, type, object));) {
    std::string cpus = usable(object->cpuset);
    if (!cpus.empty() && seen.insert(cpus).second) units.push_back(cpus);
  }
  return units;
}

bool is_cache(hwloc_obj_t object) { return object->type >= HWLOC_OBJ_L1CACHE && object->type <= HWLOC_OBJ_L5CACHE; }

hwloc_obj_t above(hwloc_obj_t object, hwloc_obj_type_t type) {
  while (object && object->type != type) object = object->parent;
  return object;
}

/// The L3, else the largest cache that several cores share, else null.
hwloc_obj_t last_cache_of(hwloc_obj_t pu) {
  if (hwloc_obj_t l3 = above(pu, HWLOC_OBJ_L3CACHE)) return l3;
  hwloc_obj_t core = above(pu, HWLOC_OBJ_CORE), largest = nullptr;
  if (!core) core = pu;
  for (hwloc_obj_t object = core; object; object = object->parent)
    if (is_cache(object) && !hwloc_bitmap_isincluded(object->cpuset, core->cpuset)) largest = object;
  return largest;
}

/// The units that `unit_of` finds for each usable CPU, in the order of the first; empty if a CPU has none.
template <typename UnitOf> Units units_by_pu(UnitOf unit_of) {
  Units units;
  std::set<std::string> seen;
  for (hwloc_obj_t pu = nullptr; (pu = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, pu));) {
    if (!hwloc_bitmap_isset(allowed, pu->os_index)) continue;
    hwloc_obj_t unit = unit_of(pu);
    if (!unit) return {};
    std::string cpus = usable(unit->cpuset);
    if (seen.insert(cpus).second) units.push_back(cpus);
  }
  return units;
}

/// The firmware's matrix of the nodes, as the number of smaller values that occur off the diagonal: a rank, 1 the
/// nearest. Nodes without usable CPUs are left out. In the order of `units_of(NUMANODE)`.
void print_distances() {
  unsigned count = 1;
  hwloc_distances_s* matrix = nullptr;
  if (hwloc_distances_get_by_type(topology, HWLOC_OBJ_NUMANODE, &count, &matrix, 0, 0) != 0 || count == 0) {
    puts("distances.numa -");
    return;
  }
  std::vector<unsigned> nodes;
  std::set<std::string> seen;
  for (hwloc_obj_t object = nullptr; (object = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, object));)
    for (unsigned i = 0; i < matrix->nbobjs; i++)
      if (matrix->objs[i] == object && !usable(object->cpuset).empty() && seen.insert(usable(object->cpuset)).second)
        nodes.push_back(i);
  std::set<uint64_t> values;
  for (unsigned i : nodes)
    for (unsigned j : nodes)
      if (i != j) values.insert(matrix->values[i * matrix->nbobjs + j]);
  printf("distances.numa");
  for (size_t i = 0; i < nodes.size(); i++)
    for (size_t j = 0; j < nodes.size(); j++) {
      auto value = values.find(matrix->values[nodes[i] * matrix->nbobjs + nodes[j]]);
      long rank = i == j ? 0 : 1 + std::distance(values.begin(), value);
      printf("%s%ld", j > 0 ? "," : i > 0 ? "|" : " ", rank);
    }
  puts("");
  hwloc_distances_release(topology, matrix);
}

} // namespace

int main() {
  if (hwloc_topology_init(&topology) != 0) return 1;
  hwloc_topology_set_all_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL);
  hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  if (hwloc_topology_load(topology) != 0) return 1;
  if (hwloc_topology_is_thissystem(topology)) return 1; // HWLOC_FSROOT was not taken
  allowed = hwloc_topology_get_allowed_cpuset(topology);

  printf("online %s\n", text_of(hwloc_topology_get_topology_cpuset(topology)).c_str());
  printf("allowed %s\n", text_of(allowed).c_str());
  print("threads", units_of(HWLOC_OBJ_PU));
  print("cores", units_of(HWLOC_OBJ_CORE));
  print("l1_caches", units_of(HWLOC_OBJ_L1CACHE));
  print("l2_caches", units_of(HWLOC_OBJ_L2CACHE));
  print("l3_caches", units_of(HWLOC_OBJ_L3CACHE));
  print("ll_caches", units_by_pu(last_cache_of));
  print("numa_domains", units_of(HWLOC_OBJ_NUMANODE));
  print("dice", units_of(HWLOC_OBJ_DIE));
  print("sockets", units_of(HWLOC_OBJ_PACKAGE));
  print("domains.default", units_by_pu([](hwloc_obj_t pu) {
          hwloc_obj_t cache = last_cache_of(pu);
          return cache ? cache : above(pu, HWLOC_OBJ_PACKAGE);
        }));
  print_distances();
  hwloc_topology_destroy(topology);
  return 0;
}

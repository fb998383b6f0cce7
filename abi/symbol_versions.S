// The older version of each name: omp_get_num_threads is exported as @@VERSION (exports.map) and, for programs that were
// linked against libgomp.so.1, also as @OMP_1.0. Each line makes one such alias, a jump to the default version.
//
// Why jumps, in assembly: `.symver` needs a definition in the same object file, and module-level assembly does not work
// with LTO, which may rename or drop what it names. Here the definition is the jump itself, so the C++ side knows nothing
// of versions. Link with -Bsymbolic-functions, so that the jump cannot land in another library's function of that
// name.

#if defined(__CET__)
#include <cet.h>
#else
#define _CET_ENDBR
#endif

        .text

        .macro  VERSIONED_TO target, name, node
        .globl  chomp_\node\()_\name
        .type   chomp_\node\()_\name, %function
chomp_\node\()_\name:
#if defined(__x86_64__)
        _CET_ENDBR
        jmp     \target@PLT
#elif defined(__aarch64__)
        hint    #34             // bti c
        b       \target
#elif defined(__riscv)
        tail    \target
#else
#error "no jump known for this machine"
#endif
        .size   chomp_\node\()_\name, . - chomp_\node\()_\name
        .symver chomp_\node\()_\name, \name@\node
        .endm

        .macro  VERSIONED name, node
        VERSIONED_TO \name, \name, \node
        .endm

        // A C or GCC name and its Fortran twin.
        .macro  BOTH name, node
        VERSIONED \name, \node
        VERSIONED \name\()_, \node
        .endm

        // The plain names of these four have the Fortran convention in node VERSION (a string and its length) and the C
        // one in OMP_5.0.
        VERSIONED_TO ompc_set_affinity_format, omp_set_affinity_format, OMP_5.0
        VERSIONED omp_set_affinity_format_, OMP_5.0
        VERSIONED_TO ompc_get_affinity_format, omp_get_affinity_format, OMP_5.0
        VERSIONED omp_get_affinity_format_, OMP_5.0
        VERSIONED_TO ompc_display_affinity, omp_display_affinity, OMP_5.0
        VERSIONED omp_display_affinity_, OMP_5.0
        VERSIONED_TO ompc_capture_affinity, omp_capture_affinity, OMP_5.0
        VERSIONED omp_capture_affinity_, OMP_5.0

        // OMP_1.0
        BOTH omp_destroy_lock, OMP_1.0
        BOTH omp_destroy_nest_lock, OMP_1.0
        BOTH omp_get_dynamic, OMP_1.0
        BOTH omp_get_max_threads, OMP_1.0
        BOTH omp_get_nested, OMP_1.0
        BOTH omp_get_num_procs, OMP_1.0
        BOTH omp_get_num_threads, OMP_1.0
        BOTH omp_get_thread_num, OMP_1.0
        BOTH omp_in_parallel, OMP_1.0
        BOTH omp_init_lock, OMP_1.0
        BOTH omp_init_nest_lock, OMP_1.0
        BOTH omp_set_dynamic, OMP_1.0
        VERSIONED omp_set_dynamic_8_, OMP_1.0
        BOTH omp_set_lock, OMP_1.0
        BOTH omp_set_nest_lock, OMP_1.0
        BOTH omp_set_nested, OMP_1.0
        VERSIONED omp_set_nested_8_, OMP_1.0
        BOTH omp_set_num_threads, OMP_1.0
        VERSIONED omp_set_num_threads_8_, OMP_1.0
        BOTH omp_test_lock, OMP_1.0
        BOTH omp_test_nest_lock, OMP_1.0
        BOTH omp_unset_lock, OMP_1.0
        BOTH omp_unset_nest_lock, OMP_1.0

        // OMP_2.0
        BOTH omp_get_wtick, OMP_2.0
        BOTH omp_get_wtime, OMP_2.0

        // OMP_3.0
        BOTH omp_destroy_lock, OMP_3.0
        BOTH omp_destroy_nest_lock, OMP_3.0
        BOTH omp_get_active_level, OMP_3.0
        BOTH omp_get_ancestor_thread_num, OMP_3.0
        VERSIONED omp_get_ancestor_thread_num_8_, OMP_3.0
        BOTH omp_get_level, OMP_3.0
        BOTH omp_get_max_active_levels, OMP_3.0
        BOTH omp_get_schedule, OMP_3.0
        VERSIONED omp_get_schedule_8_, OMP_3.0
        BOTH omp_get_team_size, OMP_3.0
        VERSIONED omp_get_team_size_8_, OMP_3.0
        BOTH omp_get_thread_limit, OMP_3.0
        BOTH omp_init_lock, OMP_3.0
        BOTH omp_init_nest_lock, OMP_3.0
        BOTH omp_set_lock, OMP_3.0
        BOTH omp_set_max_active_levels, OMP_3.0
        VERSIONED omp_set_max_active_levels_8_, OMP_3.0
        BOTH omp_set_nest_lock, OMP_3.0
        BOTH omp_set_schedule, OMP_3.0
        VERSIONED omp_set_schedule_8_, OMP_3.0
        BOTH omp_test_lock, OMP_3.0
        BOTH omp_test_nest_lock, OMP_3.0
        BOTH omp_unset_lock, OMP_3.0
        BOTH omp_unset_nest_lock, OMP_3.0

        // OMP_3.1
        BOTH omp_in_final, OMP_3.1

        // OMP_4.0
        BOTH omp_get_cancellation, OMP_4.0
        BOTH omp_get_default_device, OMP_4.0
        BOTH omp_get_num_devices, OMP_4.0
        BOTH omp_get_num_teams, OMP_4.0
        BOTH omp_get_proc_bind, OMP_4.0
        BOTH omp_get_team_num, OMP_4.0
        BOTH omp_is_initial_device, OMP_4.0
        BOTH omp_set_default_device, OMP_4.0
        VERSIONED omp_set_default_device_8_, OMP_4.0

        // OMP_4.5
        BOTH omp_get_initial_device, OMP_4.5
        BOTH omp_get_max_task_priority, OMP_4.5
        BOTH omp_get_num_places, OMP_4.5
        BOTH omp_get_partition_num_places, OMP_4.5
        BOTH omp_get_partition_place_nums, OMP_4.5
        VERSIONED omp_get_partition_place_nums_8_, OMP_4.5
        BOTH omp_get_place_num, OMP_4.5
        BOTH omp_get_place_num_procs, OMP_4.5
        VERSIONED omp_get_place_num_procs_8_, OMP_4.5
        BOTH omp_get_place_proc_ids, OMP_4.5
        VERSIONED omp_get_place_proc_ids_8_, OMP_4.5
        VERSIONED omp_target_alloc, OMP_4.5
        VERSIONED omp_target_associate_ptr, OMP_4.5
        VERSIONED omp_target_disassociate_ptr, OMP_4.5
        VERSIONED omp_target_free, OMP_4.5
        VERSIONED omp_target_is_present, OMP_4.5
        VERSIONED omp_target_memcpy, OMP_4.5
        VERSIONED omp_target_memcpy_rect, OMP_4.5

        // OMP_5.0
        BOTH omp_pause_resource, OMP_5.0
        BOTH omp_pause_resource_all, OMP_5.0

        // OMP_5.0.1
        VERSIONED omp_alloc, OMP_5.0.1
        BOTH omp_destroy_allocator, OMP_5.0.1
        VERSIONED omp_free, OMP_5.0.1
        BOTH omp_fulfill_event, OMP_5.0.1
        BOTH omp_get_default_allocator, OMP_5.0.1
        BOTH omp_get_supported_active_levels, OMP_5.0.1
        BOTH omp_init_allocator, OMP_5.0.1
        VERSIONED omp_init_allocator_8_, OMP_5.0.1
        BOTH omp_set_default_allocator, OMP_5.0.1

        // OMP_5.0.2
        VERSIONED omp_aligned_alloc, OMP_5.0.2
        VERSIONED omp_aligned_calloc, OMP_5.0.2
        VERSIONED omp_calloc, OMP_5.0.2
        BOTH omp_get_device_num, OMP_5.0.2
        VERSIONED omp_realloc, OMP_5.0.2

        // OMP_5.1
        BOTH omp_display_env, OMP_5.1
        VERSIONED omp_display_env_8_, OMP_5.1
        BOTH omp_get_max_teams, OMP_5.1
        BOTH omp_get_teams_thread_limit, OMP_5.1
        BOTH omp_set_num_teams, OMP_5.1
        VERSIONED omp_set_num_teams_8_, OMP_5.1
        BOTH omp_set_teams_thread_limit, OMP_5.1
        VERSIONED omp_set_teams_thread_limit_8_, OMP_5.1

        // OMP_5.1.1. Depend objects are those of GCC; @@VERSION takes Clang's.
        VERSIONED omp_get_mapped_ptr, OMP_5.1.1
        VERSIONED omp_target_is_accessible, OMP_5.1.1
        VERSIONED_TO gcc_omp_target_memcpy_async, omp_target_memcpy_async, OMP_5.1.1
        VERSIONED_TO gcc_omp_target_memcpy_rect_async, omp_target_memcpy_rect_async, OMP_5.1.1

        // OMP_5.2
        BOTH omp_in_explicit_task, OMP_5.2

        // GOMP_1.0
        VERSIONED GOMP_atomic_end, GOMP_1.0
        VERSIONED GOMP_atomic_start, GOMP_1.0
        VERSIONED GOMP_barrier, GOMP_1.0
        VERSIONED GOMP_critical_end, GOMP_1.0
        VERSIONED GOMP_critical_name_end, GOMP_1.0
        VERSIONED GOMP_critical_name_start, GOMP_1.0
        VERSIONED GOMP_critical_start, GOMP_1.0
        VERSIONED GOMP_loop_dynamic_next, GOMP_1.0
        VERSIONED GOMP_loop_dynamic_start, GOMP_1.0
        VERSIONED GOMP_loop_end, GOMP_1.0
        VERSIONED GOMP_loop_end_nowait, GOMP_1.0
        VERSIONED GOMP_loop_guided_next, GOMP_1.0
        VERSIONED GOMP_loop_guided_start, GOMP_1.0
        VERSIONED GOMP_loop_ordered_dynamic_next, GOMP_1.0
        VERSIONED GOMP_loop_ordered_dynamic_start, GOMP_1.0
        VERSIONED GOMP_loop_ordered_guided_next, GOMP_1.0
        VERSIONED GOMP_loop_ordered_guided_start, GOMP_1.0
        VERSIONED GOMP_loop_ordered_runtime_next, GOMP_1.0
        VERSIONED GOMP_loop_ordered_runtime_start, GOMP_1.0
        VERSIONED GOMP_loop_ordered_static_next, GOMP_1.0
        VERSIONED GOMP_loop_ordered_static_start, GOMP_1.0
        VERSIONED GOMP_loop_runtime_next, GOMP_1.0
        VERSIONED GOMP_loop_runtime_start, GOMP_1.0
        VERSIONED GOMP_loop_static_next, GOMP_1.0
        VERSIONED GOMP_loop_static_start, GOMP_1.0
        VERSIONED GOMP_ordered_end, GOMP_1.0
        VERSIONED GOMP_ordered_start, GOMP_1.0
        VERSIONED GOMP_parallel_end, GOMP_1.0
        VERSIONED GOMP_parallel_loop_dynamic_start, GOMP_1.0
        VERSIONED GOMP_parallel_loop_guided_start, GOMP_1.0
        VERSIONED GOMP_parallel_loop_runtime_start, GOMP_1.0
        VERSIONED GOMP_parallel_loop_static_start, GOMP_1.0
        VERSIONED GOMP_parallel_sections_start, GOMP_1.0
        VERSIONED GOMP_parallel_start, GOMP_1.0
        VERSIONED GOMP_sections_end, GOMP_1.0
        VERSIONED GOMP_sections_end_nowait, GOMP_1.0
        VERSIONED GOMP_sections_next, GOMP_1.0
        VERSIONED GOMP_sections_start, GOMP_1.0
        VERSIONED GOMP_single_copy_end, GOMP_1.0
        VERSIONED GOMP_single_copy_start, GOMP_1.0
        VERSIONED GOMP_single_start, GOMP_1.0

        // GOMP_2.0
        VERSIONED GOMP_loop_ull_dynamic_next, GOMP_2.0
        VERSIONED GOMP_loop_ull_dynamic_start, GOMP_2.0
        VERSIONED GOMP_loop_ull_guided_next, GOMP_2.0
        VERSIONED GOMP_loop_ull_guided_start, GOMP_2.0
        VERSIONED GOMP_loop_ull_ordered_dynamic_next, GOMP_2.0
        VERSIONED GOMP_loop_ull_ordered_dynamic_start, GOMP_2.0
        VERSIONED GOMP_loop_ull_ordered_guided_next, GOMP_2.0
        VERSIONED GOMP_loop_ull_ordered_guided_start, GOMP_2.0
        VERSIONED GOMP_loop_ull_ordered_runtime_next, GOMP_2.0
        VERSIONED GOMP_loop_ull_ordered_runtime_start, GOMP_2.0
        VERSIONED GOMP_loop_ull_ordered_static_next, GOMP_2.0
        VERSIONED GOMP_loop_ull_ordered_static_start, GOMP_2.0
        VERSIONED GOMP_loop_ull_runtime_next, GOMP_2.0
        VERSIONED GOMP_loop_ull_runtime_start, GOMP_2.0
        VERSIONED GOMP_loop_ull_static_next, GOMP_2.0
        VERSIONED GOMP_loop_ull_static_start, GOMP_2.0
        VERSIONED GOMP_task, GOMP_2.0
        VERSIONED GOMP_taskwait, GOMP_2.0

        // GOMP_3.0
        VERSIONED GOMP_taskyield, GOMP_3.0

        // GOMP_4.0
        VERSIONED GOMP_barrier_cancel, GOMP_4.0
        VERSIONED GOMP_cancel, GOMP_4.0
        VERSIONED GOMP_cancellation_point, GOMP_4.0
        VERSIONED GOMP_loop_end_cancel, GOMP_4.0
        VERSIONED GOMP_parallel, GOMP_4.0
        VERSIONED GOMP_parallel_loop_dynamic, GOMP_4.0
        VERSIONED GOMP_parallel_loop_guided, GOMP_4.0
        VERSIONED GOMP_parallel_loop_runtime, GOMP_4.0
        VERSIONED GOMP_parallel_loop_static, GOMP_4.0
        VERSIONED GOMP_parallel_sections, GOMP_4.0
        VERSIONED GOMP_sections_end_cancel, GOMP_4.0
        VERSIONED GOMP_target, GOMP_4.0
        VERSIONED GOMP_target_data, GOMP_4.0
        VERSIONED GOMP_target_end_data, GOMP_4.0
        VERSIONED GOMP_target_update, GOMP_4.0
        VERSIONED GOMP_taskgroup_end, GOMP_4.0
        VERSIONED GOMP_taskgroup_start, GOMP_4.0
        VERSIONED GOMP_teams, GOMP_4.0

        // GOMP_4.0.1
        VERSIONED GOMP_offload_register, GOMP_4.0.1
        VERSIONED GOMP_offload_unregister, GOMP_4.0.1

        // GOMP_4.5
        VERSIONED GOMP_doacross_post, GOMP_4.5
        VERSIONED GOMP_doacross_ull_post, GOMP_4.5
        VERSIONED GOMP_doacross_ull_wait, GOMP_4.5
        VERSIONED GOMP_doacross_wait, GOMP_4.5
        VERSIONED GOMP_loop_doacross_dynamic_start, GOMP_4.5
        VERSIONED GOMP_loop_doacross_guided_start, GOMP_4.5
        VERSIONED GOMP_loop_doacross_runtime_start, GOMP_4.5
        VERSIONED GOMP_loop_doacross_static_start, GOMP_4.5
        VERSIONED GOMP_loop_nonmonotonic_dynamic_next, GOMP_4.5
        VERSIONED GOMP_loop_nonmonotonic_dynamic_start, GOMP_4.5
        VERSIONED GOMP_loop_nonmonotonic_guided_next, GOMP_4.5
        VERSIONED GOMP_loop_nonmonotonic_guided_start, GOMP_4.5
        VERSIONED GOMP_loop_ull_doacross_dynamic_start, GOMP_4.5
        VERSIONED GOMP_loop_ull_doacross_guided_start, GOMP_4.5
        VERSIONED GOMP_loop_ull_doacross_runtime_start, GOMP_4.5
        VERSIONED GOMP_loop_ull_doacross_static_start, GOMP_4.5
        VERSIONED GOMP_loop_ull_nonmonotonic_dynamic_next, GOMP_4.5
        VERSIONED GOMP_loop_ull_nonmonotonic_dynamic_start, GOMP_4.5
        VERSIONED GOMP_loop_ull_nonmonotonic_guided_next, GOMP_4.5
        VERSIONED GOMP_loop_ull_nonmonotonic_guided_start, GOMP_4.5
        VERSIONED GOMP_offload_register_ver, GOMP_4.5
        VERSIONED GOMP_offload_unregister_ver, GOMP_4.5
        VERSIONED GOMP_parallel_loop_nonmonotonic_dynamic, GOMP_4.5
        VERSIONED GOMP_parallel_loop_nonmonotonic_guided, GOMP_4.5
        VERSIONED GOMP_target_data_ext, GOMP_4.5
        VERSIONED GOMP_target_enter_exit_data, GOMP_4.5
        VERSIONED GOMP_target_ext, GOMP_4.5
        VERSIONED GOMP_target_update_ext, GOMP_4.5
        VERSIONED GOMP_taskloop, GOMP_4.5
        VERSIONED GOMP_taskloop_ull, GOMP_4.5

        // GOMP_5.0
        VERSIONED GOMP_loop_doacross_start, GOMP_5.0
        VERSIONED GOMP_loop_maybe_nonmonotonic_runtime_next, GOMP_5.0
        VERSIONED GOMP_loop_maybe_nonmonotonic_runtime_start, GOMP_5.0
        VERSIONED GOMP_loop_nonmonotonic_runtime_next, GOMP_5.0
        VERSIONED GOMP_loop_nonmonotonic_runtime_start, GOMP_5.0
        VERSIONED GOMP_loop_ordered_start, GOMP_5.0
        VERSIONED GOMP_loop_start, GOMP_5.0
        VERSIONED GOMP_loop_ull_doacross_start, GOMP_5.0
        VERSIONED GOMP_loop_ull_maybe_nonmonotonic_runtime_next, GOMP_5.0
        VERSIONED GOMP_loop_ull_maybe_nonmonotonic_runtime_start, GOMP_5.0
        VERSIONED GOMP_loop_ull_nonmonotonic_runtime_next, GOMP_5.0
        VERSIONED GOMP_loop_ull_nonmonotonic_runtime_start, GOMP_5.0
        VERSIONED GOMP_loop_ull_ordered_start, GOMP_5.0
        VERSIONED GOMP_loop_ull_start, GOMP_5.0
        VERSIONED GOMP_parallel_loop_maybe_nonmonotonic_runtime, GOMP_5.0
        VERSIONED GOMP_parallel_loop_nonmonotonic_runtime, GOMP_5.0
        VERSIONED GOMP_parallel_reductions, GOMP_5.0
        VERSIONED GOMP_sections2_start, GOMP_5.0
        VERSIONED GOMP_task_reduction_remap, GOMP_5.0
        VERSIONED GOMP_taskgroup_reduction_register, GOMP_5.0
        VERSIONED GOMP_taskgroup_reduction_unregister, GOMP_5.0
        VERSIONED GOMP_taskwait_depend, GOMP_5.0
        VERSIONED GOMP_teams_reg, GOMP_5.0
        VERSIONED GOMP_workshare_task_reduction_unregister, GOMP_5.0

        // GOMP_5.0.1
        VERSIONED GOMP_alloc, GOMP_5.0.1
        VERSIONED GOMP_free, GOMP_5.0.1

        // GOMP_5.1
        VERSIONED GOMP_error, GOMP_5.1
        VERSIONED GOMP_scope_start, GOMP_5.1
        VERSIONED GOMP_teams4, GOMP_5.1
        VERSIONED GOMP_warning, GOMP_5.1

        // GOMP_5.1.1
        VERSIONED GOMP_taskwait_depend_nowait, GOMP_5.1.1

        // GOMP_5.1.2
        VERSIONED GOMP_add_alloc, GOMP_5.1.2
        VERSIONED GOMP_is_alloc, GOMP_5.1.2
        VERSIONED GOMP_target_map_indirect_ptr, GOMP_5.1.2

        // GOMP_5.1.3. The four with an underscore are gfortran's, which differ from @@VERSION.
        VERSIONED GOMP_interop, GOMP_5.1.3
        VERSIONED omp_get_interop_int, GOMP_5.1.3
        VERSIONED omp_get_interop_name, GOMP_5.1.3
        VERSIONED_TO gcc_omp_get_interop_name_, omp_get_interop_name_, GOMP_5.1.3
        VERSIONED omp_get_interop_ptr, GOMP_5.1.3
        VERSIONED omp_get_interop_rc_desc, GOMP_5.1.3
        VERSIONED_TO gcc_omp_get_interop_rc_desc_, omp_get_interop_rc_desc_, GOMP_5.1.3
        VERSIONED omp_get_interop_str, GOMP_5.1.3
        VERSIONED_TO gcc_omp_get_interop_str_, omp_get_interop_str_, GOMP_5.1.3
        VERSIONED omp_get_interop_type_desc, GOMP_5.1.3
        VERSIONED_TO gcc_omp_get_interop_type_desc_, omp_get_interop_type_desc_, GOMP_5.1.3
        VERSIONED omp_get_num_interop_properties, GOMP_5.1.3

        // OMP_6.0
        BOTH omp_get_device_num_teams, OMP_6.0
        BOTH omp_get_device_teams_thread_limit, OMP_6.0
        BOTH omp_set_device_num_teams, OMP_6.0
        BOTH omp_set_device_teams_thread_limit, OMP_6.0

        // GOMP_6.0
        VERSIONED_TO gcc_omp_get_device_from_uid, omp_get_device_from_uid, GOMP_6.0
        VERSIONED omp_get_device_from_uid_, GOMP_6.0
        BOTH omp_get_uid_from_device, GOMP_6.0
        VERSIONED omp_get_uid_from_device_8_, GOMP_6.0

        // GOMP_6.0.1
        VERSIONED omp_target_memset, GOMP_6.0.1
        VERSIONED_TO gcc_omp_target_memset_async, omp_target_memset_async, GOMP_6.0.1

        .section .note.GNU-stack, "", %progbits

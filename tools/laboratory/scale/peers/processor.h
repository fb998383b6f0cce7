// Included before every file of another runtime when it is built for the virtual machine (peers.py): what it says to
// the processor directly goes to the machine.
#pragma once
#ifndef __ASSEMBLER__
#include <sys/cdefs.h>
#if defined(__clang__) && __GNUC__ >= 11 // by -fgnuc-version: Clang does not know GCC's attribute
#undef __attr_dealloc
#define __attr_dealloc(function, argument)
#undef __attr_dealloc_free
#define __attr_dealloc_free
#endif
#include <immintrin.h>
#ifdef __cplusplus
extern "C" {
#endif
void chomp_virtual_pause(void);
#ifdef __cplusplus
}
#endif
#define _mm_pause chomp_virtual_pause
#define __kmp_hardware_timestamp chomp_virtual_counter // libomp's name, whose code is assembly
#endif

// What programs ask about a device, beside its memory. Without an offload library the host is the only device.
#pragma once

namespace chomp {

/// The host's name is libomptarget's for it. Null: there is no such device.
const char* device_name(int device);
/// `none`: what the program's compiler calls the number of no device.
int device_of_name(const char* name, int none);

/// What the offload library's routine of that name says of a device. If no device has the number, 0.
int device_setting(const char* routine, int device);
/// If no device has the number, warns.
void device_change_setting(const char* routine, int value, int device);

} // namespace chomp

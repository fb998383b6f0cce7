"""Commands for gdb, for a process or a core file: (gdb) source chomp-gdb.py

    chomp threads    each thread that OpenMP knows: its number, its team, whether it sleeps, where the program's code is
    chomp tasks      the tasks that each thread has begun, innermost first, and those that wait in its private deque

Needs the library with its debug information. Reads memory only and calls nothing, so it works on a core file. Fields of
runtime/core/*.h are read by name: one that is renamed there is renamed here
(test/process/gdb_commands_show_threads_and_tasks.c).
"""

import gdb

IMPLICIT = 1 << 18
TIED = 1
OF_LIBRARY = -1  # part_id of a BodyPayload
LISTED = 8  # tasks of a deque, at most


def plain(value):
    """What an atomic field holds."""
    while value.type.strip_typedefs().code == gdb.TYPE_CODE_STRUCT:
        fields = [field for field in value.type.strip_typedefs().fields() if hasattr(field, "bitpos")]  # not the static ones
        value = value[fields[0]]
    return value


def workers():
    """The records of the threads, by their numbers."""
    try:
        by_gtid = gdb.parse_and_eval("chomp::by_gtid")
    except gdb.error as error:
        raise gdb.GdbError(f"no chomp with debug information in this process ({error})") from error
    worker_pointer = gdb.lookup_type("chomp::Worker").pointer()
    first, found = by_gtid.address.cast(worker_pointer.pointer()), []
    while len(found) <= by_gtid.type.range()[1] and int(first[len(found)]) != 0:
        found.append(first[len(found)].dereference())
    return found


def threads_by_handle():
    found = {}
    for thread in gdb.selected_inferior().threads():
        try:
            found[int.from_bytes(thread.handle(), "little")] = thread
        except (AttributeError, gdb.error):
            pass
    return found


def function_at(address):
    """"fib._omp_task at fib.c:12"."""
    block = gdb.execute(f"info symbol {address}", to_string=True).split(" in section")[0].strip()
    place = gdb.find_pc_line(address)
    where = f" at {place.symtab.filename.split('/')[-1]}:{place.line}" if place.symtab else ""
    return block + where


def in_program():
    """Where the selected thread is in the program's own code."""
    frame = gdb.newest_frame()
    while frame is not None:
        file = gdb.solib_name(frame.pc()) or ""
        name = file.split("/")[-1]
        if not name.startswith(("libomp", "libgomp", "libiomp5", "libc.", "ld-linux", "libpthread")) and frame.name():
            place = frame.find_sal()
            return frame.name() + (f" at {place.symtab.filename.split('/')[-1]}:{place.line}" if place.symtab else "")
        frame = frame.older()
    return "no code of the program's"


def state_of(worker):
    """What the selected thread is about: a sleeping worker says so of itself, but in a lock of the program's nobody says it."""
    frame, names = gdb.newest_frame(), []
    while frame is not None and len(names) < 8:
        names.append(frame.name() or "")
        frame = frame.older()
    sleeps = int(plain(worker["wait"]["parked"])) or any(name == "syscall" or "futex" in name for name in names[:3])
    if any("ProgramLock::" in name for name in names):
        return "asleep, wants a lock" if sleeps else "awake, wants a lock"
    return "asleep" if sleeps else "awake"


def describe(task):
    """A task in words; `task`: a pointer."""
    flags = int(task["flags"])
    if flags & IMPLICIT:
        return "implicit task of the region"
    payload = (task + 1).cast(gdb.lookup_type("chomp::TaskPayload").pointer())
    kind = "" if flags & TIED else ", untied"
    code = payload["routine"]
    if int(payload["part_id"]) == OF_LIBRARY:
        code = payload.cast(gdb.lookup_type("chomp::BodyPayload").pointer())["body"]
    return f"{function_at(int(code))}{kind}"


class Chomp(gdb.Command):
    """What OpenMP on chomp does: chomp threads, chomp tasks."""

    def __init__(self):
        super().__init__("chomp", gdb.COMMAND_STATUS, prefix=True)


class Threads(gdb.Command):
    """Each thread that OpenMP knows: number, gdb's number, team, whether it sleeps, where the program's code is."""

    def __init__(self):
        super().__init__("chomp threads", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        known, before = threads_by_handle(), gdb.selected_thread()
        frame = gdb.selected_frame() if before is not None else None
        for worker in workers():
            thread = known.get(int(worker["thread"]["handle"]))
            place, number, state = "ended, or not in this core file", "", "gone"
            if thread is not None:
                thread.switch()
                place, number, state = in_program(), f"gdb's {thread.num}, ", state_of(worker)
            member = worker["member"]
            team = f"thread {int(member['tid'])} of its team, " if int(member) != 0 else "in no team, "
            whose = "the program" if worker["thread"]["is_root"] else "the runtime"
            print(f"chomp/{int(worker['gtid'])} ({whose}'s): {number}{team}{state}, in {place}")
        if before is not None:
            before.switch()
            frame.select()


class Tasks(gdb.Command):
    """The tasks that each thread has begun, innermost first, and those that wait in its private deque."""

    def __init__(self):
        super().__init__("chomp tasks", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        task_pointer = gdb.lookup_type("chomp::Task").pointer()
        for worker in workers():
            print(f"chomp/{int(worker['gtid'])}")
            task = worker["current"].cast(task_pointer)
            while int(task) != 0:
                print(f"  runs   {describe(task)}")
                if int(task["flags"]) & IMPLICIT:
                    break
                task = task["next"].cast(task_pointer)
            member = worker["member"]
            if int(member) == 0:
                continue
            deque = member["deque"]
            base, top = int(plain(deque["base_"])), int(plain(deque["top_"]))
            for at in range(top - 1, max(base, top - LISTED) - 1, -1):
                print(f"  waits  {describe(deque['slots_'][at & int(deque['mask_'])].cast(task_pointer))}")
            if top - base > LISTED:
                print(f"  and {top - base - LISTED} more")


Chomp()
Threads()
Tasks()

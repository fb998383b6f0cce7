"""Commands for gdb, for a process or a core file: (gdb) source chomp-gdb.py

    chomp threads    each thread that OpenMP knows: its number, its team, whether it sleeps, where the program's code is
    chomp tasks      the tasks that each thread has begun, innermost first, and those that wait in its private deque
    chomp regions    the parallel regions around each thread, innermost first, with their lines
    chomp icvs       the settings: of the process, where they differ from a default, and of each thread's current task
    chomp bt         each thread's stack without the runtime's own frames; under a task, the task that made it

Needs the library with its debug information. Reads memory only and calls nothing, so it works on a core file. Fields of
runtime/core/*.h are read by name: one that is renamed there is renamed here
(test/process/gdb_commands_show_threads_and_tasks.c, gdb_commands_show_regions.c).
"""

import gdb

IMPLICIT = 1 << 18
OWN_ICVS = 1 << 17
ICV_SHIFT = 8
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


def of_program(frame):
    file = gdb.solib_name(frame.pc()) or ""
    return not file.split("/")[-1].startswith(("libomp", "libgomp", "libiomp5", "libc.", "ld-linux", "libpthread")) and frame.name()


def place_of(frame):
    place = frame.find_sal()
    return frame.name() + (f" at {place.symtab.filename.split('/')[-1]}:{place.line}" if place.symtab else "")


def in_program():
    """Where the selected thread is in the program's own code."""
    frame = gdb.newest_frame()
    while frame is not None:
        if of_program(frame):
            return place_of(frame)
        frame = frame.older()
    return "no code of the program's"


def function_of(frame):
    """Where the code of the frame's function begins, also if others are inlined into it."""
    while frame.type() == gdb.INLINE_FRAME:
        frame = frame.older()
    block = gdb.block_for_pc(frame.pc() - 1) or gdb.block_for_pc(frame.pc())
    while block is not None and (block.function is None or block.function.symtab is None or block.superblock.function is not None):
        block = block.superblock
        if block is None or block.is_global:
            return 0
    return int(block.start) if block is not None else 0


def code_of(task):
    """Of an explicit task: a pointer to it."""
    payload = (task + 1).cast(gdb.lookup_type("chomp::TaskPayload").pointer())
    if int(payload["part_id"]) == OF_LIBRARY:
        return int(payload.cast(gdb.lookup_type("chomp::BodyPayload").pointer())["body"])
    return int(payload["routine"])


def begun_tasks(worker):
    """Pointers to the tasks on the thread's stack, innermost first; the last is implicit."""
    task_pointer = gdb.lookup_type("chomp::Task").pointer()
    task = worker["current"].cast(task_pointer)
    while int(task) != 0:
        yield task
        if int(task["flags"]) & IMPLICIT:
            return
        task = task["next"].cast(task_pointer)


def creator_of(task):
    """The task that made this one, in words. Its header may have been used again since it has ended."""
    parent = plain(task["parent"]).cast(gdb.lookup_type("chomp::Task").pointer())
    if int(parent) == 0:
        return "a task that has ended"
    depths = [int(plain(each["identity"])) >> 32 for each in (task, parent)]
    return describe(parent) if depths[0] == depths[1] + 1 else "a task that has ended"


def teams_around(member):
    """Pairs of a member and its team, innermost first; a region that a free agent's task has begun ends at the agent."""
    while int(member) != 0:
        team = member["team"].dereference()
        yield member.dereference(), team
        member = team["parent_member"]


def region_of(team):
    """The region in words."""
    if int(team["parent_member"]) == 0:
        served = int(team["served"]) != 0
        return ("a target task, by a helper" if team["helps"] else "a task of another team, by a free agent") if served else "the sequential part"
    size, call = int(plain(team["size_"])), team["call"]
    code = int(call["microtask"])
    return f"region of {size}, {function_at(code) if code else 'of nobody'}"


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
    return function_at(code_of(task)) + ("" if flags & TIED else ", untied")


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
            for task in begun_tasks(worker):
                print(f"  runs   {describe(task)}")
            member = worker["member"]
            if int(member) == 0:
                continue
            deque = member["deque"]
            base, top = int(plain(deque["base_"])), int(plain(deque["top_"]))
            for at in range(top - 1, max(base, top - LISTED) - 1, -1):
                print(f"  waits  {describe(deque['slots_'][at & int(deque['mask_'])].cast(task_pointer))}")
            if top - base > LISTED:
                print(f"  and {top - base - LISTED} more")


class Regions(gdb.Command):
    """The parallel regions around each thread, innermost first: how many threads, which number the thread has, the line."""

    def __init__(self):
        super().__init__("chomp regions", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        for worker in workers():
            print(f"chomp/{int(worker['gtid'])}" + ("" if int(worker["member"]) != 0 else ": in no region"))
            for member, team in teams_around(worker["member"]):
                print(f"  thread {int(member['tid'])} in {region_of(team)}")


class Icvs(gdb.Command):
    """The settings: what the environment has set of the process's, and the variables of each thread's current task."""

    def __init__(self):
        super().__init__("chomp icvs", gdb.COMMAND_STATUS)

    SCHEDULES = {1: "static", 2: "dynamic", 3: "guided", 4: "auto", 101: "trapezoidal"}
    OF_PROCESS = ("max_task_priority", "cancellation", "target_offload", "task_throttling", "task_stealing_constraint",
                  "blocktime_us", "stack_size", "library", "helpers", "use_helpers")

    @staticmethod
    def word(value):
        text = str(value)
        return text.split("::k")[-1].lower() if "::k" in text else text

    def of_task(self, task, team):
        """The block whose index the task's flags have (icv.h); one of its own is not looked for."""
        flags = int(task["flags"])
        if flags & OWN_ICVS:
            return "settings of its own"
        index = (flags >> ICV_SHIFT) & 0xFF
        icvs = team["icvs"]["first"] if index == 0 else plain(plain(team["icvs"]["changed"])["table"][index]).dereference()
        schedule, limit = int(icvs["schedule"]["kind"]), int(icvs["thread_limit"])
        return ", ".join(["nthreads " + str(int(icvs["num_threads"])), "dyn " + self.word(icvs["dynamic"]),
                          "max-active-levels " + self.word(icvs["max_active_levels"]),
                          "thread-limit " + ("none" if limit == 0x7FFFFFFF else str(limit)),
                          "run-sched " + self.SCHEDULES.get(schedule & 0x7FFFFFFF, str(schedule)) + "," + str(int(icvs["schedule"]["chunk"])),
                          "bind " + self.word(icvs["proc_bind"]), "default-device " + self.word(icvs["default_device"])])

    def invoke(self, argument, from_tty):
        all_workers = workers()
        config = gdb.parse_and_eval("chomp::config")
        print("process: " + ", ".join(f"{name} {self.word(config[name])}" for name in self.OF_PROCESS))
        for worker in all_workers:
            member, current = worker["member"], worker["current"]
            if int(member) == 0 or int(current) == 0:
                continue
            task = current.cast(gdb.lookup_type("chomp::Task").pointer())
            team = member["team"]["served"].dereference() if int(member["team"]["served"]) else member["team"].dereference()
            print(f"chomp/{int(worker['gtid'])}: {self.of_task(task, team)}")


class Stacks(gdb.Command):
    """Each thread's stack without the runtime's own frames. Below a task's function stands which task made it; at the
    end the regions around the thread whose lines its stack does not have: another thread has begun them."""

    def __init__(self):
        super().__init__("chomp bt", gdb.COMMAND_STACK)

    @staticmethod
    def show(worker):
        tasks = [(code_of(task), task) for task in begun_tasks(worker) if not int(task["flags"]) & IMPLICIT]
        frame, number = gdb.newest_frame(), 0
        while frame is not None:
            if of_program(frame):
                print(f"  #{number:<3} {place_of(frame)}")
            if tasks and of_program(frame) and frame.type() != gdb.INLINE_FRAME and function_of(frame) == tasks[0][0]:
                print(f"       a task, made by {creator_of(tasks.pop(0)[1])}")
            frame, number = frame.older(), number + 1
        for member, team in teams_around(worker["member"]):
            if int(member["tid"]) != 0:
                beginner = team["members"][0]["worker"]
                by = plain(beginner)
                print(f"       thread {int(member['tid'])} of the {region_of(team)}, begun by chomp/{int(by['gtid'])}")
                return

    def invoke(self, argument, from_tty):
        known, before = threads_by_handle(), gdb.selected_thread()
        frame = gdb.selected_frame() if before is not None else None
        for worker in workers():
            thread = known.get(int(worker["thread"]["handle"]))
            if thread is None:
                continue
            thread.switch()
            print(f"chomp/{int(worker['gtid'])} (gdb's {thread.num})")
            self.show(worker)
        if before is not None:
            before.switch()
            frame.select()


for command in (Chomp, Threads, Tasks, Regions, Icvs, Stacks):
    command()

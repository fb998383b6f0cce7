#!/usr/bin/env python3
"""Random small programs, each beside brute force: what `chomp explore --exhaustive` says of it must hold.

usage: all_orders.py [--programs 220] [--first 1] [--seconds 60] --cc "chomp cc clang" --explore "chomp explore"

A program is a few threads or tasks of a few steps: atomics, locks, tests of locks and semaphores, waits for a flag that give
up or do not, rand(), what a critical section does. All are in one source, chosen by number. Brute force steps through every
interleaving of a model of it, and collects the outcomes. "all N orders explored" needs exactly these; "not all" at most
these. A program in which a deadlock is possible must not be said to have none.
"""

import argparse
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

VARIABLES, LOCKS, MOST_LOOKS = 3, 2, 4


# ---- Programs: each strand is a list of (kind, operands), which changes shared state and its own list of results -----------


def draw_step(draw, inside):
    """One step; `inside`: it is in a section already."""
    variable, other, lock = draw.randrange(VARIABLES), draw.randrange(1, 4), draw.randrange(LOCKS)
    kinds = ["add", "store", "load", "exchange", "compare", "rand"]
    if not inside:
        kinds += ["critical", "locked", "tested", "post", "trywait", "value", "semwait", "mutex", "trylock", "looks"]
    kind = draw.choice(kinds)
    if kind in ("critical", "locked", "tested", "mutex", "trylock"):
        body = [draw_step(draw, True) for _ in range(draw.randrange(1, 3))]
        return (kind, lock, body)
    return (kind, variable, other)


def draw_program(number):
    draw = random.Random(number)
    strands = [[draw_step(draw, False) for _ in range(draw.randrange(1, 4))] for _ in range(draw.choice([2, 2, 2, 3]))]
    if draw.randrange(4) == 0:  # two locks, in an order of its own
        first, second = draw.sample(range(LOCKS), 2)
        strands[0].append(("two", first, second))
        strands[1].append(("two", *draw.sample([first, second], 2)))
    if draw.randrange(4) == 0:  # somebody waits for a flag, which another one raises in the end
        strands[0].append(("raise", 0, 0))
        strands[1].append(("await", 0, 0))
    if draw.randrange(4) == 0:  # somebody waits for a condition, in a loop or once; mostly another one brings it about
        if draw.randrange(4) > 0:
            strands[0].append(("change", 0, 0))
        strands[1].append(("cwait", draw.choice(["while", "while", "if"]), 0))
    return {"number": number, "strands": strands, "tasks": draw.randrange(2) == 0}


# ---- In C ------------------------------------------------------------------------------------------------------------


def c_steps(steps, strand, indent):
    pad = " " * indent
    for kind, a, b in steps:
        if kind == "add":
            yield f"{pad}note({strand}, atomic_fetch_add(&v[{a}], {b}));"
        elif kind == "store":
            yield f"{pad}atomic_store(&v[{a}], {b});"
        elif kind == "load":
            yield f"{pad}note({strand}, atomic_load(&v[{a}]));"
        elif kind == "exchange":
            yield f"{pad}note({strand}, atomic_exchange(&v[{a}], {b}));"
        elif kind == "compare":
            yield f"{pad}{{ int old = {b}; note({strand}, atomic_compare_exchange_strong(&v[{a}], &old, 7)); note({strand}, old); }}"
        elif kind == "rand":
            yield f"{pad}note({strand}, place_of(rand()));"
        elif kind == "post":
            yield f"{pad}sem_post(&semaphore);"
        elif kind == "trywait":
            yield f"{pad}note({strand}, sem_trywait(&semaphore) == 0);"
        elif kind == "semwait":
            yield f"{pad}sem_wait(&semaphore);"
        elif kind == "value":
            yield f"{pad}{{ int value; sem_getvalue(&semaphore, &value); note({strand}, value); }}"
        elif kind == "looks":
            yield f"{pad}{{ int i = 0; while (i < {MOST_LOOKS} && atomic_load(&v[{a}]) != {b}) ++i; note({strand}, i); }}"
        elif kind == "raise":
            yield f"{pad}atomic_store(&flag, 1);"
        elif kind == "await":
            yield f"{pad}while (!atomic_load(&flag)) {{\n{pad}}}"
        elif kind == "change":
            yield f"{pad}pthread_mutex_lock(&changing); changed = 1; pthread_cond_broadcast(&condition); pthread_mutex_unlock(&changing);"
        elif kind == "cwait":
            yield f"{pad}pthread_mutex_lock(&changing); {a} (!changed) pthread_cond_wait(&condition, &changing);"
            yield f"{pad}note({strand}, changed); pthread_mutex_unlock(&changing);"
        elif kind == "two":
            yield f"{pad}omp_set_lock(&locks[{a}]); omp_set_lock(&locks[{b}]); omp_unset_lock(&locks[{b}]); omp_unset_lock(&locks[{a}]);"
        elif kind == "critical":
            yield f"{pad}_Pragma(\"omp critical\") {{"
            yield from c_steps(b, strand, indent + 2)
            yield f"{pad}}}"
        elif kind in ("locked", "mutex"):
            lock = f"omp_set_lock(&locks[{a}])" if kind == "locked" else f"pthread_mutex_lock(&mutexes[{a}])"
            yield f"{pad}{lock};"
            yield from c_steps(b, strand, indent)
            yield f"{pad}{lock.replace('_set_', '_unset_').replace('_lock(', '_unlock(') if kind == 'mutex' else lock.replace('_set_', '_unset_')};"
        else:
            test = f"omp_test_lock(&locks[{a}])" if kind == "tested" else f"(pthread_mutex_trylock(&mutexes[{a}]) == 0)"
            free = f"omp_unset_lock(&locks[{a}])" if kind == "tested" else f"pthread_mutex_unlock(&mutexes[{a}])"
            yield f"{pad}if ({test}) {{"
            yield from c_steps(b, strand, indent + 2)
            yield f"{pad}  {free};\n{pad}}} else note({strand}, 99);"


HEAD = f"""
#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
static atomic_int v[{VARIABLES}], flag;
static omp_lock_t locks[{LOCKS}];
static pthread_mutex_t mutexes[{LOCKS}] = {{PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER}};
static pthread_mutex_t changing = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int changed;
static sem_t semaphore;
static int notes[3][64], count[3], sequence[64];
static void note(int strand, int value) {{ notes[strand][count[strand]++] = value; }}
static int place_of(int value) {{
  for (int i = 0; i < 64; ++i)
    if (sequence[i] == value) return i;
  return 64;
}}
"""

MAIN = """
int main(int count_of, char** arguments) {
  (void)count_of;
  for (int i = 0; i < 64; ++i) sequence[i] = rand();
  srand(1);
  for (int i = 0; i < 2; ++i) omp_init_lock(&locks[i]);
  sem_init(&semaphore, 0, 0);
  programs[atoi(arguments[1])]();
  for (int s = 0; s < 3; ++s) {
    for (int i = 0; i < count[s]; ++i) printf("%d ", notes[s][i]);
    printf("| ");
  }
  for (int i = 0; i < 3; ++i) printf("%d ", v[i]);
  printf("\\n");
}
"""


def in_c(programs):
    yield HEAD
    for program in programs:
        yield f"static void program_{program['number']}(void) {{"
        team = len(program["strands"])
        if program["tasks"]:
            yield "#pragma omp parallel\n#pragma omp single\n  {"
        else:
            yield f"#pragma omp parallel sections num_threads({team})\n  {{"
        for number, steps in enumerate(program["strands"]):
            yield "#pragma omp task" if program["tasks"] else "#pragma omp section"
            yield "    {"
            yield from c_steps(steps, number, 6)
            yield "    }"
        yield "  }\n}"
    yield "static void (*programs[])(void) = {" + ", ".join(f"program_{program['number']}" for program in programs) + "};"
    yield MAIN


# ---- Brute force -----------------------------------------------------------------------------------------------------


def flatten(steps):
    """The steps of a strand as operations, each of which happens at once."""
    for kind, a, b in steps:
        if kind == "critical":
            yield ("take", "critical", None)
            yield from flatten(b)
            yield ("give", "critical", None)
        elif kind in ("locked", "mutex"):
            yield ("take", (kind == "mutex", a), None)
            yield from flatten(b)
            yield ("give", (kind == "mutex", a), None)
        elif kind in ("tested", "trylock"):
            body = [*flatten(b), ("give", (kind == "trylock", a), None)]
            yield ("test", (kind == "trylock", a), len(body))
            yield from body
        elif kind == "two":
            for lock, how in ((a, "take"), (b, "take"), (b, "give"), (a, "give")):
                yield (how, (False, lock), None)
        elif kind == "change":
            yield from (("take", "changing", None), (kind, a, b), ("signal", a, b), ("give", "changing", None))
        elif kind == "cwait":
            yield from (("take", "changing", None), ("has changed", a, b), ("begin", a, b), ("end", a, b), ("give", "changing", None))
        elif kind == "looks":
            for look in range(MOST_LOOKS):
                yield ("look", (a, b), (look, MOST_LOOKS - 1 - look))
        else:
            yield (kind, a, b)


FLAG, CHANGED, SIGNALLED = 1, 2, 4


def next_states(state, code, for_no_reason=True):
    """What one operation of each strand that can go on makes of the state; or only of those that must go on."""
    places, values, held, posts, drawn, flag, notes = state
    for strand, place in enumerate(places):
        if place == len(code[strand]):
            continue
        kind, a, b = code[strand][place]
        new, own, now, taken, left, used, up = place + 1, list(notes[strand]), list(values), set(held), posts, drawn, flag
        if kind in ("add", "exchange", "load"):
            own.append(now[a])
            now[a] = now[a] + b if kind == "add" else b if kind == "exchange" else now[a]
        elif kind == "store":
            now[a] = b
        elif kind == "compare":
            same = now[a] == b
            own += [int(same), now[a]]
            now[a] = 7 if same else now[a]
        elif kind == "rand":
            own.append(drawn)
            used += 1
        elif kind == "post":
            left += 1
        elif kind == "trywait":
            own.append(int(posts > 0))
            left -= posts > 0
        elif kind == "semwait":
            if posts == 0:
                continue
            left -= 1
        elif kind == "value":
            own.append(posts)
        elif kind == "raise":
            up |= FLAG
        elif kind == "await":
            if not flag & FLAG:
                continue
        elif kind == "change":
            up |= CHANGED
        elif kind == "signal":
            up |= SIGNALLED
        elif kind == "has changed":
            if flag & CHANGED:
                own.append(1)
                new += 2
        elif kind == "begin":
            taken.discard("changing")
            up &= ~SIGNALLED
        elif kind == "end":
            if "changing" in held or not (flag & SIGNALLED or for_no_reason):
                continue
            taken.add("changing")
            if a == "while":
                new = place - 2
            else:
                own.append(int(flag & CHANGED > 0))
        elif kind == "look":
            if now[a[0]] == a[1]:
                own.append(b[0])
                new += b[1]
            elif b[1] == 0:
                own.append(MOST_LOOKS)
        elif kind == "take":
            if a in held:
                continue
            taken.add(a)
        elif kind == "give":
            taken.discard(a)
        elif a in held:  # a test of a lock
            own.append(99)
            new += b
        else:
            taken.add(a)
        yield (places[:strand] + (new,) + places[strand + 1 :], tuple(now), frozenset(taken), left, used, up,
               notes[:strand] + (tuple(own),) + notes[strand + 1 :])


def brute_force(program):
    """The outcomes, as the program prints them; "deadlock" among them if there is one."""
    code = [list(flatten(steps)) for steps in program["strands"]]
    first = ((0,) * len(code), (0,) * VARIABLES, frozenset(), 0, 0, 0, ((),) * len(code))
    seen, waiting, outcomes = {first}, [first], set()
    while waiting:
        state = waiting.pop()
        following = set(next_states(state, code))
        if not set(next_states(state, code, for_no_reason=False)):
            done = all(place == len(steps) for place, steps in zip(state[0], code))
            notes = [*state[6], *[()] * (3 - len(code))]
            text = "".join("".join(f"{value} " for value in own) + "| " for own in notes) + " ".join(map(str, state[1]))
            outcomes.add(text if done else "deadlock")
        waiting += following - seen
        seen |= following
    return outcomes


# ---- Comparison ------------------------------------------------------------------------------------------------------


def explored(words, program, scratch):
    """What the exploration says at last, and the outcomes that it has met."""
    outputs = scratch / f"outputs-{program['number']}"
    done = subprocess.run([*words[:-1], "--exhaustive", "--all", "--seconds", "20", "--any-output", "--check", f"cat >> {outputs}", words[-1],
                           str(program["index"])], capture_output=True, text=True, check=False)
    said = done.stderr.strip().splitlines()
    outcomes = {line.strip() for line in outputs.read_text().splitlines()} if outputs.exists() else set()
    if "deadlock: every thread waits" in done.stderr or "no end: livelock" in done.stderr:
        outcomes.add("deadlock")
    return done.stderr, next((line for line in said if "explored" in line), "nothing"), outcomes


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=220)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=1e9, help="no new program after so long")
    parser.add_argument("--cc", required=True)
    parser.add_argument("--explore", required=True)
    parser.add_argument("--verbose", action="store_true", help="of which programs not all orders were tried, and why")
    options = parser.parse_args()
    begun, wrong, complete, tried = time.monotonic(), 0, 0, 0
    programs = [draw_program(number) for number in range(options.first, options.first + options.programs)]
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        (scratch / "programs.c").write_text("\n".join(in_c(programs)))
        subprocess.run([*options.cc.split(), "-O1", "-w", scratch / "programs.c", "-o", scratch / "programs"], check=True)
        for index, program in enumerate(programs):
            if time.monotonic() - begun > options.seconds:
                break
            program["index"] = index
            possible = brute_force(program)
            said, last, met = explored([*options.explore.split(), str(scratch / "programs")], program, scratch)
            tried += 1
            is_all = ": none fails" in last or ": some fail" in last
            complete += is_all
            if not is_all and options.verbose:
                print(f"program {program['number']}: {last}")
            if met - possible or (is_all and met != possible):
                wrong += 1
                print(f"program {program['number']}: {last}\n  not met: {sorted(possible - met)}\n  impossible: {sorted(met - possible)}")
                print("\n".join(in_c([program])).split("\n}\n", 2)[2].split("static void (*programs")[0] if wrong == 1 else "", said if met - possible else "")
    print(f"{tried} programs, all orders of {complete}; {wrong} wrong")
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()

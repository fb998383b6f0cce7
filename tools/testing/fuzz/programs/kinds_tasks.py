"""Kinds of tasks: plain ones with their clauses, groups, dependences, taskloops, detached tasks, recursion, task reductions."""

from programs.kinds_basic import COMBINE, REDUCTIONS, make_reduction, number, reduction_first, reduction_result, reduction_step
from programs.tree import Kind, Unfit, Value, kind
from programs.writer import Account, credit, write_body, write_task_body

CLAUSES = ["untied", "mergeable", "if(0)", "if(1)", "if({i} % 2)", "final(0)", "final({i} % 3 == 1)", "priority({i} % 5)", "payload",
           "affinity({a}[0])", "default(shared)"]


def make_clauses(rng, leave_out=()):
    chosen = [c for c in CLAUSES if c not in leave_out and rng.random() < 0.14]
    ifs = [c for c in chosen if c.startswith("if")]
    finals = [c for c in chosen if c.startswith("final")]
    return [c for c in chosen if c not in ifs[1:] and c not in finals[1:]]


def write_payload(w, size, i):
    """A struct for a task to carry; returns its name and the check."""
    name = w.name("q")
    w.line(f"struct {name}_t {{ unsigned char b[{size}]; }} {name};")
    w.line(f"memset(&{name}, {i} % 251 + 1, sizeof {name});")
    return name, f"CHECK_EQ({name}.b[0], {i} % 251 + 1); CHECK_EQ({name}.b[{size} - 1], {i} % 251 + 1);"


def write_clauses(node, w, here, i):
    """The text of the clauses, the check of the payload, and whether the task may be final."""
    texts, check = [], ""
    for clause in node.p["clauses"]:
        if clause == "payload":
            name, check = write_payload(w, node.p["size"], i)
            texts.append(f"firstprivate({name})")
        elif clause == "default(shared)":
            continue
        else:
            texts.append(clause.format(i=i, a=here.account.main.name))
    return " ".join(texts), check, here.final or any(c.startswith("final") and c != "final(0)" for c in node.p["clauses"])


@kind
class Tasks(Kind):
    """Tasks that their creator waits for: by taskwait, or a taskgroup."""

    name, where, weight, cost = "task", ("one",), 8, 2

    def make(self, rng, grow):
        n = grow.count(2, 16)
        clauses = make_clauses(rng)
        return {"n": n, "clauses": clauses, "size": rng.choice([1, 7, 24, 64, 200, 900]), "group": rng.random() < 0.3}, grow(
            "one", times=n, group=True if "group" in clauses else None)

    def write(self, node, w, here):
        i, n = w.name("i"), node.p["n"]
        with w.block():
            account = Account(w, here)
            if node.p["group"]:
                w.pragma("taskgroup")
                w.open()
            with w.block(f"for (int {i} = 0; {i} < {n}; {i}++) {{"):
                clauses, check, final = write_clauses(node, w, here.but(account=account), i)
                with w.construct(f"task {clauses}"):
                    w.line(check)
                    inside = here.but(context="one", account=account, final=final, untied="untied" in node.p["clauses"], repeats=1, repeat="0",
                                      group=account if node.p["group"] else here.group)
                    mine, rest = account.take(write_task_body(node.body, w, inside), n)
            if node.p["group"]:
                w.close()
            else:
                w.pragma("taskwait")
            account.check(mine)
            account.end()
        return rest.add(credit(w, here, 3))


@kind
class Spawn(Kind):
    """Tasks that nobody waits for but a taskgroup or the end of the region, children of children among them."""

    name, where, weight, cost = "spawn", ("one",), 6, 2

    def make(self, rng, grow):
        if not grow.group:
            return None
        n = grow.count(1, 8)
        return {"n": n, "clauses": make_clauses(rng), "size": rng.choice([1, 16, 100])}, grow("one", times=n)

    def write(self, node, w, here):
        if here.group is None:
            raise Unfit("spawn outside of a group")
        i, n = w.name("i"), node.p["n"]
        with w.block(f"for (int {i} = 0; {i} < {n}; {i}++) {{"):
            clauses, check, final = write_clauses(node, w, here.but(account=here.group), i)
            with w.construct(f"task {clauses}"):
                w.line(check)
                w.pragma("atomic")
                w.line(f"{here.group.main} += 1;")
                inside = here.but(context="one", account=here.group, final=final, untied="untied" in node.p["clauses"], repeats=1, repeat="0")
                total = Value({here.group.main: (n, 0)}).add(write_task_body(node.body, w, inside), n)
        return total


@kind
class TaskGroup(Kind):
    """A taskgroup around anything that one task does."""

    name, where, weight = "taskgroup", ("one",), 4

    def make(self, rng, grow):
        return {}, grow("one", group=True, most=3)

    def write(self, node, w, here):
        with w.block():
            account = Account(w, here)
            with w.construct("taskgroup"):
                mine, rest = account.take(write_body(node.body, w, here.but(account=account, group=account, repeats=1, repeat="0")))
            account.check(mine)
            account.end()
        return rest.add(credit(w, here, 2))


@kind
class TaskLoop(Kind):
    """A taskloop with its clauses."""

    name, where, weight, cost = "taskloop", ("one",), 5, 2
    fixed = ("op", "type")

    def make(self, rng, grow):
        n = grow.count(3, 40)
        p = {"n": n, "grain": rng.choice(["", "grainsize({})", "num_tasks({})", "grainsize(strict: {})", "num_tasks(strict: {})"]),
             "g": rng.randint(1, 9), "clauses": make_clauses(rng, ("payload", "if({i} % 2)", "final({i} % 3 == 1)", "priority({i} % 5)",
                                                                  "affinity({a}[0])")),
             "reduction": rng.random() < 0.3, "last": rng.random() < 0.3, "collapse": rng.random() < 0.2,
             "nogroup": bool(grow.group) and rng.random() < 0.3, **make_reduction(rng)}
        return p, grow("one", times=n, most=2) if rng.random() < 0.5 else []

    def write(self, node, w, here):
        p, i = node.p, w.name("i")
        inner = 3 if p["collapse"] else 1
        n, op = p["n"] * inner, p["op"]
        nogroup = p["nogroup"] and here.group is not None
        reduction, last = p["reduction"] and not nogroup, p["last"] and not nogroup
        w.open()
        account = here.group if nogroup else Account(w, here)
        texts = [c for c in p["clauses"] if c != "default(shared)"]
        if p["grain"]:
            texts.append(p["grain"].format(p["g"]))
        x, l = w.name("x"), w.name("l")
        if reduction:
            w.line(f"{p['type']} {x} = {reduction_first(op)};")
            texts.append(f"reduction({op}: {x})")
        if last:
            w.line(f"long {l} = -1;")
            texts.append(f"lastprivate({l})")
        if nogroup:
            texts.append("nogroup")
        if inner > 1:
            texts.append("collapse(2)")
        w.pragma(f"taskloop {' '.join(texts)}")
        j = w.name("j")
        w.line(f"for (int {i} = 0; {i} < {p['n']}; {i}++)")
        if inner > 1:
            w.line(f"for (int {j} = {inner}; {j} > 0; {j}--)")
        with w.block():
            k = f"({i} * {inner} + {inner} - {j})" if inner > 1 else i
            if reduction:
                w.line(reduction_step(op, x, k, p["type"]))
            if last:
                w.line(f"{l} = {k} * 3;")
            w.pragma("atomic")
            w.line(f"{account.main} += {k} % 9 + 1;")
            inside = here.but(context="one", account=account, repeats=1, repeat="0",
                              final=here.final or "final(1)" in p["clauses"], untied="untied" in p["clauses"])
            value = Value({account.main: (sum(v % 9 + 1 for v in range(n)), 0)}).add(write_task_body(node.body, w, inside), n)
        if nogroup:
            w.close()
            return value
        mine, rest = account.take(value)
        account.check(mine)
        account.end()
        if reduction:
            w.line(f"CHECK_EQ({x}, ({p['type']}){number(reduction_result(op, n))});")
        if last:
            w.line(f"CHECK_EQ({l}, {(n - 1) * 3});")
        w.close()
        return rest.add(credit(w, here, 2))


@kind
class TaskReduction(Kind):
    """taskgroup task_reduction with tasks and taskloops that have in_reduction."""

    name, where, weight, holds, cost = "task_reduction", ("one",), 4, False, 2
    fixed = ("op", "type")

    def make(self, rng, grow):
        return {"n": grow.count(2, 20), "array": rng.random() < 0.3, "clauses": make_clauses(rng, ("payload", "mergeable")),
                "loop": rng.random() < 0.3, "deep": rng.random() < 0.3, **make_reduction(rng)}, []

    def write(self, node, w, here):
        p, x, i = node.p, w.name("x"), w.name("i")
        op, ctype, n = p["op"], p["type"], p["n"]
        length = 5 if p["array"] else 1
        item = f"{x}[:{length}]" if p["array"] else x
        with w.block():
            if p["array"]:
                w.line(f"{ctype} {x}[{length}];")
                w.line(f"for (int j = 0; j < {length}; j++) {x}[j] = {reduction_first(op)};")
            else:
                w.line(f"{ctype} {x} = {reduction_first(op)};")
            with w.construct(f"taskgroup task_reduction({op}: {item})"):
                target = f"{x}[{i} % {length}]" if p["array"] else x
                if p["loop"]:
                    w.pragma(f"taskloop in_reduction({op}: {item}) num_tasks(3) {'nogroup' if p['deep'] else ''}")
                    w.line(f"for (int {i} = 0; {i} < {n}; {i}++) {{ {reduction_step(op, target, i, ctype)} }}")
                else:
                    clauses = " ".join(c.format(i=i, a=here.account.main.name) for c in p["clauses"] if c != "default(shared)")
                    with w.block(f"for (int {i} = 0; {i} < {n}; {i}++) {{"):
                        with w.construct(f"task in_reduction({op}: {item}) {clauses}"):
                            w.line(reduction_step(op, target, i, ctype))
                            if p["deep"]:
                                w.pragma("taskyield")
            if p["array"]:
                results = [reduction_first(op)] * length
                for k in range(n):
                    results[k % length] = COMBINE[op](results[k % length], REDUCTIONS[op][1](k))
                for j, value in enumerate(results):
                    w.line(f"CHECK_EQ({x}[{j}], ({ctype}){number(value)});")
            else:
                w.line(f"CHECK_EQ({x}, ({ctype}){number(reduction_result(op, n))});")
        return credit(w, here, 1)


@kind
class OrphanReduction(Kind):
    """A variable at file scope, which a construct reduces; tasks name it in a function that knows nothing of the construct. A mutex keeps
    other threads of the program away from it."""

    name, where, weight, holds, cost = "orphan reduction", ("top",), 1, False, 200
    fixed = ("op", "type")
    forms = ("group", "for", "parallel", "sections", "taskloop")

    def make(self, rng, grow):
        return {"n": grow.count(2, 20), "form": rng.choice(self.forms), "deep": rng.randint(1, 3), "wait": rng.random() < 0.5,
                "threads": rng.choice([0, 0, 1, 2, 5]), "clause": rng.choice(["", "untied", "mergeable", "priority({k})", "if({k} % 2)"]),
                **make_reduction(rng)}, []

    def write(self, node, w, here):
        p, x, f = node.p, w.global_name("x"), w.global_name("f")
        op, ctype, n, form, deep = p["op"], p["type"], p["n"], p["form"] or "group", p["deep"]
        step = reduction_step(op, x, "k", ctype)
        w.globals.append("\n".join([
            f"static {ctype} {x};", f"static pthread_mutex_t {x}_mutex = PTHREAD_MUTEX_INITIALIZER;",
            f"static void {f}(int k, int deep) {{",
            f"#pragma omp task in_reduction({op}: {x}) firstprivate(k, deep) {p['clause'].format(k='k')}", "  {", f"    {step}",
            f"    if (deep > 1) {f}(k + {n}, deep - 1);", "  }", *(["#pragma omp taskwait"] if p["wait"] else []), "}"]))
        w.line(f"pthread_mutex_lock(&{x}_mutex);")
        w.line(f"{x} = {reduction_first(op)};")
        reduces, loop = f"reduction({'' if form == 'taskloop' else 'task, '}{op}: {x})", f"for (int i = 0; i < {n}; i++) {f}(i, {deep});"
        threads = f"num_threads({p['threads']})" if p["threads"] else ""
        w.pragma(f"parallel {threads} {reduces if form == 'parallel' else ''}")
        if form == "group":
            w.pragma("single")
            w.pragma(f"taskgroup task_reduction({op}: {x})")
            w.line(loop)
        elif form == "sections":
            with w.construct(f"sections {reduces}"):
                for half in (0, 1):
                    w.pragma("section")
                    w.line(f"for (int i = {half}; i < {n}; i += 2) {f}(i, {deep});")
        elif form == "taskloop":
            w.pragma("single")
            w.pragma(f"taskloop {reduces}")
            w.line(loop)
        else:
            w.pragma(f"for {reduces if form == 'for' else ''}")
            w.line(loop)
        w.line(f"CHECK_EQ({x}, ({ctype}){number(reduction_result(op, n * deep))});")
        w.line(f"pthread_mutex_unlock(&{x}_mutex);")
        return credit(w, here, 1)


@kind
class Urgent(Kind):
    """Urgent tasks that need what a plain, older sibling does: they poll its flag, or wait for a child whose event it fulfils. One thread of
    the team at least is left for the plain ones."""

    name, where, weight, holds, cost = "urgent", ("top",), 1, False, 200
    forms = ("flag", "event")

    def make(self, rng, grow):
        return {"threads": rng.choice([2, 2, 3, 4, 8]), "n": grow.count(1, 12), "more": rng.randint(0, 9), "rounds": rng.choice([1, 3, 20]),
                "form": rng.choice(self.forms)}, []

    def write(self, node, w, here):
        p, t = node.p, w.name("t")
        event = p["form"] == "event"
        w.pragma(f"parallel num_threads({p['threads']})")
        w.pragma("single")
        with w.block(f"for (int r = 0; r < {p['rounds']}; r++) {{"):
            w.line(f"int {t}_[{p['n']}] = {{0}}, *{t} = {t}_, urgent = omp_get_num_threads() - 1 < {p['n']} ? omp_get_num_threads() - 1 : {p['n']};")
            if event:
                w.line(f"omp_event_handle_t e_[{p['n']}], *e = e_;")
            with w.block("for (int i = 0; i < urgent; i++) {"):
                with w.construct("task"):
                    if event:
                        w.line(f"while (!__atomic_load_n(&{t}[i], __ATOMIC_ACQUIRE)) sched_yield();")
                        w.line("omp_fulfill_event(e[i]);")
                    else:
                        w.line(f"__atomic_store_n(&{t}[i], 1, __ATOMIC_RELEASE);")
            w.line(f"for (int i = 0; i < {p['more']}; i++) {{")
            w.pragma("task")
            w.line("sched_yield();")
            w.line("}")
            with w.block("for (int i = 0; i < urgent; i++) {"):
                with w.construct("task priority(100)"):
                    if event:
                        w.line("omp_event_handle_t ev;")
                        w.pragma("task detach(ev)")
                        w.line("sched_yield();")  # GCC 12 leaves a task without body out, and its event unset
                        w.line("e[i] = ev;")
                        w.line(f"__atomic_store_n(&{t}[i], 1, __ATOMIC_RELEASE);")
                        w.pragma("taskwait")
                    else:
                        w.line(f"while (!__atomic_load_n(&{t}[i], __ATOMIC_ACQUIRE)) sched_yield();")
            w.pragma("taskwait")
        return credit(w, here, 1)


@kind
class Detach(Kind):
    """Detached tasks; the event is fulfilled by the creator, the task itself, a sibling, a child, one of their children, or a plain pthread."""

    name, where, weight, holds, cost = "detach", ("one",), 4, False, 4
    forms = ("creator", "self", "sibling", "child", "pthread", "grandchild", "nephew", "nephew's child")

    def make(self, rng, grow):
        return {"n": grow.count(1, 6), "form": rng.choice(self.forms), "group": rng.random() < 0.4,
                "clauses": [c for c in ("untied", "priority(1)") if rng.random() < 0.2], "wait": rng.random() < 0.3}, []

    def write(self, node, w, here):
        p, i, ev = node.p, w.name("i"), w.name("e")
        form, n = p["form"] or "self", p["n"]
        if here.final and form != "self":
            form = "self"  # an included task that waits for its creator waits for ever
        with w.block():
            account = Account(w, here)
            thread = form == "pthread"
            if thread:
                w.line(f"pthread_t th_{ev}[{n}];")
            if p["group"]:
                w.pragma("taskgroup")
            with w.block():
                with w.block(f"for (int {i} = 0; {i} < {n}; {i}++) {{"):
                    w.line(f"omp_event_handle_t {ev};")
                    with w.construct(f"task detach({ev}) {' '.join(p['clauses'])}"):
                        w.pragma("atomic")
                        w.line(f"{account.main} += 1;")
                        if p["wait"]:
                            w.pragma("taskyield")
                        if form == "self":
                            w.line(f"omp_fulfill_event({ev});")
                        if form in ("child", "grandchild"):
                            self.write_fulfilling(w, ev, 2 if form == "grandchild" else 1)
                    if form == "creator":
                        w.line(f"omp_fulfill_event({ev});")
                    elif form == "sibling":
                        with w.construct(f"task firstprivate({ev})"):
                            w.pragma("atomic")
                            w.line(f"{account.main} += 2;")
                            w.line(f"omp_fulfill_event({ev});")
                    elif form.startswith("nephew"):
                        self.write_fulfilling(w, ev, 2 if form == "nephew" else 3)
                    elif thread:
                        w.line(f"CHECK_EQ(pthread_create(&th_{ev}[{i}], 0, fuzz_fulfill, fuzz_event({ev})), 0);")
            if not p["group"]:
                w.pragma("taskwait")
            account.check(Value({account.main: (n * (3 if form == "sibling" else 1), 0)}))
            if thread:
                w.line(f"for (int i = 0; i < {n}; i++) CHECK_EQ(pthread_join(th_{ev}[i], 0), 0);")
            account.end()
        return credit(w, here, 1)


    def write_fulfilling(self, w, ev, generations):
        """A task, or one in one, that fulfils the event; those around do not wait for it."""
        for _ in range(generations):
            w.pragma(f"task firstprivate({ev})")
            w.open()
        w.line(f"omp_fulfill_event({ev});")
        for _ in range(generations):
            w.close()


@kind
class Tree(Kind):
    """A recursive function of tasks: the shape that task programs have."""

    name, where, weight, holds, cost = "recursion", ("one",), 4, False, 20
    smallest = {"depth": 0}

    def make(self, rng, grow):
        depth = rng.randint(1, 4)
        width = 2 if depth > 2 else rng.randint(2, 4)
        return {"depth": depth, "width": width, "clauses": make_clauses(rng, ("affinity({a}[0])",)), "size": rng.choice([1, 40, 300]),
                "wait": rng.choice(["taskwait", "taskgroup", "end"]) if grow.group else rng.choice(["taskwait", "taskgroup"]),
                "cut": rng.randint(0, 2)}, []

    def write(self, node, w, here):
        p, name, i = node.p, w.global_name("f"), w.name("i")
        wait = p["wait"] or "taskwait"
        if wait == "end" and here.group is None:
            wait = "taskwait"
        depth, width = p["depth"], p["width"]
        lines, w.lines, indent, w.indent = w.lines, [], w.indent, 1
        clauses, check, _ = write_clauses(node, w, here, i)
        payload = w.lines
        w.lines, w.indent = lines, indent
        text = [f"static void {name}(int depth, long *count) {{", "#pragma omp atomic", "  *count += 1;", "  if (depth == 0) return;"]
        if wait == "taskgroup":
            text.append("#pragma omp taskgroup")
        text += [f"  for (int {i} = 0; {i} < {width}; {i}++) {{", *payload,
                 f"#pragma omp task {clauses} final(depth <= {p['cut']})" if "final" not in clauses else f"#pragma omp task {clauses}",
                 "    {", f"      {check}", f"      {name}(depth - 1, count);", "    }", "  }"]
        if wait == "taskwait":
            text.append("#pragma omp taskwait")
        w.globals.append("\n".join([*text, "}"]))
        nodes = sum(width ** level for level in range(depth + 1))
        if wait == "end":
            w.line(f"{name}({depth}, &{here.group.main});")
            return Value({here.group.main: (nodes, 0)})
        with w.block():
            account = Account(w, here)
            w.line(f"{name}({depth}, &{account.main});")
            account.check(Value({account.main: (nodes, 0)}))
            account.end()
        return credit(w, here, 1)

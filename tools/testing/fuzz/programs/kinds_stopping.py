"""Tasks that stop in the middle, and go on when another one, or a thread that OpenMP does not know, says so."""

from programs.kinds_tasks import make_clauses
from programs.kinds_process import Whole
from programs.tree import Kind, Value, kind
from programs.writer import Account, credit, write_task_body


@kind
class StopHere(Whole):
    """The initial task stops between regions, an implicit one in its region, a task where it is; a pthread lets it go on, or the clock."""

    name, where, weight, cost = "stop-here", ("top", "team", "one"), 2, 60

    def make(self, rng, grow):
        return {"times": rng.randint(1, 4), "ns": rng.choice([0, 1000, 100000])}, []

    def write(self, node, w, here):
        w.line(f"fuzz_stop_here({node.p['times']}, {node.p['ns']});")
        return credit(w, here, 1)


@kind
class Stop(Kind):
    """Tasks that are suspended, end only after an event, or yield until it is their turn. The creator lets them go on, or a sibling made
    earlier or later, a child, a grandchild, the task itself beforehand, or a pthread. Only chomp has that, where FUZZ_STOPS=1 is set before
    the first region: otherwise they go on at once, which gives the same answers."""

    name, where, weight, cost = "stop", ("one",), 4, 6
    forms = ("creator", "later", "earlier", "child", "grandchild", "self", "pthread")
    how = ("suspend", "suspend", "event", "turn")

    def make(self, rng, grow):
        n = grow.count(1, 10)
        leave_out = ("mergeable", "if(0)", "if({i} % 2)", "final({i} % 3 == 1)", "payload", "affinity({a}[0])", "default(shared)")
        return {"n": n, "form": rng.choice(self.forms), "how": rng.choice(self.how), "times": rng.choice([1, 1, 2, 5]),
                "clauses": make_clauses(rng, leave_out), "group": rng.random() < 0.4}, grow("one", times=n, most=2)

    def write(self, node, w, here):
        p, n, i, h = node.p, node.p["n"], w.name("i"), w.name("h")
        form, how = p["form"] or "self", p["how"] or "suspend"
        if here.final:  # its creator waits for each
            form, how = "pthread" if form == "pthread" else "self", "suspend" if how == "turn" else how
        times = 1 if how == "event" else p["times"]
        w.open()
        account = Account(w, here)
        w.line(f"void *{h}_[{n}], **{h} = {h}_;")
        w.line(f"for (int j = 0; j < {n}; j++) {h}[j] = 0;")
        w.line(f"int t{h}_ = {n - 1}, *t{h} = &t{h}_; (void)t{h};")
        if form == "pthread":
            w.line(f"pthread_t p{h}[{n}];")
        if p["group"]:
            w.pragma("taskgroup")
        w.open()
        w.open(f"for (int {i} = 0; {i} < {n}; {i}++) {{")
        helps = how != "turn"
        if helps and form == "pthread":
            w.line(f"struct fuzz_stopped* s = fuzz_stopped(&{h}[{i}], {times}, {int(how == 'event')});")
            w.line(f"CHECK_EQ(pthread_create(&p{h}[{i}], 0, fuzz_let_go_on, s), 0);")
        if helps and form == "earlier":
            self.write_helper(w, h, i, how, times, 1)
        w.pragma(f"task firstprivate({i}, {h}, t{h}) " + " ".join(c.format(i=i) for c in p["clauses"]))
        w.open()
        self.add(w, account, 1)
        inside = here.but(context="one", account=account, untied="untied" in p["clauses"], repeats=1, repeat="0",
                          final=here.final or "final(1)" in p["clauses"], group=account if p["group"] else here.group)
        if helps and form in ("child", "grandchild"):
            self.write_helper(w, h, i, how, times, 2 if form == "grandchild" else 1)
        for _ in range(times if helps else 1):
            self.write_stop(w, h, i, how, form, n)
        mine, rest = account.take(write_task_body(node.body, w, inside), n)
        self.add(w, account, 2)
        w.close()
        if helps and form == "later":
            self.write_helper(w, h, i, how, times, 1)
        w.close()
        if helps and form == "creator":
            w.line(f"for (int j = 0; j < {n * times}; j++) fuzz_go_on(&{h}[j % {n}], {int(how == 'event')});")
        w.close()
        if not p["group"]:
            w.pragma("taskwait")
        if helps and form == "pthread":
            w.line(f"for (int j = 0; j < {n}; j++) CHECK_EQ(pthread_join(p{h}[j], 0), 0);")
        account.check(mine.add(Value({account.main: (3, 0)}), n))
        account.end()
        w.close()
        return rest.add(credit(w, here, 2))

    def add(self, w, account, amount):
        w.pragma("atomic")
        w.line(f"{account.main} += {amount};")

    def write_stop(self, w, h, i, how, form, n):
        if how == "turn":
            w.line(f"fuzz_take_turn(t{h}, {i});" if n > 1 else f"(void)t{h};")
        elif form == "self":
            w.line(f"fuzz_stop_resumed(&{h}[{i}], {int(how == 'event')});")
        else:
            w.line(f"fuzz_stop(&{h}[{i}], {int(how == 'event')});")

    def write_helper(self, w, h, i, how, times, generations):
        """A task, or one in one, that lets the task go on."""
        for _ in range(generations):
            w.pragma(f"task firstprivate({i}, {h})")
            w.open()
        w.line(f"for (int j = 0; j < {times}; j++) fuzz_go_on(&{h}[{i}], {int(how == 'event')});")
        for _ in range(generations):
            w.close()

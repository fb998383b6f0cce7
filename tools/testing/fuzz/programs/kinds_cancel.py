"""Cancellation of every construct. What is cancelled may have been done or not, but never twice, and the canceller's own part always:
the answers are bounds, and exact where cancellation is off (OMP_CANCELLATION)."""

from programs.tree import Kind, kind
from programs.writer import credit


class CancelKind(Kind):
    holds = False

    def make(self, rng, grow):
        n = grow.count(2, 30)
        return {"n": n, "at": rng.randrange(n), "if": rng.choice(["", "", "", "if(1)", "if(0)"]), "point": rng.random() < 0.7,
                "schedule": rng.choice(["", "static", "static,1", "dynamic", "dynamic,3", "guided"])}, []

    smallest = {"at": 0}

    def check(self, w, p, line=None):
        """seen[i] is 1 for the canceller's own part, at most 1 for each, and 1 for all if nothing can be cancelled."""
        n, at = p["n"], p["at"] % p["n"]
        off = "1" if p["if"] == "if(0)" else "!omp_get_cancellation()"
        (line or w.line)(f"for (int i = 0; i < {n}; i++) CHECK({self.seen}[i] == 1 || (!({off}) && i != {at} && {self.seen}[i] == 0));")

    def declare(self, w, n, where):
        self.seen = w.name("seen")
        where(f"int {self.seen}_[{n}], *{self.seen} = {self.seen}_;")
        where(f"memset({self.seen}, 0, sizeof {self.seen}_);")


@kind
class CancelFor(CancelKind):
    """`cancel for` in a loop of a region."""

    name, where, weight, cost = "cancel for", ("one",), 2, 60

    def write(self, node, w, here):
        p, i = node.p, w.name("i")
        with w.block():
            self.declare(w, p["n"], w.line)
            after = w.name("a")
            w.line(f"long {after} = 0, {after}_all = 0;")
            with w.construct(f"parallel {'num_threads(2)' if here.regions else ''} reduction(+: {after})"):
                w.pragma(f"for {'schedule(' + p['schedule'] + ')' if p['schedule'] else ''}")
                with w.block(f"for (int {i} = 0; {i} < {p['n']}; {i}++) {{"):
                    w.line(f"{self.seen}[{i}]++;")
                    w.line(f"if ({i} == {p['at'] % p['n']}) {{")
                    w.pragma(f"cancel for {p['if']}")
                    w.line("}")
                    if p["point"]:
                        w.pragma("cancellation point for")
                w.line(f"{after} += 1;")
                w.pragma("barrier")
                # The next loop is whole.
                w.pragma(f"for reduction(+: {after}_all) schedule(dynamic)")
                w.line(f"for (int j = 0; j < 20; j++) {after}_all += 1;")
            self.check(w, p)
            w.line(f"CHECK({after} >= 1 && {after}_all == 20);")
        return credit(w, here, 1)


@kind
class CancelSections(CancelKind):
    """`cancel sections`."""

    name, where, weight, cost = "cancel sections", ("one",), 1, 60

    def write(self, node, w, here):
        p = {**node.p, "n": min(node.p["n"], 6)}
        with w.block():
            self.declare(w, p["n"], w.line)
            with w.construct(f"parallel sections {'num_threads(2)' if here.regions else ''}"):
                for i in range(p["n"]):
                    with w.construct("section"):
                        w.line(f"{self.seen}[{i}]++;")
                        if i == p["at"] % p["n"]:
                            w.pragma(f"cancel sections {p['if']}")
                        elif p["point"]:
                            w.pragma("cancellation point sections")
            self.check(w, p)
        return credit(w, here, 1)


@kind
class CancelParallel(CancelKind):
    """`cancel parallel`, by one of the threads; others may be in a barrier, or have ended."""

    name, where, weight, cost = "cancel parallel", ("one",), 2, 60

    def write(self, node, w, here):
        p, a = node.p, w.name("a")
        with w.block():
            w.line(f"int {a}_[3] = {{0, 0, 0}}, *{a} = {a}_, nt_ = 0, *nt = &nt_;")
            with w.construct(f"parallel {'num_threads(3)' if here.regions else ''}"):
                w.pragma("atomic write")
                w.line("*nt = omp_get_num_threads();")
                w.pragma("atomic")
                w.line(f"{a}[0] += 1;")
                w.line(f"if (omp_get_thread_num() == {p['at']} % omp_get_num_threads()) {{")
                w.pragma(f"cancel parallel {p['if']}")
                w.line("}")
                if p["point"]:
                    w.pragma("cancellation point parallel")
                w.pragma("atomic")
                w.line(f"{a}[1] += 1;")
                if p["schedule"]:
                    w.pragma("barrier")
                w.pragma("atomic")
                w.line(f"{a}[2] += 1;")
            w.line(f"CHECK_EQ({a}[0], nt_);")
            w.line(f"CHECK({a}[1] <= nt_ && {a}[2] <= {a}[1]);")
            off = "1" if p["if"] == "if(0)" else "!omp_get_cancellation()"
            w.line(f"CHECK(({off}) ? {a}[1] == nt_ && {a}[2] == nt_ : {a}[1] < nt_);")
            if p["schedule"]:
                w.line(f"CHECK(({off}) || {a}[2] == 0);")
        return credit(w, here, 1)


@kind
class CancelTaskgroup(CancelKind):
    """`cancel taskgroup`, in tasks or in a taskloop; nested groups and tasks outside it are left alone."""

    name, where, weight, cost = "cancel taskgroup", ("one",), 4, 20

    def make(self, rng, grow):
        p, body = super().make(rng, grow)
        return {**p, "loop": rng.random() < 0.3, "children": rng.random() < 0.3, "outside": rng.random() < 0.3,
                "depend": rng.random() < 0.2}, body

    def write(self, node, w, here):
        p, i = node.p, w.name("i")
        with w.block():
            self.declare(w, p["n"], w.line)
            w.line("long out_ = 0, *out = &out_;")
            if p["outside"]:
                with w.construct("task"):
                    w.pragma("atomic")
                    w.line("*out += 1;")
            if p["loop"]:
                w.pragma("taskloop grainsize(1)")
            else:
                w.pragma("taskgroup")
            with w.block(f"for (int {i} = 0; {i} < {p['n']}; {i}++) {{"):
                if not p["loop"]:
                    w.pragma(f"task {f'depend(inout: {self.seen}[{i} % 3])' if p['depend'] else ''}")
                    w.open()
                w.line(f"{self.seen}[{i}]++;")
                if p["children"]:
                    with w.construct("task"):
                        w.pragma("atomic")
                        w.line("*out += 100;")
                w.line(f"if ({i} == {p['at'] % p['n']}) {{")
                w.pragma(f"cancel taskgroup {p['if']}")
                w.line("}")
                if p["point"]:
                    w.pragma("cancellation point taskgroup")
                if not p["loop"]:
                    w.close()
            self.check(w, p)
            if p["outside"]:
                w.pragma("taskwait")
            w.line(f"CHECK_EQ(*out % 100, {1 if p['outside'] else 0});")
            w.line(f"CHECK(*out <= {100 * p['n'] + 1});")
        return credit(w, here, 1)

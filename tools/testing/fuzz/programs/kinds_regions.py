"""Kinds of regions and of what a team does together: parallel, teams, single, masked, barriers, threadprivate, scope."""

from programs.kinds_basic import NUMBERS
from programs.tree import KINDS, Kind, Unfit, Value, kind
from programs.writer import Account, Team, credit, write_body


@kind
class Parallel(Kind):
    """A parallel region."""

    name, where, weight, cost = "parallel", ("one",), 7, 60
    smallest = {"threads": 0}

    def make(self, rng, grow):
        if grow.regions >= 3:
            return None
        return {"threads": rng.choice([0, 0, 0, 1, 2, 3, 4, 7]) if grow.regions == 0 else rng.randint(1, 3),
                "if": rng.choice(["", "", "", "", "if(0)", "if(parallel: 1)"]), "bind": rng.choice(["", "", "", "close", "spread", "primary"]),
                "reduction": rng.random() < 0.3, "type": rng.choice(NUMBERS), "payload": rng.random() < 0.2,
                "size": rng.choice([1, 30, 500])}, grow("team", regions=1, group=True, most=5)

    def write(self, node, w, here):
        p, n, level, x, q = node.p, w.name("n"), w.name("lv"), w.name("x"), w.name("q")
        with w.block():
            account, before, after = Account(w, here), w.hole(), []
            w.line(f"int {n}_ = 0, *{n} = &{n}_, {level} = omp_get_level();")
            threads = p["threads"] or (2 if here.regions else 0)
            texts = [p["if"], f"num_threads({threads})" if threads else "", f"proc_bind({p['bind']})" if p["bind"] else ""]
            reduction = p["reduction"] and p["type"]
            if reduction:
                w.line(f"{p['type']} {x} = 2;")
                texts.append(f"reduction(+: {x})")
            if p["payload"]:
                w.line(f"struct {q}_t {{ unsigned char b[{p['size']}]; }} {q};")
                w.line(f"memset(&{q}, 7, sizeof {q});")
                texts.append(f"firstprivate({q})")
            with w.construct(f"parallel {' '.join(texts)}"):
                w.line("int threads = omp_get_num_threads();")
                w.pragma("atomic write")
                w.line(f"*{n} = threads;")
                w.line(f"CHECK_EQ(omp_get_level(), {level} + 1);")
                w.line(f"CHECK_EQ(omp_get_ancestor_thread_num({level} + 1), omp_get_thread_num());")
                w.line(f"CHECK_EQ(omp_get_team_size({level} + 1), threads);")
                if threads:
                    w.line(f"CHECK(threads <= {threads});")
                if p["if"] == "if(0)":
                    w.line("CHECK_EQ(threads, 1);")
                if reduction:
                    w.line(f"{x} += omp_get_thread_num() % 3 + 1;")
                if p["payload"]:
                    w.line(f"CHECK_EQ({q}.b[{p['size']} - 1], 7);")
                    w.line(f"{q}.b[{p['size']} - 1] = (unsigned char)omp_get_thread_num();")
                inside = here.but(context="team", account=account, group=account, team=Team(before, after, f"*{n}"), repeats=1, repeat="0",
                                  regions=here.regions + 1, untied=False)
                mine, rest = account.take(write_body(node.body, w, inside))
            for line in after:
                w.line(line)
            account.check(mine, threads=f"*{n}")
            account.end()
            if reduction:
                w.line(f"{p['type']} want_{x} = 2;")
                w.line(f"for (int i = 0; i < *{n}; i++) want_{x} += i % 3 + 1;")
                w.line(f"CHECK_EQ({x}, want_{x});")
        return rest.add(credit(w, here, 4))


class OneOfTheTeam(Kind):
    """What single and masked share: one thread executes the body."""

    def write_one(self, w, here, node, directive, barrier):
        account = Account(w, here, once=not barrier)
        with w.construct(directive):
            w.pragma("atomic")
            w.line(f"{account.main} += 1;")
            value = Value({account.main: (1, 0)})
            value.add(write_body(node.body, w, here.but(context="one", account=account, repeats=1, repeat="0")))
        mine, _ = account.take(value, 1 if barrier else here.repeats)
        _, rest = account.take(value)
        return account, mine, rest


@kind
class Single(OneOfTheTeam):
    """`omp single`."""

    name, where, weight = "single", ("team",), 8

    def make(self, rng, grow):
        return {"form": rng.choice(["", "", "nowait", "copyprivate"]), "size": rng.choice([1, 3, 90])}, grow("one", times=1)

    def write(self, node, w, here):
        form, v, n = node.p["form"], w.name("v"), node.p["size"]
        with w.block():
            directive = "single"
            if form == "nowait":
                directive = "single nowait"
            elif form == "copyprivate":
                w.line(f"long {v}[{n}];")
                w.line(f"for (int i = 0; i < {n}; i++) {v}[i] = -1;")
                directive = f"single copyprivate({v})"
                node = node.copy()
            account = Account(w, here, once=form == "nowait")
            with w.construct(directive):
                w.pragma("atomic")
                w.line(f"{account.main} += 1;")
                value = Value({account.main: (1, 0)})
                value.add(write_body(node.body, w, here.but(context="one", account=account, repeats=1, repeat="0")))
                if form == "copyprivate":
                    w.line(f"for (int i = 0; i < {n}; i++) {v}[i] = i * 5 + 1;")
            mine, _ = account.take(value, here.repeats if form == "nowait" else 1)
            _, rest = account.take(value)
            if form == "nowait":
                account.check(mine, line=here.team.after.append, everywhere=True)
            else:
                account.check(mine)
            account.end(here.team.after.append)
            if form == "copyprivate":
                w.line(f"for (int i = 0; i < {n}; i++) CHECK_EQ({v}[i], i * 5 + 1);")
        return rest.add(credit(w, here, 3))


@kind
class Masked(OneOfTheTeam):
    """`omp masked` and `omp master`."""

    name, where, weight = "masked", ("team",), 4

    def make(self, rng, grow):
        return {"form": rng.choice(["masked", "master", "filter"]), "barrier": rng.random() < 0.5, "k": rng.randint(0, 40)}, grow("one", times=1)

    def write(self, node, w, here):
        directive = {"filter": f"masked filter({node.p['k']} % omp_get_num_threads())", "master": "master"}.get(node.p["form"], "masked")
        with w.block():
            account, mine, rest = self.write_one(w, here, node, directive, node.p["barrier"])
            if node.p["barrier"]:
                w.pragma("barrier")
                account.check(mine)
            else:
                account.check(mine, line=here.team.after.append, everywhere=True)
            account.end(here.team.after.append)
        return rest.add(credit(w, here, 2))


@kind
class Barrier(Kind):
    """A barrier: what every thread wrote before it is seen after it."""

    name, where, weight, holds = "barrier", ("team",), 4, False

    def make(self, rng, grow):
        return {"plain": rng.random() < 0.5}, []

    def write(self, node, w, here):
        if node.p["plain"]:
            w.pragma("barrier")
            return Value()
        with w.block():
            account = Account(w, here)
            w.pragma("atomic")
            w.line(f"{account.main} += 1;")
            w.pragma("barrier")
            account.check(Value({account.main: (0, 1)}), threads="threads")
        return Value()


@kind
class Scope(Kind):
    """`omp scope`, where the compiler knows it; a block elsewhere."""

    name, where, weight = "scope", ("team",), 1

    def make(self, rng, grow):
        return {"nowait": rng.random() < 0.5}, [child for child in grow("team", most=2) if self.holds_this(child)]

    def holds_this(self, child):
        return "team" not in KINDS[child.kind].where or child.kind in ("add", "atomic")

    def write(self, node, w, here):
        w.pragmas("", f"scope {'nowait' if node.p['nowait'] else ''}")
        with w.block():
            if not all(map(self.holds_this, node.body)):
                raise Unfit("worksharing in scope")
            total = write_body(node.body, w, here)
        return total


@kind
class ThreadPrivate(Kind):
    """A threadprivate variable: copyin, each thread its own, copyprivate."""

    name, where, weight, holds, cost = "threadprivate", ("one",), 3, False, 60

    def make(self, rng, grow):
        if grow.regions >= 2:
            return None
        return {"size": rng.choice([1, 3, 50]), "copyprivate": rng.random() < 0.4, "loop": rng.random() < 0.4,
                "threads": rng.randint(1, 4)}, []

    def write(self, node, w, here):
        if here.untied:
            return credit(w, here, 1)  # an untied task may change its thread in the middle
        p, name = node.p, w.global_name("t")
        size = p["size"]
        w.globals.append(f"static long {name}[{size}];\n#pragma omp threadprivate({name})")
        last = f"{name}[{size - 1}]"
        with w.block():
            w.line(f"for (int i = 0; i < {size}; i++) {name}[i] = 1000 + i;")
            threads = f"num_threads({p['threads']})" if here.regions or p["threads"] % 2 else ""
            with w.construct(f"parallel copyin({name}) {threads}"):
                w.line(f"CHECK_EQ({last}, {1000 + size - 1});")
                w.line(f"{last} = omp_get_thread_num();")
                w.pragma("barrier")
                w.line(f"CHECK_EQ({last}, omp_get_thread_num());")
                if p["loop"]:
                    w.pragma("for schedule(dynamic)")
                    w.line(f"for (int i = 0; i < 20; i++) {last} += 100;")
                    w.line(f"CHECK_EQ({last} % 100, omp_get_thread_num() % 100);")
                if p["copyprivate"]:
                    w.pragma(f"single copyprivate({name})")
                    w.line(f"{last} = 77;")
                    w.line(f"CHECK_EQ({last}, 77);")
        return credit(w, here, 1)


@kind
class Teams(Kind):
    """A host `teams` construct with distribute."""

    name, where, weight, holds, cost = "teams", ("top",), 4, False, 100
    forms = ("parallel", "distribute", "distribute parallel for", "parallel for")

    def make(self, rng, grow):
        return {"teams": rng.randint(1, 5), "limit": rng.choice([0, 0, 1, 2, 3, 5]), "n": grow.count(1, 60), "form": rng.choice(self.forms),
                "reduction": rng.random() < 0.5, "chunk": rng.choice([0, 0, 1, 5]), "schedule": rng.choice(["", "static", "dynamic", "guided"])}, []

    smallest = {"limit": 0, "chunk": 0}

    def write(self, node, w, here):
        p, i, seen, x = node.p, w.name("i"), w.name("seen"), w.name("x")
        n = p["n"]
        form = p["form"] or "distribute"
        with w.block():
            w.line(f"long {seen}_[{n}], *{seen} = {seen}_, {x} = 1, teams_ = 0, *teams = &teams_;")
            w.line(f"memset({seen}, 0, sizeof {seen}_);")
            texts = [f"num_teams({p['teams']})", f"thread_limit({p['limit']})" if p["limit"] else "",
                     f"reduction(+: {x})" if p["reduction"] else ""]
            with w.construct(f"teams {' '.join(texts)}"):
                w.line(f"CHECK(omp_get_num_teams() <= {p['teams']} && omp_get_team_num() < omp_get_num_teams());")
                # OpenMP allows no more than these calls here, no atomic construct either.
                w.line("__atomic_store_n(teams, omp_get_num_teams(), __ATOMIC_RELAXED);")
                chunk = f"dist_schedule(static, {p['chunk']})" if p["chunk"] else ""
                schedule = f"schedule({p['schedule']})" if p["schedule"] else ""
                if form == "distribute":
                    w.pragma(f"distribute {chunk}")
                elif form == "distribute parallel for":
                    w.pragma(f"distribute parallel for {chunk} {schedule}")
                elif form == "parallel for":
                    w.pragma(f"parallel for {schedule}")
                if form != "parallel":
                    with w.block(f"for (int {i} = 0; {i} < {n}; {i}++) {{"):
                        w.pragma("atomic")
                        w.line(f"{seen}[{i}] += 1;")
                    each = "teams_" if form == "parallel for" else "1"
                    check = f"for (int i = 0; i < {n}; i++) CHECK_EQ({seen}[i], {each});"
                else:
                    with w.construct("parallel"):
                        if p["limit"]:
                            w.line(f"CHECK(omp_get_num_threads() <= {p['limit']} && omp_get_thread_limit() <= {p['limit']});")
                        with w.construct("single"):
                            w.pragma("atomic")
                            w.line(f"{seen}[0] += 1;")
                    check = f"CHECK_EQ({seen}[0], teams_);"
                if p["reduction"]:
                    w.line(f"{x} += omp_get_team_num() + 1;")
            w.line(check)
            if p["reduction"]:
                w.line(f"CHECK_EQ({x}, 1 + (long)teams_ * (teams_ + 1) / 2);")
        return credit(w, here, 1)

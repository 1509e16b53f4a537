"""Costing the kernels of a file: units, times and launch of each; what an edit leaves alone is not costed again."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from operator import is_
from weakref import WeakKeyDictionary

from burstline_model.estimate.assumed_network import sized_alike
from burstline_model.estimate.both_ends import decided, shared_ends, starving
from burstline_model.estimate.concurrent import Joined, Running, connected, running_together, waited_for
from burstline_model.estimate.fed import fed
from burstline_model.estimate.kernel import Built
from burstline_model.estimate.kernel_estimate import KernelEstimate
from burstline_model.estimate.remark_kinds import Remark, StartsBehind, WithoutOthers
from burstline_model.estimate.round_trips import answered
from burstline_model.facts import KernelFacts
from burstline_model.launch import Launch
from burstline_server.analysis.reuse import KernelList, PlacedKernel
from burstline_server.assessment.costing import CostingContext, KernelAssessments, KernelCost
from burstline_server.assessment.kept_costs import FileCosts, JoinedCosts
from burstline_server.assessment.reports import KernelBuild
from burstline_server.caches.bounded import BoundedCache

_log = logging.getLogger(__name__)
MAX_COSTS = 2048
"""Fewest kernels whose costs are kept."""
MAX_BUILT = 64
"""Fewest kernels with channels that are kept as they are built."""


class CostCache:
    """The costs of the kernels that were costed last."""

    def __init__(self) -> None:
        self._kernels = BoundedCache[object, KernelCost]("kernel costs", MAX_COSTS)
        self._files = BoundedCache[str, FileCosts[KernelCost]]("costs of a file", MAX_FILES)
        self._built = BoundedCache[object, Built]("built kernels", MAX_BUILT)
        self._parts = BoundedCache[object, Sequence[Joined]]("kernels at one time", MAX_PARTS)
        self._joint = BoundedCache[str, JoinedCosts[KernelCost]]("costs of joined kernels", MAX_FILES)
        self._slowed = WeakKeyDictionary[KernelCost, tuple[float, KernelCost]]()
        """The costs at the clock of others that were asked for last, by those at the kernels' own clocks."""
        self._together = WeakKeyDictionary[KernelCost, tuple[Joined, KernelCost]]()
        """The costs with others at the same time that were asked for last, by those without."""
        self._noted = WeakKeyDictionary[KernelCost, tuple[Remark, KernelCost]]()
        """The costs with what follows from other kernels, by those without."""
        self._alike = WeakKeyDictionary[KernelCost, tuple[KernelEstimate, KernelCost]]()
        """The costs at assumed sizes that follow from other kernels, by those without."""

    def of(
        self, costing: CostingContext, kernels: Sequence[PlacedKernel], withheld: Collection[int] = ()
    ) -> KernelAssessments:
        """The kernels of a file; the same text on the same device and launch is costed once.

        `withheld`: the numbers of kernels that do not compile; no other kernel's figure rests on theirs.
        """
        self._kernels.most = max(MAX_COSTS, 2 * len(kernels))
        self._built.most = max(MAX_BUILT, len(kernels))
        found = self._joined(costing, kernels, self._each(costing, kernels, withheld), withheld)
        made = [self._made(costing, kernels[n], cost) if cost and cost.waits else cost for n, cost in enumerate(found)]
        return KernelAssessments(kernels, made)

    def _each(
        self, costing: CostingContext, kernels: Sequence[PlacedKernel], withheld: Collection[int]
    ) -> list[KernelCost | None]:
        """The cost of each kernel as if it ran alone; of a file that is known, those that an edit changed are new."""
        if costing.apart or not isinstance(kernels, KernelList):
            return [None if n in withheld else self._one(costing, kernel) for n, kernel in enumerate(kernels)]
        shared, path = (costing.device, costing.common[1]), costing.path
        before = self._files.drop(path)
        costs: list[KernelCost | None] = [None] * len(kernels)
        if before is not None and before.shared == shared and len(before.snapshots) == len(kernels):
            pairs = zip(kernels.snapshots, before.snapshots, before.costs, strict=True)
            costs = [cost if now.facts is then.facts else None for now, then, cost in pairs]
        own = costing.settings.kernels
        missing = [number for number, cost in enumerate(costs) if cost is None]
        named = [number for number, one in enumerate(kernels.snapshots) if one.facts.name in own] if own else []
        for number in dict.fromkeys((*missing, *named)):
            if number in withheld:
                continue
            costs[number] = self._one(costing, kernels[number])
        self._files.keep(path, FileCosts(shared, kernels.snapshots, costs))
        return costs

    def _joined(
        self,
        costing: CostingContext,
        kernels: Sequence[PlacedKernel],
        costs: Sequence[KernelCost | None],
        withheld: Collection[int],
    ) -> list[KernelCost | None]:
        """The costs, kernels that channels join running at the same time."""
        found = list(costs)
        snapshots = kernels.snapshots if isinstance(kernels, KernelList) else [k.snapshot for k in kernels]
        if sum(1 for one in snapshots if one.facts.channels) < FEWEST_JOINED:
            return found
        facts = [one.facts for one in snapshots]
        made_of, lost, last = (*facts, *costs), frozenset(withheld), self._joint.find(costing.path)
        same = last is not None and (last.device, last.withheld) == (costing.device, lost)
        if last is not None and same and len(last.made_of) == len(made_of) and all(map(is_, last.made_of, made_of)):
            return list(last.costs)
        joined = self._at_once(costing, kernels, facts, found, withheld)
        self._joint.keep(costing.path, JoinedCosts(costing.device, lost, made_of, joined))
        return list(joined)

    def _at_once(
        self,
        costing: CostingContext,
        kernels: Sequence[PlacedKernel],
        facts: Sequence[KernelFacts],
        costs: Sequence[KernelCost | None],
        withheld: Collection[int],
    ) -> list[KernelCost | None]:
        """The costs of kernels that channels may join."""
        found = list(costs)
        for whole in connected(facts):
            part = [n for n in whole if n not in withheld and costs[n] is not None]
            known = [c for n in part if (c := costs[n]) is not None]
            lost = tuple(facts[n].name for n in whole if n not in part)
            if lost:  # those that have figures wait for each other all the same
                for n, cost in zip(part, known, strict=True):
                    found[n] = self._with(cost, WithoutOthers(others=lost))
            if len(part) < FEWEST_JOINED:
                continue
            launched = [(facts[n], c.launch) for n, c in zip(part, known, strict=True)]
            rounds, shares = fed(launched), decided(launched)
            known = [
                self._going(
                    costing, kernels[n], c, rounds[i][0] if i in rounds else {}, shares[i][0] if i in shares else {}
                )
                for i, (n, c) in enumerate(zip(part, known, strict=True))
            ]
            slowest_hz = min(one.f_max[0] for one in known)
            pairs = zip(part, known, strict=True)
            at_once = [one for n, c in pairs if (one := self._at_one_clock(costing, kernels[n], c, slowest_hz))]
            if len(at_once) < len(part):
                continue
            at_once = self._sized_alike(costing, [kernels[n] for n in part], at_once, slowest_hz)
            running = [(facts[n], c.launch, c.estimate) for n, c in zip(part, at_once, strict=True)]
            together = self._running(running, costing, at_once)
            for i, (n, cost, now) in enumerate(zip(part, at_once, together, strict=True)):
                last = self._together.get(cost)
                if last is None or last[0] is not now:
                    last = self._together[cost] = now, replace(cost, made=now.now)
                remarks: list[Remark] = [rounds[i][1]] if i in rounds else []
                remarks += [shares[i][1]] if i in shares else []
                remarks += [WithoutOthers(others=lost)] if lost else []
                found[n] = reduce(self._with, remarks, last[1])
            said: list[tuple[int, Remark]] = [*answered([facts[n] for n in part]).items(), *starving(launched).items()]
            said += shared_ends(launched).items()
            for i, remark in said:
                if (own := found[part[i]]) is not None:
                    found[part[i]] = self._with(own, remark)
        for n, own in enumerate(found):
            if own is not None and (behind := waited_for(facts, n)):
                found[n] = self._with(own, StartsBehind(others=tuple(facts[other].name for other in behind)))
        return found

    def _running(
        self, kernels: Sequence[Running], costing: CostingContext, costs: Sequence[KernelCost]
    ) -> Sequence[Joined]:
        """Kernels as they run together; those that have only moved do so as before."""
        key = (costing.device, *(id(estimate) for _, _, estimate in kernels))  # each is in the answer that is kept
        if (known := self._parts.find(key)) is not None:
            return known
        before = [last[0] for c in costs if (last := self._together.get(c)) is not None]
        return self._parts.keep(key, running_together(kernels, costing.board, before))

    def _with(self, own: KernelCost, remark: Remark) -> KernelCost:
        """A kernel's cost, with what other kernels mean for it."""
        last = self._noted.get(own)
        if last is None or last[0] != remark:
            remarks = (*own.estimate.remarks, remark)
            noted = replace(own, made=own.estimate.model_copy(update={"remarks": remarks}))
            last = self._noted[own] = remark, noted
        return last[1]

    def _going(
        self,
        costing: CostingContext,
        kernel: PlacedKernel,
        cost: KernelCost,
        rounds: Mapping[int, int],
        shares: Mapping[str, float],
    ) -> KernelCost:
        """A kernel's cost with what other kernels say: the rounds of its loops, the share of times conditions hold."""
        if not rounds and not shares:
            return cost
        own = cost.launch
        launch = own.model_copy(update={"trips": {**own.trips, **rounds}, "taken": {**shares, **own.taken}})
        return self._under(costing, kernel, cost, launch)

    def _under(self, costing: CostingContext, kernel: PlacedKernel, cost: KernelCost, launch: Launch) -> KernelCost:
        """A kernel's cost under a launch of other sizes."""
        key = (kernel.key, costing.device, launch.model_dump_json(), None)
        known = self._known(key, kernel, cost.build)
        if known is None:  # its clock is the same
            going = replace(costing.at_clock(kernel, launch, cost, self._built), clock=cost.clock)
            known = self._kernels.keep(key, going)
        return known

    def _sized_alike(
        self, costing: CostingContext, kernels: Sequence[PlacedKernel], costs: list[KernelCost], slowest_hz: float
    ) -> list[KernelCost]:
        """The costs, those at assumed sizes for as many items as the other ends of their channels then move."""

        def under(number: int, launch: Launch) -> KernelEstimate | None:
            going = self._under(costing, kernels[number], costs[number], launch)
            clocked = self._at_one_clock(costing, kernels[number], going, slowest_hz)
            return clocked.estimate if clocked is not None else None

        found = list(costs)
        running = [(k.snapshot.facts, c.launch, c.estimate) for k, c in zip(kernels, costs, strict=True)]
        for number, at_assumed in sized_alike(running, under).items():
            own = costs[number]
            last = self._alike.get(own)
            if last is None or last[0] is not at_assumed.estimate:
                made = own.estimate.model_copy(update={"at_assumed": at_assumed})
                last = self._alike[own] = at_assumed.estimate, replace(own, made=made)
            found[number] = last[1]
        return found

    def _at_one_clock(
        self, costing: CostingContext, kernel: PlacedKernel, cost: KernelCost, slowest_hz: float
    ) -> KernelCost | None:
        """A kernel's cost where one clock runs all kernels of an image: the slowest of what each would reach."""
        f_max_hz, provenance = cost.f_max
        if provenance != "estimate" or f_max_hz <= slowest_hz:
            return self._made(costing, kernel, cost)
        last = self._slowed.get(cost)
        if last is not None and last[0] == slowest_hz:
            return last[1]
        launch = cost.launch.model_copy(update={"f_max_most_mhz": slowest_hz / 1e6})
        key = (kernel.key, costing.device, launch.model_dump_json(), costing.lines_of(kernel, cost.build))
        slowed = self._known(key, kernel, cost.build)
        slowed = slowed or self._made(costing, kernel, costing.at_clock(kernel, launch, cost, self._built))
        if slowed is not None:
            self._slowed[cost] = slowest_hz, self._kernels.keep(key, slowed)
        return slowed

    def _one(self, costing: CostingContext, kernel: PlacedKernel) -> KernelCost | None:
        """A kernel's costs; None, and a line in the log, when they cannot be computed."""
        try:
            key, launch, reported = costing.key_of(kernel)
            known = self._known(key, kernel, reported)
            return known or self._kernels.keep(key, costing.cost_of(kernel, launch, reported, self._built))
        except Exception:  # noqa: BLE001 - one kernel must not cost the others
            _log.exception("kernel %s of %s could not be estimated", kernel.snapshot.facts.name, costing.path)
            return None

    @staticmethod
    def _made(costing: CostingContext, kernel: PlacedKernel, cost: KernelCost) -> KernelCost | None:
        """The same with its estimate made; None, and a line in the log, when it cannot be."""
        try:
            return cost if cost.estimate is not None else None
        except Exception:  # noqa: BLE001 - one kernel must not cost the others
            _log.exception("kernel %s of %s could not be estimated", kernel.snapshot.facts.name, costing.path)
            return None

    def _known(self, key: tuple[object, ...], kernel: PlacedKernel, reported: KernelBuild | None) -> KernelCost | None:
        """The costs of a kernel, where they are known; `key` begins with the kernel's."""
        known = self._kernels.find(key)
        if known is None and kernel.snapshot.like and reported is None:
            # Where the text was laid out anew alone, it costs the same; what is said of its places is said anew.
            same = self._kernels.find((kernel.snapshot.like, *key[1:]))
            if same is not None:
                made = same.made if same.waits else same.estimate
                known = self._kernels.keep(key, replace(same, made=made))
        return known


MAX_FILES = 4
MAX_PARTS = 16
FEWEST_JOINED = 2
"""Kernels that channels can join."""

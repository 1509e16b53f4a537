"""What a user asserts, in runs: kept, broken by some data, or broken by all of them."""

from __future__ import annotations

import pytest

from burstline_server.interpreter.equality import Edited, equal
from burstline_server.interpreter.host_side import HostSide
from burstline_server.interpreter.promises import Promise
from burstline_server.interpreter.verdicts import Different, Equal, NotExecuted, PromiseKind, Verdict
from burstline_server.source.read import read_source

HEAD = "__kernel void k(__global const int *to, __global int *a, __global int *c, int n) "


def found_of(kind: PromiseKind, body: str, after: str = "", buffers: str = "c", parts: int = 2) -> Verdict:
    """What is found where the promise is about the first loop of a kernel's body."""
    text = f"{HEAD}{{ {body} }}"
    loop = text.index("for")
    host = HostSide(apart=True, promises=(Promise(kind, frozenset(buffers.split()), loop, parts=parts),))
    edited = f"{HEAD}{{ {after or body} }}"
    return equal(read_source(text, "k.cl"), "k", Edited(read_source(edited, "k.cl"), ("k",), {}, host))


def test_iterations_that_data_keep_apart_are_equal_and_some_data_break_it() -> None:
    found = found_of("iterations_apart", "for (int i = 0; i < n; i++) c[to[i]] += 2;")
    assert isinstance(found, Equal)
    assert found.trials > 1
    assert found.broken > 1


def test_iterations_that_no_data_keep_apart_break_the_promise_and_say_where() -> None:
    found = found_of("iterations_apart", "for (int i = 0; i < n; i++) { int at = to[i] % 2 * 0 + 3; c[at] += i; }")
    assert isinstance(found, Different)
    assert (found.how, found.buffer, found.element) == ("iterations_apart", "c", 3)


@pytest.mark.parametrize("store", ["vstore2((int2)(i, i), i, c)", "atomic_add(&c[n - i], 1)", "c[i + n] = c[i]"])
def test_every_kind_of_access_is_seen(store: str) -> None:
    assert isinstance(found_of("iterations_apart", f"for (int i = 0; i < n; i++) {store};"), Equal)
    shared = store.replace("i, c)", "i / 2, c)").replace("n - i", "0").replace("c[i + n]", "c[i + 1]")
    found = found_of("iterations_apart", f"for (int i = 0; i < n; i++) {shared};")
    assert isinstance(found, Different)


def test_only_the_loop_that_is_asserted_about_counts() -> None:
    before = "for (int i = 0; i < n; i++) c[i] = i; for (int j = 1; j < n; j++) c[j] += c[j - 1];"
    assert isinstance(found_of("iterations_apart", before), Equal)


def test_a_loop_that_never_turns_twice_shows_nothing() -> None:
    found = found_of("iterations_apart", "c[0] = 1; for (int i = 0; i < 1; i++) c[i] += 2;")
    assert isinstance(found, NotExecuted)


def test_results_that_differ_although_the_promise_holds_refuse_the_edit() -> None:
    before = "for (int i = 0; i < n; i++) c[to[i]] = a[i];"
    assert isinstance(found_of("not_read_later", before, before.replace("a[i]", "a[i] + (i > 3)")), Different)
    assert isinstance(found_of("not_read_later", before), Equal)


def test_what_is_read_after_it_was_stored_breaks_it() -> None:
    found = found_of("not_read_later", "for (int i = 0; i < n; i++) c[0] = c[0] + a[i];")
    assert isinstance(found, Different)
    assert found.how == "not_read_later"
    assert isinstance(found_of("not_read_later", "for (int i = 0; i < n; i++) c[i] = c[i + 1] + a[i];"), Equal)


def test_what_is_stored_after_it_was_loaded_breaks_it() -> None:
    found = found_of("not_stored_later", "for (int i = 0; i < n; i++) c[0] = c[i] + a[i];")
    assert isinstance(found, Different)
    assert found.how == "not_stored_later"


def test_halves_of_a_loop_meet_or_not() -> None:
    assert isinstance(found_of("halves_apart", "for (int i = 0; i < n; i++) c[i] = c[i] + a[i];"), Equal)
    found = found_of("halves_apart", "for (int i = 0; i < n; i++) c[i] = c[n - 1 - i] + a[i];")
    assert isinstance(found, Different)
    assert found.how == "halves_apart"


@pytest.mark.parametrize(("step", "block"), [(1, "n / 4"), (2, "n / 8 * 2")])
def test_quarters_meet_at_borders_that_halves_have_not(step: int, block: str) -> None:
    """The last iteration of the first quarter loads what the next one stores; with a step, short loops have none."""
    turns = f"for (int i = 0; i < n; i += {step}) c[i] = a[i] + (i == {block} - {step} ? c[i + {step}] : 0);"
    halves, quarters = (found_of("halves_apart", turns, parts=parts) for parts in (2, 4))
    assert isinstance(halves, Equal)
    if step == 1:
        assert halves.broken == 0
        assert isinstance(quarters, Different)
        assert quarters.how == "halves_apart"
    else:
        assert isinstance(quarters, Equal)
        assert quarters.broken > halves.broken


@pytest.mark.parametrize(("elements", "kind"), [(4, Equal), (3, Different)])
def test_a_buffer_of_an_asserted_length_ends_there(elements: int, kind: type[Verdict]) -> None:
    turns = "for (int i = 0; i < n; i++) c[i] = {}[to[i] & 1];"
    before = f"{HEAD}{{ {turns.format('a')} }}"
    after = f"{HEAD}{{ int t[4]; for (int k = 0; k < 4; k++) t[k] = a[k]; {turns.format('t')} }}"
    host = HostSide(holds=(("a", elements, False),), apart=True)
    found = equal(read_source(before, "k.cl"), "k", Edited(read_source(after, "k.cl"), ("k",), {}, host))
    assert isinstance(found, kind)

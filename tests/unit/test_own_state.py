"""The state of a Python algorithm: plain data, written and read back without running code."""

import math
import pickle
from collections import deque
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headgate.plugin import state


class Cca:
    pass


class Slotted:
    __slots__ = ("gain", "late")

    def __init__(self) -> None:
        self.gain = 1.0


def cca(**attributes: object) -> Cca:
    made = Cca()
    vars(made).update(attributes)
    return made


def back(**attributes: object) -> dict[str, object]:
    return vars(state.load(Cca, state.dump(cca(**attributes))))


words = st.text('aé"\\\0\n\u2028')
plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | words,
    lambda inner: (
        st.lists(inner)
        | st.tuples(inner, inner)
        | st.dictionaries(words | st.integers() | st.tuples(st.integers(), words), inner)
    ),
    max_leaves=20,
)


@given(st.dictionaries(st.sampled_from(["a", "b", "c"]), plain))
def test_written_state_is_read_back(attributes: dict[str, object]) -> None:
    read = back(**attributes)
    assert read == attributes
    assert repr(read) == repr(attributes)  # 1 and 1.0 and True, 0.0 and -0.0 stay distinct


def test_floats_beyond_numbers() -> None:
    read = back(nan=math.nan, inf=math.inf, least=-math.inf)
    assert math.isnan(read["nan"])  # type: ignore[arg-type]
    assert (read["inf"], read["least"]) == (math.inf, -math.inf)


@pytest.mark.parametrize("kind", ["?", "i2", "<i8", ">u4", "f4", "f8", "c16"])
def test_arrays_and_numpy_numbers_keep_their_kind(kind: str) -> None:
    array = np.arange(6).reshape(2, 3).astype(kind)
    read = back(array=array, column=array[:, 1], number=array[1, 2], none=array[:0])
    for name, given_ in {"array": array, "column": array[:, 1], "none": array[:0]}.items():
        found = read[name]
        assert isinstance(found, np.ndarray)
        assert (found.dtype, found.shape) == (given_.dtype, given_.shape)
        assert np.array_equal(found, given_)
        assert found.flags.writeable
    assert type(read["number"]) is type(array[1, 2])


def test_attributes_come_and_go_with_the_state() -> None:
    class Begins:
        def __init__(self) -> None:
            self.first = 1

    begun = Begins()
    del begun.first
    begun.later = 2  # type: ignore[attr-defined]
    assert vars(state.load(Begins, state.dump(begun))) == {"later": 2}


def test_slots_are_kept() -> None:
    begun = Slotted()
    begun.late = 3.5
    read = state.load(Slotted, state.dump(begun))
    assert isinstance(read, Slotted)
    assert (read.gain, read.late) == (1.0, 3.5)


same = [1.0]
ring: list[object] = []
ring.append(ring)


@pytest.mark.parametrize(
    ("attributes", "says"),
    [
        ({"history": deque([1])}, "self.history is a deque; an attribute must be a number"),
        ({"seen": {1, 2}}, "self.seen is a set"),
        ({"path": Path()}, "self.path is a PosixPath"),
        ({"rule": len}, "self.rule is a builtin_function_or_method"),
        ({"deep": [{"a": (object(),)}]}, "self.deep[0]['a'][0] is an object"),
        ({"keys": {Path(): 1}}, "a key of self.keys is a PosixPath"),
        ({"words": np.array(["a"])}, "self.words is a ndarray"),
        ({"objects": np.array([object()])}, "self.objects is a ndarray"),
        ({"a": same, "b": [same]}, "self.b[0] is the same object as self.a"),
        ({"ring": ring}, "self.ring[0] is the same object as self.ring"),
        ({"matrix": np.ma.masked_array([1])}, "self.matrix is a MaskedArray"),
    ],
)
def test_anything_else_is_refused_by_its_name(attributes: dict[str, object], says: str) -> None:
    with pytest.raises(state.NotPlainError, match=r"^self\.|^a key of self\.") as refused:
        state.dump(cca(**attributes))
    assert says in str(refused.value)


class Bomb:
    """Content that a pickle can hold: reading it calls any function that it names."""

    went_off = False

    def __reduce__(self) -> tuple[object, tuple[()]]:
        return Bomb.go_off, ()

    @staticmethod
    def go_off() -> None:
        Bomb.went_off = True


@pytest.mark.parametrize(
    "kept",
    [
        pickle.dumps(Bomb()),
        b"[]",
        b"{",
        b'{"a": {"call": []}}',
        b'{"a": {"array": ["O", [1], ""]}}',
    ],
)
def test_invalid_state_is_refused_and_not_run(kept: bytes) -> None:
    with pytest.raises((ValueError, KeyError, TypeError)):
        state.load(Cca, kept)
    assert not Bomb.went_off

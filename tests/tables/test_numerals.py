"""Which texts write a number."""

from hypothesis import given
from hypothesis import strategies as st

from nearkind.tables import parse_number


@given(st.from_regex(r"-?[0-9.eE+]{1,8}", fullmatch=True))
def test_a_number_is_what_python_reads(text):
    value = parse_number(text)
    assert value is None or value == float(text)

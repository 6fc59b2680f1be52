"""Tables for a terminal."""

from eigenselect.cli.text import aligned, bar, bar_width, shortened, significant, width_of
from eigenselect.exceptions import printable


def test_widths():
    assert width_of("abc") == 3
    assert width_of("ゲノム") == 6
    assert width_of("e\u0301") == 1


def test_shortened():
    assert shortened("abcdef", 6) == "abcdef"
    assert shortened("abcdefg", 6) == "abcde…"
    assert width_of(shortened("ゲノムゲノム", 6)) <= 6


def test_printable():
    assert printable("a\tb\x1b\u200b") == "a\\tb\\x1b\\u200b"
    assert printable("naïve 🧬") == "naïve 🧬"


def test_bar():
    assert bar(1.0, 0.0, 1.0, 10) == "█" * 10
    assert bar(0.0, 0.0, 1.0, 10) == "█"
    assert bar(float("nan"), 0.0, 1.0) == ""
    assert bar(1.0, 1.0, 1.0) == ""


def test_significant_digits():
    assert significant([0.61172, 0.5, 0.0123456]) == ["0.6117", "0.5000", "0.0123"]
    assert significant([0.0123456, 0.001]) == ["0.01235", "0.00100"]
    assert significant([3e-9, 0.0, -2.5e-12]) == ["3.000e-09", "0.0000000", "-2.500e-12"]
    assert significant([5123.4, 2e7, 1e-5]) == ["5123.4000", "2.000e+07", "1.000e-05"]
    assert significant([float("nan"), float("inf"), 0.0]) == ["nan", "inf", "0.0000"]
    assert significant([]) == []


def test_a_long_name_is_cut_to_the_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    text = aligned(["rank", "feature"], [["1", "x" * 10_000]], right=(0,), flexible=1)
    assert max(map(len, text.splitlines())) <= 60


def test_bars_give_way_before_names_do(monkeypatch):
    header, rows = ["rank", "feature"], [["1", "a" * 50]]
    for columns, width in ((100, 20), (72, 14), (40, 8)):
        monkeypatch.setenv("COLUMNS", str(columns))
        assert bar_width(header, rows) == width

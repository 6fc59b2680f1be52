"""A little parser of BibTeX, written apart from what writes it: entries, fields, balanced braces."""

import re
import unicodedata

#: fields without which BibTeX warns, by kind of entry
REQUIRED = {
    "article": {"author", "title", "journal", "year"},
    "inproceedings": {"author", "title", "booktitle", "year"},
    "book": {"author", "title", "publisher", "year"},
    "phdthesis": {"author", "title", "school", "year"},
    "misc": {"author", "title", "year"},
}
MARKS = {"`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", '"': "\u0308", "r": "\u030a", "v": "\u030c"}
NAMED = {r"\textbackslash{}": "\\", r"\textasciitilde{}": "~", r"\textasciicircum{}": "^"}


def group(text, start):
    """What the brace at a place holds, and the place after it; escaped braces count as letters."""
    assert text[start] == "{"
    depth, place = 0, start
    while True:
        if text[place] == "\\":
            place += 2
            continue
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        place += 1
        if depth == 0:
            return text[start + 1 : place - 1], place


def parsed(text):
    """Entries by key: their fields, and their kind as ``type``; an IndexError where braces are not balanced."""
    entries, place = {}, 0
    while found := re.compile(r"\s*@(\w+)(?={)").match(text, place):
        body, place = group(text, found.end())
        key, _, rest = body.partition(",")
        assert key not in entries
        entries[key] = fields(rest) | {"type": found[1]}
    assert not text[place:].strip()
    return entries


def fields(text):
    found, place = {}, 0
    while name := re.compile(r"\s*,?\s*(\w+) = (?={)").match(text, place):
        value, place = group(text, name.end())
        assert name[1] not in found
        found[name[1]] = value
    assert not text[place:].strip(" ,\n")
    return found


def read_tex(value):
    """What TeX prints, for the commands that we write."""
    for command, character in NAMED.items():
        value = value.replace(command, f"\0{ord(character)}\0")
    value = re.sub(
        r"{\\(.){(\w)}}",
        lambda found: unicodedata.normalize("NFC", found[2] + (MARKS | {"c": "\u0327"})[found[1]]),
        value,
    )
    value = re.sub(r"\\([{}&%$#_])", r"\1", value.replace("--", "–"))
    return re.sub("\0(\\d+)\0", lambda found: chr(int(found[1])), value)


def title_of(entry):
    """The title that is printed; a second pair of braces keeps its capitals."""
    title, end = group(entry["title"], 0)
    assert end == len(entry["title"])
    return read_tex(title)

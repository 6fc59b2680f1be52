"""Archives that are no honest workbooks."""

import zipfile

import pytest

from eigenselect.exceptions import InputError
from eigenselect.io.xlsx_archive import CHUNK, check_archive, refuse_merged, sheet_tags

ENTITIES = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]><x>&b;</x>'


@pytest.fixture
def archive(tmp_path):
    def write(content, name="xl/worksheets/sheet1.xml"):
        with zipfile.ZipFile(tmp_path / "t.xlsx", "w", zipfile.ZIP_DEFLATED) as file:
            file.writestr(name, content)
        return str(tmp_path / "t.xlsx")

    return write


@pytest.mark.parametrize("content", ["<x/>", '\ufeff<?xml version="1.0"?>\n<!-- a > b -->\n<x:y/>', "  <x>"])
def test_plain_xml(archive, content):
    check_archive(archive(content), "t.xlsx")


@pytest.mark.parametrize(
    "content",
    [
        ENTITIES,
        f"<?xml version='1.0'?><!-- {'-' * 500} -->{ENTITIES}",
        '<?xml version="1.0"?><!DOCTYPE x SYSTEM "file:///etc/passwd"><x/>',
        "<!--" + " " * 100_000 + "-->" + ENTITIES,
        ENTITIES.encode("utf-16"),
        "",
        "no xml",
    ],
)
def test_entities_and_what_is_no_xml(archive, content):
    with pytest.raises(InputError, match=r"t\.xlsx: cannot be read as xlsx, it is damaged or of another kind"):
        check_archive(archive(content), "t.xlsx")


def test_a_small_archive_of_many_bytes(archive, little):
    path = archive(b"\0" * 50_000_000, "media/image.png")
    with pytest.raises(InputError, match=r"decompressing it needs about 50\.0 MB of memory, 20\.0 MB are free"):
        check_archive(path, "t.xlsx")


def test_a_file_that_is_no_archive(tmp_path):
    (tmp_path / "t.xlsx").write_bytes(b"\xd0\xcf\x11\xe0")  # how workbooks with a password begin
    with pytest.raises(InputError, match=r"is not an xlsx workbook; save it as xlsx, without a password"):
        check_archive(str(tmp_path / "t.xlsx"), "t.xlsx")


@pytest.mark.parametrize("shift", range(-12, 30, 3))
def test_tags_are_found_between_chunks(archive, shift):
    tail = "<mergeCells><x:mergeCell a='1' ref=\"A1:C1\"/><mergeCell ref='B2:B2'/></mergeCells>"
    path = archive("<x>" + " " * (CHUNK - 20 - shift) + tail + "<form>1</form></x>")
    tags = sheet_tags(path, "/xl/worksheets/sheet1.xml")
    assert (tags.merged, tags.formulas) == (("A1:C1",), False)
    with pytest.raises(InputError, match=r"has a range of merged cells \(A1:C1\), of which only the first holds"):
        refuse_merged(tags, "t.xlsx")


@pytest.mark.parametrize("cell", ["<f>A1</f>", "<x:f>A1</x:f>", '<f t="shared" si="0"/>', "<f/>"])
def test_formulas_are_found(archive, cell):
    assert sheet_tags(archive(f"<c>{cell}<v>1</v></c>"), "xl/worksheets/sheet1.xml").formulas

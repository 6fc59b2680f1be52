"""What a release says of itself agrees, and the forge runs what runs here. `make release-check` does the rest."""

import doctest
import re
import tomllib
import zipfile

import pytest
import yaml

import eigenselect
from eigenselect.criteria.references import REFERENCES, YEAR
from release import contents, facts, pythons, recipe, tag, versions
from release.citation import citation

ROOT = facts.ROOT
VERSION = eigenselect.__version__
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
NOTES = ROOT / "docs" / "release_notes" / f"{VERSION}.md"
each_workflow = pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)


def yaml_of(name):
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def steps_of(path):
    """Every step of a workflow, with the job that it is in."""
    for job in yaml_of(path.relative_to(ROOT))["jobs"].values():
        for step in job["steps"]:
            yield job, step


class TestVersions:
    def test_all_files_have_the_same(self):
        cited = yaml_of("CITATION.cff")
        assert facts.version() == VERSION == cited["version"] == yaml_of("recipe/recipe.yaml")["context"]["version"]
        assert re.search(r"^## \[(\d.*?)\]", facts.text_of("CHANGELOG.md"), re.M)[1] == VERSION
        assert f"# eigenselect {VERSION}\n" in NOTES.read_text(encoding="utf-8")

    def test_all_files_have_the_same_day(self):
        day = facts.released()
        assert yaml_of("CITATION.cff")["date-released"] == day.isoformat()
        assert f"\n{day.day} {day:%B %Y}." in NOTES.read_text(encoding="utf-8")
        assert day.year == YEAR

    def test_unreleased_is_on_top_of_the_changelog_and_every_version_has_its_link(self):
        text = facts.text_of("CHANGELOG.md")
        headings = re.findall(r"^## \[(.*?)\]", text, re.M)
        assert headings[0] == "Unreleased"
        assert re.findall(r"^\[(.*?)\]: " + re.escape(facts.FORGE), text, re.M) == headings

    def test_the_tag_is_the_version(self):
        assert tag.main(f"v{VERSION}").startswith(f"v{VERSION}, released 20")
        with pytest.raises(SystemExit, match=rf"expected v{re.escape(VERSION)}.*got '{re.escape(VERSION)}'"):
            tag.main(VERSION)

    def test_a_version_without_a_day_is_refused(self, monkeypatch):
        monkeypatch.setattr(facts, "version", lambda: "99.0")
        with pytest.raises(SystemExit, match=r"expected a heading '## \[99.0\] - YYYY-MM-DD'"):
            facts.released()


class TestCitation:
    def test_it_is_up_to_date(self):
        assert facts.text_of("CITATION.cff") == citation(), "run `make citation`"

    def test_every_publication_of_the_library_is_in_it(self):
        told = {
            (paper["title"], paper["year"], paper.get("doi", "")) for paper in yaml_of("CITATION.cff")["references"]
        }
        papers = [reference for key, reference in REFERENCES.items() if key != "eigenselect"]
        assert told == {(paper.title, paper.year, paper.doi) for paper in papers}


class TestAddresses:
    def test_one_forge_and_one_site_everywhere(self):
        urls = facts.project()["urls"]
        assert urls["Homepage"] == urls["Source"] == facts.FORGE == yaml_of("CITATION.cff")["repository-code"]
        assert urls["Documentation"] == facts.DOCUMENTATION == yaml_of("CITATION.cff")["url"]
        assert all(address.startswith(facts.FORGE) for name, address in urls.items() if name != "Documentation")

    def test_every_promised_python_is_classified(self):
        listed = re.findall(r"Python :: (3\.\d+)$", "\n".join(facts.project()["classifiers"]), re.M)
        assert listed == [version for version in pythons.PROMISED if not version.endswith("t")]
        assert facts.project()["requires-python"] == f">={pythons.PROMISED[0]}"


class TestRecipe:
    def test_it_needs_what_the_package_needs(self):
        assert recipe.run_needs(yaml_of("recipe/recipe.yaml")) == recipe.own_needs()
        assert {"numpy", "scikit-learn"} < recipe.own_needs().keys()

    def test_it_lints(self):
        assert recipe.wrong_in(yaml_of("recipe/recipe.yaml"), released=False) == []

    @pytest.mark.parametrize(
        ("old", "new", "told"),
        [
            ("numpy >=2.0", "numpy >=1.0", "needs what pyproject.toml says"),
            ("number: 0", "number: 1", "number 0"),
            ("--no-deps", "", "nothing else"),
            ("license_file: LICENSE", "license_file: COPYING", "file exists"),
            ('python_min: "3.11"', 'python_min: "3.10"', "python_min"),
            (":main", ":other", "entry point"),
        ],
    )
    def test_what_is_wrong_is_said(self, old, new, told):
        text = facts.text_of("recipe/recipe.yaml")
        assert old in text
        (sentence,) = recipe.wrong_in(yaml.safe_load(text.replace(old, new)), released=False)
        assert told in sentence

    def test_conda_forge_gets_an_address_and_a_digest(self, tmp_path):
        (tmp_path / "archive").write_bytes(b"")
        made = yaml.safe_load(recipe.for_conda_forge(tmp_path / "archive"))
        assert made["source"]["sha256"] == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        assert recipe.wrong_in(made, released=True) == []
        assert recipe.wrong_in(yaml_of("recipe/recipe.yaml"), released=True) != []


class TestWorkflows:
    def test_there_are_three(self):
        assert [path.stem for path in WORKFLOWS] == ["docs", "release", "tests"]

    @each_workflow
    def test_every_command_is_a_target_of_make(self, path):
        targets = set(re.findall(r"^([\w-]+):", facts.text_of("Makefile"), re.M))
        commands = [step["run"] for _, step in steps_of(path) if "run" in step]
        assert commands
        for command in commands:
            program, *words = command.split()
            assert program == "make"
            assert set(words) <= targets

    @each_workflow
    def test_every_action_is_pinned_to_a_commit_and_says_its_version(self, path):
        used = re.findall(r"uses: (.*)", path.read_text(encoding="utf-8"))
        assert len(used) == sum("uses" in step for _, step in steps_of(path)) > 0
        assert [line for line in used if not re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line)] == []

    def test_one_action_has_one_commit(self):
        used = {use for path in WORKFLOWS for use in re.findall(r"uses: (.*)", path.read_text(encoding="utf-8"))}
        assert len({use.split("@")[0] for use in used}) == len(used)

    @each_workflow
    def test_permissions_are_given_job_by_job(self, path):
        workflow = yaml_of(path.relative_to(ROOT))
        assert workflow["permissions"] == {}
        assert "concurrency" in workflow
        for job in workflow["jobs"].values():
            writing = {name for name, level in job["permissions"].items() if level == "write"}
            assert writing <= {"id-token", "attestations"}
            assert not (writing and any("run" in step for step in job["steps"])), "what may sign runs no code of ours"
            assert job["timeout-minutes"] <= 60

    @each_workflow
    def test_no_credentials_stay_in_the_checkout(self, path):
        checkouts = [step for _, step in steps_of(path) if step.get("uses", "").startswith("actions/checkout")]
        assert all(step["with"]["persist-credentials"] is False for step in checkouts)

    def test_every_promised_python_is_tested(self):
        newest = yaml_of(".github/workflows/tests.yml")["jobs"]["newest"]
        assert tuple(newest["strategy"]["matrix"]["python"]) == pythons.PROMISED

    def test_the_schemas_are_asked_about_every_file(self):
        check = facts.text_of("release/check.py")
        assert all(f'"{path.stem}"' in check for path in WORKFLOWS)


class TestDescription:
    """What PyPI shows: pyproject.toml's substitutions, made here as the builder makes them."""

    @pytest.fixture
    def description(self):
        settings = tomllib.loads(facts.text_of("pyproject.toml"))["tool"]["hatch"]["metadata"]["hooks"]
        hook = settings["fancy-pypi-readme"]
        text = "".join(facts.text_of(fragment["path"]) for fragment in hook["fragments"])
        for rule in hook["substitutions"]:
            text = re.sub(rule["pattern"], rule["replacement"], text)
        return text.replace("$HFPR_VERSION", VERSION)

    def test_no_link_or_picture_is_relative(self, description):
        readme = facts.text_of("README.md")
        assert len(contents.relative_links(readme)) > 20
        assert contents.relative_links(description) == []

    def test_every_address_is_that_of_a_file_of_this_version(self, description):
        files = re.findall(rf"\]\({facts.FORGE}/(raw|blob)/v([^/]+)/([^)#]+)", description)
        assert {version for _, version, _ in files} == {VERSION}
        assert all((facts.ROOT / path).exists() for _, _, path in files)
        assert {kind for kind, _, path in files if path.endswith(".png")} == {"raw"}
        assert {kind for kind, _, path in files if path.endswith(".md")} == {"blob"}

    def test_the_recipe_builds_with_the_same(self):
        assert recipe.build_needs() == {"hatchling", "hatch-fancy-pypi-readme"}

    def test_the_description_of_an_archive_is_read(self, tmp_path):
        with zipfile.ZipFile(tmp_path / "x.whl", "w") as wheel:
            wheel.writestr(
                f"eigenselect-{VERSION}.dist-info/METADATA", "Name: eigenselect\n\n# eigenselect\n\n[a](b.md)"
            )
        text = contents.description_of(tmp_path / "x.whl")
        assert text == "# eigenselect\n\n[a](b.md)"
        assert contents.relative_links(text) == ["b.md"]


class TestArchives:
    source = frozenset(
        {"src/eigenselect/__init__.py", "README.md", *(f"src/eigenselect/{name}" for name in contents.NEEDED)}
    )

    def wheel(self):
        about = {
            f"eigenselect-{VERSION}.dist-info/{name}" for name in ("METADATA", "WHEEL", "RECORD", "entry_points.txt")
        }
        package = {name.removeprefix("src/") for name in self.source if name.startswith("src/")}
        return package | about | {f"eigenselect-{VERSION}.dist-info/licenses/LICENSE"}

    def test_a_whole_wheel_is_fine(self):
        assert contents.wrong_in_wheel(self.wheel(), self.source) == []

    def test_what_is_missing_or_too_much_is_said(self):
        found = (self.wheel() | {"tests/test_x.py"}) - {"eigenselect/py.typed"}
        told = contents.wrong_in_wheel(found, self.source)
        assert told == [
            "the wheel has no eigenselect/py.typed",
            "the wheel has tests/test_x.py, which is no part of the package",
        ]

    def test_the_sdist_is_the_repository(self):
        assert contents.wrong_in_sdist(self.source | {"PKG-INFO"}, self.source) == []
        told = contents.wrong_in_sdist({*self.source, "notes.txt"} - {"README.md"}, self.source)
        assert told == ["the sdist has no README.md", "the sdist has notes.txt, which is not in the repository"]


class TestPythons:
    def test_this_one_is_found(self):
        version = pythons.answers(pythons.sys.executable)
        assert version is not None
        assert pythons.answers(pythons.found(version)) == version

    def test_what_is_not_there_is_said_loudly_and_tests_nothing(self, monkeypatch, capsys):
        monkeypatch.setenv("PYTHONS", "2.0")
        assert versions.main("newest") == 1
        assert "*** NEWEST LIBRARIES WERE NOT TESTED ON PYTHON 2.0" in capsys.readouterr().err

    def test_a_program_that_is_no_python(self, tmp_path):
        (tmp_path / "python").write_text("#!/bin/sh\nexit 3\n")
        (tmp_path / "python").chmod(0o755)
        assert pythons.answers(tmp_path / "python") is None
        assert pythons.answers(tmp_path / "nothing") is None

    def test_the_free_threaded_build_does_without_what_has_no_wheels(self):
        asked = " ".join(versions.wanted_by("3.14t"))
        assert "pytest>=" in asked
        assert "polars" not in asked
        assert "--quick" in versions.arguments("3.14t")
        assert "--quick" not in versions.arguments("3.14")


def test_requirements_are_split():
    assert facts.name_and_bounds("dask[array] >= 2024.8.1") == ("dask", ">=2024.8.1")
    assert facts.name_and_bounds("pandas-stubs") == ("pandas-stubs", "")
    with pytest.raises(ValueError, match="expected a name and bounds"):
        facts.name_and_bounds("!")


def test_the_code_of_the_release_notes_runs():
    found = doctest.DocTestParser().get_doctest(
        NOTES.read_text(encoding="utf-8").replace("```", ""), {}, NOTES.name, None, 0
    )
    assert len(found.examples) == 5
    assert doctest.DocTestRunner().run(found).failed == 0

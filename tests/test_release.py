"""What a release says of itself agrees, and the forge runs what runs here. `make release-check` does the rest."""

import re
import tomllib

import pytest
import yaml

import eigenselect
from release import facts, pythons, recipe, tag
from release.citation import citation

pytestmark = pytest.mark.slow

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

    def test_the_tag_is_the_version(self):
        assert tag.main(f"v{VERSION}").startswith(f"v{VERSION}, released 20")
        with pytest.raises(SystemExit, match=rf"v{re.escape(VERSION)}"):
            tag.main(VERSION)


class TestCitation:
    def test_it_is_up_to_date(self):
        assert facts.text_of("CITATION.cff") == citation(), "run `make citation`"


class TestRecipe:
    def test_it_needs_what_the_package_needs(self):
        assert recipe.run_needs(yaml_of("recipe/recipe.yaml")) == recipe.own_needs()
        assert {"numpy", "scikit-learn"} < recipe.own_needs().keys()


class TestWorkflows:
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

    @each_workflow
    def test_permissions_are_given_job_by_job(self, path):
        workflow = yaml_of(path.relative_to(ROOT))
        assert workflow["permissions"] == {}
        assert "concurrency" in workflow
        for job in workflow["jobs"].values():
            writing = {name for name, level in job["permissions"].items() if level == "write"}
            assert writing <= {"id-token", "attestations"}
            assert not (writing and any("run" in step for step in job["steps"]))
            assert job["timeout-minutes"] <= 60

    def test_every_promised_python_is_tested(self):
        newest = yaml_of(".github/workflows/tests.yml")["jobs"]["newest"]
        assert tuple(newest["strategy"]["matrix"]["python"]) == pythons.PROMISED


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

    def test_every_address_is_that_of_a_file_of_this_version(self, description):
        files = re.findall(rf"\]\({facts.FORGE}/(raw|blob)/v([^/]+)/([^)#]+)", description)
        assert {version for _, version, _ in files} == {VERSION}
        assert all((facts.ROOT / path).exists() for _, _, path in files)
        assert {kind for kind, _, path in files if path.endswith(".png")} == {"raw"}
        assert {kind for kind, _, path in files if path.endswith(".md")} == {"blob"}

"""What waits is done once, and what is known is not asked again."""

from eigenselect.matrix.dask_jobs import ChunkJob, Spoilt
from eigenselect.matrix.dask_notes import Notes

JOB = ChunkJob(sum, sum)


def test_a_job_waits_for_one_pass_and_its_result_is_kept_by_name():
    notes = Notes()
    notes.ask("a", JOB)
    notes.ask("b", JOB)
    notes.ask("a", JOB)
    jobs = notes.due()
    assert list(jobs) == ["a", "b"]
    assert notes.due() == {}
    notes.keep(jobs, [(1, 2), (3, 4)])
    assert notes.found == {"a": [1, 3], "b": [2, 4]}
    notes.ask("b", JOB)
    assert notes.due() == {}


def test_nothing_is_kept_of_a_spoilt_table_but_where_it_is_so():
    notes = Notes()
    notes.keep({"a": JOB}, [(1,), Spoilt(5, 1), Spoilt(2, 7)])
    assert notes.found == {}
    assert notes.spoilt == (2, 7)

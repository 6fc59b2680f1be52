"""Public names, options, columns and keys are a contract: ``tests/snapshots/contract.txt`` holds it."""

from contract import contract


def test_snapshot_of_the_contract(snapshot, tmp_path, capsys):
    text = contract(tmp_path)
    capsys.readouterr()
    snapshot("contract.txt", text)

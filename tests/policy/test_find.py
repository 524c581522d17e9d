import pytest

from him.errors import HimError
from him.policy import find


def test_policy_is_found_by_name_in_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "policies").mkdir()
    file = tmp_path / "policies" / "rover.onnx"
    file.write_bytes(b"")
    assert find("rover") == file


def test_policy_is_found_by_path(tmp_path):
    file = tmp_path / "any.onnx"
    file.write_bytes(b"")
    assert find(file) == file


def test_unknown_name_lists_what_there_is(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "policies").mkdir()
    (tmp_path / "policies" / "rover.onnx").write_bytes(b"")
    with pytest.raises(HimError, match="rover"):
        find("rambler")


def test_missing_path_is_named():
    with pytest.raises(HimError, match=r"nowhere/x\.onnx"):
        find("nowhere/x.onnx")

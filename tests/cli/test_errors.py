from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import scipy.sparse
import typer
from typer.testing import CliRunner, Result

from philia.cli.guard import GuardedCommand


def one_sentence(result: Result) -> str:
    """What is on standard error: one line, no traceback, and nothing on standard output."""
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    (line,) = result.stderr.splitlines()
    return str(line)


def test_a_missing_file_is_named_with_a_similar_one(run: Any) -> None:
    assert "'links.csv'" in one_sentence(run("fit", "lniks.csv", code=2))


def test_a_missing_model_is_one_sentence(run: Any) -> None:
    assert "nope.safetensors" in one_sentence(run("communities", "nope.safetensors", code=2))


@pytest.mark.parametrize("command", ["communities", "info", "predict"])
@pytest.mark.parametrize("keep", [0, 4, 300, -10])
def test_a_damaged_model_is_one_sentence(command: str, keep: int, folder: Path, run: Any) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:keep])
    assert "model.safetensors" in one_sentence(run(command, "model.safetensors", code=2))


def test_a_changed_byte_in_a_model_is_noticed(folder: Path, run: Any) -> None:
    path = folder / "model.safetensors"
    content = bytearray(path.read_bytes())
    content[-5] ^= 0xFF
    path.write_bytes(content)
    assert "damaged" in one_sentence(run("info", "model.safetensors", code=2))


def test_a_graph_is_not_a_model(folder: Path, run: Any) -> None:
    assert "links.csv" in one_sentence(run("explain", "links.csv", "ann", "bob", code=2))


def test_similar_names_are_suggested_for_an_unknown_node(run: Any) -> None:
    said = one_sentence(run("explain", "model.safetensors", "ann", "bobb", code=2))
    assert "'bobb'" in said
    assert "'bob'" in said


def test_nothing_is_overwritten_unless_forced(folder: Path, run: Any) -> None:
    for command in (["fit", "links.csv", "-o"], ["communities", "model.safetensors", "-o"]):
        target = folder / "old.safetensors"
        target.write_text("precious")
        assert "--force" in one_sentence(run(*command, target.name, code=2))
        assert target.read_text() == "precious"
    run("fit", "links.csv", "-o", "old.safetensors", "--force", "--quiet")
    run("info", "old.safetensors")


def test_a_missing_folder_is_noticed_before_the_fit(run: Any) -> None:
    assert "no folder 'there'" in one_sentence(run("fit", "links.csv", "-o", "there/model.safetensors", code=2))


def test_a_folder_is_not_accepted_as_a_file_of_links(folder: Path, run: Any) -> None:
    (folder / "model.safetensors").unlink()
    assert "folder" in one_sentence(run("fit", ".", code=2))


def test_a_model_file_needs_its_extension(run: Any) -> None:
    assert ".safetensors" in one_sentence(run("fit", "links.csv", "-o", "model.txt", code=2))


def test_standard_input_needs_a_name_for_the_model(run: Any) -> None:
    assert "-o model.safetensors" in one_sentence(run("fit", "-", code=2, stdin="a b\n"))


@pytest.mark.parametrize(
    "options",
    [
        ["--penalty", "-1"],
        ["-B", "-1"],
        ["-B", "0", "-C", "0", "--background", "none"],
        ["--iterations", "0"],
        ["--threads", "0"],
        ["--held-out", "2"],
    ],
)
def test_invalid_settings_are_one_sentence(options: list[str], run: Any) -> None:
    assert one_sentence(run("fit", "links.csv", *options, "--quiet", code=2))


def test_unknown_choices_are_refused(run: Any) -> None:
    assert "spectral" in run("fit", "links.csv", "--start", "magic", code=2).stderr


def test_debug_shows_the_traceback_and_keeps_the_exit_code(run: Any) -> None:
    assert "Traceback" in run("info", "nope.csv", "--debug", code=2).stderr


def failing(error: BaseException) -> typer.Typer:
    """A program with one guarded command that fails in a given way."""
    program = typer.Typer()

    @program.command(cls=GuardedCommand)
    def fail(debug: bool = False) -> None:
        raise error

    return program


def test_an_unexpected_error_is_called_a_bug() -> None:
    result = CliRunner().invoke(failing(ZeroDivisionError("division by zero")), [])
    assert result.exit_code == 1
    assert "bug in philia (ZeroDivisionError: division by zero)" in one_sentence(result)
    assert "--debug" in result.stderr


def test_a_full_disk_is_not_called_a_bug() -> None:
    result = CliRunner().invoke(failing(OSError(28, "No space left on device", "model.safetensors")), [])
    assert (result.exit_code, one_sentence(result)) == (2, "'model.safetensors': No space left on device")


def test_markup_in_an_error_is_shown_as_it_is() -> None:
    assert "[red]" in one_sentence(CliRunner().invoke(failing(ValueError("[red] :smile:")), []))


def test_ctrl_c_is_one_sentence_and_130() -> None:
    result = CliRunner().invoke(failing(KeyboardInterrupt()), [])
    assert (result.exit_code, one_sentence(result)) == (130, "Interrupted.")


def test_a_closed_pipe_is_silent() -> None:
    result = CliRunner().invoke(failing(BrokenPipeError()), [])
    assert (result.exit_code, result.output) == (141, "")


def test_messages_do_not_speak_python(tmp_path: Path, run: Any) -> None:
    (tmp_path / "adjacency.txt").write_text("1 2 3 4\n2 1\n3 1 4 5 6\n")
    (tmp_path / "links.csv").write_text("ann,bob\nbob,cat\n")
    model = str(tmp_path / "m.safetensors")
    run("fit", str(tmp_path / "links.csv"), "-B1", "-C0", "--penalty", "1", "-o", model, "-q")
    for command in (
        ["fit", str(tmp_path / "adjacency.txt")],
        ["fit", model],
        ["communities", str(tmp_path / "links.csv")],
        ["verify", str(tmp_path / "links.csv"), str(tmp_path / "links.csv")],
        ["report", str(tmp_path / "none.safetensors")],
    ):
        said = run(*command, code=2).stderr
        assert not re.search(_PYTHON, said), said


_PYTHON = r"philia\.|networkx|pandas|frame|\.T\b|\.save|\w\(|\w=|_fit|[Pp]ass "
"""What belongs to Python, and to no command."""


@pytest.mark.parametrize("name", ["links.json", "links.xlsx", "links.net", "links.adjlist"])
def test_formats_that_others_read_are_refused_in_the_words_of_the_command_line(
    name: str, tmp_path: Path, run: Any
) -> None:
    (tmp_path / name).write_text("ann bob\n")
    said = run("fit", str(tmp_path / name), code=2).stderr
    assert "save the links as a .csv file" in said
    assert not re.search(_PYTHON, said), said


def test_matrices_are_refused_in_the_words_of_the_command_line(tmp_path: Path, run: Any) -> None:
    path = str(tmp_path / "a.npz")
    scipy.sparse.save_npz(path, scipy.sparse.csr_matrix([[0, 1.0, 2], [3, 0, 1], [0, 1, 0]]))
    said = run("info", path, code=2).stderr
    assert "Add --symmetrize" in said
    assert not re.search(_PYTHON, said), said
    scipy.sparse.save_npz(path, scipy.sparse.csr_matrix([[0, 1.0], [3, 0]]))
    said = run("fit", path, "--weights", code=2).stderr
    assert "Add --symmetrize to add the two, or leave out --weights" in said
    assert not re.search(_PYTHON, said), said


def test_text_is_not_called_a_damaged_model(folder: Path, run: Any) -> None:
    said = one_sentence(run("communities", "links.csv", code=2))
    assert "is a text, not a model" in said
    assert "`philia fit links.csv`" in said
    assert "damaged" not in said


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--seed", "x"], "it must be a whole number"),
        (["--seed", "-1"], "it must be 0 or more"),
        (["--dtype", "float16"], "'float16' is not one of"),
        (["--held-out", "110%"], "--held-out is 1.1; it must be at least 0 and below 1"),
    ],
)
def test_wrong_values_are_refused_in_plain_words_before_any_file_is_read(
    options: list[str], said: str, run: Any
) -> None:
    result = run("fit", "no such file.csv", *options, code=2)
    assert said in " ".join(result.stderr.replace("│", " ").split())
    assert "Value error" not in result.stderr

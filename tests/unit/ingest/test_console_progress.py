"""Work goes on where nobody hears of its progress any more."""

from __future__ import annotations

import errno
import io

import pytest

from ingest.console.progress import Progress


class ClosedPipe(io.StringIO):
    def write(self, _: str) -> int:
        raise BrokenPipeError


def closed_stream() -> io.StringIO:
    stream = io.StringIO()
    stream.close()
    return stream


@pytest.mark.parametrize("stream", [ClosedPipe, closed_stream])
def test_a_line_that_nobody_reads_stops_nothing(
    monkeypatch: pytest.MonkeyPatch, stream: type[io.StringIO]
) -> None:
    with Progress() as progress:
        monkeypatch.setattr("sys.stderr", stream())
        progress.note("half way")
        monkeypatch.undo()


def test_a_line_goes_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress() as progress:
        progress.note("half way")
    assert capsys.readouterr().err == "half way\n"


class LostTerminal(io.StringIO):
    def isatty(self) -> bool:
        return True

    def write(self, _: str) -> int:
        raise OSError(errno.EIO, "Input/output error")


def test_a_terminal_that_is_gone_stops_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stderr", LostTerminal())
    with Progress() as progress:
        progress.update("reading")
        progress.note("half way")
        progress.update("merging")
    monkeypatch.undo()

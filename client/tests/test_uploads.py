from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from assay_client import _folder
from assay_client._errors import AssayError
from assay_client._files import FileState
from assay_client._http import Endpoint
from assay_client._uploads import Record, Step, Uploads, decide
from fake_assay import SECONDS, FakeAssay, Request

FILE = FileState(4, 1)
OTHER = FileState(4, 2)
READY = {"phase": "Ready", "createdAt": "t1", "digest": "d1"}
FAILED = {"phase": "Failed", "createdAt": "t1"}


@pytest.mark.parametrize(
    ("dataset", "record", "content", "step"),
    [
        (None, None, "d1", Step.CREATE),
        (None, Record(FILE, "t1", "d1"), "d1", Step.CREATE),
        ({"phase": "Pending"}, None, "d1", Step.WAIT),
        ({"phase": "Uploading"}, None, "d1", Step.WAIT),
        ({"phase": "Loading"}, Record(FILE, "t1", "d1"), "d1", Step.WAIT),
        (READY, Record(FILE, "t1", "d1"), "not read", Step.USE),
        (READY, None, "d1", Step.ADOPT),
        (READY, Record(OTHER, "t1", "d1"), "d1", Step.KEEP),
        (READY, Record(OTHER, "t1", "d1", is_adopted=True), "d1", Step.ADOPT),
        (READY, Record(OTHER, "t1", "d1"), "d2", Step.REPLACE),
        ({**READY, "own": True}, Record(OTHER, "t1", "d1"), "d2", Step.REPLACE),
        ({**READY, "own": False}, Record(OTHER, "t1", "d1"), "d2", Step.REFUSE),
        ({**READY, "own": False}, None, "d1", Step.ADOPT),
        (READY, None, "d2", Step.REFUSE),
        (READY, None, None, Step.REFUSE),
        (READY, Record(FILE, "t0", "d1"), "d2", Step.REFUSE),
        (READY, Record(FILE, "t1", "d0"), "d2", Step.REFUSE),
        (FAILED, None, "d1", Step.CREATE),
        (FAILED, Record(FILE, "t0", None), "d1", Step.CREATE),
        (FAILED, Record(FILE, "t1", None), "d1", Step.REPORT),
        (FAILED, Record(OTHER, "t1", None), "d1", Step.REPLACE),
        (FAILED, Record(FILE, "t1", "d1"), "d1", Step.REPLACE),
    ],
)
def test_the_next_step_follows_from_the_dataset_and_what_was_uploaded(
    dataset: dict | None, record: Record | None, content: str | None, step: Step
) -> None:
    assert decide(dataset, record, FILE, lambda: content) is step


class Folder:
    """A folder with one table, and its uploads to an endpoint."""

    def __init__(self, fake: FakeAssay, tmp_path: Path) -> None:
        self.path = tmp_path / "tables"
        self.path.mkdir()
        self.file = self.path / "sales.csv"
        self.file.write_bytes(b"a\n1\n")
        self.records = tmp_path / "records"
        self.fake = fake
        self.said: list[str] = []
        self.progress: list[str] = []
        self.is_cancelled = False
        self.uploads = self.started()

    def started(self) -> Uploads:
        """As a new process has them."""
        return Uploads(Endpoint(self.fake.url), self.records, self.said.append, lambda s: None)

    @property
    def table(self) -> _folder.Table:
        (table,) = _folder.read(self.path).tables.values()
        return table

    def ensure(self, patience: float = SECONDS) -> str:
        return self.uploads.ensure(
            self.table, self.progress.append, lambda: self.is_cancelled, patience
        )

    def write(self, content: bytes) -> None:
        state = self.file.stat()
        self.file.write_bytes(content)
        # As if time had passed, whatever the resolution of the file system.
        os.utime(self.file, ns=(state.st_atime_ns, state.st_mtime_ns + 10**9))


@pytest.fixture
def folder(fake: FakeAssay, tmp_path: Path) -> Folder:
    return Folder(fake, tmp_path)


def test_a_table_is_uploaded_once_also_if_the_program_starts_again(folder: Folder) -> None:
    folder.ensure()
    folder.ensure()
    folder.uploads = folder.started()
    folder.ensure()
    assert folder.fake.uploads == [("sales", b"a\n1\n")]
    assert folder.said[0] == "uploading sales.csv (4 bytes) as the dataset 'sales'"
    assert folder.said[1].startswith("uploaded sales.csv as 'sales': 1 rows, 2 columns, ")
    assert folder.progress == [
        "Uploading sales.csv (4 bytes)",
        "Uploading sales.csv: 4 bytes of 4 bytes",
    ]
    (put,) = [r for r in folder.fake.requests if r.method == "PUT"]
    assert put.query == {"format": "csv", "replace": "false", "wait": "true"}
    assert put.headers["Expect"] == "100-continue"


def test_a_file_that_has_changed_is_uploaded_again(folder: Folder) -> None:
    folder.ensure()
    folder.write(b"a\n2\n")
    folder.uploads = folder.started()
    folder.ensure()
    assert [body for _, body in folder.fake.uploads] == [b"a\n1\n", b"a\n2\n"]


def test_a_file_with_another_time_and_the_same_content_is_not(folder: Folder) -> None:
    folder.ensure()
    folder.write(b"a\n1\n")
    folder.ensure()
    assert len(folder.fake.uploads) == 1


def test_a_dataset_that_was_deleted_is_uploaded_again(folder: Folder) -> None:
    folder.ensure()
    folder.fake.datasets.clear()
    folder.ensure()
    assert len(folder.fake.uploads) == 2


def test_a_dataset_of_somebody_else_is_neither_used_nor_replaced(folder: Folder) -> None:
    folder.fake.put("sales", b"other\n")
    with pytest.raises(AssayError) as caught:
        folder.ensure()
    assert str(caught.value) == (
        "the endpoint has another dataset 'sales', which is not the file sales.csv of the folder:"
        " ask the user to rename the file"
    )
    assert folder.fake.paths("PUT") == []


def test_what_somebody_has_put_in_the_place_of_an_upload_is_not_replaced(folder: Folder) -> None:
    folder.ensure()
    folder.fake.put("sales", b"other\n")
    with pytest.raises(AssayError, match="another dataset 'sales'"):
        folder.ensure()
    assert len(folder.fake.uploads) == 1


def test_a_dataset_with_the_content_of_the_file_is_used_and_replaced_when_it_changes(
    folder: Folder,
) -> None:
    folder.fake.put("sales", b"a\n1\n")
    # It may have been loaded with options that change what it has.
    assert folder.ensure().startswith(
        "The dataset 'sales' is not an upload of this program: somebody has loaded the bytes of"
        " sales.csv, perhaps with other options"
    )
    assert folder.ensure() == ""
    folder.uploads = folder.started()
    assert "somebody" in folder.ensure()
    assert folder.fake.uploads == []
    folder.write(b"a\n2\n")
    assert folder.ensure() == ""
    assert folder.fake.uploads == [("sales", b"a\n2\n")]


@pytest.mark.parametrize(
    ("own", "loader"), [(True, "the caller of this key"), (False, "another caller")]
)
def test_whose_dataset_is_used_is_said(folder: Folder, own: bool, loader: str) -> None:
    folder.fake.put("sales", b"a\n1\n")["own"] = own
    assert f": {loader} has loaded the bytes of sales.csv, perhaps" in folder.ensure()


def test_the_dataset_of_another_caller_is_not_replaced_when_the_file_changes(
    folder: Folder,
) -> None:
    folder.fake.put("sales", b"a\n1\n")["own"] = False
    folder.ensure()
    folder.write(b"a\n2\n")
    with pytest.raises(AssayError, match="another dataset 'sales'"):
        folder.ensure()
    assert folder.fake.uploads == []


def test_a_file_that_cannot_be_loaded_is_sent_once_and_reported_each_time(folder: Folder) -> None:
    folder.fake.fails_to_load = "ParserError: row 2"
    for _ in range(2):
        with pytest.raises(AssayError) as caught:
            folder.ensure()
        assert str(caught.value).startswith(
            "sales.csv could not be loaded as the dataset 'sales': ParserError: row 2 [if it needs"
            " options: assay-client datasets load sales ./sales.csv --replace --option NAME=VALUE]"
        )
    assert len(folder.fake.uploads) == 1
    folder.fake.fails_to_load = ""
    folder.write(b"a\n2\n")
    folder.ensure()
    assert len(folder.fake.uploads) == 2


def test_a_refusal_comes_before_the_file_is_sent(folder: Folder) -> None:
    def refuse(request: Request) -> bool:
        request.refuse(413, "The class accepts at most 1 byte")
        return True

    folder.fake.before_upload = refuse
    with pytest.raises(AssayError) as caught:
        folder.ensure()
    assert caught.value.code == "TooLarge"
    assert str(caught.value) == (
        "sales.csv was not uploaded as the dataset 'sales', and nothing of it is used: The class"
        " accepts at most 1 byte"
    )


def test_an_upload_whose_connection_breaks_is_sent_again_as_a_whole(folder: Folder) -> None:
    folder.file.write_bytes(b"a\n" + b"1\n" * 1_000_000)
    breaks = [True]

    def break_once(request: Request) -> bool:
        if not breaks:
            return False
        breaks.clear()
        request.handler.send_response_only(100)
        request.handler.end_headers()
        request.handler.rfile.read(1000)
        request.disconnect()
        return True

    folder.fake.before_upload = break_once
    folder.ensure()
    assert [len(body) for _, body in folder.fake.uploads] == [2_000_002]
    assert any("broke: retry; retrying" in line for line in folder.said)


def test_an_endpoint_that_is_gone_is_said_with_what_was_not_done(folder: Folder) -> None:
    folder.fake.stop()
    with pytest.raises(AssayError) as caught:
        folder.ensure()
    assert caught.value.code == "Unreachable"
    assert "sales.csv was not uploaded" in str(caught.value)
    assert "nothing answers at" in str(caught.value)


def test_a_file_that_changes_while_it_is_sent_is_sent_again(folder: Folder) -> None:
    folder.file.write_bytes(b"1" * 600_000)

    def change_once(request: Request) -> bool:
        if len(folder.file.read_bytes()) == 600_000:
            folder.write(b"2" * 700_000)
        return False

    folder.fake.before_upload = change_once
    folder.ensure()
    assert folder.fake.uploads == [("sales", b"2" * 700_000)]
    assert any("was changed while it was uploaded" in line for line in folder.said)


def test_a_file_that_always_changes_is_refused_and_never_loaded(folder: Folder) -> None:
    folder.file.write_bytes(b"1" * 600_000)

    def change(request: Request) -> bool:
        folder.write(folder.file.read_bytes() + b"2")
        return False

    folder.fake.before_upload = change
    with pytest.raises(AssayError, match=r"sales\.csv was changed while it was uploaded: write"):
        folder.ensure()
    assert folder.fake.uploads == []


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end, "timed out"
        time.sleep(0.005)


def held(folder: Folder) -> threading.Event:
    """Uploads wait for this event."""
    over = threading.Event()
    folder.fake.before_upload = lambda request: not over.wait(SECONDS)
    return over


def test_an_upload_goes_on_when_its_call_is_cancelled(folder: Folder) -> None:
    over = held(folder)
    folder.is_cancelled = True
    with pytest.raises(AssayError) as caught:
        folder.ensure()
    assert caught.value.code == "Cancelled"
    over.set()
    folder.is_cancelled = False
    folder.ensure()
    assert len(folder.fake.uploads) == 1


def test_an_upload_that_takes_long_is_said_and_goes_on(folder: Folder) -> None:
    over = held(folder)
    first = threading.Thread(target=folder.ensure)
    first.start()
    # Until its request has arrived, so that what is said of it is known.
    wait_until(lambda: folder.fake.paths("PUT") != [])
    with pytest.raises(AssayError) as caught:
        folder.ensure(patience=0)
    assert caught.value.code == "InProgress"
    assert str(caught.value) == (
        "sales.csv is still being uploaded as the dataset 'sales' (Uploading sales.csv (4 bytes)):"
        " call again in half a minute"
    )
    over.set()
    first.join(SECONDS)
    folder.ensure()
    assert len(folder.fake.uploads) == 1


def test_a_change_after_the_look_of_another_call_is_not_missed(folder: Folder) -> None:
    over, sent = threading.Event(), threading.Event()

    def hold_the_answer(request: Request) -> bool:
        if sent.is_set():
            return False
        request.handler.send_response_only(100)
        request.handler.end_headers()
        body = request.read_body()
        sent.set()  # The file has been read, and is not looked at again.
        over.wait(SECONDS)
        folder.fake.uploads.append(("sales", body))
        request.answer(201, folder.fake.put("sales", body))
        return True

    folder.fake.before_upload = hold_the_answer
    first = threading.Thread(target=folder.ensure)
    first.start()
    assert sent.wait(SECONDS)
    folder.write(b"a\n2\n")
    joined = threading.Event()

    def ensure_again() -> None:
        # Asked once the second call waits for the upload of the first.
        folder.uploads.ensure(
            folder.table, folder.progress.append, lambda: bool(joined.set()), SECONDS
        )

    second = threading.Thread(target=ensure_again)
    second.start()
    assert joined.wait(SECONDS)
    over.set()
    first.join(SECONDS)
    second.join(SECONDS)
    assert not second.is_alive()
    assert [body for _, body in folder.fake.uploads] == [b"a\n1\n", b"a\n2\n"]


def test_no_more_than_four_files_are_sent_at_once(fake: FakeAssay, tmp_path: Path) -> None:
    over = threading.Event()
    fake.before_upload = lambda request: not over.wait(SECONDS)
    for i in range(6):
        (tmp_path / f"t{i}.csv").write_text("a")
    uploads = Uploads(Endpoint(fake.url), tmp_path / "records", lambda s: None, lambda s: None)
    threads = [
        threading.Thread(target=uploads.ensure, args=(table, print, lambda: False, SECONDS))
        for table in _folder.read(tmp_path).tables.values()
    ]
    for thread in threads:
        thread.start()
    # Each has looked for its dataset before it waits for its turn.
    wait_until(lambda: len(fake.paths("GET")) == 6 and len(fake.paths("PUT")) >= 4)
    assert len(fake.paths("PUT")) == 4
    over.set()
    for thread in threads:
        thread.join(SECONDS)
    assert len(fake.uploads) == 6


def test_a_link_that_takes_the_place_of_a_table_is_not_sent(folder: Folder) -> None:
    table = folder.table
    secret = folder.records.with_name("secret")
    secret.write_text("secret")
    folder.file.unlink()
    try:
        folder.file.symlink_to(secret)
    except OSError:
        pytest.skip("this system does not let this user create links")
    with pytest.raises(AssayError, match="is not a regular file"):
        folder.uploads.ensure(table, print, lambda: False)
    assert folder.fake.requests == []


def test_an_unexpected_error_ends_its_call_and_not_the_program(folder: Folder) -> None:
    folder.fake.put("sales", b"")["phase"] = ["Ready"]
    with pytest.raises(AssayError, match="ended unexpectedly"):
        folder.ensure()
    assert "an error in this program (TypeError" in folder.said[-1]


def test_a_dataset_that_is_being_loaded_is_waited_for(folder: Folder) -> None:
    folder.fake.put("sales", b"a\n1\n")["phase"] = "Loading"

    def loaded(seconds: float) -> None:
        folder.fake.datasets["sales"]["phase"] = "Ready"

    folder.uploads = Uploads(Endpoint(folder.fake.url), folder.records, folder.said.append, loaded)
    folder.ensure()
    assert folder.progress == ["sales is being loaded"]
    assert folder.fake.uploads == []


def test_calls_side_by_side_upload_a_table_once(folder: Folder) -> None:
    threads = [threading.Thread(target=folder.ensure) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    assert len(folder.fake.uploads) == 1


def test_without_a_place_for_records_uploads_work_until_the_end_of_the_process(
    folder: Folder,
) -> None:
    folder.records.write_text("in the way")
    folder.ensure()
    folder.write(b"a\n2\n")
    folder.ensure()
    assert len(folder.fake.uploads) == 2
    assert sum("cannot be written to" in line for line in folder.said) == 1


def test_records_that_can_be_written_again_count(folder: Folder) -> None:
    folder.records.write_text("in the way")
    folder.ensure()
    folder.records.unlink()
    for content in (b"a\n2\n", b"a\n3\n"):
        folder.write(content)
        folder.ensure()
        folder.ensure()
    assert [body for _, body in folder.fake.uploads] == [b"a\n1\n", b"a\n2\n", b"a\n3\n"]


def test_what_the_agent_has_loaded_itself_is_left_alone_until_it_deletes_it(
    folder: Folder,
) -> None:
    folder.fake.put("sales", b"of the agent")
    folder.uploads.leave_alone("Sales")
    folder.ensure()
    assert folder.fake.requests == []
    folder.fake.datasets.clear()
    folder.uploads.offer_again("sales")
    folder.ensure()
    assert len(folder.fake.uploads) == 1


def test_a_compressed_table_is_adopted_by_the_digest_of_its_content(
    fake: FakeAssay, tmp_path: Path
) -> None:
    import gzip

    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"a\n1\n"))
    fake.put("a", b"a\n1\n")
    assert fake.datasets["a"]["digest"] == hashlib.sha256(b"a\n1\n").hexdigest()
    (table,) = _folder.read(tmp_path).tables.values()
    said: list[str] = []
    Uploads(Endpoint(fake.url), tmp_path / "records", said.append).ensure(
        table, said.append, lambda: False
    )
    assert (fake.uploads, said) == ([], [])

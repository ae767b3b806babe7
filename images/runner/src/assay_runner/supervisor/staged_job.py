"""The job that this Pod was given."""

from __future__ import annotations

import hashlib

from assay_runner.supervisor.config import Config
from assay_runner.supervisor.inputs import Inputs
from assay_runner.supervisor.job import Job
from assay_runner.supervisor.job_files import files_of
from assay_runner.supervisor.jobs import Dataset, datasets_of
from assay_runner.supervisor.refusals import Code, Refusal
from assay_runner.supervisor.requests import Request
from assay_runner.supervisor.snapshot_job import SnapshotJob
from assay_runner.supervisor.snapshots import Snapshots
from assay_runner.supervisor.uploads import Uploads


class StagedJob:
    """The one job that this Pod accepts, and never another.

    Args:
        config: says which kinds of job the Pod's worker runs.
        uploads: the upload that a job may read.
        inputs: the inputs that a job may have.
        snapshots: those that a job may read.
    """

    def __init__(
        self, config: Config, uploads: Uploads, inputs: Inputs, snapshots: Snapshots
    ) -> None:
        self._config = config
        self._uploads = uploads
        self._inputs = inputs
        self._snapshots = snapshots
        self._request: Request | None = None

    @property
    def run_uid(self) -> str | None:
        """UID of the run; None before there is a job."""
        return self._request.run_uid if self._request else None

    @property
    def job(self) -> Job:
        """The job, which must have been accepted."""
        if self._request is None or self._request.job is None:
            raise RuntimeError("no run was staged")
        return self._request.job

    @property
    def snapshots(self) -> str | None:
        """SHA-256 of the snapshots that this process opens for the job; None without any."""
        if self._request is None or self._request.job is None:
            return None
        pinned = _pinned(self._request.job)
        named = "".join(f"{dataset.name} {dataset.path}\0" for dataset in pinned)
        return hashlib.sha256(named.encode()).hexdigest() if pinned else None

    @property
    def brings_datasets(self) -> bool:
        """Whether this process opens the snapshots of the job."""
        return bool(_pinned(self.job))

    def accept(self, request: Request) -> bool:
        """Accept a job; returns False for a repeat of the same bytes.

        Raises:
            Refusal: RunMismatch, BytesChanged, WrongKind, UploadMismatch, NotFound or TooLarge.
        """
        if self._request is not None:
            self.check(request)
            if request.body != self._request.body:
                raise Refusal(Code.BYTES_CHANGED, "this run was staged with a different body")
            return False
        job, kinds = request.job, self._config.worker.kinds
        if job is None or job.kind not in kinds:
            raise Refusal(Code.WRONG_KIND, f"this Pod runs jobs of kind {', '.join(kinds)}")
        self._inputs.check(request.run_uid, files_of(job).input_numbers)
        self._snapshots.open(_pinned(job))
        self._uploads.seal(request.run_uid, job.upload if isinstance(job, SnapshotJob) else None)
        self._inputs.seal()
        self._request = request
        return True

    def close(self) -> None:
        """Accept no further uploads and inputs."""
        self._uploads.close()
        self._inputs.seal()

    def check(self, request: Request) -> Request:
        """Check that a request is for the run of the job; returns the request of the job.

        Raises:
            Refusal: NotStaged or RunMismatch.
        """
        if self._request is None:
            raise Refusal(Code.NOT_STAGED, "no run was staged")
        if request.run_uid != self._request.run_uid:
            raise Refusal(Code.RUN_MISMATCH, "this Pod belongs to another run")
        return self._request


def _pinned(job: Job) -> tuple[Dataset, ...]:
    return tuple(dataset for dataset in datasets_of(job) if dataset.path is not None)

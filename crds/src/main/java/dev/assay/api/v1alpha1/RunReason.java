package dev.assay.api.v1alpha1;

/** Why a run is where it is: the machine-readable reason of its conditions and of its ending. */
public enum RunReason {
  /** Waits in line, behind others of its namespace, for room in a quota. */
  Queued,
  /** A dataset it names is not ready yet. */
  DatasetNotReady,
  /** Its Pod waits for room, an image or a volume; the message has Kubernetes' own words. */
  WaitingForPod,
  /** Its Pod is coming up. */
  PodCreated,
  /** The Pod was handed this run; it is never handed another, nor the run another Pod. */
  Bound,
  /** The first instruction of the code was reached. */
  Started,
  /** Its output cannot be stored now; its Pod keeps the output until it can. */
  OutputStoreUnavailable,
  /** The code came to its end. */
  Completed,
  /** The code raised, did not compile, or ended itself with an error. */
  CodeError,
  /** The code ran longer than its time limit. */
  DeadlineExceeded,
  /** The code needed more memory than its class gives. */
  MemoryExceeded,
  /** The code wrote more to its scratch directory than its class gives. */
  ScratchExceeded,
  /** Stopped on request. */
  Cancelled,
  /** The spec asks for something that its class or its datasets do not allow. */
  InvalidSpec,
  /** It names a class that does not exist or is not open to this namespace. */
  ClassNotAllowed,
  /** Its class has less memory than loading its datasets takes. */
  ClassTooSmall,
  /** It names a dataset that does not exist or failed to load. */
  DatasetNotFound,
  /** The Pod could not be started within the pending deadline. */
  StartFailed,
  /** The Pod was deleted, evicted, or its node was lost. */
  PodLost,
  /** The run's Pod could not be followed to its end. */
  RunnerLost
}

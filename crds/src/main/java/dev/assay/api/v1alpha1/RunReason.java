package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonIgnore;

/**
 * Why a run is in its phase: the machine-readable reason of its conditions and of its end.
 *
 * <p>The comments here become a table in {@code docs/reasons.md}: the first sentence is the
 * meaning, the others are notes, such as what to do.
 */
public enum RunReason {
  /**
   * The run waits behind others of its namespace: for room in a quota, for one of them to end where
   * its class limits them with {@code maxConcurrentRuns}, or until those Pods of its class that
   * wait for a node have got one.
   */
  Queued,
  /** A dataset of the run is still being loaded. Wait, or look at the dataset's status. */
  DatasetNotReady,
  /**
   * The Pod waits for a node, an image, a volume or the namespace's quota. {@code status.message}
   * contains the message from Kubernetes.
   */
  WaitingForPod,
  /** The Pod was created and is starting. */
  PodCreated,
  /** The run was assigned to its Pod. It is given to another only if no code can have run. */
  Bound,
  /** The first instruction of the code was reached. */
  Started,
  /**
   * The output cannot be stored now. The Pod keeps it for up to an hour; check the volume of the
   * output store.
   */
  OutputStoreUnavailable,
  /** The code came to its end. */
  Completed,
  /**
   * The code raised, did not compile, or ended itself with an error. Fix the code; the error names
   * its line.
   */
  CodeError,
  /**
   * The code ran longer than its time limit. Ask for more time, up to the class's maximum, or do
   * less.
   */
  DeadlineExceeded,
  /**
   * The code exceeded the memory limit of its class. Use a class with more memory, or load fewer
   * columns or rows at once.
   */
  MemoryExceeded,
  /**
   * The code exceeded the scratch limit of its class, and the Pod was evicted. Write less, or use a
   * class with a larger {@code scratch.sizeLimit}.
   */
  ScratchExceeded,
  /** The run was stopped on request. */
  Cancelled,
  /** The spec asks for something that its class or its datasets do not allow. Fix the spec. */
  InvalidSpec,
  /**
   * The class does not exist, is not open to this namespace, or is not for runs; or the run names
   * none, and none is the default for its language. {@code kubectl get runclasses} lists them.
   */
  ClassNotAllowed,
  /**
   * The class has less memory than its worker takes, or than loading the datasets takes. The
   * message names the smallest class that has enough.
   */
  ClassTooSmall,
  /** A dataset does not exist or failed to load. Load it first; the message has the cause. */
  DatasetNotFound,
  /**
   * A run or an artifact that the run takes as input does not exist, or is no longer stored. Run
   * the code that created it again; the message names it.
   */
  ArtifactNotFound,
  /**
   * The guard found something in the code that its class does not allow, and the code was not
   * started. The error lists all of it, with lines and alternatives.
   */
  GuardRefused,
  /**
   * The Pod did not start within the class's {@code pendingSeconds}, could not be created, or each
   * ended before any code ran. The message has the cause from Kubernetes or the supervisor;
   * retrying is safe.
   */
  StartFailed,
  /**
   * The Pod was deleted or evicted, or its node was lost. The output received so far is kept; check
   * {@code payloadStarted} before you retry.
   */
  PodLost,
  /**
   * The Pod is there, but its runner could not be followed to the end. Check the network between
   * the operator and the run namespace, and {@code payloadStarted} before you retry.
   */
  RunnerLost,

  /** A value of a newer version. */
  @JsonEnumDefaultValue
  @JsonIgnore
  Unknown
}

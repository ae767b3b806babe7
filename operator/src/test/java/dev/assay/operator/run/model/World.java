package dev.assay.operator.run.model;

import dev.assay.operator.run.model.Request.Kind;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * Two runs, three Pods, two operator processes and what is between them: the API server's objects,
 * the supervisors, the executions of the processes, and requests that are under way.
 *
 * <p>A resourceVersion is represented by whether it is still the current one, since nothing else
 * matters of it: each write makes those of all others stale.
 */
final class World {
  static final int RUNS = 2;
  static final int PODS = 3;

  /** The Pod that only the first run may have; the others are warm. */
  static final int OWN_POD = 2;

  static final int PROCESSES = 2;

  /** At most so many executions of one run are remembered at once. */
  static final int EXECUTIONS_OF_A_RUN = 3;

  static final int EXECUTIONS = RUNS * EXECUTIONS_OF_A_RUN;

  /**
   * The executions of runs, followed by one caretaker of each process, which removes Pods that
   * nobody needs.
   */
  static final int ACTORS = EXECUTIONS + PROCESSES;

  static final int NOBODY = -1;

  private static final int MAX_REQUESTS = 6;

  // Bytes, so that millions of states fit into memory.

  /** Pod + 1, dispatcher + 1, outcome, gone, stored, starts. */
  private static final int RUN_CELLS = 6;

  /** 0 absent, 1 alive, 2 dead; state of the supervisor; run of the staged job + 1. */
  private static final int POD_CELLS = 3;

  /** Place, process, Pod + 1, facts. */
  private static final int ACTOR_CELLS = 4;

  private static final int POD_AT = RUNS * RUN_CELLS;
  private static final int ACTOR_AT = POD_AT + PODS * POD_CELLS;
  private static final int FAULTS_AT = ACTOR_AT + ACTORS * ACTOR_CELLS;

  /** Faults left, whether there was one, whether something was lost, breach. */
  private static final int CELLS = FAULTS_AT + 4;

  private final byte[] cells;
  private final short[] requests;

  /**
   * Two warm Pods, and runs that nobody has seen.
   *
   * @param runs how many there are; the others are gone
   * @param faults how many faults may happen in all
   */
  World(int runs, int faults) {
    cells = new byte[CELLS];
    requests = new short[MAX_REQUESTS];
    for (int run = 0; run < RUNS; run++) {
      bind(run, NOBODY, NOBODY);
      if (run >= runs) {
        delete(run);
      }
    }
    for (int pod = 0; pod < PODS; pod++) {
      cells[POD_AT + pod * POD_CELLS] = (byte) (pod == OWN_POD ? 0 : 1);
      setRunIn(pod, NOBODY);
    }
    for (int actor = 0; actor < ACTORS; actor++) {
      pod(actor, NOBODY);
    }
    cells[FAULTS_AT] = (byte) faults;
  }

  private World(World other) {
    cells = other.cells.clone();
    requests = other.requests.clone();
  }

  World copy() {
    return new World(this);
  }

  /**
   * This state with its warm Pods in a fixed order, since they are interchangeable. It saves
   * states, and misses mirror images whose Pods differ only in who refers to them. A trace may
   * therefore call one Pod 0 in a step and 1 in the next.
   */
  World canonical() {
    int second = POD_AT + POD_CELLS;
    if (Arrays.compare(cells, POD_AT, second, cells, second, second + POD_CELLS) <= 0) {
      return this;
    }
    World other = copy();
    System.arraycopy(cells, POD_AT, other.cells, second, POD_CELLS);
    System.arraycopy(cells, second, other.cells, POD_AT, POD_CELLS);
    for (int run = 0; run < RUNS; run++) {
      other.bind(run, exchanged(podOf(run)), dispatcherOf(run));
    }
    for (int actor = 0; actor < ACTORS; actor++) {
      other.pod(actor, exchanged(pod(actor)));
    }
    for (Request request : requests()) {
      other.replace(request, request.to(exchanged(request.pod())));
    }
    return other;
  }

  private static int exchanged(int pod) {
    return pod == NOBODY || pod == OWN_POD ? pod : 1 - pod;
  }

  // Runs, as the API server has them.

  int podOf(int run) {
    return cells[run * RUN_CELLS] - 1;
  }

  int dispatcherOf(int run) {
    return cells[run * RUN_CELLS + 1] - 1;
  }

  void bind(int run, int pod, int dispatcher) {
    cells[run * RUN_CELLS] = (byte) (pod + 1);
    cells[run * RUN_CELLS + 1] = (byte) (dispatcher + 1);
  }

  Outcome outcome(int run) {
    return Outcome.values()[cells[run * RUN_CELLS + 2]];
  }

  void end(int run, Outcome outcome) {
    cells[run * RUN_CELLS + 2] = (byte) outcome.ordinal();
  }

  boolean isGone(int run) {
    return cells[run * RUN_CELLS + 3] == 1;
  }

  void delete(int run) {
    cells[run * RUN_CELLS + 3] = 1;
  }

  boolean isOpen(int run) {
    return !isGone(run) && outcome(run) == Outcome.NONE;
  }

  /** Whether its output and result are in the output store. */
  boolean isStored(int run) {
    return cells[run * RUN_CELLS + 4] == 1;
  }

  void store(int run) {
    cells[run * RUN_CELLS + 4] = 1;
  }

  /** How often its code was started; two stands for more. */
  int starts(int run) {
    return cells[run * RUN_CELLS + 5];
  }

  void starts(int run, int times) {
    cells[run * RUN_CELLS + 5] = (byte) Math.min(times, 2);
  }

  // Pods.

  boolean exists(int pod) {
    return cells[POD_AT + pod * POD_CELLS] != 0;
  }

  boolean isAlive(int pod) {
    return cells[POD_AT + pod * POD_CELLS] == 1;
  }

  void create(int pod) {
    cells[POD_AT + pod * POD_CELLS] = 1;
  }

  void kill(int pod) {
    cells[POD_AT + pod * POD_CELLS] = 2;
  }

  /** Whatever it had is gone with it. */
  void remove(int pod) {
    cells[POD_AT + pod * POD_CELLS] = 0;
    supervisor(pod, Supervisor.IDLE);
    setRunIn(pod, NOBODY);
  }

  Supervisor supervisor(int pod) {
    return Supervisor.values()[cells[POD_AT + pod * POD_CELLS + 1]];
  }

  void supervisor(int pod, Supervisor state) {
    cells[POD_AT + pod * POD_CELLS + 1] = (byte) state.ordinal();
  }

  /** The run of the job that was staged. */
  int runIn(int pod) {
    return cells[POD_AT + pod * POD_CELLS + 2] - 1;
  }

  void setRunIn(int pod, int run) {
    cells[POD_AT + pod * POD_CELLS + 2] = (byte) (run + 1);
  }

  // Executions.

  static int runOf(int actor) {
    return actor < EXECUTIONS ? actor / EXECUTIONS_OF_A_RUN : NOBODY;
  }

  static IntStream executionsOf(int run) {
    return IntStream.range(run * EXECUTIONS_OF_A_RUN, (run + 1) * EXECUTIONS_OF_A_RUN);
  }

  Place place(int actor) {
    return Place.values()[cell(actor, 0)];
  }

  void place(int actor, Place place) {
    cell(actor, 0, place.ordinal());
  }

  int process(int actor) {
    return actor < EXECUTIONS ? cell(actor, 1) : actor - EXECUTIONS;
  }

  int pod(int actor) {
    return cell(actor, 2) - 1;
  }

  void pod(int actor, int pod) {
    cell(actor, 2, pod + 1);
  }

  /** What an execution knows. */
  enum Fact {
    VERSION_IS_CURRENT,
    MADE_THE_BINDING,
    IS_BOUND,
    HAS_SENT_JOB,
    JOB_IS_STAGED,
    HAS_SENT_START
  }

  boolean knows(int actor, Fact fact) {
    return (cell(actor, 3) >> fact.ordinal() & 1) == 1;
  }

  void setFact(int actor, Fact fact, boolean is) {
    int bit = 1 << fact.ordinal();
    cell(actor, 3, is ? cell(actor, 3) | bit : cell(actor, 3) & ~bit);
  }

  void begin(int actor, int process) {
    forget(actor);
    cell(actor, 1, process);
    place(actor, Place.LOOK);
  }

  /** It ends, and nothing that it knew matters any more. */
  void forget(int actor) {
    Arrays.fill(
        cells, ACTOR_AT + actor * ACTOR_CELLS, ACTOR_AT + (actor + 1) * ACTOR_CELLS, (byte) 0);
  }

  private int cell(int actor, int at) {
    return cells[ACTOR_AT + actor * ACTOR_CELLS + at];
  }

  private void cell(int actor, int at, int value) {
    cells[ACTOR_AT + actor * ACTOR_CELLS + at] = (byte) value;
  }

  /** The executions and caretakers that exist. */
  IntStream atWork() {
    return IntStream.range(0, ACTORS).filter(actor -> place(actor) != Place.NONE);
  }

  /** Whether the other process does nothing. */
  boolean isAlone(int process) {
    return atWork().allMatch(actor -> process(actor) == process);
  }

  /** Whether a process has given a Pod to one of its executions. */
  boolean isHeld(int pod, int process) {
    return atWork().anyMatch(actor -> process(actor) == process && pod(actor) == pod);
  }

  // Faults that may still happen, and what has gone wrong.

  int faults() {
    return cells[FAULTS_AT];
  }

  World afterFault() {
    World after = copy();
    after.cells[FAULTS_AT]--;
    after.cells[FAULTS_AT + 1] = 1;
    return after;
  }

  boolean hasHadFault() {
    return cells[FAULTS_AT + 1] == 1;
  }

  /** A Pod, a process or a request was lost, so that a run may be. */
  void recordLoss() {
    cells[FAULTS_AT + 2] = 1;
  }

  boolean hasLost() {
    return cells[FAULTS_AT + 2] == 1;
  }

  /** What has happened that must never happen. */
  enum Breach {
    NONE,
    ACKNOWLEDGED_BEFORE_IT_WAS_STORED,
    WRITTEN_AFTER_ITS_END
  }

  void breach(Breach breach) {
    cells[FAULTS_AT + 3] = (byte) breach.ordinal();
  }

  Breach breach() {
    return Breach.values()[cells[FAULTS_AT + 3]];
  }

  // Requests.

  Request[] requests() {
    return IntStream.range(0, MAX_REQUESTS)
        .filter(at -> requests[at] != 0)
        .mapToObj(at -> Request.of(requests[at] & 0xffff))
        .toArray(Request[]::new);
  }

  boolean hasRoom() {
    return requests[0] == 0;
  }

  void send(Request request) {
    if (!hasRoom()) {
      throw new IllegalStateException("more requests are under way than the model has room for");
    }
    requests[0] = (short) request.packed();
    Arrays.sort(requests);
  }

  void replace(Request request, Request by) {
    remove(request);
    send(by);
  }

  void remove(Request request) {
    for (int at = 0; at < MAX_REQUESTS; at++) {
      if (requests[at] == (short) request.packed()) {
        requests[at] = 0;
        Arrays.sort(requests);
        return;
      }
    }
    throw new IllegalStateException("there is no such request: " + request);
  }

  /**
   * Makes stale what was read or sent before this write. A stale write that nobody waits for is
   * dropped, except an unbind, which {@code UNBINDING_ON_ANY_VERSION} accepts.
   */
  void expireVersions(int run) {
    executionsOf(run).forEach(actor -> setFact(actor, Fact.VERSION_IS_CURRENT, false));
    for (Request request : requests()) {
      if (runOf(request.sender()) == run && request.fresh()) {
        if (request.awaited() || request.kind() == Kind.UNBIND) {
          replace(request, request.stale());
        } else {
          remove(request);
        }
      }
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof World world
        && Arrays.equals(cells, world.cells)
        && Arrays.equals(requests, world.requests);
  }

  @Override
  public int hashCode() {
    return Objects.hash(Arrays.hashCode(cells), Arrays.hashCode(requests));
  }
}

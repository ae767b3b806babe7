package dev.assay.operator.run.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.operator.run.model.Explorer.Result;
import dev.assay.operator.run.model.Request.Kind;
import dev.assay.operator.run.model.Rules.Mistake;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The rules of binding, in every order of what two operator processes can do. */
@Tag("slow")
class BindingModelTest {
  private static final int MAX_STATES = 10_000_000;
  private static final String TRIED = "it is tried";

  /** The numbers of states, and the traces, for people. */
  private static final Path REPORT = Path.of("target", "binding-model.txt");

  @BeforeAll
  static void deleteOldReport() throws IOException {
    Files.deleteIfExists(REPORT);
  }

  @ParameterizedTest
  @CsvSource({"1, 2", "2, 1"})
  void everyGuaranteeHoldsWhateverHappens(int runs, int faults) throws IOException {
    Result result = explore(Rules.ALL, runs, faults, Guarantees::violation);
    report("runs: %d, faults: %d".formatted(runs, faults), result);
    assertThat(result.violation()).as("%s", result).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "UNBINDING_ON_ANY_VERSION, was started twice",
    "START_BEFORE_TAKEOVER, was started twice",
    "REFUSAL_IS_FORGOTTEN, was started twice",
    "UNBINDING_BY_ANY_DISPATCHER, was started twice",
    "DELETION_WITHOUT_REFUSAL, was lost",
    "ACK_BEFORE_STORE, ACKNOWLEDGED_BEFORE_IT_WAS_STORED",
    "NOT_STARTED_AFTER_A_START, ended as not started",
    "BYTES_CHANGED_IS_A_REFUSAL, was started twice"
  })
  void withoutARuleItsGuaranteeIsViolated(Mistake mistake, String expected) throws IOException {
    Rules rules = Rules.breaking(mistake);
    // Other violations have shorter traces, and would hide the one that the rule prevents.
    Function<World, String> violation =
        world -> {
          String found = Guarantees.violation(world);
          return found.contains(expected) ? found : "";
        };
    Result result = explore(rules, 1, 2, violation);
    report(rules.mistakes().toString(), result);
    assertThat(result.violation()).contains(expected);
  }

  @ParameterizedTest
  @EnumSource
  void theInterleavingIsOneOfThoseThatAreTried(Interleaving interleaving) throws IOException {
    // The predicate is passed as a violation, so that the exploration returns a trace to it.
    Result result = explore(Rules.ALL, 1, 2, world -> interleaving.holds(world) ? TRIED : "");
    report(interleaving.name(), result);
    assertThat(result.violation()).isEqualTo(TRIED);
  }

  private static synchronized void report(String what, Result result) throws IOException {
    Files.writeString(
        REPORT, what + ": " + result + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  /** Those that rules of binding were written for. */
  private enum Interleaving {
    /** An unbind that nobody waits for is still under way while the run's code runs. */
    DELAYED_UNBINDING(
        (world, request) ->
            request.kind() == Kind.UNBIND && !request.awaited() && runs(world, request)),

    /** A start is still under way to a Pod that the run is no longer bound to. */
    LATE_START(
        (world, request) ->
            request.kind() == Kind.START
                && !request.awaited()
                && world.isAlive(request.pod())
                && world.isOpen(run(request))
                && world.podOf(run(request)) != request.pod()),

    /** A bind that can still be written names a Pod that was deleted. */
    LATE_BIND(
        (world, request) ->
            request.kind() == Kind.BIND
                && !request.awaited()
                && request.fresh()
                && !world.exists(request.pod())),

    /**
     * A run is taken over whose Pod died with a staged job, and cannot report that it never started
     * it.
     */
    KILLED_POD(
        (world, request) ->
            request.kind() == Kind.TAKE_OVER
                && world.exists(request.pod())
                && !world.isAlive(request.pod())
                && world.supervisor(request.pod()) == Supervisor.STAGED),

    /** A run is taken over when no other execution is left, in this process or in the other. */
    TAKEOVER_AFTER_RESTART(
        (world, request) ->
            request.kind() == Kind.TAKE_OVER
                && request.awaited()
                && world.process(request.sender()) == 0
                && world.dispatcherOf(run(request)) != request.sender()
                && IntStream.range(0, World.EXECUTIONS)
                    .allMatch(w -> w == request.sender() || world.place(w) == Place.NONE)),

    /** A run was deleted while its code runs in a warm Pod. */
    RUN_DELETED_IN_WARM_POD(
        (world, request) ->
            world.isGone(run(request)) && request.pod() != World.OWN_POD && runs(world, request));

    private final BiPredicate<World, Request> holds;

    Interleaving(BiPredicate<World, Request> holds) {
      this.holds = holds;
    }

    boolean holds(World world) {
      return Arrays.stream(world.requests())
          .filter(request -> request.sender() < World.EXECUTIONS)
          .anyMatch(request -> holds.test(world, request));
    }

    private static int run(Request request) {
      return World.runOf(request.sender());
    }

    private static boolean runs(World world, Request request) {
      return request.pod() != World.NOBODY
          && world.runIn(request.pod()) == run(request)
          && world.supervisor(request.pod()) == Supervisor.RUNNING;
    }
  }

  private static Result explore(
      Rules rules, int runs, int faults, Function<World, String> violation) {
    return new Explorer<>(Transitions.by(rules), violation, Guarantees::isSettled, MAX_STATES)
        .explore(new World(runs, faults));
  }
}

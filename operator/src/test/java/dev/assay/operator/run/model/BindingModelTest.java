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

  @ParameterizedTest
  @CsvSource({"false, 1, 2", "true, 1, 2", "false, 2, 1", "true, 2, 1"})
  void whateverHappensThePromisesAreKept(boolean refuses, int runs, int faults) throws IOException {
    Rules rules = refuses ? Rules.WITH_REFUSE : Rules.PRESENT;
    Result result = explore(rules, runs, faults, Promises::violation);
    report("refuse: %s, runs: %d, faults: %d".formatted(refuses, runs, faults), result);
    assertThat(result.violation()).as("%s", result).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void aRuleThatIsBrokenIsSeen(Mistake mistake) throws IOException {
    Result result = explore(Rules.WITH_REFUSE.with(mistake), 1, 2, Promises::violation);
    report(mistake.name(), result);
    assertThat(result.violation()).isNotEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void theInterleavingIsOneOfThoseThatAreTried(Interleaving interleaving) throws IOException {
    Result result =
        explore(Rules.WITH_REFUSE, 1, 2, world -> interleaving.holds(world) ? TRIED : "");
    report(interleaving.name(), result);
    assertThat(result.violation()).isEqualTo(TRIED);
  }

  private static synchronized void report(String what, Result result) throws IOException {
    Files.writeString(
        REPORT, what + ": " + result + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  /** Those that rules of binding were written for. */
  private enum Interleaving {
    /** A replaced process's write is handled while the code runs that its successor has started. */
    DELAYED_UNBINDING(
        (world, request) ->
            request.kind() == Kind.UNBIND && !request.awaited() && runs(world, request)),

    /** It was sent, the run has left the Pod, and it arrives there. */
    LATE_START(
        (world, request) ->
            request.kind() == Kind.START
                && !request.awaited()
                && world.isAlive(request.pod())
                && world.isOpen(run(request))
                && world.podOf(run(request)) != request.pod()),

    /** The Pod was deleted before the bind is handled. */
    LATE_BIND(
        (world, request) ->
            request.kind() == Kind.BIND
                && !request.awaited()
                && request.fresh()
                && !world.exists(request.pod())),

    /** The Pod cannot say any more that it has not started its run. */
    KILLED_POD(
        (world, request) ->
            request.kind() == Kind.TAKE_OVER
                && world.exists(request.pod())
                && !world.isAlive(request.pod())
                && world.supervisor(request.pod()) == Supervisor.STAGED),

    /** The process that has bound the run is another execution of it now. */
    RESTART_IN_PLACE(
        (world, request) ->
            request.kind() == Kind.TAKE_OVER
                && request.awaited()
                && world.process(request.sender()) == 0
                && world.dispatcherOf(run(request)) != request.sender()
                && IntStream.range(0, World.EXECUTIONS)
                    .allMatch(w -> w == request.sender() || world.place(w) == Place.NONE)),

    /** Nobody can read the run any more that a warm Pod runs. */
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
    return new Explorer<>(Binding.by(rules), violation, Promises::isSettled, MAX_STATES)
        .explore(new World(runs, faults));
  }
}

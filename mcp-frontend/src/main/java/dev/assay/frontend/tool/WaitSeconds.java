package dev.assay.frontend.tool;

import dev.assay.frontend.argument.ArgumentTypes;
import dev.assay.frontend.argument.Arguments;
import dev.assay.frontend.argument.Parameter;
import dev.assay.frontend.watch.Patience;
import java.time.Duration;
import java.util.Optional;

/**
 * The argument of tools whose call makes a run: how long the call waits for its end, which goes on
 * after it.
 *
 * @param parameter what a call says
 * @param otherwise where it says nothing: less than clients wait for an answer
 */
record WaitSeconds(Parameter<Optional<Integer>> parameter, Duration otherwise) {
  /**
   * The argument.
   *
   * @param maxSeconds that a call may name
   * @param otherwiseSeconds where it names none
   */
  static WaitSeconds upTo(int maxSeconds, int otherwiseSeconds) {
    return new WaitSeconds(
        Parameter.optional("wait_seconds", ArgumentTypes.integer(0, maxSeconds)),
        Duration.ofSeconds(otherwiseSeconds));
  }

  /** The patience of a call from now on. */
  Patience patience(Arguments arguments) {
    return Patience.of(
        arguments
            .get(parameter)
            .<Duration>map(seconds -> Duration.ofSeconds(seconds))
            .orElse(otherwise));
  }
}

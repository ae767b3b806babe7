package dev.assay.frontend.tool;

import dev.assay.frontend.argument.ArgumentTypes;
import dev.assay.frontend.argument.Arguments;
import dev.assay.frontend.argument.Parameter;
import dev.assay.frontend.watch.Patience;
import java.time.Duration;
import java.util.Optional;

/**
 * The argument of tools whose call creates a run: how long the call waits for the run to end. The
 * run continues after that.
 *
 * @param parameter what a call says
 * @param defaultWait where it says nothing: less than clients wait for a response
 */
record WaitSeconds(Parameter<Optional<Integer>> parameter, Duration defaultWait) {
  /**
   * The argument.
   *
   * @param maxSeconds that a call may name
   * @param defaultSeconds where it names none
   */
  static WaitSeconds upTo(int maxSeconds, int defaultSeconds) {
    return new WaitSeconds(
        Parameter.optional("wait_seconds", ArgumentTypes.integer(0, maxSeconds)),
        Duration.ofSeconds(defaultSeconds));
  }

  /** The patience of a call from now on. */
  Patience patience(Arguments arguments) {
    return Patience.of(
        arguments
            .get(parameter)
            .<Duration>map(seconds -> Duration.ofSeconds(seconds))
            .orElse(defaultWait));
  }
}

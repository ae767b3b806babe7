package dev.assay.frontend.tool;

import dev.assay.frontend.argument.ArgumentTypes;
import dev.assay.frontend.argument.Arguments;
import dev.assay.frontend.argument.Parameter;
import dev.assay.frontend.watch.Patience;
import java.time.Duration;
import java.util.Optional;

/** The argument of tools whose call makes a run: how long the call waits for its end. */
final class WaitSeconds {
  private WaitSeconds() {}

  /** The parameter. */
  static Parameter<Optional<Integer>> upTo(int maxSeconds) {
    return Parameter.optional("wait_seconds", ArgumentTypes.integer(0, maxSeconds));
  }

  /** The patience of a call from now on; without the argument it waits to the end. */
  static Patience patience(Parameter<Optional<Integer>> parameter, Arguments arguments) {
    return arguments
        .get(parameter)
        .map(seconds -> Patience.of(Duration.ofSeconds(seconds)))
        .orElseGet(Patience::endless);
  }
}

package dev.assay.frontend.tool;

import dev.assay.frontend.argument.ArgumentTypes;
import dev.assay.frontend.argument.Parameter;

/** The argument of tools whose replies can be long. */
final class MaxTokens {
  static final String NAME = "max_tokens";

  private static final int MIN = 100;
  private static final int MAX = 200_000;

  private MaxTokens() {}

  /** The parameter, with a default. The longest reply is more than any client takes. */
  static Parameter<Integer> of(int defaultTokens) {
    return Parameter.withDefault(
        NAME, ArgumentTypes.integer(MIN, MAX).without("maximum"), defaultTokens);
  }
}

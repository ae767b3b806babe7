package dev.assay.frontend.tool;

import dev.assay.frontend.argument.ArgumentType;
import dev.assay.frontend.argument.ArgumentTypes;
import dev.assay.frontend.argument.Parameter;

/** The argument of tools whose replies can be long. */
final class MaxTokens {
  static final String NAME = "max_tokens";

  private static final int MIN = 100;
  private static final int MAX = 200_000;

  private MaxTokens() {}

  /** The parameter, with a default. */
  static Parameter<Integer> of(int defaultTokens) {
    return Parameter.withDefault(NAME, upTo(MAX), defaultTokens);
  }

  /** How long a reply may be, which is not listed: few clients take as much. */
  static ArgumentType<Integer> upTo(int max) {
    return ArgumentTypes.integer(MIN, max).without("maximum");
  }
}

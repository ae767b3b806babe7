package dev.assay.local.kubelet;

import java.util.List;

/** Steps that are all taken, whatever becomes of those before. */
final class FinalSteps {
  private FinalSteps() {}

  /**
   * Takes the steps in their order.
   *
   * @throws RuntimeException if one fails, after all; an Error likewise
   */
  static void run(Runnable... steps) {
    run(List.of(steps));
  }

  private static void run(List<Runnable> steps) {
    if (steps.isEmpty()) {
      return;
    }
    try {
      steps.getFirst().run();
    } finally {
      run(steps.subList(1, steps.size()));
    }
  }
}

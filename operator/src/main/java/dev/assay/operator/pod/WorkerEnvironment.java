package dev.assay.operator.pod;

import dev.assay.api.v1alpha1.RunClassSpec;
import dev.assay.operator.pod.RunnerPodRequest.RunWorker;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The environment of the worker container, as specified in {@code images/protocol/README.md}. A
 * class cannot name the variables that are set here: its CRD refuses them.
 */
final class WorkerEnvironment {
  /** Pairs NAME=DISPLAY; a display name has neither a comma nor an equals sign. */
  static final String DISPLAY_NAMES = "ASSAY_DISPLAY_NAMES";

  private static final String USER_NAME = "assay";

  private WorkerEnvironment() {}

  static List<EnvVar> of(RunnerPodRequest request, String home, String temporary) {
    RunClassSpec runClass = request.runClass();
    List<EnvVar> environment = new ArrayList<>();
    environment.add(variable("HOME", home));
    environment.add(variable("TMPDIR", temporary));
    environment.add(variable("ASSAY_CPUS", processors(runClass.resources().cpu())));
    environment.add(variable("ASSAY_MEMORY_BYTES", bytes(runClass.resources().memory())));
    environment.add(variable("ASSAY_SCRATCH_BYTES", bytes(runClass.scratch().sizeLimit())));
    // The user id has no passwd entry, and programs look up a name.
    environment.add(variable("USER", USER_NAME));
    environment.add(variable("LOGNAME", USER_NAME));
    if (request.worker() instanceof RunWorker run
        && run.datasets().stream().anyMatch(dataset -> dataset.displayName() != null)) {
      environment.add(variable(DISPLAY_NAMES, displayNames(run.datasets())));
    }
    if (request.worker() instanceof RunWorker run && run.warmUp()) {
      environment.add(variable("ASSAY_WARM_UP", "true"));
    }
    if (runClass.environment() != null) {
      // In order of the names, so that the same class gives the same Pod.
      new TreeMap<>(runClass.environment())
          .forEach((name, value) -> environment.add(variable(name, literal(value))));
    }
    return environment;
  }

  /** The number of threads that can run at once, at least one. */
  private static String processors(String cpu) {
    return new Quantity(cpu)
        .getNumericalAmount()
        .setScale(0, RoundingMode.CEILING)
        .max(BigDecimal.ONE)
        .toPlainString();
  }

  private static String bytes(String quantity) {
    return Quantity.getAmountInBytes(new Quantity(quantity))
        .setScale(0, RoundingMode.FLOOR)
        .toPlainString();
  }

  private static String displayNames(List<DatasetMount> datasets) {
    return datasets.stream()
        .filter(dataset -> dataset.displayName() != null)
        .map(dataset -> dataset.dataset() + "=" + dataset.displayName())
        .collect(Collectors.joining(","));
  }

  /** Kubernetes replaces {@code $(NAME)} by the value of another variable, unless it is escaped. */
  private static String literal(String value) {
    return value.replace("$(", "$$(");
  }

  private static EnvVar variable(String name, String value) {
    return new EnvVarBuilder().withName(name).withValue(value).build();
  }
}

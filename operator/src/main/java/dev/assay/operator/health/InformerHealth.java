package dev.assay.operator.health;

import io.javaoperatorsdk.operator.RuntimeInfo;
import io.javaoperatorsdk.operator.health.InformerHealthIndicator;
import io.javaoperatorsdk.operator.health.Status;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/** Reports informers of the controllers that do not watch. */
public final class InformerHealth {
  private InformerHealth() {}

  /**
   * One sentence per informer; none before they are started.
   *
   * @param mayNotWatch whether the permission to watch a namespace is missing: no restart would
   *     help
   */
  @SuppressWarnings({"rawtypes", "unchecked"}) // The SDK's own.
  public static Set<String> symptoms(RuntimeInfo info, Predicate<String> mayNotWatch) {
    if (!info.isStarted()) {
      return Set.of();
    }
    Set<String> symptoms = new TreeSet<>();
    info.unhealthyInformerWrappingEventSourceHealthIndicator()
        .forEach(
            (controller, sources) ->
                sources.forEach(
                    (source, indicator) -> {
                      Collection<InformerHealthIndicator> informers =
                          indicator.informerHealthIndicators().values();
                      if (informers.stream()
                          .filter(informer -> informer.getStatus() != Status.HEALTHY)
                          .anyMatch(informer -> !mayNotWatch.test(informer.getTargetNamespace()))) {
                        symptoms.add(
                            "informer %s of controller %s does not watch"
                                .formatted(source, controller));
                      }
                    }));
    return symptoms;
  }
}

package dev.assay.operator.health;

import io.javaoperatorsdk.operator.RuntimeInfo;
import java.util.Set;
import java.util.TreeSet;

/** Reports informers of the controllers that do not watch. */
public final class InformerHealth {
  private InformerHealth() {}

  /** One sentence per informer; none before they are started. */
  public static Set<String> symptoms(RuntimeInfo info) {
    if (!info.isStarted()) {
      return Set.of();
    }
    Set<String> symptoms = new TreeSet<>();
    info.unhealthyEventSources()
        .forEach(
            (controller, sources) ->
                sources
                    .keySet()
                    .forEach(
                        source ->
                            symptoms.add(
                                "informer %s of controller %s does not watch"
                                    .formatted(source, controller))));
    return symptoms;
  }
}

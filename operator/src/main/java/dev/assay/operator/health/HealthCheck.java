package dev.assay.operator.health;

import java.time.Duration;
import java.util.Set;
import java.util.function.Supplier;

/**
 * A check for something that can be stuck.
 *
 * @param grace how long a symptom may last
 * @param needsApiServer whether the symptoms are ignored while the API server does not respond: a
 *     restart does not fix an outage
 * @param symptoms what is stuck now, each as a sentence that does not change while it lasts; must
 *     not block
 */
public record HealthCheck(Duration grace, boolean needsApiServer, Supplier<Set<String>> symptoms) {}

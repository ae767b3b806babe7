package dev.assay.operator.health;

import java.time.Duration;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Something that can be stuck.
 *
 * @param grace for how long a symptom may last
 * @param needsApiServer whether the symptoms say nothing while the API server does not answer: a
 *     restart mends no outage
 * @param symptoms what is stuck now, each as a sentence that stays the same while it lasts; must
 *     not block
 */
public record HealthCheck(Duration grace, boolean needsApiServer, Supplier<Set<String>> symptoms) {}

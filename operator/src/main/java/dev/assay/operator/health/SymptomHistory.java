package dev.assay.operator.health;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Tracks how long the symptoms of one check have lasted without interruption. */
final class SymptomHistory {
  private final Map<String, Instant> since = new TreeMap<>();

  /** The present symptoms that have lasted for the grace period. */
  Set<String> lasting(Set<String> present, Duration grace, Instant now) {
    since.keySet().retainAll(present);
    present.forEach(symptom -> since.putIfAbsent(symptom, now));
    Set<String> lasting = new TreeSet<>();
    since.forEach(
        (symptom, begin) -> {
          if (!now.isBefore(begin.plus(grace))) {
            lasting.add(symptom);
          }
        });
    return lasting;
  }
}

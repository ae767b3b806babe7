package dev.assay.operator.kubernetes;

import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;

/** A counter with labels, as Prometheus reads it. */
public final class Counter {
  private final String name;
  private final String help;
  private final Map<String, LongAdder> counts = new ConcurrentSkipListMap<>();

  /**
   * Counts nothing yet.
   *
   * @param help one sentence
   */
  public Counter(String name, String help) {
    this.name = name;
    this.help = help;
  }

  /**
   * Adds to a count.
   *
   * @param labels as in {@code namespace="a",code="OK"}
   * @param amount 0 shows a count that has not started
   */
  public void add(String labels, long amount) {
    counts.computeIfAbsent(labels, unused -> new LongAdder()).add(amount);
  }

  /** The counts in the text format of Prometheus. */
  public String text() {
    StringBuilder text =
        new StringBuilder("# HELP %s %s\n# TYPE %s counter\n".formatted(name, help, name));
    counts.forEach(
        (labels, count) -> text.append("%s{%s} %d\n".formatted(name, labels, count.sum())));
    return text.toString();
  }
}

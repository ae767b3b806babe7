package dev.assay.frontend.call;

import dev.assay.api.metrics.ProgramMetrics;
import dev.assay.api.text.TextBytes;
import dev.assay.frontend.token.TokenEstimate;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Counts calls of tools, with their outcomes, their time and the size of their replies. */
final class CallMetrics {
  /** Outcomes are words of ours, and few; if one ever is not, the rest shares a label. */
  static final int MAX_OUTCOMES = 64;

  private static final String OTHER = "other";

  private final MeterProvider<Counter> calls;
  private final MeterProvider<Timer> seconds;
  private final MeterProvider<DistributionSummary> bytes;
  private final MeterProvider<DistributionSummary> tokens;
  private final Set<String> outcomes = ConcurrentHashMap.newKeySet();

  CallMetrics(ProgramMetrics metrics) {
    this.calls =
        Counter.builder("assay_frontend_calls_total")
            .description("Calls of tools that have ended, by outcome.")
            .withRegistry(metrics.registry());
    this.seconds =
        Timer.builder("assay_frontend_call_seconds")
            .description("Time of calls of tools.")
            .serviceLevelObjectives(
                Duration.ofMillis(50),
                Duration.ofMillis(250),
                Duration.ofSeconds(1),
                Duration.ofSeconds(5),
                Duration.ofSeconds(35),
                Duration.ofMinutes(1),
                Duration.ofMinutes(10))
            .withRegistry(metrics.registry());
    this.bytes =
        DistributionSummary.builder("assay_frontend_reply_bytes")
            .description("Text and pictures of replies, in bytes.")
            .serviceLevelObjectives(1 << 10, 1 << 14, 1 << 17, 1 << 20)
            .withRegistry(metrics.registry());
    this.tokens =
        DistributionSummary.builder("assay_frontend_reply_tokens")
            .description("Text of replies, in estimated tokens.")
            .serviceLevelObjectives(250, 1_000, 5_000, 25_000)
            .withRegistry(metrics.registry());
  }

  /**
   * A call has ended.
   *
   * @param tool a tool of ours
   */
  void ended(String tool, String outcome, Duration took) {
    calls.withTags("tool", tool, "outcome", bounded(outcome)).increment();
    seconds.withTag("tool", tool).record(took);
  }

  private String bounded(String outcome) {
    if (outcomes.size() < MAX_OUTCOMES) {
      outcomes.add(outcome);
    }
    return outcomes.contains(outcome) ? outcome : OTHER;
  }

  /** A call of a tool has a reply. */
  void replied(String tool, Reply reply) {
    String text = reply.text();
    bytes.withTag("tool", tool).record((double) (utf8(text) + pictures(reply)));
    tokens.withTag("tool", tool).record(TokenEstimate.of(text));
  }

  private static long utf8(String text) {
    long bytes = 0;
    for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
      bytes += TextBytes.utf8(text.codePointAt(i));
    }
    return bytes;
  }

  private static long pictures(Reply reply) {
    return reply.content().stream()
        .mapToLong(block -> block instanceof ContentBlock.Image image ? image.bytes().length : 0)
        .sum();
  }
}

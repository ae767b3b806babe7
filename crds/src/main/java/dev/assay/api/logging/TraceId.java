package dev.assay.api.logging;

import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Ids of traces, as W3C Trace Context has them: 32 hexadecimal digits, not all of them 0. */
public final class TraceId {
  /** The header that brings the trace of a request. */
  public static final String HEADER = "traceparent";

  /** The annotation of a run with the trace of the call that created it. */
  public static final String ANNOTATION = "assay.dev/trace-id";

  private static final Pattern VALID = Pattern.compile("(?!0{32})[0-9a-f]{32}");

  /** Version, trace, parent and flags; versions after 00 may have more behind. */
  private static final Pattern PARENT =
      Pattern.compile("([0-9a-f]{2})-([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?");

  private static final int MAX_HEADER = 512;

  private TraceId() {}

  /**
   * The trace of a request.
   *
   * @param traceparent the header; null if there is none
   * @return empty if it is absent or invalid
   */
  public static Optional<String> ofParent(@Nullable String traceparent) {
    if (traceparent == null || traceparent.length() > MAX_HEADER) {
      return Optional.empty();
    }
    Matcher matcher = PARENT.matcher(traceparent.strip());
    if (!matcher.matches()
        || matcher.group(1).equals("ff")
        || (matcher.group(1).equals("00") && matcher.group(3) != null)) {
      return Optional.empty();
    }
    return valid(matcher.group(2));
  }

  /** The same, or a new one. */
  public static String ofParentOrNew(@Nullable String traceparent) {
    return ofParent(traceparent).orElseGet(TraceId::random);
  }

  /** An id if it is one, as anybody may have set an annotation. */
  public static Optional<String> valid(@Nullable String id) {
    return Optional.ofNullable(id).filter(text -> VALID.matcher(text).matches());
  }

  /** A new id. It need not be secret. */
  public static String random() {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    return "%016x%016x".formatted(random.nextLong() | 1, random.nextLong());
  }
}

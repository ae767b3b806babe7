package dev.assay.operator.config;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * The user ids that the run Pods of a namespace may have, both bounds inclusive. Each run Pod uses
 * two of them.
 *
 * @param first at least 1000
 * @param last above {@code first}, at most 2147483647
 */
public record UserIdRange(
    @JsonProperty(required = true) long first, @JsonProperty(required = true) long last) {
  /** Used when a namespace sets none. */
  public static final UserIdRange DEFAULT = new UserIdRange(20_000, 59_999);

  private static final long MIN_ID = 1000;
  private static final long MAX_ID = Integer.MAX_VALUE;

  /** The ids of snapshot Pods and of the control plane. */
  private static final long FIRST_RESERVED = 65_530;

  private static final long LAST_RESERVED = 65_535;

  /** Rejects a range that is empty or overlaps with ids used elsewhere. */
  public UserIdRange {
    if (first < MIN_ID || last > MAX_ID || last <= first) {
      throw new IllegalArgumentException(
          "userIds: first must be at least %d, last above first and at most %d"
              .formatted(MIN_ID, MAX_ID));
    }
    if (first <= LAST_RESERVED && last >= FIRST_RESERVED) {
      throw new IllegalArgumentException(
          "userIds: %d to %d belong to Assay's other Pods"
              .formatted(FIRST_RESERVED, LAST_RESERVED));
    }
  }

  /** How many Pods can have unique ids at the same time. */
  public long pairs() {
    return (last - first + 1) / 2;
  }
}

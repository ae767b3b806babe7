package dev.assay.operator.tool;

import java.util.Optional;

/** Whether a call reached its tool server. */
public enum Sent {
  NO("no"),
  YES("yes"),
  UNKNOWN("unknown");

  private final String wireName;

  Sent(String wireName) {
    this.wireName = wireName;
  }

  /** The name in records and in what code reads. */
  public String wireName() {
    return wireName;
  }

  /** The one with a name; empty if there is none. */
  static Optional<Sent> of(String name) {
    for (Sent sent : values()) {
      if (sent.wireName.equals(name)) {
        return Optional.of(sent);
      }
    }
    return Optional.empty();
  }
}

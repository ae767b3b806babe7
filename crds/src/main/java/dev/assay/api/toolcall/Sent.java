package dev.assay.api.toolcall;

import com.fasterxml.jackson.annotation.JsonValue;
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

  /** The name in JSON: in records, in replies of the gateway and in what code reads. */
  @JsonValue
  public String wireName() {
    return wireName;
  }

  /** The one with a name; empty if there is none. */
  public static Optional<Sent> of(String name) {
    for (Sent sent : values()) {
      if (sent.wireName.equals(name)) {
        return Optional.of(sent);
      }
    }
    return Optional.empty();
  }
}

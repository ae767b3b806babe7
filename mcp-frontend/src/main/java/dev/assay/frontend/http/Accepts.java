package dev.assay.frontend.http;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What a client can read.
 *
 * @param json one JSON document
 * @param stream server-sent events
 */
record Accepts(boolean json, boolean stream) {
  /** From the header; a client that does not say reads JSON. */
  static Accepts of(@Nullable String header) {
    if (header == null || header.isBlank()) {
      return new Accepts(true, false);
    }
    boolean json = false;
    boolean stream = false;
    for (String part : header.split(",", -1)) {
      String type = part.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
      json |= type.equals("application/json") || type.equals("application/*") || type.equals("*/*");
      stream |= type.equals("text/event-stream") || type.equals("text/*");
    }
    return new Accepts(json, stream);
  }
}

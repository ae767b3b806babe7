package dev.assay.local.api.http;

import dev.assay.local.api.status.ApiException;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** In what form a client wants its answer. */
enum MediaTypes {
  OBJECTS,
  TABLE;

  private static final Set<String> JSON =
      Set.of("application/json", "application/*", "*/*", "application/json;stream=watch");

  /**
   * The first of the accepted types that can be served.
   *
   * @param accept the header; empty for any
   * @throws ApiException where there is none
   */
  static MediaTypes accepted(String accept) {
    if (accept.isBlank()) {
      return OBJECTS;
    }
    for (String choice : accept.toLowerCase(Locale.ROOT).split(",", -1)) {
      Set<String> parts = new HashSet<>();
      for (String part : choice.split(";", -1)) {
        parts.add(part.strip());
      }
      parts.removeIf(part -> part.startsWith("q=") || part.startsWith("charset="));
      if (parts.containsAll(List.of("application/json", "as=table", "v=v1", "g=meta.k8s.io"))) {
        return TABLE;
      }
      parts.remove("stream=watch");
      if (parts.size() == 1 && JSON.contains(parts.iterator().next())) {
        return OBJECTS;
      }
    }
    throw ApiException.notAcceptable();
  }
}

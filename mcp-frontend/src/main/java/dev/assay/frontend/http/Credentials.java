package dev.assay.frontend.http;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds the key that a request brings. */
final class Credentials {
  private static final String BEARER = "Bearer ";

  private Credentials() {}

  /** The key of {@code Authorization: Bearer}, else of {@code X-API-Key}; null without either. */
  static @Nullable String keyOf(HttpServletRequest request) {
    List<String> authorization = Collections.list(request.getHeaders("Authorization"));
    List<String> apiKey = Collections.list(request.getHeaders("X-API-Key"));
    if (authorization.size() > 1 || apiKey.size() > 1) {
      return null;
    }
    if (!authorization.isEmpty()) {
      String value = authorization.getFirst();
      return value.regionMatches(true, 0, BEARER, 0, BEARER.length())
          ? value.substring(BEARER.length()).strip()
          : null;
    }
    return apiKey.isEmpty() ? null : apiKey.getFirst().strip();
  }
}

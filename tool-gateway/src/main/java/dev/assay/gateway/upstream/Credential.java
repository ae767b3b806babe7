package dev.assay.gateway.upstream;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A Secret for a tool server.
 *
 * @param version its resourceVersion
 * @param annotations where it may be sent
 * @param token what is sent; null if the Secret has none
 */
public record Credential(String version, Map<String, String> annotations, @Nullable String token) {
  /** Shorter texts occur in replies by chance, and could not be removed from them. */
  static final int MIN_LENGTH = 8;

  /** Keeps the token out of logs. */
  @Override
  public String toString() {
    return "Credential[version=" + version + "]";
  }
}

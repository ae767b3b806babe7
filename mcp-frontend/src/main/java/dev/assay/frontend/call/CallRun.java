package dev.assay.frontend.call;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.api.digest.Sha256;
import org.jspecify.annotations.Nullable;

/**
 * The run of a call, as the log identifies it: with nothing of its code.
 *
 * @param name of the run
 * @param codeSha256 the SHA-256 of the code that the call has brought, in hexadecimal; null for
 *     none
 * @param codeBytes the length of that code in UTF-8
 */
public record CallRun(String name, @Nullable String codeSha256, int codeBytes) {
  /** A run that was there before the call. */
  public static CallRun named(String name) {
    return new CallRun(name, null, 0);
  }

  /**
   * A run that the call creates.
   *
   * @param code its source; null where it has none
   */
  public static CallRun of(String name, @Nullable String code) {
    if (code == null) {
      return named(name);
    }
    byte[] bytes = code.getBytes(UTF_8);
    return new CallRun(name, Sha256.hex(bytes), bytes.length);
  }
}

package dev.assay.frontend.call;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.api.digest.Sha256;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The run of a call, as the log identifies it: with nothing of its code.
 *
 * @param name of the run
 * @param codeSha256 the SHA-256 of the code that the call has brought, in hexadecimal; null for
 *     none
 * @param codeBytes the length of that code in UTF-8
 * @param className the class that the call has chosen; null if the run was there before
 * @param datasets that it reads; none if the run was there before
 */
public record CallRun(
    String name,
    @Nullable String codeSha256,
    int codeBytes,
    @Nullable String className,
    List<String> datasets) {
  /** A run that was there before the call. */
  public static CallRun named(String name) {
    return new CallRun(name, null, 0, null, List.of());
  }

  /** A run that the call creates. */
  public static CallRun of(String name, AnalyticsRunSpec spec) {
    String code = spec.code();
    byte @Nullable [] bytes = code == null ? null : code.getBytes(UTF_8);
    return new CallRun(
        name,
        bytes == null ? null : Sha256.hex(bytes),
        bytes == null ? 0 : bytes.length,
        spec.className(),
        spec.datasetNames());
  }
}

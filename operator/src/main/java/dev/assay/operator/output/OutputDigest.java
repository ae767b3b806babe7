package dev.assay.operator.output;

import dev.assay.api.digest.Sha256;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** Length and digest of an output, as its parts arrive. */
final class OutputDigest {
  private final MessageDigest sha256 = Sha256.digest();
  private long length;
  private @Nullable String result;

  /** Adds a part; bytes that were added before are skipped. */
  synchronized void add(long offset, byte[] data, int count) {
    int known = (int) Math.min(count, length - offset);
    sha256.update(data, known, count - known);
    length += count - known;
  }

  synchronized long length() {
    return length;
  }

  /** The manifest of all parts; no more may be added. */
  synchronized OutputManifest manifest(boolean truncated, Instant ended) {
    String digest = result;
    if (digest == null) {
      digest = HexFormat.of().formatHex(sha256.digest());
      result = digest;
    }
    return new OutputManifest(length, truncated, digest, ended);
  }
}

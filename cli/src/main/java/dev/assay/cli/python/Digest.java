package dev.assay.cli.python;

import dev.assay.api.digest.Sha256;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.HexFormat;

/** A digest of several parts, each with its length. */
public final class Digest {
  private static final int LENGTH = 16;

  private final MessageDigest digest = Sha256.digest();

  public Digest add(byte[] part) {
    digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(part.length).array());
    digest.update(part);
    return this;
  }

  /** The beginning of it, in hexadecimal: fit for the name of a directory. */
  public String text() {
    return HexFormat.of().formatHex(digest.digest()).substring(0, LENGTH);
  }
}

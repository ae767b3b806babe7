package dev.assay.api.digest;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256, which every JVM has. */
public final class Sha256 {
  private Sha256() {}

  /** The digest of some bytes, in hexadecimal. */
  public static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(digest().digest(bytes));
  }

  /** The digest of a text in UTF-8, in hexadecimal. */
  public static String hex(String text) {
    return hex(text.getBytes(UTF_8));
  }

  /** A digest to which bytes can be added. */
  public static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}

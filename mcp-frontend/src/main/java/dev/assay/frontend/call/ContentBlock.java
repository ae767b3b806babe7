package dev.assay.frontend.call;

import java.util.Base64;

/** One part of a reply. Who builds one has bounded and validated what is in it. */
public sealed interface ContentBlock {
  /** Text. */
  record Text(String text) implements ContentBlock {}

  /**
   * A picture.
   *
   * @param bytes of the file; at most {@link #MAX_BYTES}
   */
  @SuppressWarnings("ArrayRecordComponent") // Written, never compared.
  record Image(byte[] bytes, Format format) implements ContentBlock {
    /**
     * Of one, and of all of a reply together: clients in Python break a stream off at an event of 1
     * MiB, and Base64 takes a third more. Others are referred to by a {@link ResourceLink}.
     */
    public static final int MAX_BYTES = 700_000;

    /** What every client can show. */
    public enum Format {
      PNG("image/png"),
      JPEG("image/jpeg");

      private final String mediaType;

      Format(String mediaType) {
        this.mediaType = mediaType;
      }

      public String mediaType() {
        return mediaType;
      }
    }

    public Image {
      if (bytes.length > MAX_BYTES) {
        throw new IllegalArgumentException("an image of " + bytes.length + " bytes");
      }
    }

    /** The bytes as MCP carries them. */
    public String base64() {
      return Base64.getEncoder().encodeToString(bytes);
    }
  }

  /**
   * What can be read with another request. It is for programs: an agent reads of it in the text.
   *
   * @param name for people
   * @param bytes its length
   */
  record ResourceLink(String uri, String name, String mediaType, long bytes)
      implements ContentBlock {}
}

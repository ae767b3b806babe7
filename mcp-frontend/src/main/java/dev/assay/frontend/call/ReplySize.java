package dev.assay.frontend.call;

/**
 * The heap that a part of a reply takes until it has been sent. It is reserved with {@link
 * CallMemory#reserveReply} before the part is built.
 */
public final class ReplySize {
  /** The bytes, the text that they become, and its JSON, escaped and with a growing buffer. */
  private static final long HEAP_PER_TEXT_BYTE = 10;

  /** The bytes, their Base64, and its JSON with a growing buffer. */
  private static final long HEAP_PER_IMAGE_BYTE = 6;

  /** The longest list: 500 runs, each in the text and in the structured content. */
  private static final int LIST_BYTES = 256 * 1024;

  private ReplySize() {}

  /** Of a reply that is no output of a run: a list, a description, an acknowledgement. */
  public static long ofList() {
    return ofText(LIST_BYTES);
  }

  /** Of a text of so many bytes of UTF-8, each time that the reply has it. */
  public static long ofText(int bytes) {
    return HEAP_PER_TEXT_BYTE * bytes;
  }

  /** Of a picture of so many bytes. */
  public static long ofImage(int bytes) {
    return HEAP_PER_IMAGE_BYTE * bytes;
  }
}

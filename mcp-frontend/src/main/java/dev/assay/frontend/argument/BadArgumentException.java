package dev.assay.frontend.argument;

/** An argument cannot be used. Type and message are what the caller reads. */
public final class BadArgumentException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String type;

  private BadArgumentException(String type, String message) {
    super(message, null, false, false);
    this.type = type;
  }

  /** It is missing, unknown or of the wrong type. */
  public static BadArgumentException type(String message) {
    return new BadArgumentException("TypeError", message);
  }

  /** Its value is out of bounds. */
  public static BadArgumentException value(String message) {
    return new BadArgumentException("ValueError", message);
  }

  /** It has to be there. */
  public static BadArgumentException missing(String name) {
    return type("missing argument '" + name + "'");
  }

  /** It is longer than it may be. */
  public static BadArgumentException tooLong(String name, long bytes, Limit limit) {
    return value(
        "'"
            + name
            + "' has "
            + bytes
            + " bytes of UTF-8; at most "
            + limit.bytes()
            + " are allowed"
            + (limit.advice().isEmpty() ? "" : ". " + limit.advice()));
  }

  /** The name of an exception that Python programmers know. */
  public String type() {
    return type;
  }

  /** The message; never null. */
  public String text() {
    return String.valueOf(getMessage());
  }
}

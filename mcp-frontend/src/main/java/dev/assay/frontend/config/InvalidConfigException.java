package dev.assay.frontend.config;

/** The configuration cannot be used; the message is one line and names the file and the member. */
public final class InvalidConfigException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public InvalidConfigException(String message) {
    super(message.replace('\n', ' '));
  }
}

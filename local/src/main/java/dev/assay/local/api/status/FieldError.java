package dev.assay.local.api.status;

/**
 * One field that is not as it must be.
 *
 * @param type what is wrong with it
 * @param field its path, such as {@code spec.datasets[0]}
 * @param detail more about it; may be empty
 */
public record FieldError(ErrorType type, String field, String detail) {
  /** Kinds of errors, with the words and the cause that the Kubernetes API has for them. */
  public enum ErrorType {
    REQUIRED("FieldValueRequired", "Required value"),
    INVALID("FieldValueInvalid", "Invalid value"),
    NOT_SUPPORTED("FieldValueNotSupported", "Unsupported value"),
    FORBIDDEN("FieldValueForbidden", "Forbidden"),
    TOO_LONG("FieldValueTooLong", "Too long"),
    TOO_MANY("FieldValueTooMany", "Too many");

    private final String cause;
    private final String words;

    ErrorType(String cause, String words) {
      this.cause = cause;
      this.words = words;
    }

    /** The machine-readable cause. */
    public String cause() {
      return cause;
    }
  }

  /** The error without the field's path. */
  public String message() {
    return detail.isEmpty() ? type.words : type.words + ": " + detail;
  }

  @Override
  public String toString() {
    return field + ": " + message();
  }
}

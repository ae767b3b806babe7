package dev.assay.local.api.status;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.stream.Collectors;

/** A request that is refused, in the words of the Kubernetes API. */
public final class ApiException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final int code;
  private final String reason;
  private final transient ObjectNode details;

  private ApiException(int code, String reason, String message, ObjectNode details) {
    super(message, null, false, false);
    this.code = code;
    this.reason = reason;
    this.details = details;
  }

  private static ApiException plain(int code, String reason, String message) {
    return new ApiException(code, reason, message, JsonNodeFactory.instance.objectNode());
  }

  /** There is no such object. */
  public static ApiException notFound(ObjectReference object) {
    return new ApiException(404, "NotFound", object + " not found", object.details());
  }

  /** There is nothing at the path. */
  public static ApiException noSuchPath() {
    return plain(404, "NotFound", "the server could not find the requested resource");
  }

  /** An object of that name is there already. */
  public static ApiException alreadyExists(ObjectReference object) {
    return new ApiException(409, "AlreadyExists", object + " already exists", object.details());
  }

  /** The object is not the one, or not the version, that the request is about. */
  public static ApiException conflict(ObjectReference object, String why) {
    return new ApiException(
        409,
        "Conflict",
        "Operation cannot be fulfilled on %s: %s".formatted(object, why),
        object.details());
  }

  /** The object has changed since it was read. */
  public static ApiException modified(ObjectReference object) {
    return conflict(
        object,
        "the object has been modified; please apply your changes to the latest version and try"
            + " again");
  }

  /** The object is not acceptable. */
  public static ApiException invalid(ObjectReference object, List<FieldError> errors) {
    ObjectNode details = object.details().put("kind", object.kind());
    var causes = details.putArray("causes");
    for (FieldError error : errors) {
      causes
          .addObject()
          .put("reason", error.type().cause())
          .put("message", error.message())
          .put("field", error.field());
    }
    String all = errors.stream().map(FieldError::toString).collect(Collectors.joining(", "));
    return new ApiException(
        422,
        "Invalid",
        "%s \"%s\" is invalid: %s"
            .formatted(
                object.qualifiedKind(), object.name(), errors.size() == 1 ? all : "[" + all + "]"),
        details);
  }

  /** A patch that does not fit the object. */
  public static ApiException patchDoesNotApply(String why) {
    return plain(
        422, "Invalid", "the server rejected our request due to an error in our request: " + why);
  }

  /** The request is malformed. */
  public static ApiException badRequest(String message) {
    return plain(400, "BadRequest", message);
  }

  /** The request carries no credentials, or wrong ones. */
  public static ApiException unauthorized(String message) {
    return plain(401, "Unauthorized", message);
  }

  /** A rule of the server forbids it. */
  public static ApiException forbidden(ObjectReference object, String why) {
    return new ApiException(
        403, "Forbidden", "%s is forbidden: %s".formatted(object, why), object.details());
  }

  /** Nobody may do that here, whatever the object. */
  public static ApiException forbidden(String why) {
    return plain(403, "Forbidden", why);
  }

  /** The resource does not know the verb. */
  public static ApiException methodNotAllowed() {
    return plain(
        405, "MethodNotAllowed", "the server does not allow this method on the requested resource");
  }

  /** None of the accepted media types can be served. */
  public static ApiException notAcceptable() {
    return plain(
        406, "NotAcceptable", "only the following media types are accepted: application/json");
  }

  /** History does not reach back that far: list again. */
  public static ApiException expired(String message) {
    return plain(410, "Expired", message);
  }

  /** The body is larger than the server reads. */
  public static ApiException tooLarge(int limitBytes) {
    return plain(413, "RequestEntityTooLarge", "Request entity too large: limit is " + limitBytes);
  }

  /** The body is of a type that the server cannot read. */
  public static ApiException unsupportedMediaType(String accepted) {
    return plain(
        415,
        "UnsupportedMediaType",
        "the body of the request was in an unknown format - accepted media types include: "
            + accepted);
  }

  /** A version that the server has not reached. */
  public static ApiException tooLargeResourceVersion(long wanted, long current) {
    return plain(
        504, "Timeout", "Too large resource version: %d, current: %d".formatted(wanted, current));
  }

  /** An error in the server itself; its log has the details. */
  public static ApiException internal() {
    return plain(500, "InternalError", "an internal error of the stand-in API server; see its log");
  }

  /** What the HTTP layer found wrong before anybody looked at the request. */
  public static ApiException ofHttp(int code, String message) {
    return plain(code, code < 500 ? "BadRequest" : "InternalError", message);
  }

  /** The HTTP status code. */
  public int code() {
    return code;
  }

  /** The error as an object of kind Status. */
  public ObjectNode toStatus() {
    ObjectNode status = JsonNodeFactory.instance.objectNode();
    status.put("kind", "Status").put("apiVersion", "v1").putObject("metadata");
    status.put("status", "Failure").put("message", getMessage()).put("reason", reason);
    status.set("details", details.deepCopy());
    return status.put("code", code);
  }
}

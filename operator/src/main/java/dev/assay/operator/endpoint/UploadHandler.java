package dev.assay.operator.endpoint;

import com.sun.net.httpserver.HttpExchange;
import dev.assay.operator.upload.UploadKey;
import dev.assay.operator.upload.Uploads;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Receives the bytes of an upload and streams them to the Pod. */
final class UploadHandler {
  static final Pattern PATH =
      Pattern.compile(
          "/internal/v1/namespaces/([a-z0-9][-a-z0-9]{0,62})/datasets/([a-f0-9][-a-f0-9]{0,62})"
              + "/uploads/([a-z0-9][-a-z0-9]{0,62})");

  private static final Pattern LENGTH = Pattern.compile("[0-9]{1,15}");

  private final Uploads uploads;

  UploadHandler(Uploads uploads) {
    this.uploads = uploads;
  }

  /** Returns the HTTP status when the Pod has all bytes or the delivery has failed. */
  int serve(HttpExchange exchange, Matcher path) {
    if (!"PUT".equals(exchange.getRequestMethod())) {
      return 405;
    }
    String length = exchange.getRequestHeaders().getFirst("Content-Length");
    if (length == null || !LENGTH.matcher(length).matches()) {
      return 411;
    }
    UploadKey key = new UploadKey(path.group(1), path.group(2), path.group(3));
    return switch (uploads.deliver(key, Long.parseLong(length), exchange.getRequestBody())) {
      case TAKEN -> 204;
      case NOT_EXPECTED -> 404;
      case UNDER_WAY -> 409;
      case WRONG_LENGTH -> 400;
      case FAILED -> 502;
    };
  }
}

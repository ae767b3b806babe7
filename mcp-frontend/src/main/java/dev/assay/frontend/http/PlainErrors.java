package dev.assay.frontend.http;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.ByteBuffer;
import org.eclipse.jetty.ee11.servlet.ErrorHandler;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Errors that the HTTP server itself finds: a status and its standard phrase, nothing else. */
final class PlainErrors extends ErrorHandler {
  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    ByteBuffer body = body(response.getStatus());
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
    response.getHeaders().put(HttpHeader.CONTENT_LENGTH, body.remaining());
    response.write(true, body, callback);
    return true;
  }

  private static ByteBuffer body(int status) {
    String text =
        "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32000,\"message\":\""
            + HttpStatus.getMessage(status)
            + "\"}}";
    return ByteBuffer.wrap(text.getBytes(US_ASCII));
  }
}

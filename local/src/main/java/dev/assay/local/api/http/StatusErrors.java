package dev.assay.local.api.http;

import dev.assay.local.api.status.ApiException;
import java.io.IOException;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/** What the HTTP server itself refuses is a Status too. */
public final class StatusErrors extends ErrorHandler {
  @Override
  public boolean errorPageForMethod(String method) {
    return true;
  }

  @Override
  protected void generateResponse(
      Request request,
      Response response,
      int code,
      @Nullable String message,
      @Nullable Throwable cause,
      Callback callback)
      throws IOException {
    Bodies.write(response, code, status(code, message).toStatus());
    callback.succeeded();
  }

  private static ApiException status(int code, @Nullable String message) {
    return ApiException.ofHttp(code, message == null ? "HTTP " + code : message);
  }
}

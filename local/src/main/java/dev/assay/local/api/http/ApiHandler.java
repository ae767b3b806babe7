package dev.assay.local.api.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.local.api.authentication.BearerToken;
import dev.assay.local.api.authentication.TokenReviewer;
import dev.assay.local.api.discovery.Discovery;
import dev.assay.local.api.discovery.OpenApi;
import dev.assay.local.api.kubelet.PodLogs;
import dev.assay.local.api.registry.Registry;
import dev.assay.local.api.resource.ResourceDefinitions;
import dev.assay.local.api.status.ApiException;
import dev.assay.local.api.table.Tables;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes every request, and answers whatever goes wrong with a Status. */
public final class ApiHandler extends Handler.Abstract {
  private static final Logger LOG = LoggerFactory.getLogger(ApiHandler.class);
  private static final Set<String> HEALTH = Set.of("/healthz", "/livez", "/readyz");
  private static final Set<String> LOOPBACK = Set.of("127.0.0.1", "localhost", "[::1]", "::1");

  private final BearerToken token;
  private final ResourceDefinitions definitions;
  private final Discovery discovery;
  private final OpenApi openApi;
  private final ResourceHandler resources;
  private final PodHandler pods;
  private final TokenReviewHandler tokenReviews;
  private final RulesReviewHandler rulesReviews = new RulesReviewHandler();

  /** Serves these resources. */
  public ApiHandler(
      ResourceDefinitions definitions,
      Registry registry,
      Tables tables,
      PodLogs logs,
      BearerToken token,
      TokenReviewer reviewer) {
    this.token = token;
    this.definitions = definitions;
    this.discovery = new Discovery(definitions);
    this.openApi = new OpenApi(definitions);
    this.resources = new ResourceHandler(registry, tables);
    this.pods = new PodHandler(registry, logs);
    this.tokenReviews = new TokenReviewHandler(reviewer);
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    try {
      serve(request, response);
      callback.succeeded();
    } catch (ApiException e) {
      fail(e, response, callback);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      callback.failed(e);
    } catch (IOException e) {
      // The client has gone.
      callback.failed(e);
    } catch (RuntimeException e) {
      LOG.error("{} {} failed", request.getMethod(), request.getHttpURI().getPath(), e);
      fail(ApiException.internal(), response, callback);
    }
    return true;
  }

  private static void fail(ApiException refusal, Response response, Callback callback) {
    if (response.isCommitted()) {
      callback.failed(refusal);
      return;
    }
    try {
      Bodies.write(response, refusal.code(), refusal.toStatus());
      callback.succeeded();
    } catch (IOException e) {
      callback.failed(e);
    }
  }

  private void serve(Request request, Response response) throws IOException, InterruptedException {
    refuseBrowsers(request);
    authenticate(request, response);
    if (declineUpgrade(request, response)) {
      return;
    }
    String path = request.getHttpURI().getDecodedPath();
    String trimmed =
        path.length() > 1 && path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
    if (trimmed.startsWith("/api/") || trimmed.startsWith("/apis/")) {
      Optional<ObjectNode> found = discovery.answer(trimmed);
      if (found.isEmpty()) {
        serve(RequestInfo.parse(trimmed, definitions), request, response);
        return;
      }
    }
    serveFixed(trimmed, request, response);
  }

  /** No page of another site may speak to this server, whatever it knows. */
  private static void refuseBrowsers(Request request) {
    String origin = request.getHeaders().get(HttpHeader.ORIGIN);
    String own = "://" + request.getHeaders().get(HttpHeader.HOST);
    if (!LOOPBACK.contains(Request.getServerName(request))
        || (origin != null && !origin.endsWith(own))) {
      throw ApiException.forbidden(
          "this server answers programs of this machine only: use 127.0.0.1");
    }
  }

  private void authenticate(Request request, Response response) {
    if (!token.isIn(request.getHeaders().get(HttpHeader.AUTHORIZATION))) {
      response.getHeaders().put(HttpHeader.WWW_AUTHENTICATE, "Bearer");
      throw ApiException.unauthorized("Unauthorized: send " + token + " as a bearer token");
    }
  }

  /**
   * WebSockets are not spoken. A plain answer at once makes a client watch over HTTP instead, as it
   * does behind a proxy that does not know them.
   */
  private static boolean declineUpgrade(Request request, Response response) throws IOException {
    if (!request.getHeaders().contains(HttpHeader.UPGRADE, "websocket")) {
      return false;
    }
    Content.Sink.write(response, true, ByteBuffer.allocate(0));
    return true;
  }

  private void serveFixed(String path, Request request, Response response) throws IOException {
    boolean health = HEALTH.contains(path);
    Optional<ObjectNode> found = discovery.answer(path).or(() -> openApi.answer(path));
    if (!health && found.isEmpty()) {
      throw ApiException.noSuchPath();
    }
    if (!request.getMethod().equals("GET")) {
      throw ApiException.methodNotAllowed();
    }
    if (health) {
      response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/plain");
      Content.Sink.write(response, true, ByteBuffer.wrap("ok".getBytes(StandardCharsets.US_ASCII)));
    } else {
      Bodies.write(response, 200, found.orElseThrow());
    }
  }

  private void serve(RequestInfo info, Request request, Response response)
      throws IOException, InterruptedException {
    if (!info.resource().isStored()) {
      serveReview(info, request, response);
      return;
    }
    switch (info.subresource()) {
      case "log" -> pods.log(info, request, response);
      case "binding" -> pods.bind(info, request, response);
      default -> resources.serve(info, request, response);
    }
  }

  private void serveReview(RequestInfo info, Request request, Response response)
      throws IOException {
    if (info.resource().names().kind().equals("TokenReview")) {
      tokenReviews.serve(info, request, response);
    } else {
      rulesReviews.serve(info, request, response);
    }
  }
}

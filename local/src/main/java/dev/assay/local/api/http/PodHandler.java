package dev.assay.local.api.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.local.api.kubelet.PodLogOptions;
import dev.assay.local.api.kubelet.PodLogs;
import dev.assay.local.api.registry.Registry;
import dev.assay.local.api.status.ApiException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;

/** The subresources that only Pods have. */
final class PodHandler {
  private static final int CREATED = 201;
  private static final int BUFFER_BYTES = 16 * 1024;

  private final Registry registry;
  private final PodLogs logs;

  PodHandler(Registry registry, PodLogs logs) {
    this.registry = registry;
    this.logs = logs;
  }

  void log(RequestInfo info, Request request, Response response) throws IOException {
    require("GET", request);
    Parameters parameters = Parameters.of(request);
    PodLogOptions options =
        new PodLogOptions(
            parameters.text("container"),
            parameters.flag("follow"),
            parameters.flag("previous"),
            parameters.number("tailLines"),
            parameters.number("limitBytes"));
    try (InputStream log = logs.open(registry.get(info.resource(), info.key()), options)) {
      request.addIdleTimeoutListener(idle -> false);
      Bodies.begin(response, "text/plain");
      byte[] buffer = new byte[BUFFER_BYTES];
      for (int read = log.read(buffer); read >= 0; read = log.read(buffer)) {
        Content.Sink.write(response, false, ByteBuffer.wrap(buffer, 0, read));
      }
    }
  }

  void bind(RequestInfo info, Request request, Response response) throws IOException {
    require("POST", request);
    Bodies.requireJson(request);
    JsonNode target = Bodies.read(request).path("target").path("name");
    if (target.asText("").isEmpty()) {
      throw ApiException.badRequest("the binding has no target.name");
    }
    registry.bind(info.key(), target.asText());
    ObjectNode status = JsonNodeFactory.instance.objectNode();
    status.put("kind", "Status").put("apiVersion", "v1").putObject("metadata");
    Bodies.write(response, CREATED, status.put("status", "Success").put("code", CREATED));
  }

  private static void require(String method, Request request) {
    if (!request.getMethod().equals(method)) {
      throw ApiException.methodNotAllowed();
    }
  }
}

package dev.assay.frontend.mcp;

import dev.assay.frontend.artifact.Artifact;
import dev.assay.frontend.artifact.ResourceUri;
import dev.assay.frontend.artifact.RunResources;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.MethodKind;
import dev.assay.frontend.run.Text;
import dev.assay.frontend.watch.ClusterException;
import io.modelcontextprotocol.spec.McpSchema;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The methods of resources. The SDK's stateless server knows only resources that are there from its
 * start; those of a caller are the artifacts of the newest runs.
 */
final class Resources {
  private static final List<McpSchema.ResourceTemplate> TEMPLATES =
      List.of(
          template(
              "artifacts/{+path}",
              "artifact",
              "A file that a run has left: its path is relative to the working directory, each part"
                  + " percent-encoded"),
          template("code", "code", "The code of a run"),
          template("output", "output", "What a run has printed"));

  private final RunResources resources;

  Resources(RunResources resources) {
    this.resources = resources;
  }

  private static McpSchema.ResourceTemplate template(String rest, String name, String description) {
    return McpSchema.ResourceTemplate.builder(ResourceUri.PREFIX + "{run}/" + rest, name)
        .description(description)
        .build();
  }

  /** How long a method takes; empty where it is none of resources. */
  static Optional<MethodKind> kindOf(String method) {
    return switch (method) {
      case McpSchema.METHOD_RESOURCES_LIST, McpSchema.METHOD_RESOURCES_READ ->
          Optional.of(MethodKind.CALL);
      case McpSchema.METHOD_RESOURCES_TEMPLATES_LIST -> Optional.of(MethodKind.QUICK);
      default -> Optional.empty();
    };
  }

  /** The answer to a request of one of these methods, to be written as JSON. */
  Object answer(Message.Request request, CallContext call) {
    try {
      return switch (request.method()) {
        case McpSchema.METHOD_RESOURCES_LIST -> list(request, call);
        case McpSchema.METHOD_RESOURCES_READ -> read(request, call);
        case McpSchema.METHOD_RESOURCES_TEMPLATES_LIST ->
            result(request, McpSchema.ListResourceTemplatesResult.builder(TEMPLATES).build());
        default -> throw new IllegalArgumentException("none of resources: " + request.method());
      };
    } catch (ClusterException e) {
      return error(
          request, RpcError.SERVER, e.getMessage() + " (request " + call.requestId() + ")");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return error(request, RpcError.SERVER, "This endpoint is being shut down");
    }
  }

  private Object list(Message.Request request, CallContext call) {
    @Nullable Object cursor = request.params().get("cursor");
    if (cursor != null && !(cursor instanceof String)) {
      return error(request, RpcError.INVALID_PARAMS, "'cursor' must be a text");
    }
    return resources
        .list(call.identity(), (String) cursor)
        .<Object>map(
            page ->
                result(
                    request,
                    McpSchema.ListResourcesResult.builder(
                            page.artifacts().stream().map(Resources::resource).toList())
                        .nextCursor(page.next())
                        .build()))
        .orElseGet(
            () ->
                error(
                    request,
                    RpcError.INVALID_PARAMS,
                    "'cursor' is not one that a page returned; leave it out to start with the first"
                        + " page"));
  }

  private static McpSchema.Resource resource(Artifact artifact) {
    return McpSchema.Resource.builder(artifact.uri(), artifact.shownPath())
        .description("Artifact of " + artifact.run())
        .mimeType(artifact.mediaType())
        .size(artifact.bytes())
        .build();
  }

  private Object read(Message.Request request, CallContext call) throws InterruptedException {
    if (!(request.params().get("uri") instanceof String uri)) {
      return error(request, RpcError.INVALID_PARAMS, "'uri' must be the address of a resource");
    }
    return switch (resources.read(uri, call)) {
      case RunResources.TextContent text ->
          contents(
              request,
              McpSchema.TextResourceContents.builder(uri, text.text())
                  .mimeType(text.mediaType())
                  .build(),
              text.isUntrusted());
      case RunResources.BlobContent blob ->
          contents(
              request,
              McpSchema.BlobResourceContents.builder(
                      uri, Base64.getEncoder().encodeToString(blob.bytes()))
                  .mimeType(blob.mediaType())
                  .build(),
              blob.isUntrusted());
      case RunResources.NotFound not ->
          error(request, RpcError.RESOURCE_NOT_FOUND, Text.oneLine(not.message(), 1_000));
      case RunResources.Refused refused ->
          error(request, RpcError.INVALID_PARAMS, Text.oneLine(refused.message(), 1_000));
    };
  }

  private static Object contents(
      Message.Request request, McpSchema.ResourceContents contents, boolean isUntrusted) {
    McpSchema.ReadResourceResult.Builder read =
        McpSchema.ReadResourceResult.builder(List.of(contents));
    if (isUntrusted) {
      read.meta(Map.of(CallResults.UNTRUSTED, true));
    }
    return result(request, read.build());
  }

  private static Object result(Message.Request request, Object result) {
    return McpSchema.JSONRPCResponse.result(request.id(), result);
  }

  private static Object error(Message.Request request, int code, String message) {
    return new RpcError(code, message).answerTo(request.id());
  }
}

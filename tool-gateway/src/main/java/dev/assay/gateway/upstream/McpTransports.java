package dev.assay.gateway.upstream;

import dev.assay.api.v1alpha1.ToolServerSpec.Protocol;
import dev.assay.gateway.definition.Json;
import io.modelcontextprotocol.client.transport.HttpClientSseClientTransport;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.client.transport.InvalidSseMessageEndpointException;
import io.modelcontextprotocol.client.transport.customizer.McpSyncHttpClientRequestCustomizer;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.jackson3.JacksonMcpJsonMapper;
import io.modelcontextprotocol.spec.McpClientTransport;

/** Creates the transports of the SDK. */
final class McpTransports {
  /** Marks calls, so that Assay recognizes a call that comes back to it. */
  static final String CALL_HEADER = "X-Assay-Tool-Call";

  private static final McpJsonMapper JSON = new JacksonMcpJsonMapper(Json.MAPPER);
  private static final int MAX_MESSAGE_BYTES = 18 << 20;

  private McpTransports() {}

  static McpClientTransport of(ServerAddress address, UpstreamHttpClient http) {
    McpSyncHttpClientRequestCustomizer headers =
        (request, method, uri, body, context) -> {
          address.headers().forEach(request::setHeader);
          request.setHeader(CALL_HEADER, "true");
          // The stream that is opened after a request has its context, and outlives it.
          if (method.equals("POST")
              && context.get(UpstreamHttpClient.EXCHANGE_HEADER) instanceof String id) {
            request.setHeader(UpstreamHttpClient.EXCHANGE_HEADER, id);
          }
        };
    return address.protocol() == Protocol.Sse
        ? sse(address, http, headers)
        : HttpClientStreamableHttpTransport.builder(address.origin())
            .endpoint(address.target())
            .clientBuilder(http.asBuilder())
            .jsonMapper(JSON)
            .addHttpRequestCustomizer(headers)
            .resumableStreams(false)
            .maxResponseSize(MAX_MESSAGE_BYTES)
            .build();
  }

  // Deprecated as the transport itself is in MCP; there are servers that speak no other.
  @SuppressWarnings("deprecation")
  private static McpClientTransport sse(
      ServerAddress address, UpstreamHttpClient http, McpSyncHttpClientRequestCustomizer headers) {
    return HttpClientSseClientTransport.builder(address.origin())
        .sseEndpoint(address.target())
        .clientBuilder(http.asBuilder())
        .jsonMapper(JSON)
        .addHttpRequestCustomizer(headers)
        .messageEndpointValidator(
            (uri, endpoint) -> {
              if (!address.isSameOrigin(endpoint)) {
                throw new InvalidSseMessageEndpointException(
                    "The endpoint is of another origin", endpoint);
              }
            })
        .maxResponseSize(MAX_MESSAGE_BYTES)
        .build();
  }
}

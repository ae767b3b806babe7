package dev.assay.e2e.upstream;

import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import java.net.URI;
import java.util.Map;

/**
 * Calls the tool {@code timed} of {@link MeasuredUpstream} with the client of the SDK, one call
 * after the other: what {@code call_tool} of a script is compared with.
 *
 * <p>Its arguments are the URL, the series, and how many calls it makes.
 */
public final class SdkCalls {
  private SdkCalls() {}

  /** Makes the calls. */
  public static void main(String[] arguments) {
    URI url = URI.create(arguments[0]);
    String series = arguments[1];
    int calls = Integer.parseInt(arguments[2]);
    try (McpSyncClient client =
        McpClient.sync(
                HttpClientStreamableHttpTransport.builder(url.resolve("/").toString())
                    .endpoint(url.getPath())
                    .build())
            .build()) {
      client.initialize();
      for (int number = 0; number < calls; number++) {
        CallToolResult result =
            client.callTool(
                CallToolRequest.builder("timed")
                    .arguments(Map.of("series", series, "number", number))
                    .build());
        if (Boolean.TRUE.equals(result.isError())) {
          throw new IllegalStateException("call " + number + " failed: " + result.content());
        }
      }
    }
  }
}

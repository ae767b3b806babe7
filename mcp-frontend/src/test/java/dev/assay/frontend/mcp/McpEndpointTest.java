package dev.assay.frontend.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.frontend.FakeRunClasses;
import dev.assay.frontend.FakeRuns;
import dev.assay.frontend.TestEndpoint;
import dev.assay.frontend.argument.Arguments;
import dev.assay.frontend.argument.Parameters;
import dev.assay.frontend.artifact.ArtifactReader;
import dev.assay.frontend.artifact.RunResources;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.Cancellation;
import dev.assay.frontend.call.MethodKind;
import dev.assay.frontend.call.Progress;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.config.ToolGroup;
import dev.assay.frontend.config.ToolNames;
import dev.assay.frontend.run.OutputReader;
import dev.assay.frontend.run.OutputStore;
import dev.assay.frontend.run.ReplyBound;
import dev.assay.frontend.run.ToolUse;
import dev.assay.frontend.tool.GuardedTool;
import dev.assay.frontend.tool.Tool;
import dev.assay.frontend.tool.ToolDescription;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Whose fault an error is said to be. */
class McpEndpointTest {
  private record Undeclared(String secret) {}

  private final Tool broken =
      new Tool() {
        @Override
        public ToolDescription description() {
          return new ToolDescription(
              "broken",
              "Broken",
              "Fails.",
              Parameters.of(),
              ToolDescription.Effects.READS,
              MethodKind.CALL);
        }

        @Override
        public Reply call(CallContext call, Arguments arguments) {
          return Reply.success("something", new Undeclared("secret"));
        }
      };
  private final McpEndpoint endpoint =
      new McpEndpoint(
          Json.mapper(),
          List.of(new GuardedTool(broken)),
          new RunResources(
              new FakeRuns(),
              new ToolUse(new FakeRuns(), FakeRunClasses.usual()),
              new ArtifactReader(OutputStore.NONE),
              new OutputReader(OutputStore.NONE, new ReplyBound(1_000, 1_000)),
              1_000),
          new McpEndpoint.Listing(ToolNames.UNDERSCORE, false, caller -> false),
          "test");

  @Test
  void aFailureOfOursIsAnInternalErrorWithTheIdThatTheLogHas() {
    assertThat(answer("tools/call", Map.of("name", "broken")))
        .isEqualTo(
            Map.of(
                "jsonrpc",
                "2.0",
                "id",
                7,
                "error",
                Map.of(
                    "code", RpcError.INTERNAL, "message", "Internal server error (request r-1)")));
  }

  @Test
  void paramsThatCannotBeReadAreTheClientsFault() {
    Map<String, Object> params =
        Map.of("protocolVersion", Map.of("a", 1), "capabilities", Map.of(), "clientInfo", "x");
    assertThat(answer("initialize", params).toString())
        .contains("code=-32602", "The params of initialize are not valid");
    assertThat(answer("tools/call", Map.of("name", "broken", "_meta", 7)).toString())
        .contains("code=-32602", "The params of tools/call are not valid");
  }

  private Object answer(String method, Map<String, Object> params) {
    return endpoint.answer(
        new Message.Request(7, method, new LinkedHashMap<>(params), 0),
        new CallContext(TestEndpoint.ALICE, "r-1", Progress.NONE, new Cancellation()),
        ToolGroup.ALL);
  }
}

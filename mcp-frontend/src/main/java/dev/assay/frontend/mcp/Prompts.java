package dev.assay.frontend.mcp;

import dev.assay.frontend.tool.CodeModeText;
import io.modelcontextprotocol.server.McpStatelessServerFeatures.SyncPromptSpecification;
import io.modelcontextprotocol.spec.McpSchema;
import java.util.List;
import java.util.Set;

/** Texts that a client can put into a conversation. */
final class Prompts {
  private static final String TOOL = "execute_custom_analytics_code";

  private static final McpSchema.Prompt CODE_MODE =
      McpSchema.Prompt.builder("code_mode")
          .title("Write code for code mode")
          .description("The functions and modules that code in code mode can use")
          .build();

  /** All of them. */
  static final List<SyncPromptSpecification> ALL =
      List.of(new SyncPromptSpecification(CODE_MODE, (context, request) -> codeMode()));

  /** Their names. */
  static final List<String> NAMES = List.of(CODE_MODE.name());

  private Prompts() {}

  private static McpSchema.GetPromptResult codeMode() {
    McpSchema.Content text = McpSchema.TextContent.builder(CodeModeText.of(List.of())).build();
    return McpSchema.GetPromptResult.builder(
            List.of(McpSchema.PromptMessage.builder(McpSchema.Role.USER, text).build()))
        .description(CODE_MODE.description())
        .build();
  }

  /** Those for a caller who sees these tools. */
  static List<McpSchema.Prompt> visible(List<McpSchema.Prompt> all, Set<String> tools) {
    return tools.contains(TOOL) ? all : List.of();
  }
}

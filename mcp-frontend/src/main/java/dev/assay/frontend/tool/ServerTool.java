package dev.assay.frontend.tool;

import dev.assay.frontend.argument.Arguments;
import dev.assay.frontend.argument.Parameter;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.ContentBlock;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.script.ScriptErrorCode;
import dev.assay.frontend.script.ScriptException;
import dev.assay.frontend.toolserver.ToolCatalog;
import dev.assay.frontend.toolserver.ToolCatalogs;
import java.util.List;

/** A tool that tells of tools of other servers, where there are scripts that may call them. */
abstract class ServerTool implements Tool {
  /** Few, since a reply is worth most where it is short. */
  static final Parameter<Integer> MAX_TOKENS = MaxTokens.of(1_500);

  private final ToolDescription description;
  private final ToolCatalogs catalogs;

  ServerTool(ToolDescription description, ToolCatalogs catalogs) {
    this.description = description;
    this.catalogs = catalogs;
  }

  /** The reply from the tools that the caller's scripts may call. */
  abstract Reply answer(ToolCatalog catalog, CallContext call, Arguments arguments)
      throws InterruptedException;

  @Override
  public final ToolDescription description() {
    return description;
  }

  @Override
  public final boolean isListed() {
    return catalogs.isEnabled();
  }

  @Override
  public final Reply call(CallContext call, Arguments arguments) throws InterruptedException {
    return catalogs.isEnabled()
        ? answer(catalogs.of(call.identity()), call, arguments)
        : Reply.executionError(
            ScriptErrorCode.FEATURE_DISABLED.name(), ScriptException.disabled().text());
  }

  /** Descriptions are approved, and yet the words of others. */
  static Reply untrusted(String text) {
    return new Reply(List.of(new ContentBlock.Text(text)), null, false, "Succeeded", true);
  }
}

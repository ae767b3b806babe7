package dev.assay.frontend.tool;

import dev.assay.api.v1alpha1.Bounds;
import dev.assay.frontend.argument.ArgumentTypes;
import dev.assay.frontend.argument.Arguments;
import dev.assay.frontend.argument.Limit;
import dev.assay.frontend.argument.Parameter;
import dev.assay.frontend.argument.Parameters;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.MethodKind;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.run.Text;
import dev.assay.frontend.toolserver.CallableTool;
import dev.assay.frontend.toolserver.ToolCatalog;
import dev.assay.frontend.toolserver.ToolCatalogs;
import dev.assay.frontend.toolserver.ToolText;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** {@code describe_tools}: the whole descriptions of tools that scripts may call. */
public final class DescribeTools extends ServerTool {
  private static final int MAX_TOOLS = 32;
  private static final Parameter<String> SERVER =
      Parameter.required("server", ArgumentTypes.text(new Limit(Bounds.MAX_LABEL)));
  private static final Parameter<String> NAME =
      Parameter.required("tool", ArgumentTypes.text(new Limit(4 * Bounds.MAX_TOOL_NAME)));
  private static final Parameter<List<Arguments>> TOOLS =
      Parameter.required(
          "tools",
          ArgumentTypes.listOf(
              ArgumentTypes.objectOf(Parameters.of(SERVER, NAME), new Limit(4 * 1024)),
              MAX_TOOLS,
              new Limit(64 * 1024)));

  private static final ToolDescription DESCRIPTION =
      new ToolDescription(
          "describe_tools",
          "Describe tools",
          """
          Describes upstream tools that search_tools found: input schema, arguments that they \
          take, signature, result.\
          """,
          Parameters.of(TOOLS, MAX_TOKENS),
          ToolDescription.Effects.READS,
          MethodKind.CALL);

  private final ToolText text;

  public DescribeTools(ToolCatalogs catalogs, ToolText text) {
    super(DESCRIPTION, catalogs);
    this.text = text;
  }

  @Override
  Reply answer(ToolCatalog catalog, CallContext call, Arguments arguments)
      throws InterruptedException {
    List<Arguments> wanted = arguments.get(TOOLS);
    int tokens = arguments.get(MAX_TOKENS);
    List<String> described = new ArrayList<>();
    for (Arguments one : wanted) {
      String server = one.get(SERVER);
      String name = one.get(NAME);
      Optional<CallableTool> tool = catalog.find(server, name);
      described.add(
          tool.isPresent()
              ? text.described(call.identity().namespace(), tool.get())
              : notFound(catalog, server, name));
    }
    return untrusted(
        ToolText.within(
            tokens,
            wanted.size() + (wanted.size() == 1 ? " tool" : " tools"),
            described,
            described.size(),
            "tools"));
  }

  private static String notFound(ToolCatalog catalog, String server, String name) {
    return "TOOL_NOT_FOUND: "
        + Text.oneLine(server, Bounds.MAX_LABEL)
        + " "
        + Text.oneLine(name, Bounds.MAX_TOOL_NAME)
        + catalog.near(server, name).map(near -> "; " + near + " is near").orElse("");
  }
}

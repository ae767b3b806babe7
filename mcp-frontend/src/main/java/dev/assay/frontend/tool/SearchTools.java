package dev.assay.frontend.tool;

import dev.assay.frontend.argument.ArgumentTypes;
import dev.assay.frontend.argument.Arguments;
import dev.assay.frontend.argument.Limit;
import dev.assay.frontend.argument.Parameter;
import dev.assay.frontend.argument.Parameters;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.MethodKind;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.run.NearNames;
import dev.assay.frontend.toolserver.CallableTool;
import dev.assay.frontend.toolserver.ToolCatalog;
import dev.assay.frontend.toolserver.ToolCatalogs;
import dev.assay.frontend.toolserver.ToolText;
import java.util.List;
import java.util.Optional;

/** {@code search_tools}: finds tools of other servers that scripts may call. */
public final class SearchTools extends ServerTool {
  private static final Parameter<Optional<String>> QUERY =
      Parameter.optional("query", ArgumentTypes.text(new Limit(1_024)))
          .describedAs("Words of what the tool is to do, or a server");

  private static final ToolDescription DESCRIPTION =
      new ToolDescription(
          "search_tools",
          "Search tools",
          """
          Searches for (finds, looks for) tools of other servers that a script in code_execution \
          can use; without a query, lists the upstream servers that are connected.\
          """,
          Parameters.of(QUERY, MAX_TOKENS),
          ToolDescription.Effects.READS,
          MethodKind.CALL);

  private final ToolText text;

  public SearchTools(ToolCatalogs catalogs, ToolText text) {
    super(DESCRIPTION, catalogs);
    this.text = text;
  }

  @Override
  Reply answer(ToolCatalog catalog, CallContext call, Arguments arguments)
      throws InterruptedException {
    Optional<String> query = arguments.get(QUERY).filter(words -> !words.isBlank());
    int tokens = arguments.get(MAX_TOKENS);
    if (query.isEmpty()) {
      return Reply.success(ToolText.servers(catalog, tokens));
    }
    List<CallableTool> found = catalog.matching(query.get());
    return found.isEmpty()
        ? Reply.success(
            "No tool matches the query"
                + NearNames.closest(
                        query.get(), catalog.tools().stream().map(CallableTool::name).toList())
                    .map(near -> "; " + near + " is near")
                    .orElse("")
                + ". search_tools without a query lists the servers"
                + ToolText.connectingLine(catalog))
        : untrusted(text.found(call.identity().namespace(), found, tokens));
  }
}

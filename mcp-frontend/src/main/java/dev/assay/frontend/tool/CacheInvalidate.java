package dev.assay.frontend.tool;

import dev.assay.frontend.analytics.AnalyticsError;
import dev.assay.frontend.analytics.CachedResults;
import dev.assay.frontend.analytics.DatasetFiles;
import dev.assay.frontend.analytics.ErrorCode;
import dev.assay.frontend.analytics.InvalidationDocument;
import dev.assay.frontend.argument.ArgumentTypes;
import dev.assay.frontend.argument.Arguments;
import dev.assay.frontend.argument.Limit;
import dev.assay.frontend.argument.Parameter;
import dev.assay.frontend.argument.Parameters;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.MethodKind;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.dataset.DatasetGateway;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** {@code cache_invalidate}: forgets results, so that the next query computes them. */
public final class CacheInvalidate extends AnalyticsTool {
  private static final int MAX_SHOWN = 100;
  private static final Parameter<Optional<String>> PATTERN =
      Parameter.optional("pattern", ArgumentTypes.text(new Limit(255)))
          .describedAs("cache_key or query_id, with * and ?");
  private static final Parameter<Optional<String>> FILE_PATH =
      Parameter.optional("file_path", QueryParameters.PATH);

  private static final ToolDescription DESCRIPTION =
      new ToolDescription(
          "analytics_cache_invalidate",
          "Clear cached results",
          """
          Clears (flushes) cached query results that look stale, so that they are recomputed: all, \
          or those of a key or dataset. Rarely needed: replacing a dataset does it too.\
          """,
          Parameters.of(PATTERN, FILE_PATH),
          InvalidationDocument.class,
          ToolDescription.Effects.WRITES,
          MethodKind.QUICK);

  private final CachedResults cache;
  private final DatasetGateway datasets;

  public CacheInvalidate(CachedResults cache, DatasetGateway datasets) {
    this.cache = cache;
    this.datasets = datasets;
  }

  @Override
  public ToolDescription description() {
    return DESCRIPTION;
  }

  @Override
  public String afterFailure(CallContext call) {
    return "Some results may have been forgotten: calling analytics_cache_invalidate again is safe.";
  }

  @Override
  Reply answer(CallContext call, Arguments arguments) {
    String namespace = call.identity().namespace();
    @Nullable String pattern = arguments.get(PATTERN).orElse(null);
    @Nullable String dataset =
        arguments
            .get(FILE_PATH)
            .map(
                path ->
                    new DatasetFiles(
                            datasets.list(namespace), name -> datasets.find(namespace, name))
                        .one(FILE_PATH.name(), path)
                        .getMetadata()
                        .getName())
            .orElse(null);
    CachedResults.Invalidated invalidated = cache.invalidate(call.identity(), pattern, dataset);
    List<String> shown = invalidated.names().stream().limit(MAX_SHOWN).toList();
    return Reply.success(
        text(invalidated, shown),
        new InvalidationDocument(
            null,
            invalidated.names().size(),
            shown,
            invalidated.inProgress() == 0 ? null : invalidated.inProgress(),
            invalidated.hasMore() ? true : null,
            null));
  }

  private static String text(CachedResults.Invalidated invalidated, List<String> shown) {
    int removed = invalidated.names().size();
    int inProgress = invalidated.inProgress();
    return (removed == 0
            ? "No cached results match."
            : removed
                + (removed == 1 ? " cached result was" : " cached results were")
                + " forgotten: "
                + String.join(", ", shown)
                + (removed > MAX_SHOWN ? ", …." : "."))
        + (inProgress == 0
            ? ""
            : " The result of "
                + inProgress
                + (inProgress == 1 ? " query" : " queries")
                + " in progress will not be cached.")
        + (invalidated.hasMore() ? " There are more: call analytics_cache_invalidate again." : "");
  }

  @Override
  Reply refused(AnalyticsError error) {
    return error.reply(
        error.text(), new InvalidationDocument("error", 0, List.of(), null, null, error));
  }

  @Override
  ErrorCode codeOf(String type) {
    ErrorCode usual = super.codeOf(type);
    return usual == ErrorCode.ENGINE_ERROR ? ErrorCode.CACHE_ERROR : usual;
  }
}

package dev.assay.frontend.tool;

import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.Builtin;
import dev.assay.frontend.analytics.AnalyticsError;
import dev.assay.frontend.analytics.ProfileDocument;
import dev.assay.frontend.analytics.ProfileReply;
import dev.assay.frontend.argument.ArgumentTypes;
import dev.assay.frontend.argument.Arguments;
import dev.assay.frontend.argument.Parameter;
import dev.assay.frontend.argument.Parameters;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.MethodKind;
import dev.assay.frontend.call.Reply;
import java.util.LinkedHashMap;
import java.util.Map;

/** {@code profile_dataset}: what a table contains, without its rows. */
public final class ProfileDataset extends QueryTool {
  private static final String NAME = "analytics_profile_dataset";

  /** At most 400 by a tokenizer, since the estimate may be a few percent too low. */
  private static final int DEFAULT_TOKENS = 380;

  private static final Parameter<Integer> SAMPLE_SIZE =
      Parameter.withDefault("sample_size", ArgumentTypes.integer(100, 10_000), 1_000)
          .describedAs("For inferring types of text");
  private static final Parameter<Boolean> STATISTICS =
      Parameter.withDefault("compute_stats", ArgumentTypes.flag(), true);
  private static final Parameter<Integer> CATEGORIES =
      Parameter.withDefault("max_categories", ArgumentTypes.integer(1, 1_000), 50);

  /**
   * The tool.
   *
   * @param common the parameters that it shares with others
   */
  public ProfileDataset(QueryParameters common, AnalyticsCall queries) {
    super(describe(common), common, queries);
  }

  private static ToolDescription describe(QueryParameters common) {
    return new ToolDescription(
        NAME,
        "Profile a dataset",
        """
        Profiles a dataset, a first look at data quality (EDA): summary statistics of every column \
        over all rows, missing values (nulls) and their percentage, distinct counts, min, max, \
        most frequent values, categorical or datetime types, duplicates, completeness, a score and \
        recommendations. Not to see rows.\
        """,
        Parameters.of(
            QueryParameters.FILE_PATH,
            SAMPLE_SIZE,
            STATISTICS,
            CATEGORIES,
            QueryParameters.MAX_TOKENS,
            common.timeout(),
            common.runClass(),
            common.waitSeconds()),
        ProfileDocument.class,
        ToolDescription.Effects.READS,
        MethodKind.CALL);
  }

  @Override
  Query query(CallContext call, Arguments arguments) {
    int tokens = arguments.get(QueryParameters.MAX_TOKENS).orElse(DEFAULT_TOKENS);
    Map<String, Object> values = new LinkedHashMap<>();
    values.put("sampleSize", arguments.get(SAMPLE_SIZE));
    values.put("computeStats", arguments.get(STATISTICS));
    values.put("maxCategories", arguments.get(CATEGORIES));
    QueryFiles.One file = file(call, arguments);
    AnalyticsRunSpec spec = common.builtin(Builtin.PROFILE, file, values, NAME, arguments);
    return new Query(
        spec, file.datasets(), new ProfileReply(file.name(), notes(call, file), tokens));
  }

  @Override
  Reply refused(AnalyticsError error) {
    return ProfileReply.refused(error);
  }
}

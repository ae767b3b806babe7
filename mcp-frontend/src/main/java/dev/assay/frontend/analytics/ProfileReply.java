package dev.assay.frontend.analytics;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.dataset.DatasetNote;
import dev.assay.frontend.dataset.FittedNotes;
import dev.assay.frontend.run.ByteSize;
import dev.assay.frontend.run.RunReply;
import dev.assay.frontend.token.TokenEstimate;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The reply to profile_dataset. */
public final class ProfileReply implements ResultReply {
  /** The part of a reply that notes take at most. */
  private static final int NOTES_PART = 3;

  /** Tokens of the line about omitted details. */
  private static final int REDUCED_TOKENS = 14;

  private final String name;
  private final Supplier<List<DatasetNote>> notes;
  private final int tokens;

  /**
   * Replies for one dataset.
   *
   * @param name of the dataset
   * @param notes of the dataset, the gravest first
   * @param tokens about how long the text may be
   */
  public ProfileReply(String name, Supplier<List<DatasetNote>> notes, int tokens) {
    this.name = name;
    this.notes = notes;
    this.tokens = tokens;
  }

  @Override
  public boolean isWhole(AnalyticsValue value) {
    return value.profile() != null;
  }

  @Override
  public Reply of(AnalyticsResult result) {
    Profile profile = Objects.requireNonNull(result.value().profile(), "only of a whole value");
    StringBuilder head =
        new StringBuilder(name)
            .append(": ")
            .append(profile.rowCount())
            .append(" rows x ")
            .append(profile.columnCount())
            .append(" columns, file ")
            .append(ByteSize.text(profile.fileBytes()))
            .append(", memory ")
            .append(ByteSize.text(profile.memoryBytes()))
            .append(", quality ")
            .append(profile.qualityScore());
    if (profile.duplicateRows() != null) {
      head.append(", ")
          .append(profile.duplicateRowsApprox() == null ? "" : "~")
          .append(profile.duplicateRows())
          .append(" duplicate rows");
    }
    head.append('\n').append(result.warningLines());
    FittedNotes noted = FittedNotes.of(notes.get(), tokens / NOTES_PART);
    head.append(noted.lines("describe_dataset"));
    StringBuilder advice = new StringBuilder();
    profile.recommendations().forEach(line -> advice.append("- ").append(line).append('\n'));
    int reserved = TokenEstimate.of(head) + TokenEstimate.of(advice);
    ProfileColumns columns = ProfileColumns.fit(profile.columns(), Math.max(1, tokens - reserved));
    if (columns.reduced() > 0) {
      columns =
          ProfileColumns.fit(profile.columns(), Math.max(1, tokens - reserved - REDUCED_TOKENS));
    }
    long more = profile.columnCount() - columns.shown().size();
    String text =
        head
            + String.join("", columns.lines())
            + (more > 0 ? "[and " + more + " more columns: describe_dataset names them]\n" : "")
            + (columns.reduced() > 0
                ? "[details of " + columns.reduced() + " columns omitted: raise max_tokens]\n"
                : "")
            + advice;
    return Reply.success(
        text.stripTrailing(), document(profile, columns, noted, result, TokenEstimate.of(text)));
  }

  private static ProfileDocument document(
      Profile profile,
      ProfileColumns columns,
      FittedNotes noted,
      AnalyticsResult result,
      int tokens) {
    long omitted = profile.columnCount() - columns.shown().size();
    return new ProfileDocument(
        null,
        new ProfileDocument.Schema(columns.shown()),
        new ProfileDocument.Statistics(
            profile.rowCount(),
            profile.columnCount(),
            ByteSize.text(profile.memoryBytes()),
            ByteSize.text(profile.fileBytes()),
            profile.qualityScore(),
            profile.duplicateRows(),
            profile.duplicateRowsApprox()),
        profile.recommendations(),
        omitted == 0 ? null : omitted,
        columns.reduced() == 0 ? null : columns.reduced(),
        noted.shown().isEmpty() ? null : noted.shown(),
        noted.omittedOrNull(),
        result.warnings(List.of()),
        result.queryId(),
        result.cacheHit(),
        null,
        null,
        tokens);
  }

  @Override
  public Reply failed(
      AnalyticsError error, @Nullable String queryId, @Nullable AnalyticsResult partial) {
    return failed(error, queryId);
  }

  @Override
  public Reply inProgress(AnalyticsRun run, long waitedSeconds) {
    String text =
        RunReply.continues(
            run,
            waitedSeconds,
            RunReply.WAIT,
            "waits for its end; the same call then returns the profile, usually from the cache");
    return RunReply.inProgress(
        text,
        new ProfileDocument(
            ResultReply.IN_PROGRESS,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            run.getMetadata().getName(),
            null,
            text,
            null,
            TokenEstimate.of(text)));
  }

  /** Of a call that was refused. */
  public static Reply refused(AnalyticsError error) {
    return failed(error, null);
  }

  private static Reply failed(AnalyticsError error, @Nullable String queryId) {
    String text = error.text();
    return error.reply(
        text,
        new ProfileDocument(
            "error",
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            queryId,
            null,
            null,
            error,
            TokenEstimate.of(text)));
  }
}

package dev.assay.frontend.analytics;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.assay.frontend.call.ContentBlock;
import dev.assay.frontend.call.Reply;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An error as a caller reads it.
 *
 * @param code a number of {@link ErrorCode}
 * @param category its name
 * @param message what happened, and where
 * @param suggestions what to do next, best first; never empty
 * @param queryContext the line of the query that it is about, with a caret below
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record AnalyticsError(
    int code,
    String category,
    String message,
    List<String> suggestions,
    @JsonProperty("query_context") @Nullable String queryContext) {

  /** An error with the usual advice of its code. */
  public static AnalyticsError of(ErrorCode code, String message) {
    return of(code, message, List.of(), null);
  }

  /** The same, where more is known; without suggestions it has the usual advice of its code. */
  public static AnalyticsError of(
      ErrorCode code, String message, List<String> suggestions, @Nullable String queryContext) {
    return new AnalyticsError(
        code.code(),
        code.category(),
        message,
        suggestions.isEmpty() ? List.of(code.advice()) : List.copyOf(suggestions),
        queryContext);
  }

  /** The same with more to know of. */
  public AnalyticsError withFurther(List<String> further) {
    return new AnalyticsError(
        code,
        category,
        message,
        Stream.concat(suggestions.stream(), further.stream()).toList(),
        queryContext);
  }

  /** A copy with this suggestion in place of all others, those in the message included. */
  public AnalyticsError withOnlySuggestion(String suggestion) {
    String plain = message.replaceFirst("\\. Did you mean .*$", "");
    return new AnalyticsError(code, category, plain, List.of(suggestion), queryContext);
  }

  /** The same as text. */
  public String text() {
    StringBuilder text =
        new StringBuilder("ERROR ")
            .append(code)
            .append(" (")
            .append(category)
            .append("): ")
            .append(message);
    if (queryContext != null) {
      text.append('\n').append(queryContext);
    }
    suggestions.forEach(suggestion -> text.append("\n- ").append(suggestion));
    return text.toString();
  }

  /** A reply that is this error, in both forms. */
  public Reply reply(String text, Record document) {
    return new Reply(List.of(new ContentBlock.Text(text)), document, true, Integer.toString(code));
  }
}

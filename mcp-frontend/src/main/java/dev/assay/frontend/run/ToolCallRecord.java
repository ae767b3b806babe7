package dev.assay.frontend.run;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/**
 * What is stored of one call of a tool. Its fields are those of the OpenAPI document; names and
 * arguments are those that the code chose.
 *
 * @param call its number in the run, from 1
 * @param digest of server, tool and arguments
 * @param arguments JSON text; absent unless the server records them
 * @param begun when it was about to be sent; absent where it was refused
 * @param outcome OK, or the code that says why there is no result; absent where it is not known yet
 * @param sent no, yes or unknown
 * @param resultBytes of the outcome that the code reads
 * @param ended when the outcome was known
 * @param millis how long the server took; absent where that is not known
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ToolCallRecord(
    int call,
    String server,
    String tool,
    String digest,
    int argumentBytes,
    String argumentSha256,
    @Nullable String arguments,
    @Nullable String begun,
    @Nullable String outcome,
    String sent,
    @Nullable Integer resultBytes,
    @Nullable String resultSha256,
    @Nullable String ended,
    @Nullable Long millis) {
  private static final int MAX_NAME = 256;

  /** The same, fit to be shown. Control characters in arguments become escapes. */
  public ToolCallRecord cleaned() {
    return new ToolCallRecord(
        call,
        Text.oneLine(server, MAX_NAME),
        Text.oneLine(tool, MAX_NAME),
        digest,
        argumentBytes,
        argumentSha256,
        arguments == null ? null : Text.escapedJson(arguments),
        begun,
        outcome,
        sent,
        resultBytes,
        resultSha256,
        ended,
        millis);
  }
}

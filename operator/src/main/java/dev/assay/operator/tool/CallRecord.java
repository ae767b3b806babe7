package dev.assay.operator.tool;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonTypeName;
import dev.assay.api.toolcall.CallCode;
import dev.assay.api.toolcall.Sent;
import org.jspecify.annotations.Nullable;

/** A line of the log of the calls of a run. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonSubTypes({
  @JsonSubTypes.Type(CallRecord.Intent.class),
  @JsonSubTypes.Type(CallRecord.End.class)
})
sealed interface CallRecord {
  /** The number of the call. */
  int call();

  /** The number of the call itself, or of the first one of its batch. */
  int group();

  /**
   * What is called.
   *
   * @param server the tool server
   * @param tool its tool
   * @param digest {@link CallArguments#digest} of the call
   * @param argumentBytes the length of its arguments
   * @param argumentSha256 their digest, in hexadecimal
   * @param arguments the arguments as text; null if they are not recorded
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @JsonIgnoreProperties(ignoreUnknown = true)
  record Subject(
      String server,
      String tool,
      String digest,
      int argumentBytes,
      String argumentSha256,
      @Nullable String arguments) {

    /** The same without the arguments. */
    Subject withoutArguments() {
      return new Subject(server, tool, digest, argumentBytes, argumentSha256, null);
    }
  }

  /**
   * The call is about to be sent. Stored before it is sent.
   *
   * @param group the call itself, or the first one of its batch
   * @param attempt 1, 2, 3 …; the next one only once this one certainly was not accepted, or by
   *     another sender, which then follows this one
   * @param replica where it is sent; {@link Replica#NONE} if it will not be sent
   * @param process which execution of the run sends it
   * @param at when, RFC 3339
   */
  @JsonTypeName("intent")
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @JsonIgnoreProperties(ignoreUnknown = true)
  record Intent(
      int call, int group, Subject subject, int attempt, Replica replica, String process, String at)
      implements CallRecord {

    /** The same without the arguments. */
    Intent withoutArguments() {
      return new Intent(call, group, subject.withoutArguments(), attempt, replica, process, at);
    }
  }

  /**
   * The outcome of the call is known.
   *
   * @param group the call itself, or the first one of its batch
   * @param subject what was called
   * @param code why there is no result; null if there is one
   * @param sent whether it was sent
   * @param resultBytes the length of the outcome that code reads
   * @param resultSha256 its digest, in hexadecimal
   * @param millis how long the tool server took; null if that is not known
   * @param at when, RFC 3339
   */
  @JsonTypeName("end")
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @JsonIgnoreProperties(ignoreUnknown = true)
  record End(
      int call,
      int group,
      Subject subject,
      @Nullable CallCode code,
      Sent sent,
      int resultBytes,
      String resultSha256,
      @Nullable Long millis,
      String at)
      implements CallRecord {}
}

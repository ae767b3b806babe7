package dev.assay.frontend.call;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.AnalyticsRunSpecBuilder;
import dev.assay.api.v1alpha1.Language;
import dev.assay.frontend.identity.Identity;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CallLogTest {
  private static final String CODE = "const password = 'é';";

  private static final String DIGEST =
      "876b9a297bc0673de17f2e1cbd2ba88d26b5f0254e7fa14de6a749a94ecab0f0";

  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

  private static final String BEGIN =
      "{\"time\":\"1970-01-01T00:00:00Z\",\"logger\":\"assay.audit\",\"request\":\"r1\","
          + "\"trace\":\""
          + TRACE
          + "\",\"caller\":\"alice\",\"namespace\":\"runs\",\"tool\":\"code_execution\",";

  private static final String END = "\"outcome\":\"Succeeded\",\"ms\":12}";

  private final CallContext call = call("r1");

  private static CallContext call(String requestId) {
    return new CallContext(
        new Identity("alice", "runs"),
        requestId,
        Progress.NONE,
        new Cancellation(),
        CallMemory.UNCOUNTED,
        Optional.empty(),
        TRACE);
  }

  private static String line(CallContext call, @Nullable String dataset) {
    return AuditLog.line(
        Instant.EPOCH,
        CallLog.fields(call, "code_execution", dataset, "Succeeded", Duration.ofMillis(12)));
  }

  @Test
  void aCallThatCreatedARunIsLoggedWithItsClassItsDatasetsAndTheDigestOfItsCode() {
    AnalyticsRunSpec spec =
        AnalyticsRunSpecBuilder.builder()
            .language(Language.JAVASCRIPT)
            .className("javascript")
            .code(CODE)
            .datasets(List.of("sales", "costs"))
            .build();
    call.run().set(CallRun.of("run-a", spec));

    assertThat(line(call, "sales"))
        .isEqualTo(
            BEGIN
                + "\"datasets\":[\"sales\",\"costs\"],\"run\":\"run-a\",\"class\":\"javascript\","
                + "\"code_sha256\":\""
                + DIGEST
                + "\",\"code_bytes\":22,"
                + END);
  }

  @Test
  void aCallAboutAnEarlierRunHasItsNameAndNoCode() {
    call.run().set(CallRun.named("run-a"));

    assertThat(line(call, null)).isEqualTo(BEGIN + "\"run\":\"run-a\"," + END);
  }

  @Test
  void aCallWithoutARunHasTheDatasetThatItNames() {
    assertThat(line(call, "sales")).isEqualTo(BEGIN + "\"datasets\":[\"sales\"]," + END);
    assertThat(line(call, null)).isEqualTo(BEGIN + END);
  }

  @Test
  void whatAClientChoseForgesNoLine() {
    assertThat(line(call("a\nb\"}\u001b"), null))
        .contains("\"request\":\"a\\nb\\\"}\\u001B\"")
        .doesNotContain("\n");
  }
}

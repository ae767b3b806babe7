package dev.assay.frontend.call;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.frontend.identity.Identity;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class CallLogTest {
  private static final String CODE = "const password = 'é';";

  private static final String DIGEST =
      "876b9a297bc0673de17f2e1cbd2ba88d26b5f0254e7fa14de6a749a94ecab0f0";

  private final CallContext call =
      new CallContext(new Identity("alice", "runs"), "r1", Progress.NONE, new Cancellation());

  private String line() {
    return CallLog.line(call, "code_execution", "Succeeded", Duration.ofMillis(12));
  }

  @Test
  void aCallThatCreatedARunIsLoggedWithTheDigestAndTheLengthOfItsCode() {
    call.run().set(CallRun.of("run-a", CODE));

    assertThat(line())
        .isEqualTo(
            "request=r1 caller=alice namespace=runs tool=code_execution run=run-a code_sha256="
                + DIGEST
                + " code_bytes=22 outcome=Succeeded ms=12")
        .doesNotContain("password");
  }

  @Test
  void aCallAboutAnEarlierRunHasItsNameAndNoCode() {
    call.run().set(CallRun.named("run-a"));

    assertThat(line()).contains(" run=run-a code_sha256=- code_bytes=- outcome=");
  }

  @Test
  void aCallWithoutARunHasNeither() {
    assertThat(line()).contains(" run=- code_sha256=- code_bytes=- outcome=");
  }
}

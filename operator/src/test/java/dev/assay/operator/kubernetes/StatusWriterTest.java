package dev.assay.operator.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.AnalyticsRunStatusBuilder;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.Samples;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.mockwebserver.dsl.TimesOnceableOrHttpHeaderable;
import io.fabric8.mockwebserver.http.RecordedRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

@EnableKubernetesMockClient(https = false)
class StatusWriterTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String RUN =
      "/apis/assay.dev/v1alpha1/namespaces/" + Samples.NAMESPACE + "/analyticsruns/run-1";
  private static final AnalyticsRunStatus PENDING =
      AnalyticsRunStatusBuilder.builder()
          .phase(RunPhase.Pending)
          .reason(RunReason.Queued)
          .message("x")
          .observedGeneration(3L)
          .build();

  @Nullable KubernetesMockServer server;
  @Nullable KubernetesClient client;
  private final List<String> seen = new ArrayList<>();

  @Test
  void aStatusIsWrittenAsAJsonPatchOnTheVersionItWasDecidedFrom() throws Exception {
    found(200, run("9", null));
    onPatch(200, run("10", PENDING)).once();
    Optional<AnalyticsRun> written = writer().update(run("7", null), this::pending);
    assertThat(written.orElseThrow().getMetadata().getResourceVersion()).isEqualTo("10");
    RecordedRequest request = patches().getLast();
    assertThat(request.getHeader("Content-Type")).startsWith("application/json-patch+json");
    assertThat(patch(request))
        .hasToString(
            "[{\"op\":\"replace\",\"path\":\"/metadata/resourceVersion\",\"value\":\"7\"},"
                + "{\"op\":\"add\",\"path\":\"/status\",\"value\":{\"phase\":\"Pending\","
                + "\"reason\":\"Queued\",\"message\":\"x\",\"observedGeneration\":3}}]");
  }

  @Test
  void aConflictIsDecidedAgainFromTheFreshObject() throws Exception {
    found(200, run("9", null));
    onPatch(409, status(409, "Conflict")).once();
    onPatch(200, run("10", PENDING)).once();
    assertThat(writer().update(run("7", null), this::pending)).isPresent();
    assertThat(seen).containsExactly("7", "9");
    List<RecordedRequest> patches = patches();
    assertThat(patches).hasSize(2);
    assertThat(patch(patches.getLast()).path(0).path("value").asText()).isEqualTo("9");
  }

  @Test
  void whatNoLongerAppliesToTheFreshObjectIsNotWritten() throws Exception {
    found(200, run("9", PENDING));
    onPatch(409, status(409, "Conflict")).always();
    Optional<AnalyticsRun> left =
        writer()
            .update(
                run("7", null),
                run -> run.getStatus() == null ? Optional.of(PENDING) : Optional.empty());
    assertThat(left.orElseThrow().getMetadata().getResourceVersion()).isEqualTo("9");
    assertThat(patches()).hasSize(1);
  }

  @Test
  void aRunThatANewerVersionHasWrittenMeanwhileIsNotWritten() throws Exception {
    found(200, run("9", PENDING.withReason(RunReason.Unknown)));
    onPatch(409, status(409, "Conflict")).always();
    Optional<AnalyticsRun> left = writer().update(run("7", null), this::pending);
    assertThat(left.orElseThrow().getMetadata().getResourceVersion()).isEqualTo("9");
    assertThat(seen).containsExactly("7");
    assertThat(patches()).hasSize(1);
  }

  @Test
  void nothingToChangeAsksNobody() {
    AnalyticsRun run = run("7", null);
    assertThat(writer().update(run, current -> Optional.empty())).containsSame(run);
    assertThat(server().getRequestCount()).isZero();
  }

  @Test
  void aResourceThatIsGoneIsEmpty() {
    found(404, status(404, "NotFound"));
    onPatch(404, status(404, "NotFound")).always();
    assertThat(writer().update(run("7", null), this::pending)).isEmpty();
    assertThat(seen).containsExactly("7");
  }

  @Test
  void aResourceThatWentBeforeTheWriteIsEmpty() {
    found(200, run("9", null));
    onPatch(404, status(404, "NotFound")).always();
    assertThat(writer().update(run("7", null), this::pending)).isEmpty();
    assertThat(seen).containsExactly("7");
  }

  @Test
  void anotherResourceOfTheSameNameIsNotWritten() throws Exception {
    AnalyticsRun other = run("9", null);
    other.getMetadata().setUid("another-uid");
    found(200, other);
    onPatch(409, status(409, "Conflict")).always();
    assertThat(writer().update(run("7", null), this::pending)).isEmpty();
    assertThat(patches()).hasSize(1);
  }

  @Test
  void anyOtherRefusalIsThrownAndNotTriedAgain() throws Exception {
    found(200, run("7", null));
    onPatch(422, status(422, "Invalid")).always();
    assertThatThrownBy(() -> writer().update(run("7", null), this::pending))
        .isInstanceOf(KubernetesClientException.class);
    assertThat(patches()).hasSize(1);
  }

  @Test
  void aPatchThatDoesNotApplyToANewerObjectIsDecidedAgain() throws Exception {
    found(200, run("9", null));
    onPatch(422, status(422, "Invalid")).once();
    onPatch(200, run("10", PENDING)).once();
    assertThat(writer().update(run("7", PENDING), this::started)).isPresent();
    assertThat(seen).containsExactly("7", "9");
  }

  @Test
  void onlyTheMembersThatChangeAreWritten() throws Exception {
    onPatch(200, run("10", PENDING)).once();
    var unused = writer().update(run("7", PENDING), this::started);
    assertThat(patch(patches().getLast()))
        .hasToString(
            "[{\"op\":\"replace\",\"path\":\"/metadata/resourceVersion\",\"value\":\"7\"},"
                + "{\"op\":\"add\",\"path\":\"/status/phase\",\"value\":\"Running\"},"
                + "{\"op\":\"remove\",\"path\":\"/status/message\"}]");
  }

  @Test
  void conflictsWithoutEndAreGivenUp() {
    found(200, run("9", null));
    onPatch(409, status(409, "Conflict")).always();
    assertThatThrownBy(() -> writer().update(run("7", null), this::pending))
        .isInstanceOf(IllegalStateException.class);
    assertThat(seen).hasSize(20);
  }

  private void found(int code, Object answer) {
    server().expect().get().withPath(RUN).andReturn(code, answer).always();
  }

  private TimesOnceableOrHttpHeaderable<Void> onPatch(int code, Object answer) {
    return server().expect().patch().withPath(RUN + "/status").andReturn(code, answer);
  }

  /** The writes, without the reads that the client may send before each of them. */
  private List<RecordedRequest> patches() throws InterruptedException {
    List<RecordedRequest> patches = new ArrayList<>();
    for (int left = server().getRequestCount(); left > 0; left--) {
      RecordedRequest request = server().takeRequest();
      if ("PATCH".equals(request.getMethod())) {
        patches.add(request);
      }
    }
    return patches;
  }

  private Optional<AnalyticsRunStatus> pending(AnalyticsRun run) {
    seen.add(run.getMetadata().getResourceVersion());
    return Optional.of(PENDING);
  }

  private Optional<AnalyticsRunStatus> started(AnalyticsRun run) {
    seen.add(run.getMetadata().getResourceVersion());
    return Optional.of(PENDING.withPhase(RunPhase.Running).withMessage(null));
  }

  private StatusWriter<AnalyticsRunStatus, AnalyticsRun> writer() {
    return new StatusWriter<>(Objects.requireNonNull(client), AnalyticsRun.class);
  }

  private KubernetesMockServer server() {
    return Objects.requireNonNull(server);
  }

  private static AnalyticsRun run(String version, @Nullable AnalyticsRunStatus status) {
    AnalyticsRun run = Samples.run(Samples.spec("1", null, null, null), status);
    run.getMetadata().setResourceVersion(version);
    return run;
  }

  private static io.fabric8.kubernetes.api.model.Status status(int code, String reason) {
    return new StatusBuilder().withCode(code).withReason(reason).withStatus("Failure").build();
  }

  private static JsonNode patch(RecordedRequest request) throws JsonProcessingException {
    return JSON.readTree(request.getBody().readUtf8());
  }
}

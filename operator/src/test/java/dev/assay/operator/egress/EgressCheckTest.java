package dev.assay.operator.egress;

import static dev.assay.operator.runner.FakeRunner.json;
import static dev.assay.operator.runner.FakeRunner.meanwhile;
import static dev.assay.operator.runner.FakeRunner.nothing;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import dev.assay.operator.FakeApiServer;
import dev.assay.operator.ManualClock;
import dev.assay.operator.ManualThreads;
import dev.assay.operator.Samples;
import dev.assay.operator.config.OperatorConfig.EgressCheckConfig;
import dev.assay.operator.egress.EgressCheck.Closed;
import dev.assay.operator.egress.EgressCheck.NotClosed;
import dev.assay.operator.egress.EgressCheck.Verdict;
import dev.assay.operator.kubernetes.EventRecorder;
import dev.assay.operator.kubernetes.NetworkPolicies;
import dev.assay.operator.pod.EgressAddress;
import dev.assay.operator.pod.Labels;
import dev.assay.operator.runner.FakeRunner;
import dev.assay.operator.runner.Hello;
import dev.assay.operator.runner.RunnerClient;
import dev.assay.operator.signing.SigningKeySecret;
import dev.assay.operator.signing.SigningKeys;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EgressCheckTest {
  private static final String REFUSED = "{\"egress\":\"refused\"}";
  private static final String CONNECTED = "{\"egress\":\"connected\"}";

  private final ManualClock clock = new ManualClock();
  private final ManualThreads threads = new ManualThreads();
  private final FakeApiServer api = new FakeApiServer();
  private final FakeRunner runner =
      new FakeRunner(
          new SigningKeys(new SigningKeySecret(api.client(), "assay-system", clock)).current());
  private final RunnerClient runners = new RunnerClient(clock);
  private final ServerSocket frontEnd;
  private final EgressTarget target;
  private final Pod pod;
  private final EgressCheck check;
  private String opening = "";
  private boolean arePoliciesKnown = true;
  private final NetworkPolicies policies =
      new NetworkPolicies() {
        @Override
        public void ensure(String namespace) {}

        @Override
        public boolean areKnown(String namespace) {
          return arePoliciesKnown;
        }

        @Override
        public Optional<String> openToInternet(String namespace, Map<String, String> labels) {
          return opening.isEmpty() ? Optional.empty() : Optional.of(opening);
        }
      };

  EgressCheckTest() throws IOException {
    frontEnd = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    target = new EgressTarget(new EgressCheckConfig("127.0.0.1", frontEnd.getLocalPort()));
    target.resolve();
    pod = podToldOf("127.0.0.1", frontEnd.getLocalPort());
    check =
        new EgressCheck(
            runners, target, policies, new EventRecorder(api.client(), threads, clock), clock);
  }

  @AfterEach
  void stop() throws IOException {
    frontEnd.close();
    target.close();
    runners.close();
    runner.close();
    api.close();
  }

  @Test
  void aPodThatIsRefusedWhatTheOperatorReachesIsClosed() {
    runner.on("/v1/egress", json(200, REFUSED));
    assertThat(verdict()).isEqualTo(new Closed());
  }

  @Test
  void aPodThatConnectsIsOpenAndTheMessageSaysWhatToLookFor() {
    runner.on("/v1/egress", json(200, CONNECTED));
    assertThat(notClosed())
        .isEqualTo(
            new NotClosed(
                true,
                "The network of its Pod is open: the Pod could connect to the front end. Another"
                    + " NetworkPolicy in namespace team-a allows run Pods to, or the network plugin"
                    + " enforces none"));
  }

  @Test
  void aRefusalProvesNothingWhileThePoliciesOfOthersAreNotKnown() {
    runner.on("/v1/egress", json(200, REFUSED));
    arePoliciesKnown = false;
    assertUntested("the NetworkPolicies of its namespace are not watched");
  }

  @Test
  void aPodThatIsRefusedIsOpenWhereAPolicyOfOthersOpensTheInternet() {
    runner.on("/v1/egress", json(200, REFUSED));
    RunClass runClass = classOfThePod();
    assertThat(verdict()).isEqualTo(new Closed());
    assertThat(check.latest("team-a", runClass)).contains(new Closed());
    opening = "NetworkPolicy web lets run Pods connect to the internet";
    NotClosed open = new NotClosed(true, "The network of its Pod is open: " + opening);
    assertThat(check.latest("team-a", runClass)).contains(open);
    assertThat(verdict()).isEqualTo(open);
    opening = "";
    assertThat(check.latest("team-a", runClass)).contains(new Closed());
    assertThat(verdict()).isEqualTo(new Closed());
  }

  @Test
  void aRefusalProvesNothingIfTheOperatorWasRefusedBefore() throws IOException {
    frontEnd.close();
    runner.on("/v1/egress", json(200, REFUSED));
    assertUntested("the operator itself cannot connect to the front end");
    assertThat(runner.paths()).as("the Pod is not asked").isEmpty();
  }

  @Test
  void aRefusalProvesNothingIfTheOperatorIsRefusedAfterwards() {
    runner.on("/v1/egress", meanwhile(frontEnd::close).then(json(200, REFUSED)));
    assertUntested("the operator itself cannot connect to the front end");
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"egress\":\"unknown\"}", "{\"egress\":\"denied\"}", "{}", "[]"})
  void anAnswerWithoutARefusalProvesNothing(String answer) {
    runner.on("/v1/egress", json(200, answer));
    assertUntested("its supervisor could not test it");
  }

  @Test
  void aRunnerThatDoesNotAnswerProvesNothing() {
    runner.on("/v1/egress", nothing());
    assertUntested("its supervisor did not answer");
    runner.on("/v1/egress", json(200, "refused"));
    assertUntested("its supervisor did not answer");
  }

  @Test
  void anOlderRunnerIsNamedWithWhatToDo() {
    Hello older = FakeRunner.idleHello();
    assertThat(check.check(pod, older))
        .isInstanceOfSatisfying(
            NotClosed.class,
            found ->
                assertThat(found.message())
                    .contains("too old to test it", "set egressCheck: Disabled in the class"));
    assertThat(runner.paths()).isEmpty();
  }

  @Test
  void aPodWithoutAnAddressIsNotAsked() {
    assertThat(check.check(Samples.runningPod(runner.port()), FakeRunner.idleHello()))
        .isEqualTo(new Closed());
    assertThat(runner.paths()).isEmpty();
  }

  @Test
  void anOpenNamespaceIsReportedOnceAMinute() {
    runner.on("/v1/egress", json(200, CONNECTED));
    check.report(pod, notClosed());
    check.report(pod, notClosed());
    clock.advance(Duration.ofSeconds(59));
    check.report(pod, notClosed());
    assertThat(reports()).hasSize(1);
    assertThat(reports().getFirst()).startsWith("The network of its Pod is open: ");
    clock.advance(Duration.ofSeconds(1));
    check.report(pod, notClosed());
    assertThat(reports()).hasSize(2);
  }

  @Test
  void theOperatorConnectsToNoAddressThatAPodNamesItself() {
    List<EgressAddress> dialed = new ArrayList<>();
    EgressCheck recorded =
        new EgressCheck(
            runners,
            target,
            new EgressControl(dialed::add, clock),
            policies,
            new EventRecorder(api.client(), threads, clock),
            clock);
    Pod malformed = podToldOf("127.0.0.1", frontEnd.getLocalPort());
    malformed.getSpec().getContainers().getFirst().getEnv().getFirst().setValue("no address");
    for (Pod forged :
        List.of(
            podToldOf("127.0.0.1", runner.port()),
            podToldOf("192.0.2.1", frontEnd.getLocalPort()),
            malformed)) {
      assertThat(recorded.check(forged, FakeRunner.idleHello(Hello.EGRESS)))
          .isEqualTo(
              new NotClosed(
                  false,
                  "The network of its Pod cannot be tested: it was created for another address than"
                      + " the front end has, or had before"));
    }
    assertThat(dialed).isEmpty();
    assertThat(runner.paths()).isEmpty();
  }

  private RunClass classOfThePod() {
    RunClass runClass = Samples.runClass(Samples.classSpec(Purpose.Run));
    pod.getMetadata().setLabels(Map.of(Labels.RUN_CLASS, runClass.getMetadata().getName()));
    return runClass;
  }

  private Pod podToldOf(String host, int port) {
    return new EgressAddress(host, port).writtenTo(Samples.runningPod(runner.port()));
  }

  private List<String> reports() {
    threads.runAll();
    return api.requests("POST", "/events").stream()
        .filter(request -> request.body().path("reason").asText().equals("EgressNotRefused"))
        .map(request -> request.body().path("message").asText())
        .toList();
  }

  private Verdict verdict() {
    return check.check(pod, FakeRunner.idleHello(Hello.EGRESS));
  }

  private NotClosed notClosed() {
    return (NotClosed) verdict();
  }

  private void assertUntested(String cause) {
    assertThat(notClosed().couldConnect()).isFalse();
    assertThat(notClosed().message())
        .startsWith("The network of its Pod cannot be tested: " + cause);
  }
}

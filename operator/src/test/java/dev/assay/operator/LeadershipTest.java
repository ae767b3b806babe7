package dev.assay.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.operator.config.OperatorConfig.LeaderElectionConfig;
import dev.assay.operator.health.HealthCheck;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LeadershipTest {
  private static final LeaderElectionConfig ELECTED =
      new LeaderElectionConfig("assay-operator", "assay-system");

  private final FakeApiServer api = new FakeApiServer();
  private final BlockingQueue<String> begun = new LinkedBlockingQueue<>();
  private final BlockingQueue<Exception> failures = new LinkedBlockingQueue<>();

  @AfterEach
  void close() {
    api.close();
  }

  @Test
  void theOnlyReplicaLeadsFromTheStartAndNeedsNoLease() throws Exception {
    try (Leadership leadership = leadership(null, task("one"), task("two"))) {
      leadership.start();
      assertThat(begun).containsExactly("one", "two");
    }
    assertThat(api.requests("GET", "/leases")).isEmpty();
    assertThat(api.requests("PATCH", "/leases")).isEmpty();
  }

  @Test
  void theOnlyReplicaDoesNotStartWhereATaskCannot() {
    try (Leadership leadership = leadership(null, failing())) {
      assertThatThrownBy(leadership::start).hasMessage("the port is in use");
    }
    assertThat(failures).isEmpty();
  }

  @Test
  void anElectedReplicaStartsItsTasksInOrderAndReleasesItsLeaseInTheEnd() throws Exception {
    try (Leadership leadership = leadership(ELECTED, task("one"), task("two"))) {
      leadership.start();
      assertThat(next()).isEqualTo("one");
      assertThat(next()).isEqualTo("two");
    }
    assertThat(api.read(lease()).getSpec().getHolderIdentity()).isEmpty();
    assertThat(failures).isEmpty();
  }

  @Test
  void aReplicaThatCannotStartATaskMustEnd() throws Exception {
    try (Leadership leadership = leadership(ELECTED, failing(), task("after it"))) {
      leadership.start();
      assertThat(failures.poll(30, TimeUnit.SECONDS)).hasMessage("the port is in use");
      assertThat(begun).isEmpty();
    }
  }

  @Test
  void aReplicaThatHoldsTheLeaseAndHasNotStartedToLeadIsASymptom() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    try (Leadership leadership =
        leadership(
            ELECTED,
            task("waits"),
            () -> {
              try {
                go.await();
              } catch (InterruptedException e) {
                throw new IOException(e);
              }
            },
            task("leads"))) {
      assertThat(symptoms(leadership)).as("it stands by").isEmpty();
      leadership.start();
      assertThat(next()).isEqualTo("waits");
      assertThat(symptoms(leadership))
          .containsExactly("this replica holds the Lease but has not started to lead");
      go.countDown();
      assertThat(next()).isEqualTo("leads");
    }
  }

  private Leadership leadership(@Nullable LeaderElectionConfig election, Leadership.Task... tasks) {
    return new Leadership(api.client(), election, "operator-1", List.of(tasks), failures::add);
  }

  private Leadership.Task task(String name) {
    return () -> begun.add(name);
  }

  private static Leadership.Task failing() {
    return () -> {
      throw new IOException("the port is in use");
    };
  }

  private String next() throws InterruptedException {
    String name = begun.poll(30, TimeUnit.SECONDS);
    assertThat(name).isNotNull();
    return String.valueOf(name);
  }

  private static Set<String> symptoms(Leadership leadership) {
    return leadership.healthChecks().stream()
        .map(HealthCheck::symptoms)
        .flatMap(symptoms -> symptoms.get().stream())
        .collect(Collectors.toSet());
  }

  private static Lease lease() {
    return new LeaseBuilder()
        .withNewMetadata()
        .withNamespace("assay-system")
        .withName("assay-operator")
        .endMetadata()
        .build();
  }
}

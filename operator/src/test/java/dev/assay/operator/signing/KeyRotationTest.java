package dev.assay.operator.signing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.operator.ManualClock;
import dev.assay.operator.signing.KeyRotation.Step;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
@EnableKubernetesMockClient(https = false, crud = true)
class KeyRotationTest {
  private static final Duration NINETY_DAYS = Duration.ofDays(90);

  @Nullable KubernetesClient client;
  private final ManualClock clock = new ManualClock();
  private final Instant now = clock.instant();
  private final Set<String> carried = new HashSet<>();

  @Test
  void aKeyIsMadeOnceAndFoundByEveryReplica() {
    SigningKeys first = new SigningKeys(secret());
    SigningKeys second = new SigningKeys(secret());
    assertThat(second.current().id()).isEqualTo(first.current().id());
    assertThat(second.current().publicKey()).isEqualTo(first.current().publicKey());
    assertThat(first.forPod(List.of("unknown"))).isEmpty();
  }

  @Test
  void aRequestedRotationKeepsTheOldKeyUntilNoPodCarriesIt() {
    SigningKeys keys = new SigningKeys(secret());
    SigningKeys standby = new SigningKeys(secret());
    String old = keys.current().id();
    carried.add(old);
    request();
    KeyRotation rotation = rotation(keys);

    rotation.runOnce();
    String fresh = keys.current().id();
    assertThat(fresh).isNotEqualTo(old);
    assertThat(keys.forPod(List.of(old))).isPresent();
    assertThat(standby.forPod(List.of(fresh))).isPresent();
    rotation.runOnce();
    assertThat(keys.current().id()).as("one request, one rotation").isEqualTo(fresh);

    clock.advance(KeyRotation.MIN_OVERLAP);
    rotation.runOnce();
    assertThat(keys.forPod(List.of(old))).isPresent();

    carried.clear();
    rotation.runOnce();
    assertThat(keys.forPod(List.of(old))).isEmpty();
    assertThat(stored().getData()).doesNotContainKey("previous.pkcs8");
    rotation.close();
  }

  @Test
  void aSecretThatWasDeletedIsRestoredWithTheKeysThatPodsHave() {
    SigningKeys keys = new SigningKeys(secret());
    String old = keys.current().id();
    carried.add(old);
    request();
    KeyRotation rotation = rotation(keys);
    rotation.runOnce();
    String fresh = keys.current().id();

    delete();
    rotation.runOnce();
    SigningKeys nextLeader = new SigningKeys(secret());
    assertThat(nextLeader.current().id()).isEqualTo(fresh);
    assertThat(nextLeader.forPod(List.of(old))).isPresent();

    delete();
    assertThat(keys.forPod(List.of("unknown"))).isEmpty();
    assertThat(keys.current().id()).as("another Pod's key is looked for").isEqualTo(fresh);

    String strange = new SigningKeys(secret()).current().id();
    assertThat(keys.forPod(List.of("unknown"))).isEmpty();
    rotation.runOnce();
    assertThat(new SigningKeys(secret()).current().id())
        .as("a replica that starts meanwhile creates a key of its own")
        .isEqualTo(fresh)
        .isNotEqualTo(strange);
    rotation.close();
  }

  @Test
  void anOldKeyIsReplacedUnlessThatIsSwitchedOff() {
    KeyRing ring = new KeyRing(SigningKey.generate(), null, now);
    assertThat(next(ring, NINETY_DAYS, Duration.ofDays(89))).isEqualTo(Step.KEEP);
    assertThat(next(ring, NINETY_DAYS, NINETY_DAYS)).isEqualTo(Step.ROTATE);
    assertThat(next(ring, Duration.ZERO, Duration.ofDays(9999))).isEqualTo(Step.KEEP);
  }

  @Test
  void aSecondRotationWaitsForTheEndOfTheFirst() {
    KeyRing two = new KeyRing(SigningKey.generate(), SigningKey.generate(), now);
    Instant later = now.plus(NINETY_DAYS);
    assertThat(KeyRotation.next(two, true, NINETY_DAYS, later, () -> true)).isEqualTo(Step.KEEP);
    assertThat(KeyRotation.next(two, true, NINETY_DAYS, later, () -> false))
        .isEqualTo(Step.DROP_PREVIOUS);
    assertThat(KeyRotation.next(two, false, NINETY_DAYS, now.plusSeconds(1), () -> false))
        .as("a Pod may be in the making")
        .isEqualTo(Step.KEEP);
  }

  private Step next(KeyRing ring, Duration maxAge, Duration age) {
    return KeyRotation.next(ring, false, maxAge, now.plus(age), () -> false);
  }

  private KeyRotation rotation(SigningKeys keys) {
    return new KeyRotation(secret(), keys, carried::contains, NINETY_DAYS, clock);
  }

  private SigningKeySecret secret() {
    return new SigningKeySecret(Objects.requireNonNull(client), "assay-system", clock);
  }

  private void request() {
    Secret secret = stored();
    secret.getMetadata().setAnnotations(Map.of(SigningKeySecret.ROTATE_ANNOTATION, "now"));
    Objects.requireNonNull(client).resource(secret).update();
  }

  private void delete() {
    Objects.requireNonNull(client).resource(stored()).delete();
  }

  private Secret stored() {
    return Objects.requireNonNull(client)
        .secrets()
        .inNamespace("assay-system")
        .withName("assay-operator-keys")
        .require();
  }
}

package dev.assay.local.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.local.isolation.Isolation;
import dev.assay.local.isolation.Needs;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Containers in namespaces that bubblewrap makes. */
@Tag("slow")
@Needs(Isolation.BUBBLEWRAP)
class BubblewrapKubeletTest extends IsolatedKubeletContract {
  BubblewrapKubeletTest() {
    super(Isolation.BUBBLEWRAP);
  }

  /** Bubblewrap itself starts, and says of the program what it has to say where that would. */
  @Override
  @Test
  void aProgramThatIsNotThereIsAStartError() throws IOException {
    Pod pod = kubelet().create(withoutProgram());

    assertThat(kubelet().awaitEnd(pod).getStatus().getPhase()).isEqualTo("Failed");
    assertThat(kubelet().wholeLog(pod, Pods.WORKER)).contains("bwrap", "/no/such/program");
  }
}

package dev.assay.local.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.local.Programs;
import dev.assay.local.isolation.Isolation;
import dev.assay.local.isolation.PythonInterpreter;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of a container that the kernel, and not the kubelet, has killed for memory. */
@Tag("slow")
class OutOfMemoryTest {
  private static final String HELPER =
      """
      #!/bin/sh
      read -r specification || exit 0
      echo started in a memory group >&2
      echo out of memory >&2
      exit 137
      """;

  @TempDir private Path directory;

  @Test
  void aContainerThatTheKernelHasKilledForMemoryTellsSo() throws IOException {
    Path helper = Programs.ofScript(directory.resolve("helper"), HELPER);
    PythonInterpreter python = new PythonInterpreter(helper, List.of());
    try (RunningKubelet kubelet =
        new RunningKubelet(Isolation.NONE, directory, python, List.of(), Pods.COMMAND)) {
      Pod pod = kubelet.create(Pods.build("greedy", Pods.withMemory(Pods.worker(""), "100Mi")));

      ContainerStateTerminated ended =
          KubeletContract.terminated(kubelet.awaitEnd(pod), Pods.WORKER);

      assertThat(ended.getReason()).isEqualTo("OOMKilled");
      assertThat(ended.getExitCode()).isEqualTo(137);
    }
  }
}

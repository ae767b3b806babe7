package dev.assay.operator.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.operator.ManualThreads;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PodTasksTest {
  private final ManualThreads threads = new ManualThreads();
  private final PodTasks tasks = new PodTasks(threads, 2);
  private final List<String> done = new ArrayList<>();

  @Test
  void aNamespaceHasSoManyAtOnceWhateverOthersHave() {
    start("a", "1");
    start("a", "2");
    start("a", "3");
    start("b", "4");
    threads.runAll();
    assertThat(done).containsExactly("1", "2", "4");
    start("a", "3");
    threads.runAll();
    assertThat(done).containsExactly("1", "2", "4", "3");
  }

  @Test
  void aNamespaceHasAsManyAsBeforeOnceOneIsOver() throws Exception {
    start("a", "1");
    start("a", "2");
    threads.runNext();
    start("a", "3");
    start("a", "4");
    threads.runAll();
    assertThat(done).containsExactly("1", "2", "3");
  }

  @Test
  void aPodHasOneAtOnce() {
    start("a", "1");
    start("a", "1");
    threads.runAll();
    assertThat(done).containsExactly("1");
  }

  private void start(String namespace, String uid) {
    tasks.start(pod(namespace, uid), () -> done.add(uid));
  }

  private static Pod pod(String namespace, String uid) {
    return new PodBuilder()
        .withNewMetadata()
        .withNamespace(namespace)
        .withUid(uid)
        .endMetadata()
        .build();
  }
}

package dev.assay.local.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Only here do tests know every write, and so which version is still to come. */
class FutureWatchTest {
  private final RunningServer running = new RunningServer();

  @AfterEach
  void stop() {
    running.close();
  }

  @Test
  void aWatchFromAVersionThatIsStillToComeTellsWhatComesAfterIt() throws InterruptedException {
    BlockingQueue<String> told = new LinkedBlockingQueue<>();
    long now = Long.parseLong(create("now").getMetadata().getResourceVersion());
    var options = new ListOptionsBuilder().withResourceVersion(Long.toString(now + 2)).build();
    Watch watch =
        running
            .client()
            .configMaps()
            .inNamespace(RunningServer.NAMESPACE)
            .watch(options, new Recorder(told));
    create("one");
    create("two");
    create("three");
    assertThat(told.poll(30, TimeUnit.SECONDS)).isEqualTo("ADDED three");
    watch.close();
  }

  private ConfigMap create(String name) {
    return running
        .client()
        .resource(
            new ConfigMapBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(RunningServer.NAMESPACE)
                .endMetadata()
                .build())
        .create();
  }

  private record Recorder(BlockingQueue<String> told) implements Watcher<ConfigMap> {
    @Override
    public void eventReceived(Action action, ConfigMap object) {
      told.add(action + " " + object.getMetadata().getName());
    }

    @Override
    public void onClose(WatcherException cause) {
      told.add("closed: " + cause);
    }
  }
}

package dev.assay.frontend.dataset;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.UploadSource;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.Cancellation;
import dev.assay.frontend.call.Progress;
import dev.assay.frontend.identity.Identity;
import dev.assay.frontend.limit.SharedQuota;
import dev.assay.frontend.run.RunClasses;
import dev.assay.frontend.watch.ClusterException;
import dev.assay.frontend.watch.Subscription;
import java.io.InputStream;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends uploads that were announced and will not come, so that their dataset fails as soon as its
 * Pod is there, and not after the time that the Pod waits for the first byte: until then another
 * upload would be refused.
 */
final class AbortedUploads {
  private static final Logger log = LoggerFactory.getLogger(AbortedUploads.class);

  /** Each is a thread that waits; more are left to the operator's own time limit. */
  private static final int MAX_AT_A_TIME = 1000;

  private static final int MAX_OF_CALLER = MAX_AT_A_TIME / 10;

  private static final Identity NOBODY = new Identity("", "");

  private final DatasetGateway datasets;
  private final UploadRelay relay;
  private final DatasetWait wait;
  private final RunClasses classes;
  private final SharedQuota<Identity> room = new SharedQuota<>(MAX_AT_A_TIME, MAX_OF_CALLER);

  AbortedUploads(DatasetGateway datasets, UploadRelay relay, DatasetWait wait, RunClasses classes) {
    this.datasets = datasets;
    this.relay = relay;
    this.wait = wait;
    this.classes = classes;
  }

  /** Ends the upload of a dataset, now or when its Pod takes it. Returns at once. */
  void abort(Dataset announced) {
    UploadSource upload = Objects.requireNonNull(announced.getSpec().source().upload());
    Identity caller =
        Identity.owner(announced.getSpec().caller(), announced.getMetadata().getNamespace());
    // One of no bytes cannot break off.
    if (upload.bytes() > 0 && room.take(caller, 1) == SharedQuota.Decision.GRANTED) {
      Thread.ofVirtual().name("abort-upload").start(() -> end(announced, upload, caller));
    }
  }

  private void end(Dataset announced, UploadSource upload, Identity caller) {
    String namespace = announced.getMetadata().getNamespace();
    String name = announced.getMetadata().getName();
    try (Subscription<Dataset> subscription = datasets.follow(namespace, name)) {
      Optional<Dataset> now = datasets.read(namespace, name);
      if (now.isEmpty() || !upload.equals(now.get().getSpec().source().upload())) {
        return;
      }
      Duration bound = classes.limitsOf(announced.getSpec().className()).snapshotBound();
      CallContext call = new CallContext(NOBODY, upload.id(), Progress.NONE, new Cancellation());
      DatasetWait.Seen seen = wait.awaitUploading(now.get(), subscription, bound, call);
      if (upload.equals(seen.dataset().getSpec().source().upload())
          && seen.state() instanceof DatasetState.Loading loading
          && loading.isUploading()) {
        // It ends before the length that was announced, and so breaks off.
        var unused =
            relay.send(
                namespace,
                seen.dataset().getMetadata().getUid(),
                upload,
                InputStream.nullInputStream());
      }
    } catch (ClusterException e) {
      log.warn("the upload of dataset {} could not be ended: {}", name, e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      room.give(caller, 1);
    }
  }
}

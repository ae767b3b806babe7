package dev.assay.operator.run.cluster;

import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassStatus;
import dev.assay.operator.kubernetes.StatusWriter;
import dev.assay.operator.run.status.StatusTimes;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Clock;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes to the status of a class which digest its image has, if it has changed: keys of cached
 * results contain it, and the front end sees no Pods.
 */
public final class ClassImages {
  private static final Logger LOG = LoggerFactory.getLogger(ClassImages.class);

  private final StatusWriter<RunClassStatus, RunClass> statuses;
  private final Supplier<Collection<RunClass>> classes;
  private final Clock clock;

  /** The classes whose status could not be written, which is logged once. */
  private final Set<String> failing = ConcurrentHashMap.newKeySet();

  /**
   * Creates a writer.
   *
   * @param classes the cached classes
   */
  public ClassImages(KubernetesClient client, Supplier<Collection<RunClass>> classes, Clock clock) {
    this.statuses = new StatusWriter<>(client, RunClass.class);
    this.classes = classes;
    this.clock = clock;
  }

  /**
   * A Pod of a class has reported the digest of its image.
   *
   * @param image the image that the Pod was created with
   */
  public void seen(String className, String image, String imageID) {
    classes.get().stream()
        .filter(found -> found.getMetadata().getName().equals(className))
        .filter(found -> next(found, image, imageID).isPresent())
        .findFirst()
        .ifPresent(found -> write(found, image, imageID));
  }

  private void write(RunClass runClass, String image, String imageID) {
    String name = runClass.getMetadata().getName();
    try {
      statuses.update(runClass, current -> next(current, image, imageID));
      failing.remove(name);
    } catch (KubernetesClientException e) {
      if (failing.add(name)) {
        LOG.warn(
            "The status of class {} could not be written, so that its results are not found in the"
                + " cache: {}",
            name,
            e.getMessage());
      }
    }
  }

  /** Empty if the status has it already, or the class has another image now. */
  private Optional<RunClassStatus> next(RunClass runClass, String image, String imageID) {
    return !image.equals(runClass.getSpec().image())
            || runClass.seenImageID().filter(imageID::equals).isPresent()
        ? Optional.empty()
        : Optional.of(
            Optional.ofNullable(runClass.getStatus())
                .orElse(RunClassStatus.EMPTY)
                .with()
                .image(image)
                .imageID(imageID)
                .imageIDSeen(StatusTimes.text(clock.instant()))
                .build());
  }
}

package dev.assay.local.kubelet;

import dev.assay.local.isolation.ContainerRuntime;
import java.nio.file.Path;
import java.time.Clock;
import java.util.concurrent.ScheduledExecutorService;

/**
 * What the Pods of this machine share.
 *
 * @param directory which has a directory for each of them
 * @param timer whose tasks are short
 */
record Node(
    PodApi api,
    ContainerRuntime runtime,
    Images images,
    Claims claims,
    PodAddresses addresses,
    MemoryWatch memory,
    ScheduledExecutorService timer,
    Path directory,
    Clock clock) {}

package dev.assay.operator.pool;

import java.time.Duration;
import java.util.Map;

/**
 * What a Pod has of the limits of its class before its run is known. The run that it is given adds
 * what it requests.
 *
 * @param maxRunLife how long the Pod may live from when it is given to a run
 * @param annotations the limits of a run that requests none
 */
public record WarmPodLimits(Duration maxRunLife, Map<String, String> annotations) {}

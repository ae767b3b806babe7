package dev.assay.frontend.http;

import dev.assay.frontend.call.MethodKind;
import dev.assay.frontend.config.FrontEndConfig;
import dev.assay.frontend.identity.Identity;
import dev.assay.frontend.limit.SharedQuota;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/** How many lasting methods of each kind may be in progress at once: of all callers, and of one. */
final class Slots {
  /** Each has a Pod while its bytes come, however slowly a caller sends them. */
  private static final int LOADS_PER_CALLER = 8;

  private final int total;
  private final int perCaller;
  private final Map<MethodKind, SharedQuota<Identity>> quotas = new EnumMap<>(MethodKind.class);

  private Slots(int total, int perCaller) {
    this.total = total;
    this.perCaller = perCaller;
    Arrays.stream(MethodKind.values())
        .filter(MethodKind::isLasting)
        .forEach(kind -> quotas.put(kind, new SharedQuota<>(total, perCaller(kind))));
  }

  private int perCaller(MethodKind kind) {
    return kind == MethodKind.LOAD && perCaller < total
        ? Math.min(LOADS_PER_CALLER, perCaller)
        : perCaller;
  }

  static Slots of(FrontEndConfig config) {
    return new Slots(config.limits().concurrentCalls(), config.concurrentCallsPerCaller());
  }

  /** Takes a slot where the kind needs one; returns why there is none free. */
  Optional<String> take(MethodKind kind, Identity caller) {
    SharedQuota<Identity> quota = quotas.get(kind);
    if (quota == null) {
      return Optional.empty();
    }
    return switch (quota.take(caller.asCaller(), 1)) {
      case GRANTED -> Optional.empty();
      case EXHAUSTED ->
          refusal(total + " " + kind.plural() + " are in progress, which is the limit");
      case OVER_SHARE ->
          refusal(
              "You have "
                  + perCaller(kind)
                  + " "
                  + kind.plural()
                  + " in progress, which is the limit for one caller");
    };
  }

  private static Optional<String> refusal(String why) {
    return Optional.of(why + ". Nothing was started: retry in a second");
  }

  /** How many methods of a kind are in progress. */
  long inProgress(MethodKind kind) {
    SharedQuota<Identity> quota = quotas.get(kind);
    return quota == null ? 0 : quota.taken();
  }

  /** Gives back what was taken. */
  void give(MethodKind kind, Identity caller) {
    SharedQuota<Identity> quota = quotas.get(kind);
    if (quota != null) {
      quota.give(caller.asCaller(), 1);
    }
  }
}

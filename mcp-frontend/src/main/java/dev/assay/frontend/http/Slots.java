package dev.assay.frontend.http;

import dev.assay.frontend.config.FrontEndConfig;

/**
 * How many answers that take their time there may be at once.
 *
 * @param total of all callers
 * @param perCaller of each of them
 */
record Slots(int total, int perCaller) {
  static Slots of(FrontEndConfig config) {
    return new Slots(config.limits().concurrentCalls(), config.concurrentCallsPerCaller());
  }

  CallerQuota quota() {
    return new CallerQuota(total, perCaller);
  }

  /**
   * Why there is none free.
   *
   * @param what they are, such as calls
   */
  String refusal(CallerQuota.Decision decision, String what) {
    return (decision == CallerQuota.Decision.OVER_SHARE
            ? "You have "
                + perCaller
                + " "
                + what
                + " in progress, which is the limit for one caller"
            : total + " " + what + " are in progress, which is the limit")
        + ". Nothing was started: try again in a second";
  }
}

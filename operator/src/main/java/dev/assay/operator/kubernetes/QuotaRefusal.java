package dev.assay.operator.kubernetes;

import io.fabric8.kubernetes.api.model.Quantity;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses the API server's message when a quota is exceeded. */
final class QuotaRefusal {
  /** The message of Kubernetes' admission plugin ResourceQuota. */
  private static final Pattern AMOUNTS =
      Pattern.compile("requested: (\\S+), used: (\\S+), limited: (\\S+)");

  private QuotaRefusal() {}

  /**
   * Whether the object needs more than the whole quota, so that it would not fit even into an empty
   * namespace.
   */
  static boolean neverFits(String message) {
    Matcher amounts = AMOUNTS.matcher(message);
    if (!amounts.find()) {
      return false;
    }
    try {
      Map<String, BigDecimal> limited = amounts(amounts.group(3));
      return amounts(amounts.group(1)).entrySet().stream()
          .anyMatch(
              requested ->
                  limited.containsKey(requested.getKey())
                      && requested.getValue().compareTo(limited.get(requested.getKey())) > 0);
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static Map<String, BigDecimal> amounts(String text) {
    Map<String, BigDecimal> amounts = new HashMap<>();
    for (String pair : text.split(",", -1)) {
      int equals = pair.indexOf('=');
      if (equals > 0) {
        amounts.put(
            pair.substring(0, equals),
            Quantity.getAmountInBytes(new Quantity(pair.substring(equals + 1))));
      }
    }
    return amounts;
  }
}

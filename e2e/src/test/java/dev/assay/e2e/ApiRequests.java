package dev.assay.e2e;

import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Counts requests to the API server that only Assay sends, by verb and resource. The metrics do not
 * name the client: only Assay uses its kinds while no scenario does, and only Assay creates Pods in
 * the run namespace.
 */
record ApiRequests(Map<String, Double> counts) {
  private static final Pattern COUNTER =
      Pattern.compile("^apiserver_request_total\\{(?<labels>.*)} (?<count>[0-9.e+]+)$");
  private static final Pattern LABEL = Pattern.compile("(\\w+)=\"([^\"]*)\"");

  static ApiRequests now(Assay assay) {
    return new ApiRequests(
        assay
            .kubernetes()
            .raw("/metrics")
            .lines()
            .map(COUNTER::matcher)
            .filter(Matcher::matches)
            .map(ApiRequests::counter)
            .filter(IS_ASSAYS)
            .collect(
                Collectors.groupingBy(
                    counter ->
                        counter.labels().get("verb") + " " + counter.labels().get("resource"),
                    Collectors.summingDouble(Counter::count))));
  }

  /** The requests since then. */
  ApiRequests since(ApiRequests earlier) {
    return new ApiRequests(
        counts.entrySet().stream()
            .map(
                entry ->
                    Map.entry(
                        entry.getKey(),
                        entry.getValue() - earlier.counts().getOrDefault(entry.getKey(), 0.0)))
            .filter(entry -> entry.getValue() > 0)
            .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
  }

  double total() {
    return counts.values().stream().mapToDouble(Double::doubleValue).sum();
  }

  private record Counter(Map<String, String> labels, double count) {}

  private static final Predicate<Counter> IS_ASSAYS =
      counter -> {
        String verb = String.valueOf(counter.labels().get("verb"));
        String resource = String.valueOf(counter.labels().get("resource"));
        boolean ownKind = "assay.dev".equals(counter.labels().get("group"));
        // A watch is counted when it ends.
        return ownKind && !verb.equals("WATCH") || verb.equals("POST") && resource.equals("pods");
      };

  private static Counter counter(Matcher line) {
    return new Counter(
        LABEL
            .matcher(line.group("labels"))
            .results()
            .collect(Collectors.toMap(label -> label.group(1), label -> label.group(2))),
        Double.parseDouble(line.group("count")));
  }
}

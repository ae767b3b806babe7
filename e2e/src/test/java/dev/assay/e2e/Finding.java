package dev.assay.e2e;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The result of a probe.
 *
 * @param verdict one word
 * @param detail the reason, for humans
 */
record Finding(String verdict, String detail) {
  /** Parses the findings in the output of a program of probes, by the probe's name. */
  static Map<String, Finding> in(String output) {
    Map<String, Finding> findings = new LinkedHashMap<>();
    for (String line : output.lines().toList()) {
      String[] fields = line.split("\t", 3);
      if (fields.length == 3) {
        findings.put(fields[0], new Finding(fields[1], fields[2]));
      }
    }
    return findings;
  }
}

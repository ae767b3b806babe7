package dev.assay.operator.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QuotaRefusalTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "requested: pods=1, used: pods=4, limited: pods=4 | false",
        "requested: pods=1, used: pods=0, limited: pods=0 | true",
        "requested: limits.memory=4Gi,pods=1, used: limits.memory=0,pods=0,"
            + " limited: limits.memory=2Gi,pods=9 | true",
        "requested: limits.cpu=1250m, used: limits.cpu=1, limited: limits.cpu=2 | false",
        "requested: limits.cpu=2500m, used: limits.cpu=1, limited: limits.cpu=2 | true",
        "requested: pods=x, used: pods=4, limited: pods=y | false",
        "something else | false"
      })
  void whatTakesMoreThanTheWholeQuotaNeverFits(String amounts, boolean never) {
    assertThat(QuotaRefusal.neverFits("pods \"a\" is forbidden: exceeded quota: q, " + amounts))
        .isEqualTo(never);
  }
}

package dev.assay.frontend.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class NearNamesTest {
  @Test
  void ofNamesThatContainTheWrongOneTheClosestIsMeant() {
    assertThat(NearNames.closest("fc_order", List.of("c18_fc_orders", "fc_orders")))
        .contains("fc_orders");
  }

  @Test
  void aNameThatIsAPartOfAnotherIsMeantHoweverLongThatIs() {
    assertThat(NearNames.closest("orders", List.of("order", "unrelated"))).contains("order");
    assertThat(NearNames.closest("sales", List.of("sales_of_the_year_2024")))
        .contains("sales_of_the_year_2024");
  }

  @Test
  void nothingIsMeantWhereNoNameIsClose() {
    assertThat(NearNames.closest("orders", List.of("weather"))).isEmpty();
  }
}

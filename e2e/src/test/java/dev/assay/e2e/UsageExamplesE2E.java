package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.DatasetFormat;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The examples in the tool's description work verbatim. */
@Core
class UsageExamplesE2E {
  @BeforeAll
  static void datasets(Assay assay) {
    Samples.sales(assay);
    assay.inlineDataset("employee_survey", DatasetFormat.CSV, Samples.text("data/survey.csv"));
  }

  @Test
  void aSalesSummaryIsWhatPlainPandasPrints(Assay assay) {
    String code = Samples.text("code/sales_summary.py");
    Reply reply = assay.run("sales_data", code);
    assertThat(reply.isError()).as(reply.text()).isFalse();
    assertThat(reply.text())
        .isEqualTo(expected(assay, "data/sales.csv", code))
        .containsPattern("Total sales: \\$[0-9]{1,3},[0-9]{3}\\.[0-9]{2}\n");
  }

  @Test
  void satisfactionByDepartmentIsWhatPlainPandasPrints(Assay assay) {
    String code = Samples.text("code/survey_satisfaction.py");
    Reply reply = assay.run("employee_survey", code);
    assertThat(reply.isError()).as(reply.text()).isFalse();
    assertThat(reply.text())
        .isEqualTo(expected(assay, "data/survey.csv", code))
        .contains("Department Satisfaction Averages:", "Correlation Matrix:");
  }

  @Test
  void aMissingColumnIsToldAndTheCorrectedCodeRuns(Assay assay) {
    Reply wrong = assay.run("sales_data", Samples.text("code/missing_column.py"));
    assertThat(wrong.isError()).isTrue();
    assertThat(wrong.text())
        .startsWith("ERROR: KeyError: 'nonexistent_column'\nTraceback:\n")
        .contains("line 3, in <module>", "result = df['nonexistent_column'].sum()");

    String corrected = Samples.text("code/corrected.py");
    Reply right = assay.run("sales_data", corrected);
    assertThat(right.isError()).as(right.text()).isFalse();
    assertThat(right.text()).isEqualTo(expected(assay, "data/sales.csv", corrected));
  }

  private static String expected(Assay assay, String file, String code) {
    return new PlainPandas(assay.installation())
        .prints(DatasetFormat.CSV, Samples.file(file), code);
  }
}

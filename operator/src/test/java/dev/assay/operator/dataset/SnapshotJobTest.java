package dev.assay.operator.dataset;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.assay.api.v1alpha1.DatasetCompression;
import dev.assay.api.v1alpha1.DatasetFormat;
import dev.assay.api.v1alpha1.DatasetSource;
import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import dev.assay.api.v1alpha1.VolumeSource;
import dev.assay.operator.Samples;
import dev.assay.operator.runner.Job;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SnapshotJobTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Job.Limits LIMITS = new Job.Limits(1, 2, 3, 4);
  private static final VolumeSource FILE = new VolumeSource("files", "a.tsv.gz");

  @Test
  void whatTheFirstRunnersTakeIsSentWithoutAnyNewMember() {
    DatasetSource source = Samples.inline("a\n1\n");

    assertThat(SnapshotJob.needsSources(source)).isFalse();
    assertThat(json(source, false).path("source").toString())
        .isEqualTo("{\"format\":\"csv\",\"text\":\"a\\n1\\n\"}");
  }

  @Test
  void optionsCompressionAndTheLimitsOfTheClassAreSent() {
    DatasetSource source =
        DatasetSource.volume(DatasetFormat.TSV, DatasetCompression.GZIP, FILE)
            .withOptions(Map.of("header", JSON.nullNode()));

    assertThat(SnapshotJob.needsSources(source)).isTrue();
    assertThat(json(source, true).path("source").toString())
        .isEqualTo(
            "{\"format\":\"tsv\",\"compression\":\"gzip\",\"options\":{\"header\":null},"
                + "\"path\":\"a.tsv.gz\",\"limits\":{\"maxBytes\":1073741824,"
                + "\"maxRows\":100000000,\"maxColumns\":10000}}");
  }

  @Test
  void aFormatThatCameLaterOrOptionsNeedARunnerThatKnowsThem() {
    assertThat(SnapshotJob.needsSources(DatasetSource.volume(DatasetFormat.EXCEL, null, FILE)))
        .isTrue();
    assertThat(SnapshotJob.needsSources(Samples.inline("a").withOptions(Map.of()))).isFalse();
    assertThat(
            SnapshotJob.needsSources(
                Samples.inline("a")
                    .withOptions(Map.of("sep", JSON.getNodeFactory().textNode(";")))))
        .isTrue();
  }

  private static JsonNode json(DatasetSource source, boolean withLimits) {
    return JSON.valueToTree(
        SnapshotJob.of(source, Samples.classSpec(Purpose.Snapshot), withLimits, LIMITS));
  }
}

package dev.assay.operator.dataset;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.assay.api.v1alpha1.DatasetCompression;
import dev.assay.api.v1alpha1.DatasetFormat;
import dev.assay.api.v1alpha1.DatasetSource;
import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import dev.assay.api.v1alpha1.UploadSource;
import dev.assay.api.v1alpha1.VolumeSource;
import dev.assay.operator.Samples;
import dev.assay.operator.runner.Hello;
import dev.assay.operator.runner.Job;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SnapshotJobTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Job.Limits LIMITS = new Job.Limits(1, 2, 3, 4);
  private static final Hello FIRST = runner();
  private static final VolumeSource FILE = new VolumeSource("files", "a.tsv.gz");

  @Test
  void whatTheFirstRunnersTakeIsSentWithoutAnyNewMember() {
    DatasetSource source = Samples.inline("a\n1\n");

    assertThat(SnapshotJob.missing(source, FIRST)).isEmpty();
    assertThat(json(source, FIRST).path("source").toString())
        .isEqualTo("{\"format\":\"csv\",\"text\":\"a\\n1\\n\"}");
  }

  @Test
  void optionsCompressionAndTheLimitsOfTheClassAreSent() {
    DatasetSource source =
        DatasetSource.volume(DatasetFormat.TSV, DatasetCompression.GZIP, FILE)
            .withOptions(Map.of("header", JSON.nullNode()));

    assertThat(SnapshotJob.missing(source, FIRST)).isPresent();
    assertThat(json(source, runner(Hello.SOURCES)).path("source").toString())
        .isEqualTo(
            "{\"format\":\"tsv\",\"compression\":\"gzip\",\"options\":{\"header\":null},"
                + "\"path\":\"a.tsv.gz\",\"limits\":{\"maxBytes\":1073741824,"
                + "\"maxRows\":100000000,\"maxColumns\":10000,\"maxNesting\":64}}");
  }

  @Test
  void aFormatThatCameLaterOrOptionsNeedARunnerThatKnowsThem() {
    assertThat(SnapshotJob.missing(DatasetSource.volume(DatasetFormat.EXCEL, null, FILE), FIRST))
        .get()
        .asString()
        .contains("too old for this format");
    assertThat(SnapshotJob.missing(Samples.inline("a").withOptions(Map.of()), FIRST)).isEmpty();
    assertThat(
            SnapshotJob.missing(
                Samples.inline("a").withOptions(Map.of("sep", JSON.getNodeFactory().textNode(";"))),
                FIRST))
        .isPresent();
  }

  @Test
  void anUploadNeedsARunnerThatTakesThem() {
    DatasetSource upload = DatasetSource.upload(DatasetFormat.CSV, null, new UploadSource("u1", 4));
    assertThat(SnapshotJob.missing(upload, runner(Hello.SOURCES)))
        .get()
        .asString()
        .contains("too old for uploads");
    assertThat(SnapshotJob.missing(upload, runner(Hello.SOURCES, Hello.UPLOADS))).isEmpty();
  }

  @Test
  void aSourceWithoutAFrameAndSeveralFilesNeedARunnerThatMakesTables() {
    DatasetSource frameless = Samples.inline("a").withFrame(false);
    DatasetSource files =
        DatasetSource.volume(
            DatasetFormat.PARQUET, null, new VolumeSource("files", "sales/**/*.parquet"));

    for (DatasetSource source : List.of(frameless, files)) {
      assertThat(SnapshotJob.missing(source, runner(Hello.SOURCES)))
          .get()
          .asString()
          .contains("too old for frame: false");
      assertThat(SnapshotJob.missing(source, runner(Hello.SOURCES, Hello.TABLES))).isEmpty();
    }
    JsonNode sent = json(frameless, runner(Hello.SOURCES, Hello.TABLES)).path("source");
    assertThat(sent.path("frame").toString()).isEqualTo("false");
    assertThat(sent.path("limits").path("frameBytes").longValue()).isEqualTo(1L << 30);
  }

  @Test
  void aFrameThatIsWantedAnywayIsNotSentToARunnerThatAlwaysMakesOne() {
    DatasetSource source = Samples.inline("a").withFrame(true);
    assertThat(SnapshotJob.missing(source, FIRST)).isEmpty();
    assertThat(json(source, FIRST).path("source").has("frame")).isFalse();
  }

  private static Hello runner(String... features) {
    return new Hello(1, "pod", "nonce", "Idle", null, null, null, List.of(features));
  }

  private static JsonNode json(DatasetSource source, Hello runner) {
    return JSON.valueToTree(
        SnapshotJob.of(source, Samples.classSpec(Purpose.Snapshot), null, runner, LIMITS));
  }
}

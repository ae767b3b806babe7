package dev.assay.operator.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.assay.api.v1alpha1.NoteCode;
import dev.assay.api.v1alpha1.Snapshot;
import dev.assay.api.v1alpha1.SnapshotBuilder;
import dev.assay.api.v1alpha1.SnapshotColumn;
import dev.assay.api.v1alpha1.SnapshotColumnBuilder;
import dev.assay.api.v1alpha1.SnapshotNote;
import dev.assay.operator.Samples;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SnapshotDescriptionTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final SnapshotIdentity IDENTITY = new SnapshotIdentity(Samples.DATASET_UID, 3, 1);
  private static final String GOOD =
      "{\"sha256\":\""
          + "a".repeat(64)
          + "\",\"bytes\":123,\"rows\":3,\"columnCount\":2,"
          + "\"columns\":[{\"name\":\"a\",\"type\":\"int64\",\"nulls\":0,\"samples\":[\"1\",\"2\"]}],"
          + "\"memoryBytes\":100,\"peakMemoryBytes\":170,\"frame\":\"arrow\"}";

  @Test
  void aDescriptionBecomesASnapshotWhoseIdentityIsTheOperators() {
    assertThat(read(GOOD.replace("{\"sha256\"", "{\"id\":\"x\",\"path\":\"../..\",\"sha256\"")))
        .contains(
            SnapshotBuilder.builder()
                .id(Samples.DATASET_UID + "-3-1")
                .path("snapshots/" + Samples.DATASET_UID + "/3-1")
                .generation(3)
                .digest("a".repeat(64))
                .bytes(123)
                .rows(3)
                .columnCount(2)
                .columns(
                    List.of(
                        SnapshotColumnBuilder.builder()
                            .name("a")
                            .type("int64")
                            .samples(List.of("1", "2"))
                            .build()))
                .memoryBytes(100)
                .peakMemoryBytes(170L)
                .frame("arrow")
                .build());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"bytes\":123|\"bytes\":-1",
        "\"bytes\":123|\"bytes\":\"123\"",
        "\"bytes\":123|\"bytes\":1.5",
        "\"bytes\":123|\"bytes\":9223372036854775808",
        "\"rows\":3|\"lines\":3",
        "\"columnCount\":2|\"columnCount\":null",
        "\"memoryBytes\":100|\"memoryBytes\":[]",
        "\"frame\":\"arrow\"|\"frame\":\"pickle\"",
        "\"frame\":\"arrow\"|\"frame\":null",
        "\"sha256\":\"a|\"sha256\":\"A",
        "\"sha256\":\"a|\"sha256\":\"aa",
        "\"sha256\":\"a|\"sha256\":\"/"
      })
  void whatTheProtocolDoesNotAllowIsNoSnapshot(String good, String bad) {
    assertThat(GOOD).contains(good);
    assertThat(read(GOOD.replace(good, bad))).isEmpty();
  }

  @Test
  void aTableIsDescribedWithTheNamesAndTypesThatDifferFromTheFrames() {
    String column =
        "{\"name\":\"A\",\"tableName\":\"A_1\",\"type\":\"object\",\"storedAs\":\"string\"}";
    Snapshot snapshot =
        read(GOOD.replace("\"columns\":[", "\"tableColumns\":3,\"columns\":[" + column + ",")
                .replace("\"arrow\"", "\"none\""))
            .orElseThrow();

    assertThat(snapshot.tableColumns()).isEqualTo(3);
    assertThat(snapshot.frame()).isEqualTo("none");
    assertThat(snapshot.columns())
        .extracting(SnapshotColumn::tableName, SnapshotColumn::storedAs)
        .containsExactly(tuple("A_1", "string"), tuple(null, null));
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", "1.5", "\"3\"", "null"})
  void aTableWhoseSizeIsNoneCountsAsMissing(String columns) {
    String description = GOOD.replace("\"rows\"", "\"tableColumns\":" + columns + ",\"rows\"");
    assertThat(read(description).orElseThrow().tableColumns()).isNull();
  }

  @Test
  void nothingAndWhatIsNoObjectAreNoSnapshot() {
    assertThat(SnapshotDescription.read(null, IDENTITY)).isEmpty();
    for (String value : List.of("{}", "[]", "7", "\"text\"", "null")) {
      assertThat(read(value)).as(value).isEmpty();
    }
  }

  @Test
  void columnsAreBoundedInNumberAndLength() {
    String column = "{\"name\":\"" + "n".repeat(500) + "\",\"type\":\"" + "t".repeat(500) + "\"}";
    String many = String.join(",", java.util.Collections.nCopies(300, column));
    List<SnapshotColumn> columns = columns("[" + many + "]");
    assertThat(columns).hasSize(256);
    assertThat(columns.getFirst())
        .isEqualTo(
            SnapshotColumnBuilder.builder().name("n".repeat(256)).type("t".repeat(128)).build());
  }

  @Test
  void columnsThatMakeNoSenseDoNoHarm() {
    assertThat(columns("7")).isEmpty();
    assertThat(columns("null")).isEmpty();
    assertThat(columns("[7,{\"name\":1,\"nulls\":-5}]"))
        .allSatisfy(column -> assertThat(column.nulls()).isZero())
        .hasSize(2);
  }

  @Test
  void samplesAreBoundedInNumberAndLength() {
    String long70 = "\"" + "s".repeat(70) + "\"";
    List<SnapshotColumn> columns =
        columns("[{\"name\":\"a\",\"samples\":[" + long70 + ",7,null,\"d\"]}]");

    assertThat(columns.getFirst().samples()).containsExactly("s".repeat(64), "7", "");
  }

  @Test
  void aPeakBelowWhatTheFrameTakesIsRaisedToThat() {
    assertThat(read(GOOD.replace("\"peakMemoryBytes\":170", "\"peakMemoryBytes\":7")))
        .hasValueSatisfying(snapshot -> assertThat(snapshot.peakMemoryBytes()).isEqualTo(100));
    assertThat(read(GOOD.replace("\"peakMemoryBytes\":170,", "")))
        .hasValueSatisfying(snapshot -> assertThat(snapshot.peakMemoryBytes()).isNull());
  }

  @Test
  void aSnapshotHasTheNotesOfItsColumnsAndItsOwnAndTheNumberOfItsRules() {
    String note =
        "{\"code\":\"LeadingZeros\",\"message\":\"is text\",\"rows\":2,\"firstRow\":3,"
            + "\"option\":\"{\\\"dtype\\\":1}\"}";
    String sheets = "{\"code\":\"Sheets\",\"message\":\"the other sheet is Jan\",\"rows\":0}";
    Snapshot snapshot =
        read(GOOD.replace("\"nulls\":0", "\"nulls\":0,\"notes\":[" + note + "]")
                .replace("\"rows\":3", "\"rows\":3,\"reading\":2,\"notes\":[" + sheets + "]"))
            .orElseThrow();

    assertThat(snapshot.reading()).isEqualTo(2);
    assertThat(snapshot.notes())
        .containsExactly(
            new SnapshotNote(NoteCode.Sheets, "the other sheet is Jan", 0, null, null));
    assertThat(snapshot.columns())
        .singleElement()
        .extracting(SnapshotColumn::notes)
        .isEqualTo(
            List.of(new SnapshotNote(NoteCode.LeadingZeros, "is text", 2, 3L, "{\"dtype\":1}")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-1", "1.5", "\"2\"", "null", "4294967298"})
  void aNumberOfRulesThatIsNoneCountsAsMissing(String reading) {
    String description = GOOD.replace("\"rows\"", "\"reading\":" + reading + ",\"rows\"");
    assertThat(read(description).orElseThrow().reading()).isNull();
  }

  private static List<SnapshotColumn> columns(String columns) {
    String value =
        GOOD.replace(
            "[{\"name\":\"a\",\"type\":\"int64\",\"nulls\":0,\"samples\":[\"1\",\"2\"]}]", columns);
    return java.util.Objects.requireNonNull(read(value).orElseThrow().columns());
  }

  private static Optional<Snapshot> read(String value) {
    try {
      return SnapshotDescription.read(JSON.readTree(value), IDENTITY);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }
}

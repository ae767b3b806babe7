package dev.assay.operator.dataset;

import com.fasterxml.jackson.databind.JsonNode;
import dev.assay.api.v1alpha1.Snapshot;
import dev.assay.api.v1alpha1.SnapshotBuilder;
import dev.assay.api.v1alpha1.SnapshotColumn;
import dev.assay.api.v1alpha1.SnapshotColumnBuilder;
import dev.assay.api.v1alpha1.SnapshotNote;
import dev.assay.operator.pod.PodText;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Validates a snapshot Pod's description of its snapshot, which is hostile input. */
final class SnapshotDescription {
  private static final Pattern SHA256 = Pattern.compile("[0-9a-f]{64}");
  private static final Set<String> FRAMES = Set.of("arrow", "source", "none");
  private static final String STRING = "string";
  private static final int MAX_COLUMNS = 256;
  private static final int MAX_NAME = 256;
  private static final int MAX_TYPE = 128;
  private static final int MAX_SAMPLES = 3;
  private static final int MAX_SAMPLE = 64;

  private SnapshotDescription() {}

  /** The snapshot; empty if the description violates the protocol. */
  static Optional<Snapshot> read(@Nullable JsonNode value, SnapshotIdentity identity) {
    if (value == null) {
      return Optional.empty();
    }
    String digest = value.path("sha256").asText("");
    String frame = value.path("frame").asText("");
    long[] numbers = new long[4];
    String[] members = {"bytes", "rows", "columnCount", "memoryBytes"};
    for (int i = 0; i < members.length; i++) {
      JsonNode number = value.path(members[i]);
      if (!number.isIntegralNumber() || !number.canConvertToLong() || number.longValue() < 0) {
        return Optional.empty();
      }
      numbers[i] = number.longValue();
    }
    if (!SHA256.matcher(digest).matches() || !FRAMES.contains(frame)) {
      return Optional.empty();
    }
    SnapshotNotes notes = new SnapshotNotes();
    @Nullable List<SnapshotNote> ofDataset = notes.read(value.path("notes"));
    return Optional.of(
        SnapshotBuilder.builder()
            .id(identity.id())
            .path(identity.path())
            .generation(identity.generation())
            .digest(digest)
            .bytes(numbers[0])
            .rows(numbers[1])
            .columnCount(numbers[2])
            .columns(columns(value.path("columns"), notes))
            .tableColumns(tableColumns(value.path("tableColumns")))
            .memoryBytes(numbers[3])
            .peakMemoryBytes(peak(value.path("peakMemoryBytes"), numbers[3]))
            .frame(frame)
            .notes(ofDataset)
            .reading(reading(value.path("reading")))
            .build());
  }

  private static List<SnapshotColumn> columns(JsonNode list, SnapshotNotes notes) {
    List<SnapshotColumn> columns = new ArrayList<>();
    for (JsonNode column : list) {
      if (columns.size() == MAX_COLUMNS) {
        break;
      }
      columns.add(
          SnapshotColumnBuilder.builder()
              .name(PodText.lines(column.path("name").asText(""), MAX_NAME))
              .tableName(tableName(column.path("tableName")))
              .storedAs(STRING.equals(column.path("storedAs").asText("")) ? STRING : null)
              .type(PodText.line(column.path("type").asText(""), MAX_TYPE))
              .nulls(Math.max(0, column.path("nulls").asLong(0)))
              .samples(samples(column.path("samples")))
              .notes(notes.read(column.path("notes")))
              .build());
    }
    return List.copyOf(columns);
  }

  /** Older runners create no table. */
  private static @Nullable Long tableColumns(JsonNode number) {
    return number.isIntegralNumber() && number.canConvertToLong() && number.longValue() >= 0
        ? Long.valueOf(number.longValue())
        : null;
  }

  /** Older runners do not report it. */
  private static @Nullable Integer reading(JsonNode number) {
    return number.isIntegralNumber() && number.canConvertToInt() && number.intValue() > 0
        ? Integer.valueOf(number.intValue())
        : null;
  }

  private static @Nullable String tableName(JsonNode name) {
    return name.isTextual() ? PodText.lines(name.textValue(), MAX_NAME) : null;
  }

  /** Older runners do not report it. */
  private static @Nullable Long peak(JsonNode number, long min) {
    return number.isIntegralNumber() && number.canConvertToLong()
        ? Long.valueOf(Math.max(min, number.longValue()))
        : null;
  }

  private static @Nullable List<String> samples(JsonNode list) {
    List<String> samples = new ArrayList<>();
    for (JsonNode sample : list) {
      if (samples.size() == MAX_SAMPLES) {
        break;
      }
      samples.add(PodText.lines(sample.asText(""), MAX_SAMPLE));
    }
    return samples.isEmpty() ? null : List.copyOf(samples);
  }
}

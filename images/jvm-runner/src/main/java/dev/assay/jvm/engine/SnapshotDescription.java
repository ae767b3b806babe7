package dev.assay.jvm.engine;

import dev.assay.jvm.engine.DatasetTable.Table;
import dev.assay.jvm.engine.DatasetTable.TableColumn;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/** Reads what {@code description.json} of a snapshot says of its table. */
final class SnapshotDescription {
  static final String FILE = "description.json";

  private static final JsonFactory JSON = new JsonFactory();

  private List<String> files = List.of();
  private boolean hive;
  private Map<String, String> keys = Map.of();
  private List<TableColumn> columns = List.of();
  private List<String> sourceNames = List.of();
  private long rows;
  private long sourceBytes;
  private boolean hasTable;

  private SnapshotDescription() {}

  /** The table of a snapshot; null if it has none, or none that can be read. */
  static @Nullable Table table(Path directory) {
    SnapshotDescription description = new SnapshotDescription();
    try (InputStream stream = Files.newInputStream(directory.resolve(FILE));
        JsonParser json = JSON.createParser(ObjectReadContext.empty(), stream)) {
      json.nextToken();
      description.read(json);
    } catch (IOException | JacksonException e) {
      return null;
    }
    return description.hasTable
        ? new Table(
            description.files,
            description.hive,
            description.keys,
            description.namedColumns(),
            description.rows,
            description.sourceBytes)
        : null;
  }

  private void read(JsonParser json) {
    while (json.nextToken() == JsonToken.PROPERTY_NAME) {
      String member = json.currentName();
      JsonToken value = json.nextToken();
      if (member.equals("table") && value == JsonToken.START_OBJECT) {
        hasTable = true;
        readTable(json);
      } else if (member.equals("source") && value == JsonToken.START_OBJECT) {
        readSource(json);
      } else if (member.equals("columns") && value == JsonToken.START_ARRAY) {
        sourceNames = readColumns(json).stream().map(TableColumn::name).toList();
      } else {
        json.skipChildren();
      }
    }
  }

  /** The columns with their names in the source; those of an index come first, and have none. */
  private List<TableColumn> namedColumns() {
    int labels = columns.size() - sourceNames.size();
    if (labels < 0) {
      return columns;
    }
    List<TableColumn> named = new ArrayList<>(columns.subList(0, labels));
    for (int i = labels; i < columns.size(); i++) {
      named.add(columns.get(i).withSourceName(sourceNames.get(i - labels)));
    }
    return named;
  }

  private void readSource(JsonParser json) {
    while (json.nextToken() == JsonToken.PROPERTY_NAME) {
      String member = json.currentName();
      JsonToken value = json.nextToken();
      if (member.equals("bytes") && value == JsonToken.VALUE_NUMBER_INT) {
        sourceBytes = json.getLongValue();
      } else {
        json.skipChildren();
      }
    }
  }

  private void readTable(JsonParser json) {
    while (json.nextToken() == JsonToken.PROPERTY_NAME) {
      String member = json.currentName();
      JsonToken value = json.nextToken();
      if (member.equals("files") && value == JsonToken.START_ARRAY) {
        files = readFiles(json);
      } else if (member.equals("hive")) {
        hive = value == JsonToken.VALUE_TRUE;
      } else if (member.equals("keys") && value == JsonToken.START_OBJECT) {
        keys = readKeys(json);
      } else if (member.equals("columns") && value == JsonToken.START_ARRAY) {
        columns = readColumns(json);
      } else if (member.equals("rows") && value == JsonToken.VALUE_NUMBER_INT) {
        rows = json.getLongValue();
      } else {
        json.skipChildren();
      }
    }
  }

  private static List<String> readFiles(JsonParser json) {
    List<String> files = new ArrayList<>();
    while (json.nextToken() != JsonToken.END_ARRAY) {
      String file = json.hasToken(JsonToken.VALUE_STRING) ? json.getString() : "";
      if (!file.isEmpty() && !file.startsWith("/") && !List.of(file.split("/")).contains("..")) {
        files.add(file);
      }
      json.skipChildren();
    }
    return files;
  }

  private static Map<String, String> readKeys(JsonParser json) {
    Map<String, String> keys = new HashMap<>();
    while (json.nextToken() == JsonToken.PROPERTY_NAME) {
      String key = json.currentName();
      if (json.nextToken() == JsonToken.VALUE_STRING) {
        keys.put(key, json.getString());
      }
      json.skipChildren();
    }
    return keys;
  }

  private static List<TableColumn> readColumns(JsonParser json) {
    List<TableColumn> columns = new ArrayList<>();
    while (json.nextToken() == JsonToken.START_OBJECT) {
      String name = "";
      String type = "";
      String storedAs = null;
      while (json.nextToken() == JsonToken.PROPERTY_NAME) {
        String member = json.currentName();
        boolean isText = json.nextToken() == JsonToken.VALUE_STRING;
        switch (isText ? member : "") {
          case "name" -> name = json.getString();
          case "type" -> type = json.getString();
          case "storedAs" -> storedAs = json.getString();
          default -> json.skipChildren();
        }
      }
      columns.add(new TableColumn(name, name, Objects.requireNonNull(type), storedAs));
    }
    return columns;
  }
}

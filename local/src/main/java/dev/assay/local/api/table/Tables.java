package dev.assay.local.api.table;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;

/** Makes objects of kind Table (meta.k8s.io/v1), from which kubectl prints. */
public final class Tables {
  /** How much of each object a row carries beside its cells. */
  public enum IncludeObject {
    NONE,
    METADATA,
    OBJECT
  }

  private final Clock clock;

  /** Ages are counted to the clock's now. */
  public Tables(Clock clock) {
    this.clock = clock;
  }

  /**
   * One row an object.
   *
   * @param listMeta of the list that the objects are from
   */
  public ObjectNode of(
      List<PrinterColumn> columns,
      List<ObjectNode> objects,
      JsonNode listMeta,
      IncludeObject include) {
    ObjectNode table = JsonNodeFactory.instance.objectNode();
    table.put("kind", "Table").put("apiVersion", "meta.k8s.io/v1").set("metadata", listMeta);
    var definitions = table.putArray("columnDefinitions");
    for (PrinterColumn column : columns) {
      definitions
          .addObject()
          .put("name", column.name())
          .put("type", column.type())
          .put("format", column.format())
          .put("description", column.name())
          .put("priority", column.priority());
    }
    var rows = table.putArray("rows");
    for (ObjectNode object : objects) {
      ObjectNode row = rows.addObject();
      var cells = row.putArray("cells");
      columns.forEach(column -> cells.add(cell(column, object)));
      if (include != IncludeObject.NONE) {
        row.set("object", include == IncludeObject.OBJECT ? object : metadataOf(object));
      }
    }
    return table;
  }

  private JsonNode cell(PrinterColumn column, ObjectNode object) {
    JsonNode value = column.value().apply(object);
    if (column.type().equals("date")) {
      return TextNode.valueOf(value.isMissingNode() ? "<unknown>" : age(value.asText()));
    }
    if (value.isMissingNode()) {
      return NullNode.getInstance();
    }
    return value.isContainerNode() ? TextNode.valueOf(value.toString()) : value;
  }

  private String age(String timestamp) {
    try {
      return HumanDuration.of(Duration.between(Instant.parse(timestamp), clock.instant()));
    } catch (DateTimeParseException e) {
      return "<invalid>";
    }
  }

  private static ObjectNode metadataOf(ObjectNode object) {
    ObjectNode partial = JsonNodeFactory.instance.objectNode();
    partial.put("kind", "PartialObjectMetadata").put("apiVersion", "meta.k8s.io/v1");
    partial.set("metadata", object.path("metadata"));
    return partial;
  }
}

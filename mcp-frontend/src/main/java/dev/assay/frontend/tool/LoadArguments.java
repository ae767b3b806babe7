package dev.assay.frontend.tool;

import dev.assay.api.v1alpha1.DatasetFormat;
import dev.assay.api.v1alpha1.DatasetSource;
import dev.assay.frontend.argument.Arguments;
import dev.assay.frontend.argument.BadArgumentException;
import dev.assay.frontend.argument.SourceArguments;
import dev.assay.frontend.run.Text;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import tools.jackson.databind.json.JsonMapper;

/** From the arguments of {@code load_dataset} to a source. */
final class LoadArguments {
  static final List<String> NAMES =
      List.of("dataset_name", "records", "text", "volume", "path", "format", "options", "replace");

  private static final JsonMapper JSON = JsonMapper.shared();

  private LoadArguments() {}

  static DatasetSource source(Arguments arguments) {
    long sources = Stream.of("records", "text", "volume").filter(arguments::has).count();
    if (sources != 1) {
      throw BadArgumentException.value(
          "give exactly one of 'records', 'text' and 'volume'"
              + (sources == 0 ? "; none was given" : ""));
    }
    if (!arguments.has("records")) {
      return SourceArguments.textOrFile(arguments, "text");
    }
    SourceArguments.requireVolumeWithPath(arguments);
    for (String name : List.of("format", "options")) {
      if (arguments.has(name)) {
        throw BadArgumentException.value(
            "'" + name + "' belongs to 'text' and 'volume', not to 'records'");
      }
    }
    return DatasetSource.inline(DatasetFormat.JSON, records(arguments));
  }

  /** Members keep their order, and numbers the form they came in. */
  private static String records(Arguments arguments) {
    List<?> records = arguments.optionalList("records", SourceArguments.INLINE_LIMIT).orElseThrow();
    for (int i = 0; i < records.size(); i++) {
      Object record = records.get(i);
      if (record == null) {
        throw BadArgumentException.type("'records[" + i + "]' must be an object, not null");
      }
      if (!(record instanceof Map<?, ?>)) {
        throw Arguments.wrongType("records[" + i + "]", "an object", record);
      }
    }
    String json = JSON.writeValueAsString(records);
    int bytes = Text.bytes(json);
    if (bytes > SourceArguments.INLINE_LIMIT.bytes()) {
      throw BadArgumentException.tooLong("records", bytes, SourceArguments.INLINE_LIMIT);
    }
    return json;
  }
}

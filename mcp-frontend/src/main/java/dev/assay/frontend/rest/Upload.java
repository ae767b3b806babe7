package dev.assay.frontend.rest;

import dev.assay.api.v1alpha1.DatasetFormat;
import dev.assay.api.v1alpha1.DatasetSource;
import dev.assay.frontend.argument.Arguments;
import dev.assay.frontend.argument.BadArgumentException;
import dev.assay.frontend.argument.SourceArguments;
import dev.assay.frontend.dataset.DatasetUploads;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * What an upload is to become.
 *
 * @param name of the dataset, as its owner writes it
 * @param source its announced bytes, and how they are to be read
 * @param snapshotClass the class that reads it; null for the usual one
 * @param replaces whether it may take the place of another
 * @param waits whether the answer waits until it can be used
 */
record Upload(
    String name,
    DatasetSource source,
    @Nullable String snapshotClass,
    boolean replaces,
    boolean waits) {
  private static final List<String> NAMES =
      List.of("name", "format", "compression", "options", "snapshotClass");

  private static final JsonMapper JSON = JsonMapper.shared();

  /**
   * From a request.
   *
   * @throws RestException where its headers tell too little, or what is not taken
   * @throws BadArgumentException where its name or a parameter cannot be used
   */
  static Upload of(String name, Query query, RawBody body) {
    if (body.bytes() < 0) {
      throw RestException.lengthRequired(
          "Content-Length is needed: send a file, and not a stream of unknown length");
    }
    Map<String, Object> values = new LinkedHashMap<>();
    values.put("name", name);
    for (String parameter : List.of("format", "compression", "snapshotClass")) {
      query.text(parameter).ifPresent(value -> values.put(parameter, value));
    }
    query.text("options").ifPresent(json -> values.put("options", object(json)));
    Arguments arguments = new Arguments(values, NAMES);
    Optional<DatasetFormat> told = UploadType.format(body);
    return new Upload(
        SourceArguments.datasetName(arguments, "name"),
        SourceArguments.upload(
            arguments, told, UploadType.compression(body), DatasetUploads.announce(body.bytes())),
        arguments.optionalLabel("snapshotClass").orElse(null),
        query.flag("replace", true),
        query.flag("wait", false));
  }

  private static Map<?, ?> object(String json) {
    try {
      if (JSON.readValue(json, Object.class) instanceof Map<?, ?> object) {
        return object;
      }
    } catch (JacksonException e) {
      // Told like anything else that is no object.
    }
    throw BadArgumentException.type("'options' must be a JSON object, such as {\"sep\": \";\"}");
  }
}

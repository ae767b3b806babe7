package dev.assay.frontend.rest;

import dev.assay.api.v1alpha1.DatasetFormat;
import dev.assay.api.v1alpha1.DatasetSource;
import dev.assay.frontend.argument.ArgumentTypes;
import dev.assay.frontend.argument.Arguments;
import dev.assay.frontend.argument.BadArgumentException;
import dev.assay.frontend.argument.Parameter;
import dev.assay.frontend.argument.Parameters;
import dev.assay.frontend.argument.SourceParameters;
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
  private static final Parameter<String> NAME =
      Parameter.required("name", SourceParameters.datasetName());
  private static final Parameter<Optional<String>> SNAPSHOT_CLASS =
      Parameter.optional("snapshotClass", ArgumentTypes.label());
  private static final Parameters PARAMETERS =
      Parameters.of(
          NAME,
          SourceParameters.FORMAT,
          SourceParameters.COMPRESSION,
          SourceParameters.OPTIONS,
          SourceParameters.FRAME,
          SNAPSHOT_CLASS);

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
    if (query.text("frame").isPresent()) {
      values.put("frame", query.flag("frame", true));
    }
    query.text("options").ifPresent(json -> values.put("options", object(json)));
    Arguments arguments = PARAMETERS.read(values);
    Optional<DatasetFormat> told = UploadType.format(body);
    return new Upload(
        arguments.get(NAME),
        SourceParameters.upload(
            arguments,
            told,
            arguments.get(SourceParameters.COMPRESSION).or(() -> UploadType.compression(body)),
            DatasetUploads.announce(body.bytes())),
        arguments.get(SNAPSHOT_CLASS).orElse(null),
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

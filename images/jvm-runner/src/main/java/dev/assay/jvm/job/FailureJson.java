package dev.assay.jvm.job;

import java.io.StringWriter;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** A failure as a part of a value: what helps to correct the call. */
public final class FailureJson {
  private static final JsonFactory JSON = new JsonFactory();

  private FailureJson() {}

  /** A value that has nothing else. */
  static String value(JobFailure failure) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), text)) {
      json.writeStartObject();
      write(json, failure);
      json.writeEndObject();
    }
    return text.toString();
  }

  /** Writes the member {@code failure} of a value. */
  public static void write(JsonGenerator json, JobFailure failure) {
    json.writeObjectPropertyStart("failure");
    json.writeArrayPropertyStart("suggestions");
    failure.suggestions().forEach(json::writeString);
    json.writeEndArray();
    JobFailure.Place place = failure.place();
    if (place != null) {
      json.writeNumberProperty("line", place.line());
      json.writeNumberProperty("column", place.column());
      json.writeStringProperty("context", place.context());
    }
    if (failure.missingName() != null) {
      json.writeStringProperty("missingName", failure.missingName());
    }
    json.writeEndObject();
  }
}

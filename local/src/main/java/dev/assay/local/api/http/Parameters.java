package dev.assay.local.api.http;

import dev.assay.local.api.status.ApiException;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.Fields;
import org.jspecify.annotations.Nullable;

/** The query parameters of a request. */
final class Parameters {
  private final Fields fields;

  private Parameters(Fields fields) {
    this.fields = fields;
  }

  static Parameters of(Request request) {
    try {
      return new Parameters(Request.extractQueryParameters(request));
    } catch (RuntimeException e) {
      throw ApiException.badRequest("the query of the request is malformed");
    }
  }

  /** Empty where the parameter is absent. */
  String text(String name) {
    String value = fields.getValue(name);
    return value == null ? "" : value;
  }

  boolean flag(String name) {
    String value = text(name);
    return value.equals("true") || value.equals("1");
  }

  boolean has(String name) {
    return fields.get(name) != null;
  }

  /** Absent where the parameter is. */
  @Nullable Long number(String name) {
    String value = text(name);
    if (value.isEmpty()) {
      return null;
    }
    try {
      long number = Long.parseLong(value);
      if (number >= 0) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Answered below.
    }
    throw ApiException.badRequest("%s is not a number from 0: %s".formatted(name, value));
  }

  /** A resourceVersion; 0 where it is absent. */
  long resourceVersion(String name) {
    String value = text(name);
    try {
      return value.isEmpty() ? 0 : Long.parseUnsignedLong(value);
    } catch (NumberFormatException e) {
      throw ApiException.badRequest("invalid resource version: " + value);
    }
  }
}

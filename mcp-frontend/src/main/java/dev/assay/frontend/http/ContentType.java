package dev.assay.frontend.http;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a body is said to be. Read from the header itself: the servlet API's own reading fails on a
 * charset that Java does not know.
 *
 * @param mediaType in lower case and without parameters; empty where nothing is said
 * @param charset as it was said
 */
record ContentType(String mediaType, Optional<String> charset) {
  private static final Pattern CHARSET =
      Pattern.compile(";\\s*charset\\s*=\\s*\"?([^\";\\s]*)", Pattern.CASE_INSENSITIVE);

  static ContentType of(HttpServletRequest request) {
    String header = request.getHeader("Content-Type");
    if (header == null) {
      return new ContentType("", Optional.empty());
    }
    Matcher charset = CHARSET.matcher(header);
    return new ContentType(
        header.split(";", 2)[0].strip().toLowerCase(Locale.ROOT),
        charset.find() ? Optional.of(charset.group(1)) : Optional.empty());
  }
}
